//! Allowed Ports rules as the API shows them.

use std::net::IpAddr;

use serde::Serialize;
use uuid::Uuid;

use crate::endpoint::view::EndpointView;
use crate::ids::Kind;
use crate::session::Session;
use crate::state::{EndpointNo, Origin, Rule, RuleNo, Scope};
use crate::time::Timestamp;
use crate::values::{ClientId, RuleProtocol};

/// Ranges above this many ports are listed by their two ends (E5).
const LISTED_PORTS: usize = 1024;

/// The Allowed Ports rule resource.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RuleView {
    /// Its id.
    pub id: Uuid,
    /// The account's id.
    pub tenant_id: Uuid,
    /// The server of an endpoint-scoped rule; null for a global one (E8).
    pub endpoint_id: Option<Uuid>,
    /// The first port.
    pub port: u16,
    /// The first port.
    pub port_start: u16,
    /// The last port.
    pub port_end: u16,
    /// A single port, or `start-end`.
    pub range_label: String,
    /// `tcp`, `udp` or `*`.
    pub protocol: RuleProtocol,
    /// A label.
    pub service: Option<String>,
    /// Why.
    pub justification: String,
    /// Whether a firewall dump suggested it (E13).
    pub auto_suggested: bool,
    /// When it ends.
    pub expires_at: Option<Timestamp>,
    /// The id of the API key that made it (E9).
    pub created_by: Uuid,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last replaced.
    pub updated_at: Timestamp,
    /// Whether it still allows anything.
    pub is_active: bool,
    /// `Endpoint-Specific` or `Global`.
    pub scope_label: &'static str,
    /// The server of an endpoint-scoped rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<EndpointView>,
}

/// The endpoint-summary of a customer.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RuleCounts {
    /// Every live server, oldest first, zeros included (E11).
    pub endpoints: Vec<EndpointRuleCount>,
    /// Global rules that the customer sees.
    pub global_count: u64,
}

/// How many rules a server has of its own, expired ones included (E11).
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EndpointRuleCount {
    /// The server.
    pub endpoint_id: Uuid,
    /// Its address.
    pub ip_address: IpAddr,
    /// Its display name.
    pub nickname: String,
    /// Its rules.
    pub rule_count: u64,
}

impl Session<'_> {
    /// `GET /whitelists/endpoint-summary`: how many rules each server has.
    pub fn rule_counts(&mut self, client: ClientId) -> RuleCounts {
        let customer = self.customer(client);
        let endpoints = match customer {
            Some(number) => {
                let live = &self.index.customer(number).endpoints.live;
                live.iter()
                    .map(|number| self.endpoint_rule_count(EndpointNo(number)))
                    .collect()
            }
            None => Vec::new(),
        };
        let own = customer.map_or(0, |number| self.rules_of(Scope::Customer(number)).count());
        RuleCounts {
            endpoints,
            global_count: (own + self.rules_of(Scope::Account).count()) as u64,
        }
    }

    fn endpoint_rule_count(&self, number: EndpointNo) -> EndpointRuleCount {
        let endpoint = &self.records.endpoints[number];
        EndpointRuleCount {
            endpoint_id: self.ids.uuid(Kind::Endpoint, number.into()),
            ip_address: endpoint.address,
            nickname: endpoint.nickname(),
            rule_count: self.rules_of(Scope::Endpoint(number)).count() as u64,
        }
    }

    pub(crate) fn rule_view(&self, number: RuleNo) -> RuleView {
        let rule = &self.records.rules[&number];
        let endpoint = match rule.scope {
            Scope::Endpoint(endpoint) => Some(self.endpoint_view(endpoint)),
            Scope::Customer(_) | Scope::Account => None,
        };
        RuleView {
            id: self.ids.uuid(Kind::Rule, number.into()),
            tenant_id: self.id(),
            endpoint_id: endpoint.as_ref().map(|endpoint| endpoint.id),
            port: rule.ports.start(),
            port_start: rule.ports.start(),
            port_end: rule.ports.end(),
            range_label: rule.ports.to_string(),
            protocol: rule.protocol,
            service: rule.service.as_deref().map(str::to_owned),
            justification: rule.justification.to_string(),
            auto_suggested: rule.origin == Origin::FirewallDump,
            expires_at: rule.expires_at.map(|expiry| Timestamp(expiry.shown())),
            created_by: rule.created_by,
            created_at: rule.created_at.into(),
            updated_at: rule.updated_at.into(),
            is_active: rule.is_active(self.now),
            scope_label: match endpoint {
                Some(_) => "Endpoint-Specific",
                None => "Global",
            },
            endpoint,
        }
    }

    /// The ports that active rules allow on a server, as `port:protocol`,
    /// sorted by number, then protocol, each once (E5).
    pub(crate) fn whitelisted_ports(&self, endpoint: EndpointNo) -> Vec<String> {
        let mut entries: Vec<(u16, &'static str)> = self
            .applying_rules(endpoint, self.now)
            .flat_map(Rule::listed_ports)
            .collect();
        entries.sort_unstable();
        entries.dedup();
        entries
            .into_iter()
            .map(|(port, protocol)| format!("{port}:{protocol}"))
            .collect()
    }
}

impl Rule {
    fn listed_ports(&self) -> Vec<(u16, &'static str)> {
        let ports: Vec<u16> = if self.ports.size() > LISTED_PORTS {
            vec![self.ports.start(), self.ports.end()]
        } else {
            (self.ports.start()..=self.ports.end()).collect()
        };
        self.protocol
            .protocols()
            .iter()
            .flat_map(|protocol| ports.iter().map(|port| (*port, protocol.name())))
            .collect()
    }
}
