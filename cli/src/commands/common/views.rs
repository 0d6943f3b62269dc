//! How records look as rows.

use crate::ui::outcome::{Cell, Field, shown, wide, with_room};
use secmon::model::{CustomerId, Endpoint, EndpointStatus, MonitoredDomain, PortAlert, Rule};

/// Columns of a server.
pub const ENDPOINT: &[Field<Endpoint>] = &[
    shown("id").of(|endpoint| Cell::text(endpoint.id)),
    shown("ip_address").of(|endpoint| Cell::text(&endpoint.ip_address)),
    shown("nickname").of(|endpoint| Cell::maybe(endpoint.nickname.as_ref())),
    wide("hostname").of(|endpoint| Cell::maybe(endpoint.hostname.as_ref())),
    shown("billing_customer_id").of(|endpoint| {
        endpoint
            .billing_customer_id
            .map_or(Cell::Missing, |id| Cell::Number(id.get()))
    }),
    shown("status").of(|endpoint| Cell::state(&endpoint.status)),
    with_room("last_scan_at").of(|endpoint| Cell::time(endpoint.last_scan_at.as_ref())),
    wide("next_scan_at").of(|endpoint| Cell::due(endpoint.next_scan_at.as_ref())),
    wide("platform").of(|endpoint| Cell::maybe(endpoint.platform.as_ref())),
    wide("quota_paused").of(|endpoint| Cell::maybe(endpoint.quota_paused)),
    wide("created_at").of(|endpoint| Cell::time(endpoint.created_at.as_ref())),
];

/// Columns of a rule.
pub const RULE: &[Field<Rule>] = &[
    shown("id").of(|rule| Cell::text(rule.id)),
    shown("ports").of(|rule| Cell::text(ports_of(rule))),
    shown("endpoint").of(|rule| Cell::text(place_of(rule))),
    shown("billing_customer_id").of(|rule| {
        // Of a global rule the service does not tell it.
        owner_of(rule).map_or_else(|| Cell::text("?"), Cell::text)
    }),
    with_room("service").of(|rule| Cell::maybe(rule.service.as_ref())),
    shown("justification").of(|rule| Cell::maybe(rule.justification.as_ref())),
    shown("expires_at").of(|rule| Cell::due(rule.expires_at.as_ref())),
    shown("status").of(|rule| {
        let status = rule
            .is_active
            .map(|active| if active { "active" } else { "expired" });
        status.map_or(Cell::Missing, Cell::state)
    }),
    wide("scope_label").of(|rule| Cell::maybe(rule.scope_label.as_ref())),
    wide("endpoint_id").of(|rule| Cell::maybe(rule.endpoint_id)),
    wide("auto_suggested").of(|rule| Cell::maybe(rule.auto_suggested)),
    wide("created_at").of(|rule| Cell::time(rule.created_at.as_ref())),
];

/// Whose a rule is, where the service tells it.
pub fn owner_of(rule: &Rule) -> Option<CustomerId> {
    rule.endpoint.as_ref()?.billing_customer_id
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
pub const ALERT: &[Field<PortAlert>] = &[
    shown("id").of(|alert| Cell::text(alert.id)),
    shown("severity").of(|alert| alert.severity.clone().map_or(Cell::Missing, Cell::Severity)),
    shown("port").of(|alert| Cell::text(port_of(alert))),
    with_room("service").of(|alert| Cell::maybe(alert.service.as_ref())),
    shown("ip_address").of(|alert| Cell::maybe(alert.ip_address.as_ref())),
    // The service's alert has the address alone.
    shown("nickname").of(|_| Cell::Missing),
    shown("status").of(|alert| Cell::state(&alert.status)),
    with_room("first_detected_at").of(|alert| Cell::time(alert.first_detected_at.as_ref())),
    wide("last_detected_at").of(|alert| Cell::time(alert.last_detected_at.as_ref())),
    wide("resolved_at").of(|alert| Cell::time(alert.resolved_at.as_ref())),
    wide("risk_level").of(|alert| Cell::maybe(alert.risk_level.as_ref())),
    wide("endpoint_id").of(|alert| Cell::maybe(alert.endpoint_id)),
    wide("title").of(|alert| Cell::maybe(alert.title.as_ref())),
];

/// The port of an alert as it is typed: `22/tcp`.
pub fn port_of(alert: &PortAlert) -> String {
    format!("{}/{}", alert.port, alert.protocol)
}

/// Columns of a monitored domain.
pub const DOMAIN: &[Field<MonitoredDomain>] = &[
    shown("id").of(|domain| Cell::text(domain.id)),
    shown("domain").of(|domain| Cell::text(&domain.domain)),
    shown("status").of(|domain| Cell::state(&domain.status)),
    shown("employees_compromised").of(|domain| Cell::count(domain.employees_compromised)),
    shown("customers_compromised").of(|domain| Cell::count(domain.customers_compromised)),
    shown("third_parties_compromised").of(|domain| Cell::count(domain.third_parties_compromised)),
    shown("dark_web_mentions_count").of(|domain| Cell::count(domain.dark_web_mentions_count)),
    with_room("last_scan_at").of(|domain| Cell::time(domain.last_scan_at.as_ref())),
    wide("scan_status").of(|domain| Cell::maybe(domain.scan_status.as_ref())),
    wide("quota_paused").of(|domain| Cell::maybe(domain.quota_paused)),
    wide("portal_detail_path").of(|domain| Cell::maybe(domain.portal_detail_path.as_ref())),
];

/// Whether a server is paused.
pub fn is_paused(endpoint: &Endpoint) -> bool {
    endpoint.status == EndpointStatus::Paused
}
