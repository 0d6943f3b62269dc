//! The rules there are where some are to be added: those of the same place, and the wider ones that count there too.

use super::rule::EVERY_SERVER;
use super::wanted_rule::{Place, WantedRule, day, is_live};
use crate::commands::common::views::ports_of;
use crate::error::CliError;
use crate::references;
use crate::session::Session;
use crate::state::rule_owner::RuleOwner;
use crate::values::ports::PortSpec;
use secmon::model::{CustomerId, EndpointId, Expiry, Rule, RuleScope};
use std::collections::HashMap;

/// The rules there are at the places where some are wanted, in force or not yet over.
#[derive(Debug, Default)]
pub struct ExistingRules {
    of_servers: HashMap<EndpointId, Vec<Rule>>,
    /// Rules for all servers, as they are listed for a customer or for the account.
    global: HashMap<Option<CustomerId>, Vec<Rule>>,
}

impl ExistingRules {
    /// Reads them: of one server by itself, of several with one list for each customer.
    pub async fn read(session: &Session, wanted: &[WantedRule]) -> Result<Self, CliError> {
        let mut places: Vec<&Place> = Vec::new();
        for one in wanted {
            if places
                .iter()
                .all(|place| place.server() != one.place.server())
            {
                places.push(&one.place);
            }
        }
        let mut there = Self::default();
        if let [one] = places.as_slice() {
            there.read_one(session, one).await?;
            return Ok(there);
        }
        let mut customers: Vec<Option<CustomerId>> = Vec::new();
        for place in places {
            let customer = place.customer();
            if !customers.contains(&customer) {
                customers.push(customer);
            }
        }
        for customer in customers {
            let all = references::all_rules(session, |list| {
                list.billing_customer_id = customer;
            });
            for rule in all.await?.into_iter().filter(is_live) {
                match rule.endpoint_id {
                    Some(server) => there.of_servers.entry(server).or_default().push(rule),
                    None => there.global.entry(customer).or_default().push(rule),
                }
            }
        }
        Ok(there)
    }

    async fn read_one(&mut self, session: &Session, place: &Place) -> Result<(), CliError> {
        let rules = place.live_rules(session).await?;
        let customer = place.customer();
        let Some(server) = place.server() else {
            self.global.insert(customer, rules);
            return Ok(());
        };
        self.of_servers.insert(server, rules);
        let global = global_rules(session, customer).await?;
        self.global.insert(customer, global);
        Ok(())
    }

    /// The rules of a place.
    pub fn at(&self, place: &Place) -> &[Rule] {
        let rules = match place.server() {
            Some(server) => self.of_servers.get(&server),
            None => self.global.get(&place.customer()),
        };
        rules.map_or(&[], Vec::as_slice)
    }

    /// A rule for more servers that allows all of the ports already. The service takes the narrower one beside it.
    pub fn wider(&self, session: &Session, wanted: &WantedRule) -> Option<WiderRule> {
        let customer = wanted.place.customer()?;
        let global = self.global.get(&Some(customer))?;
        WiderRule::among(global, session, &wanted.port)
    }
}

/// The rules for all servers that count for a customer.
pub async fn global_rules(
    session: &Session,
    customer: Option<CustomerId>,
) -> Result<Vec<Rule>, CliError> {
    let rules = references::all_rules(session, |list| {
        list.billing_customer_id = customer;
        list.scope = Some(RuleScope::Global);
    });
    let mut rules = rules.await?;
    rules.retain(is_live);
    Ok(rules)
}

/// Whose a rule for all servers is, as far as this computer knows.
pub fn owner_of(session: &Session, rule: &Rule) -> Option<RuleOwner> {
    session.known().ok()?.global_rules.get(&rule.id).copied()
}

/// A rule for more servers than the one that is wanted.
#[derive(Debug)]
pub struct WiderRule {
    /// Its id.
    pub id: String,
    /// What it allows, and where.
    what: String,
    /// Its last day.
    last_day: Option<String>,
}

impl WiderRule {
    /// The first of the rules for all servers that allows all of these ports.
    pub fn among<'a>(
        rules: impl IntoIterator<Item = &'a Rule>,
        session: &Session,
        port: &PortSpec,
    ) -> Option<Self> {
        let mut rules = rules.into_iter();
        let rule = rules.find(|rule| port.is_within(rule))?;
        Some(Self::of(rule, owner_of(session, rule)))
    }

    fn of(rule: &Rule, owner: Option<RuleOwner>) -> Self {
        let place = match owner {
            Some(RuleOwner::Customer(customer)) => format!("all servers of customer {customer}"),
            Some(RuleOwner::Account) => EVERY_SERVER.to_owned(),
            None => "all servers".to_owned(),
        };
        let end = rule.expires_at.as_ref();
        let last_day = end.map(|end| day(end.as_str()).to_owned());
        let until = last_day.as_ref().map(|day| format!(" until {day}"));
        Self {
            id: rule.id.to_string(),
            what: format!("{} on {place}{}", ports_of(rule), until.unwrap_or_default()),
            last_day,
        }
    }

    /// Whether it allows the ports as long as a rule would that ends so.
    pub fn lasts_until(&self, end: Option<&Expiry>) -> bool {
        match (&self.last_day, end.map(ToString::to_string)) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(last), Some(end)) => last.as_str() >= day(&end),
        }
    }

    /// `rule ... for 443/tcp on all servers of customer 42`
    pub fn name(&self) -> String {
        format!("rule {} for {}", self.id, self.what)
    }
}
