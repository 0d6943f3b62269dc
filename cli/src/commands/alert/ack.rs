//! `secmon alert ack`: somebody has seen what was found about a domain.

use super::allow::{allow_command, is_of_gone_server};
use super::ends;
use super::filter::AlertKind;
use crate::bulk::args::RunArgs;
use crate::bulk::{self, BulkOperation, Item, Label, PlannedRow, Question, RowOutcome, VerbLabels};
use crate::context::Context;
use crate::error::CliError;
use crate::machine::files;
use crate::references;
use crate::references::alert::{Alert, SeverityFilter};
use crate::references::alerts;
use crate::session::Session;
use crate::session::calls::PlannedChange;
use crate::session::current_run::RunKind;
use crate::state::changes::Scope;
use crate::ui::invocation::quoted;
use crate::ui::outcome::{Block, Outcome, to_json};
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
    /// With --all: accepts only domain, since port alerts cannot be acknowledged
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

const ACKNOWLEDGED: VerbLabels = VerbLabels {
    done: "acknowledged",
    skipped: "already acknowledged",
};

/// `secmon alert ack`.
pub async fn run(context: &Context, args: &AlertAckArgs) -> Result<Outcome, CliError> {
    check_named(&context.session, args)?;
    let acknowledging = Acknowledging { context, args };
    let items = bulk::run_bulk(context, &acknowledging, &args.run).await?;
    let total = sum(&items, args, context.customer()?);
    let mut outcome = bulk::conclude(&context.screen, ACKNOWLEDGED, items)?;
    outcome.text.insert(0, Block::text(total));
    Ok(outcome)
}

/// Alerts that are acknowledged.
struct Acknowledging<'a> {
    context: &'a Context,
    args: &'a AlertAckArgs,
}

impl BulkOperation for Acknowledging<'_> {
    type Row = DomainAlert;

    fn kind(&self) -> RunKind {
        let (scope, customer) = match (self.args.all, self.args.alerts.as_slice()) {
            (true, _) => (Scope::All, self.context.customer().ok()),
            (false, [_]) => (Scope::One, None),
            (false, _) => (Scope::Named, None),
        };
        RunKind {
            verb: "acknowledge_domain_alert",
            scope,
            customer,
        }
    }

    async fn plan(&self) -> Result<Vec<PlannedRow<DomainAlert>>, CliError> {
        let (context, args) = (self.context, self.args);
        let alerts = if args.all {
            let customer = whose(context, args)?;
            let open = open_domain_alerts(context, customer, args).await?;
            if open.is_empty() {
                references::refuse_unknown(&context.session, customer).await?;
            }
            open
        } else {
            let found = alerts::find(context, &files::or_stdin(&args.alerts)?).await?;
            domain_alerts_only(context, found, context.customer()?)?
        };
        let planned = alerts.into_iter().map(|alert| {
            let state = match alert.status {
                DomainAlertStatus::Acknowledged => "acknowledged",
                DomainAlertStatus::Resolved => "resolved",
                _ => return PlannedRow::send(alert),
            };
            let named = Alert::Domain(Box::new(alert.clone()));
            let outcome = ends::outcome(&named, Some(to_json(&alert)), state, true);
            PlannedRow::settled(alert, outcome)
        });
        Ok(planned.collect())
    }

    fn label(&self, alert: &DomainAlert) -> Label {
        let customer = self.context.customer().ok();
        ends::label(&Alert::Domain(Box::new(alert.clone())), customer)
    }

    fn question(&self, _rows: &[&DomainAlert]) -> Question {
        Question::none()
    }

    async fn apply(&self, alert: &DomainAlert) -> Result<RowOutcome, CliError> {
        let customer = self.context.customer()?;
        acknowledge_one(&self.context.session, alert, customer).await
    }
}

/// How many alerts of which kind and of which customer were acknowledged, and how many had been before.
fn sum(items: &[Item], args: &AlertAckArgs, customer: CustomerId) -> String {
    let done = items
        .iter()
        .filter(|item| matches!(item.outcome, RowOutcome::Applied(_)));
    let skipped = items
        .iter()
        .filter(|item| matches!(item.outcome, RowOutcome::Skipped(_)))
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
            CliError::usage("port alerts cannot be acknowledged, only domain alerts")
                .hint("allow the port: `alert allow ALERT -m TEXT`; or resolve the alert: `alert resolve ALERT`"),
        );
    }
    if args.all || !args.alerts.is_empty() {
        return Ok(());
    }
    let error = CliError::usage("no alert given: give ids, or --all for all open domain alerts");
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
    domain_alerts_only(context, wanted.collect(), customer)
}

/// A port alert cannot be acknowledged, only allowed or resolved.
fn domain_alerts_only(
    context: &Context,
    alerts: Vec<Alert>,
    customer: CustomerId,
) -> Result<Vec<DomainAlert>, CliError> {
    let only = alerts.into_iter().map(|alert| match alert {
        Alert::Domain(alert) => Ok(*alert),
        Alert::Port(alert) => {
            let refused = CliError::usage(format!(
                "{} is a port alert: only domain alerts can be acknowledged",
                alert.id
            ));
            let resolve = format!("`alert resolve {} -c {customer}`", alert.id);
            Err(match is_of_gone_server(&context.session, &alert) {
                true => refused.hint(format!("its server has ended; resolve it: {resolve}")),
                false => refused.hint(format!(
                    "allow the port: `{}`; or resolve it: {resolve}",
                    allow_command(&alert, customer)
                )),
            })
        }
    });
    only.collect()
}

/// The call that acknowledges an alert.
pub async fn acknowledge_one(
    session: &Session,
    alert: &DomainAlert,
    customer: CustomerId,
) -> Result<RowOutcome, CliError> {
    let named = Alert::Domain(Box::new(alert.clone()));
    let request = AcknowledgeDomainAlert::new(customer, alert.monitored_domain_id, alert.id);
    let planned = PlannedChange::new(format!("alert {}", named.handle())).before(alert);
    let sent = session.write(request, planned).await;
    let sent = sent.map_err(|error| error.during(format!("acknowledging {}", named.handle())))?;
    let record = sent.map(|answer| to_json(&answer.data.alert));
    Ok(ends::outcome(&named, record, "acknowledged", false))
}
