//! `secmon alert ...`: port alerts.

use super::rule_adding::{self, Addition, Existing, Place};
use super::{rules, views};
use crate::args::{
    AlertAllowArgs, AlertCommand, AlertListArgs, AlertResolveArgs, AlertStatusArg, OnError,
};
use crate::bulk::{self, Done, End, Item, Words};
use crate::context::{Context, Danger};
use crate::error::CliError;
use crate::outcome::{Cell, Line, Outcome, Table, to_json};
use crate::ports::PortSpec;
use crate::ui::severity_rank;
use crate::{durations, files, references};
use secmon::model::{CustomerId, PortAlert, PortAlertStatus, PortRange, Severity};
use secmon::operations::{GetPortAlert, ResolvePortAlert};
use std::num::NonZeroU16;
use std::path::Path;
use uuid::Uuid;

const ALLOWED: Words = Words {
    done: "allowed",
    skipped: "allowed before",
};
const RESOLVED: Words = Words {
    done: "resolved",
    skipped: "resolved before",
};

/// Runs the command.
pub async fn run(context: &Context, command: AlertCommand) -> Result<Outcome, CliError> {
    match command {
        AlertCommand::List(args) => list(context, &args).await,
        AlertCommand::Show { alert } => show(context, &alert).await,
        AlertCommand::Allow(args) => allow(context, args).await,
        AlertCommand::Resolve(args) => resolve(context, &args).await,
    }
}

/// `high`, or `high+` for it and what is worse.
struct SeverityFilter {
    severity: Severity,
    and_above: bool,
}

impl SeverityFilter {
    fn parse(text: &str) -> Result<Self, CliError> {
        let (name, and_above) = text
            .strip_suffix('+')
            .map_or((text, false), |name| (name, true));
        let severity = Severity::from(name.to_ascii_lowercase().as_str());
        if matches!(severity, Severity::Unknown(_)) {
            return Err(CliError::usage(format!(
                "--severity: {text:?} is none of low, medium, high, critical (with + behind it: and above)"
            )));
        }
        Ok(Self {
            severity,
            and_above,
        })
    }

    fn admits(&self, severity: Option<&Severity>) -> bool {
        severity.is_some_and(|severity| match self.and_above {
            true => severity_rank(severity) >= severity_rank(&self.severity),
            false => *severity == self.severity,
        })
    }
}

async fn list(context: &Context, args: &AlertListArgs) -> Result<Outcome, CliError> {
    let filter = args
        .severity
        .as_deref()
        .map(SeverityFilter::parse)
        .transpose()?;
    let since = args
        .since
        .as_deref()
        .map(|text| durations::length("--since", text))
        .transpose()?;
    let (customer, endpoint) = match &args.endpoint {
        Some(name) => {
            let endpoint = references::endpoint(context, name).await?;
            (references::owner(context, &endpoint)?, Some(endpoint.id))
        }
        None => (whose(context)?, None),
    };
    let mut alerts = references::all_alerts(context, customer, |mut list| {
        list.endpoint_id = endpoint;
        list.status = args.status.map(status);
        list.severity = filter
            .as_ref()
            .filter(|filter| !filter.and_above)
            .map(|filter| filter.severity.clone());
        list
    })
    .await?;
    if let Some(filter) = &filter {
        alerts.retain(|alert| filter.admits(alert.severity.as_ref()));
    }
    if let Some(since) = since {
        let earliest = chrono::Utc::now() - since;
        alerts.retain(|alert| {
            alert
                .first_detected_at
                .as_ref()
                .is_some_and(|seen| seen.date_time() >= earliest)
        });
    }
    Ok(Outcome::list(&alerts, views::ALERT, views::alert))
}

fn status(argument: AlertStatusArg) -> PortAlertStatus {
    match argument {
        AlertStatusArg::Open => PortAlertStatus::Open,
        AlertStatusArg::Resolved => PortAlertStatus::Resolved,
    }
}

fn whose(context: &Context) -> Result<CustomerId, CliError> {
    if context.settings.customer.is_none() && !context.may_ask() {
        return Err(CliError::usage(
            "whose alerts? Name a customer with -c, or a server with --endpoint",
        )
        .hint("as in `alert list -c 42`"));
    }
    context.customer()
}

/// Finds the alerts that the arguments name, all of them before any is acted on.
async fn find(context: &Context, names: &[String]) -> Result<Vec<PortAlert>, CliError> {
    let customer = context.customer()?;
    let mut all: Option<Vec<PortAlert>> = None;
    let mut found = Vec::new();
    for name in names {
        if let Ok(id) = name.trim().parse::<Uuid>() {
            let get = GetPortAlert::new(id.into(), customer);
            found.push(context.read(get).await?.into_data().alert);
            continue;
        }
        if all.is_none() {
            all = Some(references::all_alerts(context, customer, |list| list).await?);
        }
        let alerts = all.clone().unwrap_or_default();
        found.push(references::by_id_or_prefix(
            name,
            "alert",
            alerts,
            |alert| alert.id.to_string(),
        )?);
    }
    Ok(found)
}

async fn show(context: &Context, name: &str) -> Result<Outcome, CliError> {
    let found = find(context, &[name.to_owned()]).await?;
    let Some(alert) = found.first() else {
        return Err(CliError::not_found(format!("no alert {name:?}")));
    };
    let customer = context.customer()?;
    let mut story = vec![
        Line::text(alert.title.clone().unwrap_or_else(|| views::port_of(alert))),
        Line::Field("id", Cell::text(alert.id)),
        Line::Field("port", Cell::text(views::port_of(alert))),
        Line::Field("service", Cell::maybe(alert.service.as_ref())),
        Line::Field("severity", Cell::maybe(alert.severity.as_ref())),
        Line::Field("risk level", Cell::maybe(alert.risk_level.as_ref())),
        Line::Field("status", Cell::state(&alert.status)),
        Line::Field("server", Cell::maybe(alert.ip_address.as_ref())),
        Line::Field("first seen", Cell::time(alert.first_detected_at.as_ref())),
        Line::Field("last seen", Cell::time(alert.last_detected_at.as_ref())),
        Line::Field("resolved", Cell::time(alert.resolved_at.as_ref())),
    ];
    if alert.status == PortAlertStatus::Open {
        story.extend([
            Line::Heading("Next:"),
            Line::next(
                format!(
                    "alert allow {} -m \"why this port is meant to be open\" -c {customer}",
                    alert.id
                ),
                "the port is meant to be open: allow it",
            ),
        ]);
    }
    let table = Table::one(views::ALERT, views::alert(alert));
    Ok(Outcome::record(to_json(alert), table).tell(story))
}

async fn allow(context: &Context, args: AlertAllowArgs) -> Result<Outcome, CliError> {
    let addition = Addition {
        justification: rules::justification(context, &args.justification)?,
        service: None,
        expires_at: args
            .expires
            .as_deref()
            .map(|day| durations::day("--expires", day))
            .transpose()?,
    };
    addition.check(&[])?;
    let mut wanted = Vec::new();
    for alert in find(context, &args.alerts).await? {
        let (endpoint, port) = place_of(context, &alert).await?;
        wanted.push((endpoint, port));
    }
    rule_adding::run(context, ALLOWED, &wanted, &addition, Existing::Fail).await
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
    Ok((
        Place::Server(Box::new(endpoint)),
        PortSpec {
            range: PortRange::single(port),
            protocol: alert.protocol.clone(),
        },
    ))
}

async fn resolve(context: &Context, args: &AlertResolveArgs) -> Result<Outcome, CliError> {
    let names = match args.alerts.as_slice() {
        [dash] if dash == "-" => files::read_words(Path::new("-"), "standard input")?,
        names => names.to_vec(),
    };
    if names.is_empty() {
        return Err(CliError::usage(
            "no alert is named: give ids, or - to read them from standard input",
        ));
    }
    let customer = context.customer()?;
    let alerts = find(context, &names).await?;
    let question = format!("About to resolve {} alerts.", alerts.len());
    context.confirm(
        Danger::Mild.times(alerts.len()),
        &question,
        &alerts.len().to_string(),
    )?;
    let ends = bulk::run(context, &alerts, OnError::Continue, async |alert| {
        resolve_one(context, alert, customer).await
    })
    .await;
    let items = alerts.iter().zip(ends).map(|(alert, end)| Item {
        row: None,
        target: named(alert),
        customer: Some(customer),
        end,
    });
    let mut outcome = bulk::conclude(context, RESOLVED, items.collect())?;
    if let [alert] = alerts.as_slice() {
        let command = format!(
            "`alert allow {} -m \"why this port is meant to be open\" -c {customer}`",
            alert.id
        );
        outcome.story.push(Line::Hint(format!(
            "if the port stays open it comes back at the next scan; to allow it: {command}"
        )));
    }
    Ok(outcome)
}

fn named(alert: &PortAlert) -> String {
    let server = alert
        .ip_address
        .as_deref()
        .map(|address| format!(" on {address}"))
        .unwrap_or_default();
    format!("{}{server}", views::port_of(alert))
}

async fn resolve_one(
    context: &Context,
    alert: &PortAlert,
    customer: CustomerId,
) -> Result<End, CliError> {
    let about = format!("alert {}", named(alert));
    let sent = context
        .write(ResolvePortAlert::new(alert.id, customer), &about)
        .await;
    let Some(answer) =
        sent.map_err(|error| error.during(format!("resolving alert {}", alert.id)))?
    else {
        return Ok(End::Planned);
    };
    let done = Done {
        id: alert.id.to_string(),
        record: to_json(&answer.data.alert),
        sentence: format!("The alert for {} is resolved.", named(alert)),
        ..Done::default()
    };
    let before = alert.status == PortAlertStatus::Resolved;
    Ok(if before {
        End::Skipped(done)
    } else {
        End::Done(done)
    })
}
