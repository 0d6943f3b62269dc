//! What an answer of the service shows, and how it changes the index.

use super::{AlertRecord, Domain, Index, Record, Server, Subscription};
use crate::notebook::owner::Owner;
use secmon::model::{
    Address, CustomerId, DomainAlert, DomainId, Endpoint, MonitoredDomain, PortAlert, Rule, RuleId,
};
use std::collections::HashMap;
use uuid::Uuid;

/// Something an answer has shown.
#[derive(Debug)]
pub enum Seen {
    /// All servers of a customer, or of the account.
    AllServers(Option<CustomerId>, Vec<Server>),
    /// Some servers.
    Servers(Vec<Server>),
    /// All domains of a customer.
    AllDomains(CustomerId, Vec<Domain>),
    /// One domain.
    Domain(Domain),
    /// All rules of a customer, or of the account.
    AllRules(Option<CustomerId>, Vec<Record>),
    /// Some rules.
    Rules(Vec<Record>),
    /// A listing of the alerts of a customer's ports, or of one of its domains.
    Alerts(CustomerId, Option<DomainId>, Vec<AlertRecord>),
    /// A subscription.
    Subscription(Subscription),
    /// Plans by their names.
    Plans(Vec<String>),
    /// Whose global rules are.
    GlobalRules(HashMap<RuleId, Owner>),
    /// A record that is no longer there.
    Gone(Uuid),
}

impl Index {
    /// Takes in what was seen.
    pub(super) fn note(&mut self, seen: Seen) {
        match seen {
            Seen::AllServers(whose, servers) => {
                self.servers
                    .retain(|server| whose.is_some() && server.customer != whose);
                self.servers.extend(servers);
            }
            Seen::Servers(servers) => {
                for server in servers {
                    put(&mut self.servers, server, |server| server.id);
                }
            }
            Seen::AllDomains(whose, domains) => {
                self.domains.retain(|domain| domain.customer != whose);
                self.domains.extend(domains);
            }
            Seen::Domain(domain) => put(&mut self.domains, domain, |domain| domain.id),
            Seen::AllRules(whose, rules) => {
                self.rules
                    .retain(|rule| whose.is_some() && rule.customer != whose);
                self.rules.extend(rules);
            }
            Seen::Rules(rules) => {
                for rule in rules {
                    put(&mut self.rules, rule, |rule| rule.id);
                }
            }
            Seen::Alerts(customer, domain, alerts) => {
                self.alerts
                    .retain(|alert| (alert.customer, alert.domain) != (customer, domain));
                self.alerts.extend(alerts);
            }
            Seen::Subscription(subscription) => {
                put(&mut self.subscriptions, subscription, |one| one.id);
            }
            Seen::Plans(plans) => self.plans.extend(plans),
            Seen::GlobalRules(owners) => self.global_rules.extend(owners),
            Seen::Gone(id) => self.forget(id),
        }
    }

    fn forget(&mut self, id: Uuid) {
        self.servers.retain(|server| *server.id.as_uuid() != id);
        self.domains.retain(|domain| *domain.id.as_uuid() != id);
        self.rules.retain(|rule| rule.id != id);
        self.global_rules.remove(&RuleId::from(id));
        self.alerts.retain(|alert| alert.id != id);
        self.subscriptions.retain(|one| *one.id.as_uuid() != id);
    }
}

/// Takes the place of the record with the same id, or comes last.
fn put<T, K: PartialEq>(records: &mut Vec<T>, record: T, id: fn(&T) -> K) {
    match records.iter_mut().find(|old| id(old) == id(&record)) {
        Some(old) => *old = record,
        None => records.push(record),
    }
}

impl From<&Endpoint> for Server {
    fn from(endpoint: &Endpoint) -> Self {
        Self {
            id: endpoint.id,
            ip: endpoint.ip_address.to_string(),
            hostname: endpoint.hostname.clone(),
            nickname: endpoint.nickname.clone(),
            customer: endpoint.billing_customer_id,
        }
    }
}

impl Domain {
    /// A domain of a customer.
    pub fn of(customer: CustomerId, domain: &MonitoredDomain) -> Self {
        Self {
            id: domain.id,
            name: domain.domain.clone(),
            customer,
        }
    }
}

impl Record {
    /// A rule that was listed for a customer, or for the account.
    pub fn of(customer: Option<CustomerId>, rule: &Rule) -> Self {
        let place = rule
            .endpoint
            .as_ref()
            .map(|endpoint| format!(" on {}", endpoint.ip_address));
        let ports = rule
            .ports()
            .map(|ports| ports.to_string())
            .unwrap_or_default();
        Self {
            id: rule.id.into(),
            about: format!("{ports}/{}{}", rule.protocol, place.unwrap_or_default()),
            customer,
        }
    }
}

impl AlertRecord {
    /// An alert of a port.
    pub fn of_port(customer: CustomerId, alert: &PortAlert) -> Self {
        let place = alert.ip_address.as_ref().map_or("", Address::as_str);
        Self {
            id: alert.id.into(),
            about: format!("{}/{} {place}", alert.port, alert.protocol),
            customer,
            domain: None,
        }
    }

    /// An alert of a domain.
    pub fn of_domain(customer: CustomerId, alert: &DomainAlert) -> Self {
        let place = alert.domain.as_deref().unwrap_or_default();
        Self {
            id: alert.id.into(),
            about: format!("{} {place}", alert.kind),
            customer,
            domain: Some(alert.monitored_domain_id),
        }
    }
}
