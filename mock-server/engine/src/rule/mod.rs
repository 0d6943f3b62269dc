//! Allowed Ports rules: what may be open, where, and until when.

mod manage;
mod port_index;
mod view;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::account::Account;
use crate::session::Session;
use crate::state::storage::{CustomerNo, EndpointNo, RuleNo};
use crate::time::{Expiry, Instant};
use crate::values::{OpenPort, PortRange, RuleProtocol};

pub use manage::{ListRules, RuleRequest, RuleScope, RuleStatus, ScopeFilter};
pub(crate) use port_index::ScopeRules;
pub use view::{EndpointRuleCount, RuleCounts, RuleView};

/// An Allowed Ports rule, as recorded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Rule {
    pub(crate) scope: Scope,
    pub(crate) ports: PortRange,
    pub(crate) protocol: RuleProtocol,
    pub(crate) service: Option<Box<str>>,
    pub(crate) justification: Box<str>,
    pub(crate) origin: Origin,
    pub(crate) expires_at: Option<Expiry>,
    pub(crate) created_by: Uuid,
    pub(crate) created_at: Instant,
    pub(crate) updated_at: Instant,
}

/// Where a rule applies, which also says whose it is (E8).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Scope {
    /// All servers of the account.
    Account,
    /// All servers of one customer.
    Customer(CustomerNo),
    /// One server, whose customer owns the rule.
    Endpoint(EndpointNo),
}

/// Who thought of a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Origin {
    /// A caller.
    Manual,
    /// A firewall dump (E13).
    FirewallDump,
}

impl Rule {
    /// Whether it still allows anything (A19, E9).
    pub(crate) fn is_active(&self, now: Instant) -> bool {
        now < self.end()
    }

    /// From when on it allows nothing.
    fn end(&self) -> Instant {
        let never = Instant::from_unix_millis(i64::MAX);
        self.expires_at.map_or(never, |expiry| expiry.end())
    }

    /// Whether it allows this port while it is active.
    pub(crate) fn covers(&self, open: OpenPort) -> bool {
        self.ports.contains(open.port.get()) && self.protocol.protocols().contains(&open.protocol)
    }
}

impl Session<'_> {
    /// Resolves the open alerts that a rule covers, at once (E3). Those of
    /// terminated and deleted servers stay (B14).
    pub(crate) fn resolve_covered(&mut self, rule: &Rule) {
        let endpoints: Vec<EndpointNo> = match rule.scope {
            Scope::Endpoint(endpoint) => vec![endpoint],
            Scope::Customer(customer) => {
                let roll = &self.index.customer(customer).endpoints;
                roll.live.iter().map(EndpointNo).collect()
            }
            Scope::Account => self.index.endpoints.live.iter().map(EndpointNo).collect(),
        };
        for endpoint in endpoints {
            self.resolve_covered_by(endpoint, rule);
        }
    }
}

impl Account {
    /// The rules of one scope, oldest first.
    pub(crate) fn rules_of(&self, scope: Scope) -> impl Iterator<Item = (RuleNo, &Rule)> {
        self.index
            .rules
            .get(&scope)
            .into_iter()
            .flat_map(ScopeRules::numbers)
            .filter_map(|number| Some((number, self.records.rules.get(&number)?)))
    }

    /// The scopes whose rules apply to a server.
    fn scopes_of(&self, endpoint: EndpointNo) -> [Scope; 3] {
        let customer = self.records.endpoints[endpoint].customer;
        [
            Scope::Account,
            Scope::Customer(customer),
            Scope::Endpoint(endpoint),
        ]
    }

    /// The rules that apply to a server and are active at that time.
    pub(crate) fn applying_rules(
        &self,
        endpoint: EndpointNo,
        at: Instant,
    ) -> impl Iterator<Item = &Rule> {
        self.scopes_of(endpoint)
            .into_iter()
            .flat_map(|scope| self.rules_of(scope))
            .map(|(_, rule)| rule)
            .filter(move |rule| rule.is_active(at))
    }

    /// Until when the rules there are allow a port of a server; none where none ever did.
    pub(crate) fn allowed_until(&self, endpoint: EndpointNo, open: OpenPort) -> Option<Instant> {
        let scopes = self.scopes_of(endpoint).into_iter();
        let ends = scopes.filter_map(|scope| self.index.rules.get(&scope)?.allowed_until(open));
        ends.max()
    }

    /// Whether the rules that apply to a server allow a port at that time.
    pub(crate) fn is_allowed(&self, endpoint: EndpointNo, open: OpenPort, at: Instant) -> bool {
        self.allowed_until(endpoint, open)
            .is_some_and(|end| at < end)
    }

    /// The customer that owns what has this scope; none for the account.
    pub(crate) fn scope_owner(&self, scope: Scope) -> Option<CustomerNo> {
        match scope {
            Scope::Account => None,
            Scope::Customer(customer) => Some(customer),
            Scope::Endpoint(endpoint) => Some(self.records.endpoints[endpoint].customer),
        }
    }

    /// Writes a rule and makes it known by its scope. There is no other way to
    /// add or change one.
    pub(crate) fn put_rule(&mut self, number: RuleNo, rule: Rule) {
        self.remove_rule(number);
        self.records.rules.insert(number, rule);
        self.index_rule(number);
    }

    /// Makes a recorded rule known by its scope.
    pub(crate) fn index_rule(&mut self, number: RuleNo) {
        if let Some(rule) = self.records.rules.get(&number) {
            let rules = self.index.rules.entry(rule.scope).or_default();
            rules.insert(number, rule);
        }
    }

    pub(crate) fn remove_rule(&mut self, number: RuleNo) {
        let Some(rule) = self.records.rules.remove(number) else {
            return;
        };
        if let Some(rules) = self.index.rules.get_mut(&rule.scope) {
            rules.remove(number, &rule);
            if rules.is_empty() {
                self.index.rules.remove(&rule.scope);
            }
        }
    }
}
