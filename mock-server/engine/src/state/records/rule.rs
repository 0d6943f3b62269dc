//! Allowed Ports rules, as recorded: what may be open, where, and until when.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::state::storage::{CustomerNo, EndpointNo};
use crate::time::{Expiry, Instant};
use crate::values::{OpenPort, PortRange, RuleProtocol};

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
    pub(crate) fn end(&self) -> Instant {
        let never = Instant::from_unix_millis(i64::MAX);
        self.expires_at.map_or(never, |expiry| expiry.end())
    }

    /// Whether it allows this port while it is active.
    pub(crate) fn covers(&self, open: OpenPort) -> bool {
        self.ports.contains(open.port.get()) && self.protocol.protocols().contains(&open.protocol)
    }
}
