//! `secmon alert ...`: port alerts and domain alerts.

use super::rule_adding::{self, Addition, Existing, Place, Wanted};
use super::{alert_changes, rules, views};
use crate::alerts::{self, Alert, SeverityFilter};
use crate::args::{AlertAllowArgs, AlertCommand, AlertKind, AlertListArgs, AlertStatusArg};
use crate::bulk::Words;
use crate::context::Context;
use crate::durations;
use crate::error::CliError;
use crate::outcome::{Cell, Column, Line, Outcome, Table, shown, to_json};
use crate::ports::PortSpec;
use crate::references::{self, DomainRef};
use secmon::model::{
    CustomerId, DomainAlertStatus, EndpointId, PortAlert, PortAlertStatus, PortRange,
};
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
    shown("status"),
    shown("first_detected_at"),
];

/// Runs the command.
pub async fn run(context: &Context, command: AlertCommand) -> Result<Outcome, CliError> {
    match command {
        AlertCommand::List(args) => list(context, &args).await,
        AlertCommand::Show { alert } => show(context, &alert).await,
        AlertCommand::Ack(args) => alert_changes::acknowledge(context, &args).await,
        AlertCommand::Allow(args) => allow(context, args).await,
        AlertCommand::Resolve(args) => alert_changes::resolve(context, &args).await,
    }
}

/// Whose alerts are listed.
enum Scope {
    Customer,
    Server(EndpointId),
    Domain(DomainRef),
}

async fn list(context: &Context, args: &AlertListArgs) -> Result<Outcome, CliError> {
    let severity = args
        .severity
        .as_deref()
        .map(SeverityFilter::parse)
        .transpose()?;
    let since = args
        .since
        .as_deref()
        .map(|text| durations::length("--since", text))
        .transpose()?;
    let (customer, scope) = scope(context, args).await?;
    let mut alerts = Vec::new();
    if wanted(args.kind, AlertKind::Port) && !matches!(scope, Scope::Domain(_)) {
        alerts.extend(ports(context, customer, &scope, args.status).await?);
    }
    if wanted(args.kind, AlertKind::Domain) && !matches!(scope, Scope::Server(_)) {
        alerts.extend(domains(context, customer, scope, args.status).await?);
    }
    if let Some(severity) = &severity {
        alerts.retain(|alert| severity.admits(alert.severity()));
    }
    if let Some(since) = since {
        let earliest = chrono::Utc::now() - since;
        alerts.retain(|alert| {
            alert
                .first_seen()
                .is_some_and(|seen| seen.date_time() >= earliest)
        });
    }
    Ok(listed(&alerts))
}

fn wanted(asked: Option<AlertKind>, kind: AlertKind) -> bool {
    asked.is_none_or(|asked| asked == kind)
}

async fn scope(context: &Context, args: &AlertListArgs) -> Result<(CustomerId, Scope), CliError> {
    if let Some(name) = &args.endpoint {
        let endpoint = references::endpoint(context, name).await?;
        return Ok((
            references::owner(context, &endpoint)?,
            Scope::Server(endpoint.id),
        ));
    }
    if context.settings.customer.is_none() && !context.may_ask() {
        return Err(CliError::usage(
            "whose alerts? Name a customer with -c, or a server with --endpoint",
        )
        .hint("as in `alert list -c 42`"));
    }
    let customer = context.customer()?;
    match &args.domain {
        Some(name) => {
            let mut found = references::domains(context, std::slice::from_ref(name)).await?;
            let domain = found
                .pop()
                .ok_or_else(|| CliError::not_found(format!("no domain {name:?}")))?;
            Ok((customer, Scope::Domain(domain)))
        }
        None => Ok((customer, Scope::Customer)),
    }
}

async fn ports(
    context: &Context,
    customer: CustomerId,
    scope: &Scope,
    status: Option<AlertStatusArg>,
) -> Result<Vec<Alert>, CliError> {
    let status = match status {
        None => None,
        Some(AlertStatusArg::Open) => Some(PortAlertStatus::Open),
        Some(AlertStatusArg::Resolved) => Some(PortAlertStatus::Resolved),
        Some(AlertStatusArg::Acknowledged) => return Ok(Vec::new()),
    };
    let alerts = references::all_alerts(context, customer, |mut list| {
        list.status = status;
        list.endpoint_id = match scope {
            Scope::Server(id) => Some(*id),
            _ => None,
        };
        list
    })
    .await?;
    Ok(alerts
        .into_iter()
        .map(|alert| Alert::Port(Box::new(alert)))
        .collect())
}

async fn domains(
    context: &Context,
    customer: CustomerId,
    scope: Scope,
    status: Option<AlertStatusArg>,
) -> Result<Vec<Alert>, CliError> {
    let domains = match scope {
        Scope::Domain(domain) => vec![domain],
        _ => references::all_domains(context, customer).await?,
    };
    if domains.len() > EXPENSIVE {
        context.ui.note(&format!(
            "reading the alerts of {} domains takes as many calls",
            domains.len()
        ));
    }
    let status = status.map(|status| match status {
        AlertStatusArg::Open => DomainAlertStatus::Open,
        AlertStatusArg::Acknowledged => DomainAlertStatus::Acknowledged,
        AlertStatusArg::Resolved => DomainAlertStatus::Resolved,
    });
    alerts::of_domains(context, customer, &domains, status.as_ref()).await
}

/// So many calls are worth a word.
const EXPENSIVE: usize = 20;

/// Port alerts alone have columns of their own.
fn listed(alerts: &[Alert]) -> Outcome {
    let ports: Option<Vec<PortAlert>> = alerts
        .iter()
        .map(|alert| match alert {
            Alert::Port(alert) => Some((**alert).clone()),
            Alert::Domain(_) => None,
        })
        .collect();
    match ports {
        Some(ports) => Outcome::list(&ports, views::ALERT, views::alert),
        None => Outcome::list(alerts, ANY, row),
    }
}

fn row(alert: &Alert) -> Vec<Cell> {
    vec![
        Cell::text(alert.handle()),
        alert
            .severity()
            .cloned()
            .map_or(Cell::Missing, Cell::Severity),
        Cell::text(alert.about()),
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
        Line::text(alert.about()),
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
            if domain.status == DomainAlertStatus::Open {
                story.push(Line::Heading("Next:"));
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

/// The command that allows an alert's port.
pub fn allow_command(alert: &PortAlert, customer: CustomerId) -> String {
    format!(
        "alert allow {} -m \"{}\" -c {customer}",
        alert.id,
        super::findings::SAMPLE_REASON
    )
}

async fn allow(context: &Context, args: AlertAllowArgs) -> Result<Outcome, CliError> {
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
                .hint("acknowledge it with `alert ack`, resolve it with `alert resolve`"));
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
