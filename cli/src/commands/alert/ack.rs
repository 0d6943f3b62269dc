//! `secmon alert ack`: somebody has seen what was found about a domain.

use super::allow::allow_command;
use super::ends;
use super::filter::AlertKind;
use crate::bulk::args::RunArgs;
use crate::bulk::{self, ChangeOfMany, End, Item, Key, Label, Prior, Words};
use crate::context::Context;
use crate::error::CliError;
use crate::machine::files;
use crate::references;
use crate::references::alert::{Alert, SeverityFilter};
use crate::references::alerts;
use crate::session::Session;
use crate::ui::invocation::quoted;
use crate::ui::outcome::{Line, Outcome, to_json};
use crate::values::durations::counted;
use clap::Args;
use secmon::model::{CustomerId, DomainAlert, DomainAlertStatus};
use secmon::operations::AcknowledgeDomainAlert;

const ACK_EXAMPLES: &str = "\
Examples:
  secmon alert ack example.com/4e6f0c1a-... -c 42
  secmon alert ack --all --severity medium -c 42
  secmon alert list -c 42 --kind domain -o ids | secmon alert ack - -c 42";

const ACK_USAGE: &str = "\
secmon alert ack [OPTIONS] ALERT...
       secmon alert ack [OPTIONS] --all [--severity SEVERITY] [--domain DOMAIN]";

/// Domain alerts to acknowledge.
#[derive(Debug, Default, Args)]
#[command(override_usage = ACK_USAGE, after_help = ACK_EXAMPLES)]
pub struct AlertAckArgs {
    /// Ids of the alerts, as DOMAIN/ID or ID, or - to read them from standard input, one per line
    #[arg(value_name = "ALERT", conflicts_with_all = ["all", "kind", "severity", "domain"])]
    pub alerts: Vec<String>,
    /// All open domain alerts of the customer
    #[arg(long)]
    pub all: bool,
    /// With --all: only domain, since port alerts cannot be acknowledged
    #[arg(long, alias = "type")]
    pub kind: Option<AlertKind>,
    /// With --all: only this severity, as medium or high+
    #[arg(long, value_name = "SEVERITY")]
    pub severity: Option<String>,
    /// With --all: only alerts of this domain
    #[arg(long, value_name = "DOMAIN")]
    pub domain: Option<String>,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

const OPERATION: &str = "acknowledge_alert";
const ACKNOWLEDGED: Words = Words {
    done: "acknowledged",
    skipped: "already acknowledged",
};

/// `secmon alert ack`.
pub async fn run(context: &Context, args: &AlertAckArgs) -> Result<Outcome, CliError> {
    check_named(&context.session, args)?;
    let alerts = if args.all {
        open_domain_alerts(context, whose(context, args)?, args).await?
    } else {
        let found = alerts::find(context, &files::or_stdin(&args.alerts)?).await?;
        domain_alerts_only(found, context.customer()?)?
    };
    let customer = context.customer()?;
    let acknowledging = Acknowledging { context, customer };
    let items = bulk::change_all(context, &acknowledging, &alerts, &args.run).await?;
    let total = sum(&items, args, customer);
    let mut outcome = bulk::conclude(&context.screen, ACKNOWLEDGED, items)?;
    outcome.story.insert(0, Line::text(total));
    Ok(outcome)
}

/// Alerts that are acknowledged.
struct Acknowledging<'a> {
    context: &'a Context,
    customer: CustomerId,
}

impl ChangeOfMany for Acknowledging<'_> {
    type Target = DomainAlert;

    fn operation(&self) -> &'static str {
        OPERATION
    }

    fn label(&self, alert: &DomainAlert) -> Label {
        ends::label(&Alert::Domain(Box::new(alert.clone())), self.customer)
    }

    fn key(&self, alert: &DomainAlert) -> Key {
        Key::of(OPERATION, Some(self.customer), &alert.id.to_string())
    }

    fn stands(&self, alert: &DomainAlert) -> bool {
        alert.status != DomainAlertStatus::Open
    }

    async fn apply(&self, alert: &DomainAlert, prior: Prior) -> Result<End, CliError> {
        let end = acknowledge_one(&self.context.session, alert, self.customer).await?;
        Ok(end.after(prior))
    }
}

/// How many alerts of which kind and of which customer were acknowledged, and how many had been before.
fn sum(items: &[Item], args: &AlertAckArgs, customer: CustomerId) -> String {
    let done = items.iter().filter(|item| matches!(item.end, End::Done(_)));
    let skipped = items
        .iter()
        .filter(|item| matches!(item.end, End::Skipped(_)))
        .count();
    let already = match skipped {
        0 => String::new(),
        count => format!(", {count} already acknowledged"),
    };
    let severity = args.severity.as_deref().unwrap_or_default();
    let kind = format!("{severity} domain alert");
    format!(
        "Customer {customer}: {} acknowledged{already}.",
        counted(done.count(), kind.trim_start())
    )
}

/// Refuses a command that names no alert, or alerts of ports, and says how to name some.
fn check_named(session: &Session, args: &AlertAckArgs) -> Result<(), CliError> {
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
    let customer = session.settings.customer;
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
        None => references::all_domains(&context.session, customer).await?,
    };
    let open = DomainAlertStatus::Open;
    let alerts = alerts::of_domains(&context.session, customer, &domains, Some(&open)).await?;
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

/// The call that acknowledges an alert.
pub async fn acknowledge_one(
    session: &Session,
    alert: &DomainAlert,
    customer: CustomerId,
) -> Result<End, CliError> {
    let named = Alert::Domain(Box::new(alert.clone()));
    let request = AcknowledgeDomainAlert::new(customer, alert.monitored_domain_id, alert.id);
    let sent = session
        .write(request, &format!("alert {}", named.handle()))
        .await;
    let sent = sent.map_err(|error| error.during(format!("acknowledging {}", named.handle())))?;
    let record = sent.map(|answer| to_json(&answer.data.alert));
    let already = alert.status == DomainAlertStatus::Acknowledged;
    Ok(ends::end(&named, record, "acknowledged", already))
}
