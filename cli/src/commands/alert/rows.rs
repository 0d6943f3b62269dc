//! How alerts look in lists.

use super::filter::{AlertFilter, AlertKind};
use crate::commands::common::live::Live;
use crate::commands::common::views;
use crate::references::alert::Alert;
use crate::ui::outcome::{Cell, Field, Outcome, shown, to_json, with_room};
use secmon::model::{CustomerId, PortAlert};
use serde_json::Value;

/// Columns where alerts of both kinds stand together.
pub const ANY: &[Field<Alert>] = &[
    shown("id").of(|alert| Cell::text(alert.handle())),
    shown("severity").of(|alert| {
        alert
            .severity()
            .cloned()
            .map_or(Cell::Missing, Cell::Severity)
    }),
    shown("alert").of(|alert| Cell::text(alert.finding())),
    shown("on").of(|alert| Cell::maybe(alert.place())),
    shown("status").of(|alert| Cell::state(alert.status())),
    with_room("first_detected_at").of(|alert| Cell::time(alert.first_seen())),
];

/// Whether an alert is about a server that has ended.
pub fn has_ended(live: &Live, alert: &Alert) -> bool {
    match alert {
        Alert::Port(alert) => live.lacks(alert.endpoint_id),
        Alert::Domain(_) => false,
    }
}

/// An alert as JSON, with what it is, whose, and whether its server has ended, which the service leaves out.
pub fn row(owner: &CustomerId, alert: &Alert, has_ended: bool) -> Value {
    let kind = match alert {
        Alert::Port(_) => "port",
        Alert::Domain(_) => "domain",
    };
    let mut row = to_json(alert);
    if let Some(fields) = row.as_object_mut() {
        fields.entry("kind").or_insert_with(|| kind.into());
        let owner = || to_json(owner);
        fields.entry("billing_customer_id").or_insert_with(owner);
        fields.insert("server_ended".to_owned(), has_ended.into());
    }
    row
}

/// Where only alerts of ports can stand, they have columns of their own. What was asked for decides, not what is
/// found, so that a script meets the same columns every time.
pub fn listed(alerts: &[Alert], filter: &AlertFilter) -> Outcome {
    let of_ports = filter.kind == Some(AlertKind::Port) || filter.port.is_some();
    if !of_ports && filter.endpoint.is_none() {
        return Outcome::list(alerts, ANY);
    }
    let ports: Vec<PortAlert> = alerts
        .iter()
        .filter_map(|alert| match alert {
            Alert::Port(alert) => Some((**alert).clone()),
            Alert::Domain(_) => None,
        })
        .collect();
    Outcome::list(&ports, views::ALERT)
}
