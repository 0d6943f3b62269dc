//! `secmon alert ...`: port alerts and domain alerts.

use super::rule_adding::{self, Addition, Existing, Place, Wanted};
use super::{
    alert_changes, alert_listing, alert_triage, alert_watch, rules, unknown_customer, views,
};
use crate::args::{AlertAllowArgs, AlertCommand, AlertFilter, AlertKind, AlertListArgs};
use crate::bulk::Words;
use crate::context::Context;
use crate::error::CliError;
use crate::references;
use crate::references::alerts::{self, Alert};
use crate::ui::invocation::quoted;
use crate::ui::outcome::{Cell, Column, Line, Outcome, Table, shown, to_json, with_room};
use crate::ui::severity_rank;
use crate::values::durations::counted;
use crate::values::ports::PortSpec;
use secmon::model::{
    CustomerId, DomainAlert, DomainAlertStatus, DomainAlertType, PortAlert, PortAlertStatus,
    PortRange, Timestamp,
};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::num::NonZeroU16;

const ALLOWED: Words = Words {
    done: "allowed",
    skipped: "allowed before",
};

/// Columns where alerts of both kinds stand together.
const ANY: &[Column] = &[
    shown("id"),
    shown("severity"),
    shown("alert"),
    shown("on"),
    with_room("status"),
    with_room("first_detected_at"),
];

/// Runs the command.
pub async fn run(context: &Context, command: AlertCommand) -> Result<Outcome, CliError> {
    match command {
        AlertCommand::List(args) => list(context, &args).await,
        AlertCommand::Show { alert } => show(context, &alert).await,
        AlertCommand::Ack(args) => alert_changes::acknowledge(context, &args).await,
        AlertCommand::Allow(args) => allow(context, args).await,
        AlertCommand::Triage(args) => alert_triage::run(context, &args).await,
        AlertCommand::Watch(args) => alert_watch::run(context, &args).await,
        AlertCommand::Resolve(args) => alert_changes::resolve(context, &args).await,
    }
}

async fn list(context: &Context, args: &AlertListArgs) -> Result<Outcome, CliError> {
    let mut found = alert_listing::read(context, &args.filter, args.status).await?;
    let named = args.filter.endpoint.is_some() || args.filter.domain.is_some();
    if found.alerts.is_empty() && !named {
        unknown_customer::tell(context, found.customer).await;
    }
    found.alerts.sort_by_key(|alert| {
        let seen = alert.first_seen().map(Timestamp::date_time);
        Reverse((alert.severity().map(severity_rank), seen))
    });
    let mut outcome = listed(&found.alerts, &args.filter);
    if !found.alerts.is_empty() {
        outcome.story = vec![Line::Rows, Line::text(counts(&found.alerts))];
    }
    Ok(outcome)
}

/// How many alerts there are, and in which states.
fn counts(alerts: &[Alert]) -> String {
    let mut states: BTreeMap<String, usize> = BTreeMap::new();
    for alert in alerts {
        *states.entry(alert.status()).or_default() += 1;
    }
    let states: Vec<String> = states
        .iter()
        .map(|(state, count)| format!("{count} {state}"))
        .collect();
    format!("{}: {}", counted(alerts.len(), "alert"), states.join(", "))
}

/// Where only alerts of ports can stand, they have columns of their own. What was asked for decides, not what is
/// found, so that a script meets the same columns every time.
pub fn listed(alerts: &[Alert], filter: &AlertFilter) -> Outcome {
    if filter.kind != Some(AlertKind::Port) && filter.endpoint.is_none() {
        return Outcome::list(alerts, ANY, row);
    }
    let ports: Vec<PortAlert> = alerts
        .iter()
        .filter_map(|alert| match alert {
            Alert::Port(alert) => Some((**alert).clone()),
            Alert::Domain(_) => None,
        })
        .collect();
    Outcome::list(&ports, views::ALERT, views::alert)
}

fn row(alert: &Alert) -> Vec<Cell> {
    vec![
        Cell::text(alert.handle()),
        alert
            .severity()
            .cloned()
            .map_or(Cell::Missing, Cell::Severity),
        Cell::text(alert.finding()),
        Cell::maybe(alert.place()),
        Cell::state(alert.status()),
        Cell::time(alert.first_seen()),
    ]
}

async fn show(context: &Context, name: &str) -> Result<Outcome, CliError> {
    let found = alerts::find(context, &[name.to_owned()]).await?;
    let Some(alert) = found.first() else {
        return Err(CliError::not_found(format!("no alert {name:?}")));
    };
    let customer = context.customer()?;
    let mut story = vec![
        Line::text(alert.sentence()),
        Line::Field("id", Cell::text(alert.handle())),
        Line::Field("on", Cell::maybe(alert.place())),
        Line::Field("severity", Cell::maybe(alert.severity())),
        Line::Field("status", Cell::state(alert.status())),
        Line::Field("first seen", Cell::time(alert.first_seen())),
    ];
    match alert {
        Alert::Port(port) => {
            story.extend([
                Line::Field("risk level", Cell::maybe(port.risk_level.as_ref())),
                Line::Field("last seen", Cell::time(port.last_detected_at.as_ref())),
                Line::Field("resolved", Cell::time(port.resolved_at.as_ref())),
            ]);
            if port.status == PortAlertStatus::Open {
                story.push(Line::Heading("Next:"));
                story.push(Line::next(
                    allow_command(port, customer),
                    "the port is meant to be open: allow it",
                ));
            }
        }
        Alert::Domain(domain) => {
            story.extend([
                Line::Field("acknowledged", Cell::time(domain.acknowledged_at.as_ref())),
                Line::Field("resolved", Cell::time(domain.resolved_at.as_ref())),
            ]);
            if let Some(explanation) = &domain.explanation {
                story.extend([Line::text(""), Line::text(format!("  {explanation}"))]);
            }
            story.push(Line::Heading("Next:"));
            story.extend(evidence(domain, customer));
            if domain.status == DomainAlertStatus::Open {
                story.push(Line::next(
                    format!("alert ack {} -c {customer}", alert.handle()),
                    "say that somebody has seen it",
                ));
            }
        }
    }
    let table = Table::one(ANY, row(alert));
    Ok(Outcome::record(to_json(alert), table).tell(story))
}

/// The command that shows what was found.
fn evidence(alert: &DomainAlert, customer: CustomerId) -> Option<Line> {
    let domain = alert.domain.as_deref().map(quoted)?;
    Some(match alert.kind {
        DomainAlertType::DarkWebMention => Line::next(
            format!("domain mentions {domain} -c {customer}"),
            "where it is mentioned",
        ),
        _ => Line::next(
            format!("domain leaks {domain} -c {customer}"),
            "whose credentials they are, and where they leaked",
        ),
    })
}

/// The command that allows an alert's port.
pub fn allow_command(alert: &PortAlert, customer: CustomerId) -> String {
    format!(
        "alert allow {} -m \"{}\" -c {customer}",
        alert.id,
        super::findings::SAMPLE_REASON
    )
}

/// `secmon alert allow`.
pub async fn allow(context: &Context, args: AlertAllowArgs) -> Result<Outcome, CliError> {
    let reason = rules::justification(context, &args.justification)?;
    let addition = Addition::new(reason, None, args.expires.as_deref())?;
    let mut wanted = Vec::new();
    for alert in alerts::find(context, &args.alerts).await? {
        match alert {
            Alert::Port(alert) => {
                let (place, port) = place_of(context, &alert).await?;
                let addition = addition.clone();
                wanted.push(Wanted {
                    place,
                    port,
                    addition,
                });
            }
            Alert::Domain(_) => {
                return Err(CliError::usage(format!(
                    "{} is about a domain, not about a port: there is nothing to allow",
                    alert.handle()
                ))
                .hint(format!(
                    "acknowledge it with `alert ack {0}`, resolve it with `alert resolve {0} --ack`",
                    quoted(&alert.handle())
                )));
            }
        }
    }
    rule_adding::run(context, ALLOWED, &wanted, Existing::Fail, None).await
}

async fn place_of(context: &Context, alert: &PortAlert) -> Result<(Place, PortSpec), CliError> {
    let unclear = || {
        CliError::not_found(format!(
            "alert {} does not say which server and port it is about",
            alert.id
        ))
    };
    let endpoint = alert.endpoint_id.ok_or_else(unclear)?;
    let port = NonZeroU16::new(alert.port).ok_or_else(unclear)?;
    let endpoint = references::endpoint(context, &endpoint.to_string()).await?;
    let port = PortSpec {
        range: PortRange::single(port),
        protocol: alert.protocol.clone(),
    };
    Ok((Place::Server(Box::new(endpoint)), port))
}
