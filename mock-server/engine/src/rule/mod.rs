//! Allowed Ports rules: what may be open, where, and until when.

mod manage;
mod view;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::account::Account;
use crate::changes::{CustomerNo, EndpointNo, RuleNo};
use crate::time::{Expiry, Instant};
use crate::values::{OpenPort, PortRange, RuleProtocol};

pub use manage::{ListRules, RuleRequest, RuleScope, RuleStatus, ScopeFilter};
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
        self.expires_at.is_none_or(|expiry| now < expiry.end())
    }

    fn overlaps(&self, ports: PortRange, protocol: RuleProtocol) -> bool {
        self.ports.meets(ports) && self.protocol.meets(protocol)
    }
}

/// Ports that rules allow.
#[derive(Clone, Default, Debug)]
pub(crate) struct AllowedPorts(Vec<(PortRange, RuleProtocol)>);

impl AllowedPorts {
    /// Whether one of the rules covers this port.
    pub(crate) fn cover(&self, open: OpenPort) -> bool {
        self.0.iter().any(|(ports, protocol)| {
            ports.contains(open.port.get()) && protocol.protocols().contains(&open.protocol)
        })
    }
}

impl Account {
    /// The rules of one scope, oldest first.
    pub(crate) fn rules_of(&self, scope: Scope) -> impl Iterator<Item = (RuleNo, &Rule)> {
        self.index
            .rules
            .get(&scope)
            .into_iter()
            .flatten()
            .filter_map(|number| Some((*number, self.records.rules.get(number)?)))
    }

    /// The rules that apply to a server and are active at that time.
    pub(crate) fn applying_rules(
        &self,
        endpoint: EndpointNo,
        at: Instant,
    ) -> impl Iterator<Item = &Rule> {
        let customer = self.records.endpoints[endpoint].customer;
        let scopes = [
            Scope::Account,
            Scope::Customer(customer),
            Scope::Endpoint(endpoint),
        ];
        scopes
            .into_iter()
            .flat_map(|scope| self.rules_of(scope))
            .map(|(_, rule)| rule)
            .filter(move |rule| rule.is_active(at))
    }

    /// What the rules that apply to a server allow at that time.
    pub(crate) fn allowed_ports(&self, endpoint: EndpointNo, at: Instant) -> AllowedPorts {
        let rules = self.applying_rules(endpoint, at);
        AllowedPorts(rules.map(|rule| (rule.ports, rule.protocol)).collect())
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
        self.index_rule(number, rule.scope);
        self.records.rules.insert(number, rule);
    }

    /// Makes a recorded rule known by its scope.
    pub(crate) fn index_rule(&mut self, number: RuleNo, scope: Scope) {
        self.index.rules.entry(scope).or_default().insert(number);
    }

    pub(crate) fn remove_rule(&mut self, number: RuleNo) {
        let Some(rule) = self.records.rules.remove(number) else {
            return;
        };
        if let Some(rules) = self.index.rules.get_mut(&rule.scope) {
            rules.remove(&number);
            if rules.is_empty() {
                self.index.rules.remove(&rule.scope);
            }
        }
    }

    /// Resolves the open alerts that a rule covers, at once (E3). Those of
    /// terminated and deleted servers stay (B14).
    pub(crate) fn resolve_covered(&mut self, rule: &Rule) {
        let allowed = AllowedPorts(vec![(rule.ports, rule.protocol)]);
        let endpoints: Vec<EndpointNo> = match rule.scope {
            Scope::Endpoint(endpoint) => vec![endpoint],
            Scope::Customer(customer) => {
                let roll = &self.index.customer(customer).endpoints;
                roll.live.iter().map(EndpointNo).collect()
            }
            Scope::Account => self.index.endpoints.live.iter().map(EndpointNo).collect(),
        };
        for endpoint in endpoints {
            self.resolve_allowed(endpoint, &allowed, self.now);
        }
    }
}
