//! Steps on rules.

use secmon::model::{PortRange, Protocol};
use secmon::operations::{CreateRule, UpdateRule};

use super::super::ops::Where;
use super::super::reference::{Ports, Rule, Scope, Who};
use super::{Expected, Walk, nth};

const WHY: &str = "As the walk wants it";

impl Walk<'_> {
    pub(super) async fn add_rule(&mut self, who: Who, place: Where, ports: Ports) -> Expected {
        let (account, side, _) = self.of(who);
        let (range, protocol) = fields(ports);
        let global = || CreateRule::account_wide(range, protocol.clone(), WHY);
        let (rule, scope) = match place {
            Where::Server(at) => {
                let (at, server) = nth(&side.servers, at)?;
                let rule = CreateRule::for_endpoint(server, range, protocol, WHY);
                (rule, Scope::Server(who, at))
            }
            Where::Customer => (
                global().billing_customer_id(side.customer.id),
                Scope::Customer(who),
            ),
            Where::Account => (global(), Scope::Account),
        };
        let made = account.client.send(rule).await.ok();
        let expected = self.expected.add_rule(Rule { scope, ports });
        let made = made.map(|made| made.data.id);
        self.rules.extend(made.filter(|_| expected == "201"));
        Some(expected)
    }

    pub(super) async fn update_rule(&mut self, who: Who, at: usize, ports: Ports) -> Expected {
        let at = self.shown_rule(who, at)?;
        let (range, protocol) = fields(ports);
        let update = UpdateRule::new(self.rules[at], range, protocol, WHY);
        drop(
            self.account
                .client
                .rules()
                .update_account_wide(update)
                .await,
        );
        Some(self.expected.update_rule(at, ports))
    }

    pub(super) async fn delete_rule(&mut self, who: Who, at: usize) -> Expected {
        let at = self.shown_rule(who, at)?;
        let rule = self.rules.remove(at);
        self.expected.rules.remove(at);
        drop(self.account.client.rules().delete_account_wide(rule).await);
        Some("204")
    }

    /// The n-th rule that a customer sees.
    fn shown_rule(&self, who: Who, at: usize) -> Option<usize> {
        let all = self.expected.rules.iter().enumerate();
        let shown = all.filter(|(_, rule)| rule.is_shown_to(who));
        let shown: Vec<usize> = shown.map(|(at, _)| at).collect();
        nth(&shown, at).map(|(_, at)| at)
    }
}

fn fields(ports: Ports) -> (PortRange, Protocol) {
    let range = format!("{}-{}", ports.first, ports.last);
    (range.parse().expect("a range"), ports.protocol.into())
}
