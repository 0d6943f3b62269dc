//! `secmon alert resolve`.

use super::ack::acknowledge_one;
use super::allow::{allow_command, is_of_gone_server};
use super::ends::{self, on_place};
use crate::bulk::args::RunArgs;
use crate::bulk::{self, BulkOperation, Label, PlannedRow, Question, RowOutcome, VerbLabels};
use crate::context::Context;
use crate::error::{CliError, Failure};
use crate::machine::files;
use crate::references::alert::Alert;
use crate::references::alerts;
use crate::session::Session;
use crate::session::calls::PlannedChange;
use crate::session::current_run::RunKind;
use crate::session::prompt::ConfirmationLevel;
use crate::state::changes::Scope;
use crate::ui::outcome::{Block, Outcome, to_json};
use crate::values::durations::counted;
use clap::Args;
use secmon::ErrorCode;
use secmon::model::{CustomerId, DomainAlert, DomainAlertStatus, PortAlert, PortAlertStatus};
use secmon::operations::{ResolveDomainAlert, ResolvePortAlert};
use std::cell::RefCell;

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

const RESOLVED: VerbLabels = VerbLabels {
    done: "resolved",
    skipped: "already resolved",
};

/// What an alert is then.
const STATE: &str = "resolved";

/// `secmon alert resolve`.
pub async fn run(context: &Context, args: &AlertResolveArgs) -> Result<Outcome, CliError> {
    let resolving = Resolving {
        context,
        args,
        is_asked: false,
        found: RefCell::default(),
    };
    conclude(context, &resolving).await
}

/// The same for a person who was asked already.
pub async fn resolve_confirmed(
    context: &Context,
    args: &AlertResolveArgs,
) -> Result<Outcome, CliError> {
    let resolving = Resolving {
        context,
        args,
        is_asked: true,
        found: RefCell::default(),
    };
    conclude(context, &resolving).await
}

async fn conclude(context: &Context, resolving: &Resolving<'_>) -> Result<Outcome, CliError> {
    let items = bulk::run_bulk(context, resolving, &resolving.args.run).await?;
    let mut outcome = bulk::conclude(&context.screen, RESOLVED, items)?;
    if let [Alert::Port(alert)] = resolving.found.borrow().as_slice()
        && alert.status == PortAlertStatus::Open
        && !is_of_gone_server(&context.session, alert)
    {
        let command = allow_command(alert, context.customer()?);
        outcome.text.push(Block::Hint(format!(
            "if the port stays open it comes back at the next scan; to allow it: `{command}`"
        )));
    }
    Ok(outcome)
}

/// Alerts that are resolved.
struct Resolving<'a> {
    context: &'a Context,
    args: &'a AlertResolveArgs,
    /// Whether a person has agreed to it before.
    is_asked: bool,
    /// The alerts, as they were found.
    found: RefCell<Vec<Alert>>,
}

impl BulkOperation for Resolving<'_> {
    type Row = Alert;

    fn kind(&self) -> RunKind {
        let scope = match self.args.alerts.as_slice() {
            [one] if one != "-" => Scope::One,
            _ => Scope::Named,
        };
        RunKind {
            verb: "resolve_alert",
            scope,
            customer: None,
        }
    }

    async fn plan(&self) -> Result<Vec<PlannedRow<Alert>>, CliError> {
        let found = alerts::find(self.context, &files::or_stdin(&self.args.alerts)?).await?;
        self.found.replace(found.clone());
        let planned = found.into_iter().map(|alert| match is_resolved(&alert) {
            false => PlannedRow::send(alert),
            true => {
                let outcome = ends::outcome(&alert, Some(to_json(&alert)), STATE, true);
                PlannedRow::settled(alert, outcome)
            }
        });
        Ok(planned.collect())
    }

    fn label(&self, alert: &Alert) -> Label {
        ends::label(alert, self.context.customer().ok())
    }

    fn question(&self, rows: &[&Alert]) -> Question {
        if self.is_asked {
            return Question::none();
        }
        Question {
            level: ConfirmationLevel::Mild.times(rows.len()),
            text: format!("About to resolve {}.", counted(rows.len(), "alert")),
            typed: rows.len().to_string(),
        }
    }

    fn refusal(&self, alert: &Alert) -> Option<CliError> {
        let Alert::Domain(open) = alert else {
            return None;
        };
        let is_refused = open.status == DomainAlertStatus::Open && !self.args.ack;
        let failure = Failure::Answered(422, Some(ErrorCode::AlertNotAcknowledged));
        is_refused.then(|| {
            let message = format!(
                "{} has not been acknowledged, so it cannot be resolved",
                alert.handle()
            );
            let error = CliError::new(failure, message);
            match self.context.customer() {
                Ok(customer) => error.hint(do_both(alert, customer)),
                Err(_) => error,
            }
        })
    }

    async fn apply(&self, alert: &Alert) -> Result<RowOutcome, CliError> {
        let (session, customer) = (&self.context.session, self.context.customer()?);
        match alert {
            Alert::Port(alert) => resolve_port(session, alert, customer).await,
            Alert::Domain(alert) => {
                if self.args.ack && alert.status == DomainAlertStatus::Open {
                    acknowledge_one(session, alert, customer).await?;
                }
                resolve_domain(session, alert, customer).await
            }
        }
    }
}

fn is_resolved(alert: &Alert) -> bool {
    match alert {
        Alert::Port(alert) => alert.status == PortAlertStatus::Resolved,
        Alert::Domain(alert) => alert.status == DomainAlertStatus::Resolved,
    }
}

fn do_both(alert: &Alert, customer: CustomerId) -> String {
    let alert = alert.handle();
    format!("do both: `alert resolve {alert} --ack -c {customer}`")
}

async fn resolve_port(
    session: &Session,
    alert: &PortAlert,
    customer: CustomerId,
) -> Result<RowOutcome, CliError> {
    let named = Alert::Port(Box::new(alert.clone()));
    let about = format!("alert {}{}", named.about(), on_place(&named));
    let planned = PlannedChange::new(about)
        .on(alert.endpoint_id)
        .before(alert);
    let sent = session
        .write(ResolvePortAlert::new(customer, alert.id), planned)
        .await;
    let sent = sent.map_err(|error| error.during(format!("resolving alert {}", alert.id)))?;
    let record = sent.map(|answer| to_json(&answer.data.alert));
    Ok(ends::outcome(&named, record, STATE, false))
}

async fn resolve_domain(
    session: &Session,
    alert: &DomainAlert,
    customer: CustomerId,
) -> Result<RowOutcome, CliError> {
    let named = Alert::Domain(Box::new(alert.clone()));
    let request = ResolveDomainAlert::new(customer, alert.monitored_domain_id, alert.id);
    let sent = session
        .write(
            request,
            PlannedChange::new(format!("alert {}", named.handle())).before(alert),
        )
        .await;
    let sent = sent.map_err(|error| {
        let error = error.during(format!("resolving {}", named.handle()));
        match error.failure() {
            Failure::Answered(_, Some(ErrorCode::AlertNotAcknowledged)) => {
                error.hint(do_both(&named, customer))
            }
            _ => error,
        }
    })?;
    let record = sent.map(|answer| to_json(&answer.data.alert));
    Ok(ends::outcome(&named, record, STATE, false))
}
