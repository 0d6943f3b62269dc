//! The monitored server.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::paging::linked_page;
use super::tolerant::optional;
use super::{
    Address, CustomerId, EndpointId, EndpointStatus, PageLinks, PortAlert, ScanStatus, Timestamp,
};

/// A monitored server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Endpoint {
    /// Its identifier.
    pub id: EndpointId,
    /// IPv4 or IPv6 address.
    pub ip_address: Address,
    /// Display hostname; for a server created by hostname the name that was resolved.
    #[serde(default, deserialize_with = "optional")]
    pub hostname: Option<String>,
    /// Display name, at most 255 characters.
    #[serde(default, deserialize_with = "optional")]
    pub nickname: Option<String>,
    /// Operating system, once a scan recognised it.
    #[serde(default, deserialize_with = "optional")]
    pub platform: Option<String>,
    /// State of its monitoring.
    pub status: EndpointStatus,
    /// Length of the manual scan's cooldown, in seconds.
    #[serde(default, deserialize_with = "optional")]
    pub nmap_cooldown_seconds: Option<u64>,
    /// End of the last scan; none until the first one ended.
    #[serde(default, deserialize_with = "optional")]
    pub last_scan_at: Option<Timestamp>,
    /// When the next scan is due; none while paused.
    #[serde(default, deserialize_with = "optional")]
    pub next_scan_at: Option<Timestamp>,
    /// When the record was made.
    #[serde(default, deserialize_with = "optional")]
    pub created_at: Option<Timestamp>,
    /// When the record last changed.
    #[serde(default, deserialize_with = "optional")]
    pub updated_at: Option<Timestamp>,
    /// The customer who owns it.
    #[serde(default, deserialize_with = "optional")]
    pub billing_customer_id: Option<CustomerId>,
    /// Whether the platform paused it for want of capacity; absent where the service does not tell.
    #[serde(default, deserialize_with = "optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quota_paused: Option<bool>,
}

/// A server with what its scans found (the detail read).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EndpointDetail {
    /// The server.
    pub data: Endpoint,
    /// The last scan that ended; none until the first one.
    #[serde(default, deserialize_with = "optional")]
    pub latest_scan: Option<LatestScan>,
    /// Up to 10 open port alerts.
    pub alerts: Vec<PortAlert>,
    /// What the rules allow, each `<port>:<protocol>`; a rule for both protocols appears once per protocol.
    pub whitelisted_ports: Vec<String>,
    /// Ports that opened between the last two scans; empty until there are two.
    pub new_ports: Vec<u16>,
    /// Ports that closed between the last two scans; empty until there are two.
    pub closed_ports: Vec<u16>,
}

/// The last scan of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LatestScan {
    /// Port numbers found open; `None` where the answer does not tell.
    #[serde(default, deserialize_with = "optional")]
    pub open_ports: Option<Vec<u16>>,
    /// How the scan ended.
    pub status: ScanStatus,
    /// How long it took, in milliseconds.
    #[serde(default, deserialize_with = "optional")]
    pub scan_duration_ms: Option<u64>,
    /// When it ended.
    #[serde(default, deserialize_with = "optional")]
    pub scanned_at: Option<Timestamp>,
}

/// One page of servers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EndpointPage {
    /// The servers, oldest first.
    pub data: Vec<Endpoint>,
    /// The neighbouring pages.
    #[serde(default, deserialize_with = "optional")]
    pub links: Option<PageLinks>,
    /// Where in the list this page stands, and the limits.
    pub meta: EndpointPageMeta,
}

/// Position and limits of a page of servers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EndpointPageMeta {
    /// Number of this page, from 1.
    pub current_page: u32,
    /// Servers per page.
    #[serde(default, deserialize_with = "optional")]
    pub per_page: Option<u32>,
    /// Servers in the filtered list.
    #[serde(default, deserialize_with = "optional")]
    pub total: Option<u64>,
    /// Number of the last page, where the service tells.
    #[serde(default, deserialize_with = "optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_page: Option<u32>,
    /// How many servers the customer (or the account, without one) may have.
    #[serde(default, deserialize_with = "optional")]
    pub endpoint_limit: Option<u64>,
    /// How many count against that limit now.
    #[serde(default, deserialize_with = "optional")]
    pub current_endpoint_count: Option<u64>,
    /// Servers by state, whatever the filter; `None` where the answer does not tell.
    #[serde(default, deserialize_with = "optional")]
    pub status_counts: Option<BTreeMap<EndpointStatus, u64>>,
}

linked_page!(EndpointPage of Endpoint);
