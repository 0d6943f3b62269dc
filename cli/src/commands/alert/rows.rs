//! How alerts look in lists.

use super::filter::{AlertFilter, AlertKind};
use crate::commands::common::live::Live;
use crate::commands::common::views;
use crate::references;
use crate::references::alert::Alert;
use crate::ui::Ui;
use crate::ui::outcome::{Cell, Field, Outcome, shown, to_json, wide, with_room};
use secmon::model::{CustomerId, Endpoint, PortAlert};
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
    wide("nickname").of(|_| Cell::Missing),
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

/// Gives the alerts of listed servers the names of these. A person reads the name, and programs the address, in the same
/// column.
pub fn name_servers(outcome: &mut Outcome, screen: &Ui, alerts: &[Alert], live: &Live) {
    let server = |alert: &Alert| match alert {
        Alert::Port(alert) => live.server(alert.endpoint_id).cloned(),
        Alert::Domain(_) => None,
    };
    let servers: Vec<Option<Endpoint>> = alerts.iter().map(server).collect();
    let nicknames = servers.iter().map(|server| {
        let nickname = server.as_ref()?.nickname.as_ref()?;
        Some(Cell::text(nickname))
    });
    outcome.table.amend("nickname", nicknames);
    if screen.shows_text() {
        let names = servers.iter().map(Option::as_ref);
        let names = names.map(|server| Some(Cell::text(short_name(server?, live))));
        outcome.table.amend("on", names);
    }
}

/// The nickname of a server, with its address where another one has the same.
fn short_name(server: &Endpoint, live: &Live) -> String {
    let is_same = |other: &&Endpoint| other.nickname == server.nickname;
    match live.servers().filter(is_same).count() {
        1 => references::handle_of(server),
        _ => references::name_of(server),
    }
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
