//! `secmon alert resolve`.

use super::ack::acknowledge_one;
use super::allow::allow_command;
use super::ends::{self, on_place};
use crate::bulk::args::RunArgs;
use crate::bulk::{self, ChangeOfMany, End, Key, Label, Prior, Words};
use crate::context::Context;
use crate::error::{CliError, Failure};
use crate::machine::files;
use crate::references::alert::Alert;
use crate::references::alerts;
use crate::session::Session;
use crate::session::prompt::Danger;
use crate::ui::outcome::{Line, Outcome, to_json};
use clap::Args;
use secmon::ErrorCode;
use secmon::model::{CustomerId, DomainAlert, DomainAlertStatus, PortAlert, PortAlertStatus};
use secmon::operations::{ResolveDomainAlert, ResolvePortAlert};
use uuid::Uuid;

/// Alerts to resolve.
#[derive(Debug, Args)]
pub struct AlertResolveArgs {
    /// Ids of the alerts, or - to read them from standard input, one per line
    #[arg(value_name = "ALERT", required = true)]
    pub alerts: Vec<String>,
    /// Acknowledge domain alerts that are still open first (two calls)
    #[arg(long)]
    pub ack: bool,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

const OPERATION: &str = "resolve_alert";
const RESOLVED: Words = Words {
    done: "resolved",
    skipped: "already resolved",
};

/// What an alert is then.
const STATE: &str = "resolved";

/// `secmon alert resolve`.
pub async fn run(context: &Context, args: &AlertResolveArgs) -> Result<Outcome, CliError> {
    let alerts = alerts::find(context, &files::or_stdin(&args.alerts)?).await?;
    let customer = context.customer()?;
    let question = format!("About to resolve {} alerts.", alerts.len());
    context.prompt.confirm(
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
    let resolving = Resolving {
        context,
        customer,
        acknowledges: args.ack,
    };
    let items = bulk::change_all(context, &resolving, alerts, &args.run).await?;
    let mut outcome = bulk::conclude(&context.screen, RESOLVED, items)?;
    if let [Alert::Port(alert)] = alerts {
        let command = allow_command(alert, customer);
        outcome.story.push(Line::Hint(format!(
            "if the port stays open it comes back at the next scan; to allow it: `{command}`"
        )));
    }
    Ok(outcome)
}

/// Alerts that are resolved.
struct Resolving<'a> {
    context: &'a Context,
    customer: CustomerId,
    /// A domain alert that nobody has acknowledged is acknowledged first.
    acknowledges: bool,
}

impl ChangeOfMany for Resolving<'_> {
    type Target = Alert;

    fn operation(&self) -> &'static str {
        OPERATION
    }

    fn label(&self, alert: &Alert) -> Label {
        ends::label(alert, self.customer)
    }

    fn key(&self, alert: &Alert) -> Key {
        Key::of(OPERATION, Some(self.customer), &alert.id())
    }

    fn stands(&self, alert: &Alert) -> bool {
        match alert {
            Alert::Port(alert) => alert.status == PortAlertStatus::Resolved,
            Alert::Domain(alert) => alert.status == DomainAlertStatus::Resolved,
        }
    }

    async fn apply(&self, alert: &Alert, prior: Prior) -> Result<End, CliError> {
        let (session, customer) = (&self.context.session, self.customer);
        let end = match alert {
            Alert::Port(alert) => resolve_port(session, alert, customer).await?,
            Alert::Domain(alert) => {
                if self.acknowledges && alert.status == DomainAlertStatus::Open {
                    acknowledge_one(session, alert, customer).await?;
                }
                resolve_domain(session, alert, customer).await?
            }
        };
        Ok(end.after(prior))
    }
}

async fn resolve_port(
    session: &Session,
    alert: &PortAlert,
    customer: CustomerId,
) -> Result<End, CliError> {
    let named = Alert::Port(Box::new(alert.clone()));
    let about = format!("alert {}{}", named.about(), on_place(&named));
    let server = alert.endpoint_id.map(Uuid::from);
    let sent = session
        .write_touching(ResolvePortAlert::new(customer, alert.id), &about, server)
        .await;
    let sent = sent.map_err(|error| error.during(format!("resolving alert {}", alert.id)))?;
    let record = sent.map(|answer| to_json(&answer.data.alert));
    let already = alert.status == PortAlertStatus::Resolved;
    Ok(ends::end(&named, record, STATE, already))
}

async fn resolve_domain(
    session: &Session,
    alert: &DomainAlert,
    customer: CustomerId,
) -> Result<End, CliError> {
    let named = Alert::Domain(Box::new(alert.clone()));
    if alert.status == DomainAlertStatus::Resolved {
        return Ok(ends::end(&named, Some(to_json(alert)), STATE, true));
    }
    let request = ResolveDomainAlert::new(customer, alert.monitored_domain_id, alert.id);
    let sent = session
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
    let record = sent.map(|answer| to_json(&answer.data.alert));
    Ok(ends::end(&named, record, STATE, false))
}
