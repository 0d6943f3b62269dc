//! The Allowed Ports rule.

use std::num::NonZeroU16;

use serde::{Deserialize, Serialize};

use super::paging::linked_page;
use super::tolerant::optional;
use super::{
    Address, CreatorId, Endpoint, EndpointId, PageLinks, PortRange, Protocol, RuleId, TenantId,
    Timestamp,
};

/// A rule that allows a range of ports, so that they raise no alerts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Rule {
    /// Its identifier.
    pub id: RuleId,
    /// The partner account.
    #[serde(default, deserialize_with = "optional")]
    pub tenant_id: Option<TenantId>,
    /// The server it applies to; `None` on a global rule.
    #[serde(default, deserialize_with = "optional")]
    pub endpoint_id: Option<EndpointId>,
    /// The first port again, for older readers.
    #[serde(default, deserialize_with = "optional")]
    pub port: Option<u16>,
    /// The first port.
    pub port_start: u16,
    /// The last port; equal to the first on a single-port rule.
    pub port_end: u16,
    /// The range as text: `22`, or `8000-8100`.
    #[serde(default, deserialize_with = "optional")]
    pub range_label: Option<String>,
    /// The protocol, `*` for both.
    pub protocol: Protocol,
    /// A label for the service behind the ports, at most 100 characters.
    #[serde(default, deserialize_with = "optional")]
    pub service: Option<String>,
    /// Why the ports may be open, 10 to 500 characters.
    #[serde(default, deserialize_with = "optional")]
    pub justification: Option<String>,
    /// Whether it came from a firewall dump.
    #[serde(default, deserialize_with = "optional")]
    pub auto_suggested: Option<bool>,
    /// Until when it allows; `None` for always.
    #[serde(default, deserialize_with = "optional")]
    pub expires_at: Option<Timestamp>,
    /// Who made it.
    #[serde(default, deserialize_with = "optional")]
    pub created_by: Option<CreatorId>,
    /// When it was made.
    #[serde(default, deserialize_with = "optional")]
    pub created_at: Option<Timestamp>,
    /// When it last changed.
    #[serde(default, deserialize_with = "optional")]
    pub updated_at: Option<Timestamp>,
    /// Whether it allows its ports now.
    #[serde(default, deserialize_with = "optional")]
    pub is_active: Option<bool>,
    /// Its scope in words: `Endpoint-Specific` for a rule of one server.
    #[serde(default, deserialize_with = "optional")]
    pub scope_label: Option<String>,
    /// The server itself, where the service sends it along.
    #[serde(default, deserialize_with = "optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<Endpoint>,
}

impl Rule {
    /// The ports as a range; `None` when the service sent numbers that are no range.
    pub fn ports(&self) -> Option<PortRange> {
        let start = NonZeroU16::new(self.port_start)?;
        let end = NonZeroU16::new(self.port_end)?;
        PortRange::new(start, end).ok()
    }
}

/// One page of rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RulePage {
    /// The rules, oldest first.
    pub data: Vec<Rule>,
    /// The neighbouring pages.
    #[serde(default, deserialize_with = "optional")]
    pub links: Option<PageLinks>,
    /// Where in the list this page stands.
    pub meta: RulePageMeta,
}

/// Position of a page of rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RulePageMeta {
    /// Number of this page, from 1.
    pub current_page: u32,
    /// Rules per page.
    #[serde(default, deserialize_with = "optional")]
    pub per_page: Option<u32>,
    /// Rules in the filtered list.
    #[serde(default, deserialize_with = "optional")]
    pub total: Option<u64>,
    /// Number of the last page, where the service tells.
    #[serde(default, deserialize_with = "optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_page: Option<u32>,
}

linked_page!(RulePage of Rule);

/// How many rules a customer's servers have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RuleSummary {
    /// Every live server of the customer, those without rules too.
    pub endpoints: Vec<EndpointSummary>,
    /// Global rules that apply to the customer, expired ones included.
    #[serde(default, deserialize_with = "optional")]
    pub global_count: Option<u64>,
}

/// How many rules one server has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EndpointSummary {
    /// The server.
    pub endpoint_id: EndpointId,
    /// Its address.
    #[serde(default, deserialize_with = "optional")]
    pub ip_address: Option<Address>,
    /// Its display name.
    #[serde(default, deserialize_with = "optional")]
    pub nickname: Option<String>,
    /// Its rules, expired ones included.
    #[serde(default, deserialize_with = "optional")]
    pub rule_count: Option<u64>,
}
