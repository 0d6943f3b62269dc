//! The detail read of a server: what its scans found and what is allowed.

use serde::Serialize;
use uuid::Uuid;

use crate::endpoint::view::EndpointView;
use crate::port_alert::PortAlertSummary;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::state::{Endpoint, ScanOutcome};
use crate::time::Timestamp;
use crate::values::ClientId;

/// Open alerts that the detail shows at most, newest first.
const SHOWN_ALERTS: usize = 10;

/// The endpoint detail object.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EndpointDetailView {
    /// The server.
    pub data: EndpointView,
    /// Its last scan; null before the first ended.
    pub latest_scan: Option<LatestScanView>,
    /// Up to ten open port alerts, newest first.
    pub alerts: Vec<PortAlertSummary>,
    /// What rules allow here, as `port:protocol` (E5).
    pub whitelisted_ports: Vec<String>,
    /// Ports that appeared between the last two completed scans.
    pub new_ports: Vec<u16>,
    /// Ports that disappeared between the last two completed scans.
    pub closed_ports: Vec<u16>,
}

/// A scan as the detail shows it.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LatestScanView {
    /// Port numbers it found open, ascending; none when it failed (E1).
    pub open_ports: Vec<u16>,
    /// `completed` or `failed`.
    pub status: &'static str,
    /// How long it took.
    pub scan_duration_ms: u32,
    /// When it ended.
    pub scanned_at: Timestamp,
}

impl Session<'_> {
    /// `GET /endpoints/{endpoint}/detail`: one server with what was found.
    ///
    /// # Errors
    ///
    /// As for [`Session::endpoint`].
    pub fn endpoint_detail(
        &mut self,
        endpoint: Uuid,
        client: Option<ClientId>,
    ) -> Result<EndpointDetailView, Refusal> {
        let number = self.accessible_endpoint(endpoint, client)?;
        let endpoint = &self.records.endpoints[number];
        let (new_ports, closed_ports) = moved_ports(endpoint);
        Ok(EndpointDetailView {
            data: self.endpoint_view(number),
            latest_scan: latest_scan(endpoint),
            alerts: self.newest_open_alerts(number, SHOWN_ALERTS),
            whitelisted_ports: self.whitelisted_ports(number),
            new_ports,
            closed_ports,
        })
    }
}

fn latest_scan(endpoint: &Endpoint) -> Option<LatestScanView> {
    let scan = endpoint.last_scan?;
    let open_ports = match (scan.outcome, &endpoint.found) {
        (ScanOutcome::Completed, Some(found)) => found.ports.numbers(),
        _ => Vec::new(),
    };
    Some(LatestScanView {
        open_ports,
        status: scan.outcome.name(),
        scan_duration_ms: scan.duration_ms,
        scanned_at: scan.at.into(),
    })
}

/// The ports that appeared and disappeared between the last two completed
/// scans; nothing until there are two.
fn moved_ports(endpoint: &Endpoint) -> (Vec<u16>, Vec<u16>) {
    let Some((found, previous)) = endpoint
        .found
        .as_ref()
        .and_then(|found| Some((found, found.previous.as_ref()?)))
    else {
        return (Vec::new(), Vec::new());
    };
    let (now, before) = (found.ports.numbers(), previous.numbers());
    let missing_in = |ports: &[u16], other: &[u16]| {
        let missing = ports
            .iter()
            .filter(|port| other.binary_search(port).is_err());
        missing.copied().collect()
    };
    (missing_in(&now, &before), missing_in(&before, &now))
}
