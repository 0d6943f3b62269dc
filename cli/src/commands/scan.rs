//! `secmon scan`: look for open ports now.

use super::common::args::WaitArgs;
use super::common::findings;
use super::common::polling::{Awaited, Wait};
use crate::bulk::args::RunArgs;
use crate::bulk::{self, ChangeOfMany, Done, End, Item, Journal, Key, Label, Origin, Prior, Words};
use crate::context::Context;
use crate::error::CliError;
use crate::machine::files;
use crate::notebook::history::Change;
use crate::notebook::touched::Touched;
use crate::references::{self, Prefixes};
use crate::session::Session;
use crate::ui::outcome::{Line, Outcome, to_json};
use crate::values::durations;
use clap::Args;
use secmon::model::{Endpoint, EndpointId};
use secmon::operations::{GetEndpoint, ScanEndpoint};
use secmon::{Delivery, ErrorCode};
use serde_json::{Value, json};
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
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

const OPERATION: &str = "scan_endpoint";

/// What is kept of a server before its scan.
const LAST_SCAN: &str = "last_scan_at";

const WORDS: Words = Words {
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
    let endpoints = references::endpoints(context, &names, Prefixes::Accepted).await?;
    let keys: Vec<Key> = endpoints.iter().map(key).collect();
    let rows = (Origin::Rows, keys.as_slice());
    let journal = Journal::open_within(context, bulk::SOON_STALE, OPERATION, rows, &args.run)?;
    let scans = Scans {
        context,
        respects_cooldown: args.respect_cooldown,
        waits: args.wait.wait,
        journal: &journal,
        before: RefCell::default(),
    };
    let run = (&journal, &args.run);
    let items = bulk::change_in_journal(context, &scans, &endpoints, run).await?;
    let started = scans.started(&endpoints, &items);
    let mut outcome = bulk::conclude(&context.screen, WORDS, items)?;
    if args.wait.wait && !started.is_empty() && context.session.check_interrupted().is_ok() {
        outcome.trouble = wait_for(context, &started, length, &mut outcome)
            .await
            .err();
    }
    Ok(outcome)
}

fn key(endpoint: &Endpoint) -> Key {
    let target = endpoint.id.to_string();
    Key::of(OPERATION, endpoint.billing_customer_id, &target)
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
    /// A server that was scanned a moment ago is waited for; else it is an error.
    respects_cooldown: bool,
    /// The command goes on until the scans have ended.
    waits: bool,
    journal: &'a Journal,
    /// The servers that were asked for, as they were before.
    before: RefCell<HashMap<EndpointId, Endpoint>>,
}

impl ChangeOfMany for Scans<'_> {
    type Target = Endpoint;

    fn operation(&self) -> &'static str {
        OPERATION
    }

    fn label(&self, endpoint: &Endpoint) -> Label {
        Label::of(references::name_of(endpoint), endpoint.billing_customer_id)
    }

    fn key(&self, endpoint: &Endpoint) -> Key {
        key(endpoint)
    }

    fn kept(&self, endpoint: &Endpoint) -> Value {
        json!({ LAST_SCAN: endpoint.last_scan_at })
    }

    /// Asks for a scan. One whose answer was lost, in this run or in an earlier one, is looked for before it is asked
    /// for again; that the service refuses it for a scan of a moment ago then says that it has it.
    async fn apply(&self, endpoint: &Endpoint, prior: Prior) -> Result<End, CliError> {
        let mut before = endpoint.clone();
        let mut lost = prior == Prior::PerhapsDone;
        if lost {
            before = self.before_earlier_run(endpoint);
            self.keep(&before);
            if before.last_scan_at != endpoint.last_scan_at {
                return Ok(unanswered(endpoint));
            }
        }
        loop {
            self.keep(&before);
            let error = match self.ask(endpoint).await? {
                Attempt::Ended(end) => return Ok(end),
                Attempt::Refused(error) => error,
            };
            let pause = error
                .retry_after()
                .filter(|_| error.code() == Some(&ErrorCode::RateLimited));
            match pause {
                Some(_) if lost => return Ok(unanswered(endpoint)),
                Some(pause) if self.respects_cooldown => {
                    before = self.wait_out(endpoint, pause).await?;
                }
                None if error.delivery() == Delivery::Maybe && !lost => {
                    lost = true;
                    match self.now(endpoint).await {
                        Ok(now) if now.last_scan_at != before.last_scan_at => {
                            return Ok(unanswered(endpoint));
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
        let accepted = accepted.filter(|(_, item)| item.end.done().is_some());
        accepted
            .map(|(endpoint, _)| match before.get(&endpoint.id) {
                Some(before) => before.clone(),
                None => self.before_earlier_run(endpoint),
            })
            .collect()
    }

    /// A server as it was before an earlier run asked for its scan.
    fn before_earlier_run(&self, endpoint: &Endpoint) -> Endpoint {
        let mut before = endpoint.clone();
        if let Some(subject) = self.journal.subject(&key(endpoint)) {
            before.last_scan_at = serde_json::from_value(subject[LAST_SCAN].clone()).ok();
        }
        before
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
        session.ready().await?;
        let scan = ScanEndpoint::new(customer, endpoint.id);
        let change = Change::begun(OPERATION, &name, Touched::by(&scan));
        session.agree_to(&change)?;
        match session.client()?.send(scan).await {
            Ok(scan) => {
                session.remember(&change, "done");
                Ok(Attempt::Ended(End::Done(Done {
                    id: scan.data.scan_id.to_string(),
                    record: to_json(&scan.data),
                    sentence: on_its_way(&name),
                    ..Done::default()
                })))
            }
            Err(error) if session.guard()?.stopped(&error) => {
                session.refused::<()>(session.guard()?, &format!("scan of {name}"))?;
                Ok(Attempt::Ended(End::Planned))
            }
            Err(error) => {
                if error.delivery() == Delivery::Maybe {
                    session.remember(&change, "no_answer");
                }
                Ok(Attempt::Refused(Box::new(error)))
            }
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
    Ended(End),
    Refused(Box<secmon::Error>),
}

fn on_its_way(name: &str) -> String {
    format!("A scan of {name} is on its way.")
}

/// The end of a scan that the service has, though nobody saw it say so.
fn unanswered(endpoint: &Endpoint) -> End {
    End::Done(Done {
        record: json!({ "endpoint_id": endpoint.id, "scan_id": null }),
        note: Some("the answer was lost, and the service has accepted a scan".to_owned()),
        sentence: on_its_way(&references::name_of(endpoint)),
        ..Done::default()
    })
}

async fn add_findings(
    session: &Session,
    endpoints: &[Endpoint],
    outcome: &mut Outcome,
) -> Result<(), CliError> {
    outcome
        .story
        .retain(|line| matches!(line, Line::Table(_) | Line::Hint(_)));
    for endpoint in endpoints {
        let detail = findings::read(session, endpoint.id).await?;
        findings::check(&detail)?;
        if endpoints.len() == 1 && outcome.result.get("items").is_none() {
            outcome.result["latest_scan"] = to_json(&detail.latest_scan);
        }
        outcome.story.push(Line::text(format!(
            "{} has been scanned.",
            references::name_of(&detail.data)
        )));
        outcome.story.extend(findings::story(&detail));
        if endpoints.len() == 1 {
            outcome.story.extend(findings::next(&detail));
        }
    }
    Ok(())
}
