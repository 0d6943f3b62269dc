//! `secmon scan`: look for open ports now.

use super::common::args::WaitArgs;
use super::common::findings;
use super::common::polling::{Awaited, Wait};
use crate::bulk::args::RunArgs;
use crate::bulk::{
    self, Applied, BulkOperation, Item, Label, PlannedRow, Question, RowOutcome, VerbLabels,
};
use crate::commands::common::views;
use crate::context::Context;
use crate::error::{CliError, Failure};
use crate::machine::files;
use crate::references::{self, PrefixPolicy};
use crate::session::Session;
use crate::session::calls::PlannedChange;
use crate::session::current_run::RunKind;
use crate::state::changes::Scope;
use crate::ui::outcome::{Block, Outcome, to_json};
use crate::values::durations;
use clap::Args;
use secmon::model::{Endpoint, EndpointId};
use secmon::operations::{GetEndpoint, ScanEndpoint};
use secmon::{Delivery, ErrorCode};
use serde_json::json;
use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

/// Servers to scan.
#[derive(Debug, Args)]
pub struct ScanArgs {
    /// The servers: id, IP address, host name or nickname
    #[arg(value_name = "ENDPOINT", required = true)]
    pub endpoints: Vec<String>,
    /// Wait until the scan has ended and show what it found
    #[command(flatten)]
    pub wait: WaitArgs,
    /// If a server was scanned too recently, wait until it may be scanned again
    #[arg(long)]
    pub respect_cooldown: bool,
    /// How the run is made
    #[command(flatten)]
    pub run: RunArgs,
}

const OPERATION: &str = "scan_endpoint";

const LABELS: VerbLabels = VerbLabels {
    done: "on their way",
    skipped: "already under way",
};

/// Runs the command.
pub async fn run(context: &Context, args: ScanArgs) -> Result<Outcome, CliError> {
    context
        .session
        .settings
        .need_billing("a scan is asked for")?;
    let length = durations::length("--wait-timeout", &args.wait.wait_timeout)?;
    let names = files::or_stdin(&args.endpoints)?;
    let endpoints = references::endpoints(context, &names, PrefixPolicy::Accepted).await?;
    let scans = Scans {
        context,
        endpoints: &endpoints,
        respects_cooldown: args.respect_cooldown,
        waits: args.wait.wait,
        before: RefCell::default(),
    };
    let items = bulk::run_bulk(context, &scans, &args.run).await?;
    let started = scans.started(&endpoints, &items);
    let mut outcome = bulk::conclude(&context.screen, LABELS, items)?;
    if args.wait.wait && !started.is_empty() && context.session.check_interrupted().is_ok() {
        outcome.deferred_error = wait_for(context, &started, length, &mut outcome)
            .await
            .err();
    }
    Ok(outcome)
}

/// Waits for the scans that were started, and adds what they found.
async fn wait_for(
    context: &Context,
    started: &[Endpoint],
    length: Duration,
    outcome: &mut Outcome,
) -> Result<(), CliError> {
    let ids: Vec<String> = started
        .iter()
        .map(|endpoint| endpoint.id.to_string())
        .collect();
    let latest = started
        .iter()
        .filter_map(|endpoint| endpoint.last_scan_at.as_ref())
        .max_by_key(|time| time.date_time());
    let after = latest
        .map(|time| format!(" --after {}", time.as_str()))
        .unwrap_or_default();
    let wait = Wait::new(length, format!("endpoint wait {}{after}", ids.join(" ")));
    let awaited: Result<Vec<Awaited>, CliError> = started
        .iter()
        .map(|server| Awaited::again(context, server))
        .collect();
    wait.for_scans(context, &awaited?).await?;
    add_findings(&context.session, started, outcome).await
}

/// The scans of one command.
struct Scans<'a> {
    context: &'a Context,
    endpoints: &'a [Endpoint],
    /// A server that was scanned a moment ago is waited for; else it is an error.
    respects_cooldown: bool,
    /// The command goes on until the scans have ended.
    waits: bool,
    /// The servers that were asked for, as they were before.
    before: RefCell<HashMap<EndpointId, Endpoint>>,
}

impl BulkOperation for Scans<'_> {
    type Row = Endpoint;

    fn kind(&self) -> RunKind {
        let scope = match self.endpoints {
            [_] => Scope::One,
            _ => Scope::Named,
        };
        RunKind {
            verb: OPERATION,
            scope,
            customer: None,
        }
    }

    async fn plan(&self) -> Result<Vec<PlannedRow<Endpoint>>, CliError> {
        let state = self.context.session.state();
        let planned = self.endpoints.iter().cloned().map(|endpoint| {
            let cooldown = Duration::from_secs(endpoint.nmap_cooldown_seconds.unwrap_or_default());
            let id = endpoint.id.to_string();
            // A run that was interrupted has asked for it a moment ago: now the service would refuse it.
            match state.is_some_and(|state| state.was_answered(OPERATION, &id, cooldown)) {
                true => {
                    let outcome = RowOutcome::Skipped(under_way(&endpoint));
                    PlannedRow::settled(endpoint, outcome)
                }
                false => PlannedRow::send(endpoint),
            }
        });
        Ok(planned.collect())
    }

    fn label(&self, endpoint: &Endpoint) -> Label {
        Label::of(references::name_of(endpoint), endpoint.billing_customer_id)
    }

    fn question(&self, _rows: &[&Endpoint]) -> Question {
        Question::none()
    }

    fn refusal(&self, endpoint: &Endpoint) -> Option<CliError> {
        let name = references::name_of(endpoint);
        let failure = Failure::Answered(409, Some(ErrorCode::EndpointNotActive));
        let message = format!("{name} is paused, and only active servers are scanned");
        views::is_paused(endpoint).then(|| {
            CliError::new(failure, message).hint(format!(
                "resume it first: `endpoint resume {}`",
                endpoint.id
            ))
        })
    }

    /// Asks for a scan. One whose answer was lost, in this run or in an earlier one, is looked for before it is asked
    /// for again; that the service refuses it for a scan of a moment ago then says that it has it.
    async fn apply(&self, endpoint: &Endpoint) -> Result<RowOutcome, CliError> {
        let mut before = endpoint.clone();
        let state = self.context.session.state();
        let mut lost =
            state.is_some_and(|state| state.is_pending(OPERATION, &endpoint.id.to_string()));
        loop {
            self.keep(&before);
            let error = match self.ask(endpoint).await? {
                Attempt::Ended(outcome) => return Ok(outcome),
                Attempt::Refused(error) => error,
            };
            let pause = error
                .retry_after()
                .filter(|_| error.code() == Some(&ErrorCode::RateLimited));
            match pause {
                Some(_) if lost => return Ok(unanswered(&self.context.session, endpoint)),
                Some(pause) if self.respects_cooldown => {
                    before = self.wait_out(endpoint, pause).await?;
                }
                None if error.delivery() == Delivery::Maybe && !lost => {
                    lost = true;
                    match self.now(endpoint).await {
                        Ok(now) if now.last_scan_at != before.last_scan_at => {
                            return Ok(unanswered(&self.context.session, endpoint));
                        }
                        Ok(_) => {}
                        Err(_) => return Err(self.explained(*error, endpoint, pause)),
                    }
                }
                _ => return Err(self.explained(*error, endpoint, pause)),
            }
        }
    }
}

impl Scans<'_> {
    /// The servers whose scan was accepted, as they were before it, in the order they were named.
    fn started(&self, named: &[Endpoint], items: &[Item]) -> Vec<Endpoint> {
        let before = self.before.borrow();
        let accepted = named.iter().zip(items);
        let accepted = accepted.filter(|(_, item)| item.outcome.applied().is_some());
        accepted
            .map(|(endpoint, _)| match before.get(&endpoint.id) {
                Some(before) => before.clone(),
                None => endpoint.clone(),
            })
            .collect()
    }

    fn explained(
        &self,
        error: secmon::Error,
        endpoint: &Endpoint,
        pause: Option<Duration>,
    ) -> CliError {
        let inactive = error.code() == Some(&ErrorCode::EndpointNotActive);
        let error =
            CliError::from(error).during(format!("scanning {}", references::name_of(endpoint)));
        let id = endpoint.id;
        let wait = if self.waits { " --wait" } else { "" };
        match pause {
            Some(pause) => {
                let again = durations::shown(pause);
                error.hint(format!("it may be scanned again in {again}; to wait for that: `scan {id}{wait} --respect-cooldown`"))
            }
            None if inactive => {
                error.hint(format!("have it scanned again: `endpoint resume {id}`"))
            }
            None => error,
        }
    }

    fn keep(&self, before: &Endpoint) {
        self.before.borrow_mut().insert(before.id, before.clone());
    }

    /// One call.
    async fn ask(&self, endpoint: &Endpoint) -> Result<Attempt, CliError> {
        let session = &self.context.session;
        let name = references::name_of(endpoint);
        let customer = references::owner(self.context, endpoint)?;
        let scan = ScanEndpoint::new(customer, endpoint.id);
        let planned = PlannedChange::new(name.as_str()).before(endpoint);
        match session.try_change(scan, &planned).await? {
            Ok(answered) => {
                let scan = answered.response.data;
                Ok(Attempt::Ended(RowOutcome::Applied(Applied {
                    id: scan.scan_id.to_string(),
                    record: to_json(&scan),
                    sentence: on_its_way(&name),
                    ..Applied::default()
                })))
            }
            Err(error) if session.guard()?.stopped(&error) => {
                session.refused::<()>(session.guard()?, &format!("scan of {name}"))?;
                Ok(Attempt::Ended(RowOutcome::Planned))
            }
            Err(error) => Ok(Attempt::Refused(Box::new(error))),
        }
    }

    /// Sleeps through a cooldown. Another scan may have ended meanwhile: it is not the one that is waited for.
    async fn wait_out(&self, endpoint: &Endpoint, pause: Duration) -> Result<Endpoint, CliError> {
        let (name, again) = (references::name_of(endpoint), durations::shown(pause));
        self.context.screen.note(&format!(
            "{name} was scanned a moment ago: next try in {again}"
        ));
        self.context.session.rest(pause).await;
        self.now(endpoint).await
    }

    async fn now(&self, endpoint: &Endpoint) -> Result<Endpoint, CliError> {
        let get = GetEndpoint::account_wide(endpoint.id);
        self.context.session.read(get).await
    }
}

/// What became of one call.
enum Attempt {
    Ended(RowOutcome),
    Refused(Box<secmon::Error>),
}

fn on_its_way(name: &str) -> String {
    format!("A scan of {name} is on its way.")
}

fn under_way(endpoint: &Endpoint) -> Applied {
    Applied {
        record: json!({ "endpoint_id": endpoint.id, "scan_id": null }),
        note: Some("already under way: the interrupted run has asked for it".to_owned()),
        sentence: format!("A scan of {} is under way.", references::name_of(endpoint)),
        ..Applied::default()
    }
}

/// The outcome of a scan that the service has, though nobody saw it say so.
fn unanswered(session: &Session, endpoint: &Endpoint) -> RowOutcome {
    session.settle_pending(OPERATION, &endpoint.id.to_string());
    RowOutcome::Applied(Applied {
        record: json!({ "endpoint_id": endpoint.id, "scan_id": null }),
        note: Some("the answer was lost, but the service has accepted the scan".to_owned()),
        sentence: on_its_way(&references::name_of(endpoint)),
        ..Applied::default()
    })
}

async fn add_findings(
    session: &Session,
    endpoints: &[Endpoint],
    outcome: &mut Outcome,
) -> Result<(), CliError> {
    outcome
        .text
        .retain(|line| matches!(line, Block::Table(_) | Block::Hint(_)));
    for endpoint in endpoints {
        let detail = findings::read(session, endpoint.id).await?;
        findings::check(&detail)?;
        if endpoints.len() == 1 && outcome.result.get("items").is_none() {
            outcome.result["latest_scan"] = to_json(&detail.latest_scan);
        }
        outcome.text.push(Block::text(format!(
            "{} has been scanned.",
            references::name_of(&detail.data)
        )));
        outcome.text.extend(findings::text(&detail));
        if endpoints.len() == 1 {
            outcome.text.extend(findings::next(&detail));
        }
    }
    Ok(())
}
