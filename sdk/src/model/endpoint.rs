//! The monitored server.

use std::collections::BTreeMap;

use super::ids::{CustomerId, EndpointId};
use super::paging::PageLinks;
use super::paging::linked_page;
use super::port_alert::PortAlert;
use super::text::Address;
use super::timestamp::Timestamp;
use super::tolerant::record;
use super::values::{EndpointStatus, ScanStatus};

record! {
    /// A monitored server.
    Endpoint {
        /// Its identifier.
        id: EndpointId,
        /// IPv4 or IPv6 address.
        ip_address: Address,
        /// Display hostname; for a server created by hostname the name that was resolved.
        hostname: Option<String>,
        /// Display name, at most 255 characters.
        nickname: Option<String>,
        /// Operating system, once a scan recognised it.
        platform: Option<String>,
        /// State of its monitoring.
        status: EndpointStatus,
        /// Length of the manual scan's cooldown, in seconds.
        nmap_cooldown_seconds: Option<u64>,
        /// End of the last scan; none until the first one ended.
        last_scan_at: Option<Timestamp>,
        /// When the next scan is due; none while paused.
        next_scan_at: Option<Timestamp>,
        /// When the record was made.
        created_at: Option<Timestamp>,
        /// When the record last changed.
        updated_at: Option<Timestamp>,
        /// The customer who owns it.
        billing_customer_id: Option<CustomerId>,
        /// Whether the platform paused it for want of capacity; absent where the service does not tell.
        #[serde(skip_serializing_if = "Option::is_none")]
        quota_paused: Option<bool>,
    }
}

record! {
    /// A server with what its scans found (the detail read).
    EndpointDetail {
        /// The server.
        data: Endpoint,
        /// The last scan that ended; `None` until the first one, and where it is not written as documented:
        /// [`raw_field`](crate::Response::raw_field) has what stands there.
        latest_scan: Option<LatestScan>,
        /// Up to 10 open port alerts.
        alerts: Vec<PortAlert>,
        /// What the rules allow, each `<port>:<protocol>`; a rule for both protocols appears once per protocol.
        whitelisted_ports: Vec<String>,
        /// Ports that opened between the last two scans; empty until there are two.
        new_ports: Vec<u16>,
        /// Ports that closed between the last two scans; empty until there are two.
        closed_ports: Vec<u16>,
    }
}

record! {
    /// The last scan of a server.
    LatestScan {
        /// Port numbers found open; `None` where the answer does not tell.
        open_ports: Option<Vec<u16>>,
        /// How the scan ended.
        status: ScanStatus,
        /// How long it took, in milliseconds.
        scan_duration_ms: Option<u64>,
        /// When it ended.
        scanned_at: Option<Timestamp>,
    }
}

record! {
    /// One page of servers.
    EndpointPage {
        /// The servers, oldest first.
        data: Vec<Endpoint>,
        /// The neighbouring pages.
        links: Option<PageLinks>,
        /// Where in the list this page stands, and the limits.
        meta: EndpointPageMeta,
    }
}

record! {
    /// Position and limits of a page of servers.
    EndpointPageMeta {
        /// Number of this page, from 1.
        current_page: u32,
        /// Servers per page.
        per_page: Option<u32>,
        /// Servers in the filtered list.
        total: Option<u64>,
        /// Number of the last page, where the service tells.
        #[serde(skip_serializing_if = "Option::is_none")]
        last_page: Option<u32>,
        /// How many servers the customer (or the account, without one) may have.
        endpoint_limit: Option<u64>,
        /// How many count against that limit now.
        current_endpoint_count: Option<u64>,
        /// Servers by state, whatever the filter; `None` where the answer does not tell.
        status_counts: Option<BTreeMap<EndpointStatus, u64>>,
    }
}

linked_page!(EndpointPage of Endpoint);
