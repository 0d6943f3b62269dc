//! What the last scan of a server found.

use super::views::port_of;
use crate::error::{CliError, LocalErrorKind};
use crate::references;
use crate::session::Session;
use crate::state::records::{AlertRecord, Observation, Server};
use crate::ui::invocation::quoted;
use crate::ui::outcome::{Block, Cell, Field, Table, count_or_unknown, shown};
use chrono::Utc;
use secmon::model::{EndpointDetail, EndpointId, ScanStatus, Severity, Timestamp};
use secmon::operations::GetEndpointDetail;
use std::collections::BTreeMap;

/// Columns of open ports.
const PORTS: &[Field<OpenPort>] = &[
    shown("port").of(|open| Cell::text(&open.port)),
    shown("service").of(|open| Cell::maybe(open.service.as_ref())),
    shown("severity").of(|open| open.severity.clone().map_or(Cell::Missing, Cell::Severity)),
    shown("status").of(|open| Cell::state(&open.status)),
];

/// An open port, with its alert, or as allowed.
struct OpenPort {
    port: String,
    service: Option<String>,
    severity: Option<Severity>,
    status: String,
}

/// A text that a rule can be tried with.
pub const REASON_PLACE: &str = "TEXT";

/// Reads a server with what its scans found.
pub async fn read(session: &Session, id: EndpointId) -> Result<EndpointDetail, CliError> {
    let get = GetEndpointDetail::account_wide(id);
    let detail = session.read(get).await?;
    session.learn(Observation::Servers(vec![Server::from(&detail.data)]));
    if let Some(customer) = detail.data.billing_customer_id {
        let alerts = detail.alerts.iter();
        let alerts = alerts.map(|alert| AlertRecord::of_port(customer, alert));
        session.learn(Observation::MoreAlerts(customer, alerts.collect()));
    }
    Ok(detail)
}

/// Refuses a scan that ended without a result.
pub fn check(detail: &EndpointDetail) -> Result<(), CliError> {
    let status = detail.latest_scan.as_ref().map(|scan| &scan.status);
    if status != Some(&ScanStatus::Failed) {
        return Ok(());
    }
    let name = references::name_of(&detail.data);
    let error = CliError::new(
        LocalErrorKind::ScanFailed,
        format!("the scan of {name} failed"),
    );
    Err(error.hint(format!("start another: `scan {} --wait`", detail.data.id)))
}

/// The open ports, each with its alert, or as allowed.
pub fn ports(detail: &EndpointDetail) -> Table {
    let mut rows: BTreeMap<(u16, String), OpenPort> = BTreeMap::new();
    for alert in &detail.alerts {
        let port = port_of(alert);
        let open = OpenPort {
            port: port.clone(),
            service: alert.service.as_ref().map(ToString::to_string),
            severity: alert.severity.clone(),
            status: alert.status.to_string(),
        };
        rows.insert((alert.port, port), open);
    }
    for port in open_ports(detail).unwrap_or_default() {
        if rows.keys().any(|(alerted, _)| alerted == port) {
            continue;
        }
        let allowed = allowed_as(detail, *port);
        let (text, status) = match allowed.as_slice() {
            [] => (port.to_string(), "open"),
            [protocol] => (format!("{port}/{protocol}"), "allowed"),
            _ => (port.to_string(), "allowed"),
        };
        let open = OpenPort {
            port: text.clone(),
            service: None,
            severity: None,
            status: status.to_owned(),
        };
        rows.insert((*port, text), open);
    }
    Table::of(PORTS, rows.values())
}

/// The ports that the last scan found open; none where there was no scan, or the service does not tell them.
pub fn open_ports(detail: &EndpointDetail) -> Option<&[u16]> {
    detail.latest_scan.as_ref()?.open_ports.as_deref()
}

/// When the last scan was, as a day and a time: what a scan shows is true of that moment.
pub fn scan_time(detail: &EndpointDetail) -> Option<String> {
    let at = detail.latest_scan.as_ref()?.scanned_at.as_ref()?;
    Some(moment(at))
}

/// `2026-11-23 07:31 UTC`
pub fn moment(at: &Timestamp) -> String {
    let at = at.date_time().with_timezone(&Utc);
    at.format("%Y-%m-%d %H:%M UTC").to_string()
}

/// Whether a rule allows a port, for one protocol at least.
pub fn is_allowed(detail: &EndpointDetail, port: u16) -> bool {
    !allowed_as(detail, port).is_empty()
}

/// The protocols for which a port is allowed.
fn allowed_as(detail: &EndpointDetail, port: u16) -> Vec<&str> {
    let allowed = detail
        .whitelisted_ports
        .iter()
        .filter_map(|allowed| allowed.split_once(':'));
    allowed
        .filter(|(number, _)| number.parse() == Ok(port))
        .map(|(_, protocol)| protocol)
        .collect()
}

/// What a person reads about the last scan.
pub fn text(detail: &EndpointDetail) -> Vec<Block> {
    let Some(scan) = &detail.latest_scan else {
        return vec![Block::text("  It has not been scanned yet.")];
    };
    let scanned = Block::Field("last scan", Cell::time(scan.scanned_at.as_ref()));
    let count = match scan.open_ports.as_deref() {
        Some([]) => return vec![scanned, Block::text("  No open port was found.")],
        Some(open) => Cell::Number(open.len() as u64),
        None => Cell::text(count_or_unknown(None)),
    };
    let count = Block::Field("open ports", count);
    if scan.open_ports.is_none() && detail.alerts.is_empty() {
        return vec![scanned, count];
    }
    vec![scanned, count, Block::text(""), Block::Table(ports(detail))]
}

/// The commands that come next: see the alerts, allow a port.
pub fn next(detail: &EndpointDetail) -> Vec<Block> {
    let Some(customer) = detail.data.billing_customer_id else {
        return Vec::new();
    };
    let mut lines = vec![
        Block::Heading("Next:"),
        Block::next(
            format!("alert list -c {customer}"),
            "see the alerts of this customer",
        ),
    ];
    if let Some(alert) = detail.alerts.iter().min_by_key(|alert| alert.port) {
        let server = quoted(&references::handle_of(&detail.data));
        let port = port_of(alert);
        let command = format!("rules add {server} {port} -m {REASON_PLACE} -c {customer}");
        lines.push(Block::next(
            command,
            "allow a port that is meant to be open, which resolves its alert",
        ));
    }
    lines
}
