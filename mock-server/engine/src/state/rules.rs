//! Rules in the state: found by where they apply, and changed so that the
//! index of their ports is changed as well.

use crate::state::account::Account;
use crate::state::port_index::ScopeRules;
use crate::state::records::{Rule, Scope};
use crate::state::storage::{CustomerNo, EndpointNo, RuleNo};
use crate::time::Instant;
use crate::values::OpenPort;

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
