//! The Allowed Ports rule.

use std::num::NonZeroU16;

use super::endpoint::Endpoint;
use super::ids::{AccountId, CreatorId, EndpointId, RuleId};
use super::paging::PageLinks;
use super::paging::linked_page;
use super::port::PortRange;
use super::text::Address;
use super::timestamp::Timestamp;
use super::tolerant::record;
use super::values::Protocol;

record! {
    /// A rule that allows a range of ports, so that they raise no alerts.
    Rule {
        /// Its identifier.
        id: RuleId,
        /// The partner account.
        tenant_id: Option<AccountId>,
        /// The server it applies to; `None` on a global rule.
        endpoint_id: Option<EndpointId>,
        /// The first port again, for older readers.
        port: Option<u16>,
        /// The first port.
        port_start: u16,
        /// The last port; equal to the first on a single-port rule.
        port_end: u16,
        /// The range as text: `22`, or `8000-8100`.
        range_label: Option<String>,
        /// The protocol, `*` for both.
        protocol: Protocol,
        /// A label for the service behind the ports, at most 100 characters.
        service: Option<String>,
        /// Why the ports may be open, 10 to 500 characters.
        justification: Option<String>,
        /// Whether it came from a firewall dump.
        auto_suggested: Option<bool>,
        /// Until when it allows; `None` for always.
        expires_at: Option<Timestamp>,
        /// Who made it.
        created_by: Option<CreatorId>,
        /// When it was made.
        created_at: Option<Timestamp>,
        /// When it last changed.
        updated_at: Option<Timestamp>,
        /// Whether it allows its ports now.
        is_active: Option<bool>,
        /// Its scope in words: `Endpoint-Specific` for a rule of one server.
        scope_label: Option<String>,
        /// The server itself, where the service sends it along.
        #[serde(skip_serializing_if = "Option::is_none")]
        endpoint: Option<Endpoint>,
    }
}

impl Rule {
    /// The ports as a range; `None` when the service sent numbers that are no range.
    pub fn ports(&self) -> Option<PortRange> {
        let start = NonZeroU16::new(self.port_start)?;
        let end = NonZeroU16::new(self.port_end)?;
        PortRange::new(start, end).ok()
    }
}

record! {
    /// One page of rules.
    RulePage {
        /// The rules, oldest first.
        data: Vec<Rule>,
        /// The neighbouring pages.
        links: Option<PageLinks>,
        /// Where in the list this page stands.
        meta: RulePageMeta,
    }
}

record! {
    /// Position of a page of rules.
    RulePageMeta {
        /// Number of this page, from 1.
        current_page: u32,
        /// Rules per page.
        per_page: Option<u32>,
        /// Rules in the filtered list.
        total: Option<u64>,
        /// Number of the last page, where the service tells.
        #[serde(skip_serializing_if = "Option::is_none")]
        last_page: Option<u32>,
    }
}

linked_page!(RulePage of Rule);

record! {
    /// How many rules a customer's servers have.
    RuleSummary {
        /// Every live server of the customer, those without rules too.
        endpoints: Vec<EndpointSummary>,
        /// Global rules that apply to the customer, expired ones included.
        global_count: Option<u64>,
    }
}

record! {
    /// How many rules one server has.
    EndpointSummary {
        /// The server.
        endpoint_id: EndpointId,
        /// Its address.
        ip_address: Option<Address>,
        /// Its display name.
        nickname: Option<String>,
        /// Its rules, expired ones included.
        rule_count: Option<u64>,
    }
}
