//! A server as the API shows it.

use std::net::IpAddr;

use serde::Serialize;
use uuid::Uuid;

use crate::ids::Kind;
use crate::named::named;
use crate::session::Session;
use crate::state::{Endpoint, EndpointNo, EndpointState, Found, LastSeen, PausedBy};
use crate::time::Timestamp;
use crate::values::ClientId;

/// The status of a server.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EndpointStatus {
    /// It is scanned.
    Active,
    /// It is not scanned; nothing is lost.
    Paused,
    /// Its monitoring ended.
    Terminated,
}

impl EndpointStatus {
    pub(crate) fn of(state: EndpointState) -> Self {
        match state.last_seen() {
            LastSeen::Active => Self::Active,
            LastSeen::Paused(_) => Self::Paused,
            LastSeen::Terminated => Self::Terminated,
        }
    }
}

/// A status that a caller can give a server, or filter by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DesiredStatus {
    /// Scanned.
    Active,
    /// Not scanned.
    Paused,
}

named!(DesiredStatus {
    Active = "active",
    Paused = "paused",
});

/// The endpoint resource.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EndpointView {
    /// Its id.
    pub id: Uuid,
    /// The address, in canonical form.
    pub ip_address: IpAddr,
    /// The display hostname; the address where none was given.
    pub hostname: String,
    /// The display name; the hostname where none was given.
    pub nickname: String,
    /// What runs there; null until a scan completed.
    pub platform: Option<&'static str>,
    /// Its status; platform-paused shows as paused.
    pub status: EndpointStatus,
    /// The configured cooldown of manual scans, in seconds.
    pub nmap_cooldown_seconds: u32,
    /// When the last scan ended; null before the first.
    pub last_scan_at: Option<Timestamp>,
    /// When the next scan starts, or the running one did; null when paused.
    pub next_scan_at: Option<Timestamp>,
    /// When it was made.
    pub created_at: Timestamp,
    /// When a call or the platform last changed it.
    pub updated_at: Timestamp,
    /// The owner.
    pub billing_customer_id: ClientId,
    /// Whether the platform paused it for capacity (B7).
    pub quota_paused: bool,
}

impl Session<'_> {
    pub(crate) fn endpoint_view(&self, number: EndpointNo) -> EndpointView {
        let endpoint = &self.records.endpoints[number];
        let last_seen = endpoint.state.last_seen();
        EndpointView {
            id: self.ids.uuid(Kind::Endpoint, number.into()),
            ip_address: endpoint.address,
            hostname: endpoint.hostname(),
            nickname: endpoint.nickname(),
            platform: endpoint.found.as_ref().map(platform),
            status: EndpointStatus::of(endpoint.state),
            nmap_cooldown_seconds: self.records.settings.timings.scan_cooldown,
            last_scan_at: endpoint.last_scan.map(|scan| scan.at.into()),
            next_scan_at: (last_seen == LastSeen::Active).then(|| endpoint.next_scan_at.into()),
            created_at: endpoint.created_at.into(),
            updated_at: endpoint.updated_at.into(),
            billing_customer_id: self.owner(number),
            quota_paused: last_seen == LastSeen::Paused(PausedBy::Platform),
        }
    }
}

impl Endpoint {
    fn hostname(&self) -> String {
        match &self.hostname {
            Some(name) => name.to_string(),
            None => self.address.to_string(),
        }
    }

    pub(crate) fn nickname(&self) -> String {
        match &self.nickname {
            Some(name) => name.to_string(),
            None => self.hostname(),
        }
    }
}

/// What a port scan would guess: file sharing and remote desktop are Windows.
fn platform(found: &Found) -> &'static str {
    let windows = found
        .ports
        .numbers()
        .iter()
        .any(|port| matches!(port, 445 | 3389));
    if windows { "windows" } else { "linux" }
}
