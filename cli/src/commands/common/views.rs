//! How records look as rows.

use crate::ui::outcome::{Cell, Column, shown, wide, with_room};
use secmon::model::{Endpoint, EndpointStatus, MonitoredDomain, PortAlert, Rule};

/// Columns of a server.
pub const ENDPOINT: &[Column] = &[
    shown("id"),
    shown("ip_address"),
    shown("nickname"),
    wide("hostname"),
    with_room("billing_customer_id"),
    shown("status"),
    with_room("last_scan_at"),
    wide("next_scan_at"),
    wide("platform"),
    wide("quota_paused"),
    wide("created_at"),
];

/// A server as a row under [`ENDPOINT`].
pub fn endpoint(endpoint: &Endpoint) -> Vec<Cell> {
    vec![
        Cell::text(endpoint.id),
        Cell::text(&endpoint.ip_address),
        Cell::maybe(endpoint.nickname.as_ref()),
        Cell::maybe(endpoint.hostname.as_ref()),
        endpoint
            .billing_customer_id
            .map_or(Cell::Missing, |id| Cell::Number(id.get())),
        Cell::state(&endpoint.status),
        Cell::time(endpoint.last_scan_at.as_ref()),
        Cell::due(endpoint.next_scan_at.as_ref()),
        Cell::maybe(endpoint.platform.as_ref()),
        Cell::maybe(endpoint.quota_paused),
        Cell::time(endpoint.created_at.as_ref()),
    ]
}

/// Columns of a rule.
pub const RULE: &[Column] = &[
    shown("id"),
    shown("ports"),
    shown("endpoint"),
    with_room("service"),
    shown("justification"),
    with_room("expires_at"),
    with_room("status"),
    wide("scope_label"),
    wide("endpoint_id"),
    wide("auto_suggested"),
    wide("created_at"),
];

/// A rule as a row under [`RULE`].
pub fn rule(rule: &Rule) -> Vec<Cell> {
    let status = rule
        .is_active
        .map(|active| if active { "active" } else { "expired" });
    vec![
        Cell::text(rule.id),
        Cell::text(ports_of(rule)),
        Cell::text(place_of(rule)),
        Cell::maybe(rule.service.as_ref()),
        Cell::maybe(rule.justification.as_ref()),
        Cell::due(rule.expires_at.as_ref()),
        status.map_or(Cell::Missing, Cell::state),
        Cell::maybe(rule.scope_label.as_ref()),
        Cell::maybe(rule.endpoint_id),
        Cell::maybe(rule.auto_suggested),
        Cell::time(rule.created_at.as_ref()),
    ]
}

/// Where a rule counts. The service does not say whose servers a global rule is for.
pub fn place_of(rule: &Rule) -> String {
    rule.endpoint.as_ref().map_or_else(
        || "all servers (global rule)".to_owned(),
        crate::references::name_of,
    )
}

/// The ports of a rule as they are typed: `22/tcp`, `8000-8100/*`.
pub fn ports_of(rule: &Rule) -> String {
    let range = rule.ports().map_or_else(
        || format!("{}-{}", rule.port_start, rule.port_end),
        |ports| ports.to_string(),
    );
    format!("{range}/{}", rule.protocol)
}

/// Columns of a port alert.
pub const ALERT: &[Column] = &[
    shown("id"),
    shown("severity"),
    shown("port"),
    with_room("service"),
    shown("ip_address"),
    shown("status"),
    with_room("first_detected_at"),
    wide("last_detected_at"),
    wide("resolved_at"),
    wide("risk_level"),
    wide("endpoint_id"),
    wide("title"),
];

/// A port alert as a row under [`ALERT`].
pub fn alert(alert: &PortAlert) -> Vec<Cell> {
    vec![
        Cell::text(alert.id),
        alert.severity.clone().map_or(Cell::Missing, Cell::Severity),
        Cell::text(port_of(alert)),
        Cell::maybe(alert.service.as_ref()),
        Cell::maybe(alert.ip_address.as_ref()),
        Cell::state(&alert.status),
        Cell::time(alert.first_detected_at.as_ref()),
        Cell::time(alert.last_detected_at.as_ref()),
        Cell::time(alert.resolved_at.as_ref()),
        Cell::maybe(alert.risk_level.as_ref()),
        Cell::maybe(alert.endpoint_id),
        Cell::maybe(alert.title.as_ref()),
    ]
}

/// The port of an alert as it is typed: `22/tcp`.
pub fn port_of(alert: &PortAlert) -> String {
    format!("{}/{}", alert.port, alert.protocol)
}

/// Columns of a monitored domain.
pub const DOMAIN: &[Column] = &[
    shown("id"),
    shown("domain"),
    with_room("status"),
    shown("employees_compromised"),
    shown("customers_compromised"),
    shown("third_parties_compromised"),
    shown("dark_web_mentions_count"),
    with_room("last_scan_at"),
    wide("scan_status"),
    wide("quota_paused"),
    wide("portal_detail_path"),
];

/// A monitored domain as a row under [`DOMAIN`].
pub fn domain(domain: &MonitoredDomain) -> Vec<Cell> {
    vec![
        Cell::text(domain.id),
        Cell::text(&domain.domain),
        Cell::state(&domain.status),
        Cell::count(domain.employees_compromised),
        Cell::count(domain.customers_compromised),
        Cell::count(domain.third_parties_compromised),
        Cell::count(domain.dark_web_mentions_count),
        Cell::time(domain.last_scan_at.as_ref()),
        Cell::maybe(domain.scan_status.as_ref()),
        Cell::maybe(domain.quota_paused),
        Cell::maybe(domain.portal_detail_path.as_ref()),
    ]
}

/// Whether a server is paused.
pub fn is_paused(endpoint: &Endpoint) -> bool {
    endpoint.status == EndpointStatus::Paused
}
