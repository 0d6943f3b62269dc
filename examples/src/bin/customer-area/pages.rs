//! What a customer sees. What the service does not tell is `null`, never 0 or an empty list, and values that this program
//! has no name for go through as they came.

use crate::session::SignedIn;
use crate::{Area, problem};
use axum::Json;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use secmon::model::{
    DomainAlert, DomainAlertStatus, DomainId, MonitoredDomain, PortAlert, PortAlertStatus,
};
use secmon::operations::{GetDomainSummary, ListDomains};
use serde_json::{Value, json};
use std::sync::Arc;

/// Alerts on a page; who has more is sent to the portal.
const ALERTS: usize = 50;

/// The customer's domains.
pub async fn domains(State(area): State<Arc<Area>>, SignedIn(customer): SignedIn) -> Response {
    let overview = match area.client.send(ListDomains::new(customer)).await {
        Ok(answer) => answer.into_inner(),
        Err(error) => return problem(&error),
    };
    let domains = overview.domains.as_ref();
    Json(json!({
        "subscribed": overview.subscribed,
        "slots_used": overview.slots_used,
        "slots_total": overview.slots_total,
        "domains": domains.map(|domains| domains.iter().map(domain_row).collect::<Vec<_>>()),
    }))
    .into_response()
}

/// One of the customer's domains.
pub async fn domain(
    State(area): State<Arc<Area>>,
    SignedIn(customer): SignedIn,
    Path((_, domain)): Path<(String, String)>,
) -> Response {
    let Ok(domain) = domain.parse::<DomainId>() else {
        return not_there();
    };
    let summary = GetDomainSummary::new(customer, domain);
    match area.client.send(summary).await {
        Ok(answer) => Json(domain_row(&answer.data)).into_response(),
        Err(error) => problem(&error),
    }
}

/// The open alerts of one of the customer's domains.
pub async fn domain_alerts(
    State(area): State<Arc<Area>>,
    SignedIn(customer): SignedIn,
    Path((_, domain)): Path<(String, String)>,
) -> Response {
    let Ok(domain) = domain.parse::<DomainId>() else {
        return not_there();
    };
    let list = area.client.domains().alerts(customer, domain);
    let open = list.with_request(|list| list.status(DomainAlertStatus::Open).per_page(50));
    match open.max_items(ALERTS).collect_all().await {
        Ok(alerts) => Json(rows(&alerts, domain_alert_row)).into_response(),
        Err(error) => problem(&error),
    }
}

/// Open ports of the customer's servers that no rule allows.
pub async fn port_alerts(State(area): State<Arc<Area>>, SignedIn(customer): SignedIn) -> Response {
    let list = area.client.port_alerts().list(customer);
    let open = list.with_request(|list| list.status(PortAlertStatus::Open).per_page(50));
    match open.max_items(ALERTS).collect_all().await {
        Ok(alerts) => Json(rows(&alerts, port_alert_row)).into_response(),
        Err(error) => problem(&error),
    }
}

fn not_there() -> Response {
    (StatusCode::NOT_FOUND, "This is not monitored.").into_response()
}

fn rows<T>(alerts: &[T], row: fn(&T) -> Value) -> Value {
    let rows: Vec<Value> = alerts.iter().map(row).collect();
    json!({ "alerts": rows, "perhaps_more": rows.len() == ALERTS })
}

fn domain_row(domain: &MonitoredDomain) -> Value {
    json!({
        "id": domain.id,
        "domain": domain.domain,
        "status": domain.status,
        "paused_for_capacity": domain.quota_paused,
        "last_scan_at": domain.last_scan_at,
        "leaked_credentials": {
            "employees": domain.employees_compromised,
            "customers": domain.customers_compromised,
            "third_parties": domain.third_parties_compromised,
        },
        "mentions": domain.dark_web_mentions_count,
    })
}

fn domain_alert_row(alert: &DomainAlert) -> Value {
    json!({
        "id": alert.id,
        "type": alert.kind,
        "severity": alert.severity,
        "findings": alert.new_count,
        "raised_at": alert.created_at,
    })
}

fn port_alert_row(alert: &PortAlert) -> Value {
    json!({
        "id": alert.id,
        "server": alert.ip_address,
        "port": alert.port,
        "protocol": alert.protocol,
        "severity": alert.severity,
        "title": alert.title,
        "first_seen_at": alert.first_detected_at,
    })
}
