//! Acknowledging and resolving alerts.

use super::alert::allow_command;
use crate::args::{AlertAckArgs, AlertKind, AlertResolveArgs, OnError};
use crate::bulk::{self, Done, End, Item, Words};
use crate::context::{Context, Danger};
use crate::error::{CliError, Failure};
use crate::machine::files;
use crate::references;
use crate::references::alerts::{self, Alert, SeverityFilter};
use crate::ui::invocation::quoted;
use crate::ui::outcome::{Line, Outcome, to_json};
use crate::values::durations::counted;
use secmon::ErrorCode;
use secmon::model::{CustomerId, DomainAlert, DomainAlertStatus, PortAlert, PortAlertStatus};
use secmon::operations::{AcknowledgeDomainAlert, ResolveDomainAlert, ResolvePortAlert};
use uuid::Uuid;

const ACKNOWLEDGED: Words = Words {
    done: "acknowledged",
    skipped: "acknowledged before",
};
const RESOLVED: Words = Words {
    done: "resolved",
    skipped: "resolved before",
};

/// `secmon alert ack`.
pub async fn acknowledge(context: &Context, args: &AlertAckArgs) -> Result<Outcome, CliError> {
    check_named(context, args)?;
    let alerts = if args.all {
        open_domain_alerts(context, whose(context, args)?, args).await?
    } else {
        let found = alerts::find(context, &files::or_stdin(&args.alerts)?).await?;
        domain_alerts_only(found, context.customer()?)?
    };
    let customer = context.customer()?;
    let ends = bulk::run(context, &alerts, OnError::Continue, async |alert| {
        acknowledge_one(context, alert, customer).await
    })
    .await;
    let items = alerts
        .iter()
        .zip(ends)
        .map(|(alert, end)| item(&Alert::Domain(Box::new(alert.clone())), customer, end));
    let items: Vec<Item> = items.collect();
    let total = sum(&items, args, customer);
    let mut outcome = bulk::conclude(context, ACKNOWLEDGED, items)?;
    outcome.story.insert(0, Line::text(total));
    Ok(outcome)
}

/// How many alerts of which kind and of which customer were acknowledged.
fn sum(items: &[Item], args: &AlertAckArgs, customer: CustomerId) -> String {
    let done = items.iter().filter(|item| matches!(item.end, End::Done(_)));
    let severity = args.severity.as_deref().unwrap_or_default();
    let kind = format!("{severity} domain alert");
    format!(
        "Customer {customer}: {} acknowledged.",
        counted(done.count(), kind.trim_start())
    )
}

/// Refuses a command that names no alert, or alerts of ports, and says how to name some.
fn check_named(context: &Context, args: &AlertAckArgs) -> Result<(), CliError> {
    if args.kind == Some(AlertKind::Port) {
        return Err(
            CliError::usage("alerts of ports cannot be acknowledged, only those of domains")
                .hint("allow the port: `alert allow ALERT -m TEXT`; or resolve the alert: `alert resolve ALERT`"),
        );
    }
    if args.all || !args.alerts.is_empty() {
        return Ok(());
    }
    let error =
        CliError::usage("no alert is named: give ids, or --all for all open alerts of domains");
    if files::stdin_is_a_pipe() {
        return Err(error.hint("to read the ids from standard input: `alert ack -`"));
    }
    let customer = context.settings.customer;
    let customer = customer.map_or_else(|| "ID".to_owned(), |id| id.to_string());
    let filters = [("severity", &args.severity), ("domain", &args.domain)];
    let filters: String = filters
        .iter()
        .filter_map(|(name, value)| Some(format!(" --{name} {}", quoted(value.as_deref()?))))
        .collect();
    Err(error.hint(format!(
        "all of them: `alert ack --all{filters} -c {customer}`"
    )))
}

fn whose(context: &Context, args: &AlertAckArgs) -> Result<CustomerId, CliError> {
    match &args.domain {
        Some(name) => references::customer_of_domains(context, std::slice::from_ref(name)),
        None => context.customer(),
    }
}

async fn open_domain_alerts(
    context: &Context,
    customer: CustomerId,
    args: &AlertAckArgs,
) -> Result<Vec<DomainAlert>, CliError> {
    let severity = args
        .severity
        .as_deref()
        .map(SeverityFilter::parse)
        .transpose()?;
    let domains = match &args.domain {
        Some(name) => references::domains(context, std::slice::from_ref(name)).await?,
        None => references::all_domains(context, customer).await?,
    };
    let open = DomainAlertStatus::Open;
    let alerts = alerts::of_domains(context, customer, &domains, Some(&open)).await?;
    let wanted = alerts.into_iter().filter(|alert| {
        severity
            .as_ref()
            .is_none_or(|severity| severity.admits(alert.severity()))
    });
    domain_alerts_only(wanted.collect(), customer)
}

/// A port alert cannot be acknowledged, only allowed or resolved.
fn domain_alerts_only(
    alerts: Vec<Alert>,
    customer: CustomerId,
) -> Result<Vec<DomainAlert>, CliError> {
    let only = alerts.into_iter().map(|alert| match alert {
        Alert::Domain(alert) => Ok(*alert),
        Alert::Port(alert) => Err(CliError::usage(format!(
            "{} is the alert of a port: it cannot be acknowledged",
            alert.id
        ))
        .hint(format!(
            "allow the port: `{}`; or resolve it: `alert resolve {} -c {customer}`",
            allow_command(&alert, customer),
            alert.id
        ))),
    });
    only.collect()
}

async fn acknowledge_one(
    context: &Context,
    alert: &DomainAlert,
    customer: CustomerId,
) -> Result<End, CliError> {
    let named = Alert::Domain(Box::new(alert.clone()));
    let request = AcknowledgeDomainAlert::new(customer, alert.monitored_domain_id, alert.id);
    let sent = context
        .write(request, &format!("alert {}", named.handle()))
        .await;
    let Some(answer) =
        sent.map_err(|error| error.during(format!("acknowledging {}", named.handle())))?
    else {
        return Ok(End::Planned);
    };
    let done = done(&named, to_json(&answer.data.alert), "is acknowledged");
    let before = alert.status == DomainAlertStatus::Acknowledged;
    Ok(if before {
        End::Skipped(done)
    } else {
        End::Done(done)
    })
}

fn done(alert: &Alert, record: serde_json::Value, end: &str) -> Done {
    Done {
        id: alert.handle(),
        record,
        sentence: format!("The alert {end}: {}{}.", alert.about(), on_place(alert)),
        ..Done::default()
    }
}

fn on_place(alert: &Alert) -> String {
    let place = alert.place().map(|place| format!(" on {place}"));
    place.unwrap_or_default()
}

fn item(alert: &Alert, customer: CustomerId, end: End) -> Item {
    Item {
        row: None,
        target: format!("{}{}", alert.about(), on_place(alert)),
        customer: Some(customer),
        end,
    }
}

/// `secmon alert resolve`.
pub async fn resolve(context: &Context, args: &AlertResolveArgs) -> Result<Outcome, CliError> {
    let alerts = alerts::find(context, &files::or_stdin(&args.alerts)?).await?;
    let customer = context.customer()?;
    let question = format!("About to resolve {} alerts.", alerts.len());
    context.confirm(
        Danger::Mild.times(alerts.len()),
        &question,
        &alerts.len().to_string(),
    )?;
    resolve_found(context, args, &alerts, customer).await
}

/// The same for a person who was asked already.
pub async fn resolve_confirmed(
    context: &Context,
    args: &AlertResolveArgs,
) -> Result<Outcome, CliError> {
    let alerts = alerts::find(context, &args.alerts).await?;
    resolve_found(context, args, &alerts, context.customer()?).await
}

async fn resolve_found(
    context: &Context,
    args: &AlertResolveArgs,
    alerts: &[Alert],
    customer: CustomerId,
) -> Result<Outcome, CliError> {
    let acknowledge = if args.ack {
        OpenOnes::AreAcknowledged
    } else {
        OpenOnes::Stay
    };
    let ends = bulk::run(
        context,
        alerts,
        OnError::Continue,
        async |alert| match alert {
            Alert::Port(alert) => resolve_port(context, alert, customer).await,
            Alert::Domain(alert) => resolve_domain(context, alert, customer, acknowledge).await,
        },
    )
    .await;
    let items = alerts
        .iter()
        .zip(ends)
        .map(|(alert, end)| item(alert, customer, end));
    let mut outcome = bulk::conclude(context, RESOLVED, items.collect())?;
    if let [Alert::Port(alert)] = alerts {
        let command = allow_command(alert, customer);
        outcome.story.push(Line::Hint(format!(
            "if the port stays open it comes back at the next scan; to allow it: `{command}`"
        )));
    }
    Ok(outcome)
}

/// What happens to a domain alert that nobody has acknowledged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenOnes {
    Stay,
    AreAcknowledged,
}

async fn resolve_port(
    context: &Context,
    alert: &PortAlert,
    customer: CustomerId,
) -> Result<End, CliError> {
    let named = Alert::Port(Box::new(alert.clone()));
    let about = format!("alert {}{}", named.about(), on_place(&named));
    let server = alert.endpoint_id.map(Uuid::from);
    let sent = context
        .write_touching(ResolvePortAlert::new(customer, alert.id), &about, server)
        .await;
    let Some(answer) =
        sent.map_err(|error| error.during(format!("resolving alert {}", alert.id)))?
    else {
        return Ok(End::Planned);
    };
    let done = done(&named, to_json(&answer.data.alert), "is resolved");
    let before = alert.status == PortAlertStatus::Resolved;
    Ok(if before {
        End::Skipped(done)
    } else {
        End::Done(done)
    })
}

async fn resolve_domain(
    context: &Context,
    alert: &DomainAlert,
    customer: CustomerId,
    open_ones: OpenOnes,
) -> Result<End, CliError> {
    let named = Alert::Domain(Box::new(alert.clone()));
    if alert.status == DomainAlertStatus::Resolved {
        return Ok(End::Skipped(done(
            &named,
            to_json(alert),
            "was resolved before",
        )));
    }
    if open_ones == OpenOnes::AreAcknowledged && alert.status == DomainAlertStatus::Open {
        acknowledge_one(context, alert, customer).await?;
    }
    let request = ResolveDomainAlert::new(customer, alert.monitored_domain_id, alert.id);
    let sent = context
        .write(request, &format!("alert {}", named.handle()))
        .await;
    let sent = sent.map_err(|error| {
        let error = error.during(format!("resolving {}", named.handle()));
        match error.failure() {
            Failure::Answered(_, Some(ErrorCode::AlertNotAcknowledged)) => error.hint(format!(
                "do both: `alert resolve {} --ack -c {customer}`",
                named.handle()
            )),
            _ => error,
        }
    })?;
    Ok(sent.map_or(End::Planned, |answer| {
        End::Done(done(&named, to_json(&answer.data.alert), "is resolved"))
    }))
}
