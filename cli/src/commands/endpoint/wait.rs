//! `secmon endpoint wait`: until servers have been scanned, or are active or paused.

use crate::bulk::{self, Applied, Item, Label, RowOutcome, VerbLabels};
use crate::commands::common::polling::{self, Awaited, Wait};
use crate::context::Context;
use crate::error::CliError;
use crate::machine::files;
use crate::references::{self, PrefixPolicy};
use crate::ui::outcome::{Outcome, to_json};
use crate::values::durations;
use chrono::DateTime;
use clap::{Args, ValueEnum};
use secmon::model::{Endpoint, EndpointStatus, Timestamp};
use std::time::Duration;

/// Servers to wait for.
#[derive(Debug, Args)]
pub struct EndpointWaitArgs {
    /// The servers: id, IP address, host name or nickname
    #[arg(value_name = "ENDPOINT", required = true)]
    pub endpoints: Vec<String>,
    /// What to wait for
    #[arg(long = "for", value_name = "WHAT", default_value = "scan")]
    pub goal: WaitFor,
    /// Only a scan that ended after this moment counts, as 2026-11-21T07:31:13+00:00
    #[arg(long, value_name = "TIMESTAMP")]
    pub after: Option<String>,
    /// Longest time to wait [default: 10m]; after that the exit code is 9 (--timeout means the same here)
    #[arg(long = "wait-timeout", value_name = "TIME")]
    pub wait_timeout: Option<String>,
    /// Shortest time between two checks
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub interval: String,
}

/// What `endpoint wait` waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WaitFor {
    /// A scan that has ended; an old one counts unless --after is given.
    Scan,
    /// The server is active.
    Active,
    /// The server is paused.
    Paused,
}

const LONGEST_WAIT: Duration = Duration::from_secs(600);

/// Runs the command.
pub async fn run(context: &Context, args: EndpointWaitArgs) -> Result<Outcome, CliError> {
    let length = match (&args.wait_timeout, context.session.settings.timeout) {
        (Some(text), _) => durations::length("--wait-timeout", text)?,
        (None, Some(length)) => length,
        (None, None) => LONGEST_WAIT,
    };
    let after = after(&args)?;
    let names = files::or_stdin(&args.endpoints)?;
    let endpoints = references::endpoints(context, &names, PrefixPolicy::Accepted).await?;
    let ids: Vec<String> = endpoints
        .iter()
        .map(|server| server.id.to_string())
        .collect();
    let again = args.after.as_ref().map(|after| format!(" --after {after}"));
    let again = again.unwrap_or_default();
    let resume = format!(
        "endpoint wait {} --for {}{again}",
        ids.join(" "),
        args.goal.to_possible_value().unwrap_or_default().get_name()
    );
    let mut wait = Wait::new(length, resume);
    let interval = durations::length("--interval", &args.interval)?;
    wait.next_poll = wait.next_poll.max(interval);
    wait.only_watched = Some(not_yet(&endpoints, args.goal, length));
    let now = match args.goal {
        WaitFor::Scan => {
            let awaited = endpoints.iter().map(|server| {
                Ok(Awaited {
                    since: after.clone(),
                    ..Awaited::again(context, server)?
                })
            });
            let awaited: Result<Vec<Awaited>, CliError> = awaited.collect();
            wait.for_scans(context, &awaited?).await?
        }
        WaitFor::Active => for_status(context, wait, &endpoints, EndpointStatus::Active).await?,
        WaitFor::Paused => for_status(context, wait, &endpoints, EndpointStatus::Paused).await?,
    };
    let labels = VerbLabels {
        done: reached(args.goal),
        skipped: "already so",
    };
    let items = now.iter().map(|endpoint| waited(endpoint, args.goal));
    bulk::conclude(&context.screen, labels, items.collect())
}

/// What is said when the wait runs out: it may be a part of the servers that is not so far.
fn not_yet(endpoints: &[Endpoint], goal: WaitFor, length: Duration) -> String {
    let (names, goal) = (bulk::preview(endpoints, references::name_of), reached(goal));
    let after = durations::shown(length);
    match endpoints {
        [_] => format!("{names} was not {goal} after {after}"),
        _ => format!("not all of {names} were {goal} after {after}"),
    }
}

fn waited(endpoint: &Endpoint, goal: WaitFor) -> Item {
    let name = references::name_of(endpoint);
    let applied = Applied {
        id: endpoint.id.to_string(),
        record: to_json(endpoint),
        sentence: format!("{name}: {}.", reached(goal)),
        ..Applied::default()
    };
    let label = Label::of(name, endpoint.billing_customer_id);
    Item::of(label, RowOutcome::Applied(applied))
}

/// Waits until all servers are in a state.
async fn for_status(
    context: &Context,
    wait: Wait,
    endpoints: &[Endpoint],
    status: EndpointStatus,
) -> Result<Vec<Endpoint>, CliError> {
    wait.until(context, async || {
        let now = polling::current(&context.session, endpoints).await?;
        let all = now.iter().all(|endpoint| endpoint.status == status);
        Ok(all.then_some(now))
    })
    .await
}

/// The moment after which a scan counts.
fn after(args: &EndpointWaitArgs) -> Result<Option<Timestamp>, CliError> {
    let Some(text) = &args.after else {
        return Ok(None);
    };
    let moment = DateTime::parse_from_rfc3339(text).map_err(|_| {
        CliError::usage(format!(
            "--after: {text:?} is not a time: write it as 2026-11-21T07:31:13+00:00"
        ))
    })?;
    Ok(Some(moment.into()))
}

fn reached(goal: WaitFor) -> &'static str {
    match goal {
        WaitFor::Scan => "scanned",
        WaitFor::Active => "active",
        WaitFor::Paused => "paused",
    }
}
