//! `secmon scan`: look for open ports now.

use super::findings;
use super::wait::{self, Wait};
use crate::args::{OnError, ScanArgs};
use crate::bulk::{self, Done, End, Item, Words};
use crate::context::Context;
use crate::error::CliError;
use crate::outcome::{Line, Outcome, to_json};
use crate::references::{self, Prefixes};
use crate::{durations, files};
use secmon::model::Endpoint;
use secmon::operations::{GetEndpoint, ScanEndpoint};
use secmon::{ErrorCode, Namespace, Sent};
use std::cell::RefCell;
use std::time::{Duration, Instant};

const WORDS: Words = Words {
    done: "on their way",
    skipped: "under way before",
};

/// Runs the command.
pub async fn run(context: &Context, args: ScanArgs) -> Result<Outcome, CliError> {
    if context.settings.namespace == Namespace::Provisioning {
        return Err(CliError::usage(
            "a scan is asked for under the billing namespace only: leave out --namespace provisioning",
        ));
    }
    let length = durations::length("--wait-timeout", &args.wait.wait_timeout)?;
    let names = files::or_stdin(&args.endpoints)?;
    let endpoints = references::endpoints(context, &names, Prefixes::Accepted).await?;
    let cooldown = if args.respect_cooldown {
        Cooldown::IsWaitedFor
    } else {
        Cooldown::IsAnError
    };
    let started = RefCell::default();
    let ends = bulk::run(context, &endpoints, OnError::Continue, async |endpoint| {
        start(context, endpoint, cooldown, &started).await
    })
    .await;
    let started = in_order(&endpoints, &started.into_inner());
    let items = endpoints.iter().zip(ends).map(|(endpoint, end)| Item {
        row: None,
        target: references::name_of(endpoint),
        customer: endpoint.billing_customer_id,
        end,
    });
    let mut outcome = bulk::conclude(context, WORDS, items.collect())?;
    if args.wait.wait && !started.is_empty() && context.check_interrupted().is_ok() {
        outcome.trouble = wait_for(context, &started, length, &mut outcome)
            .await
            .err();
    }
    Ok(outcome)
}

/// The servers whose scan was accepted, as they were before, in the order they were named.
fn in_order(named: &[Endpoint], started: &[Endpoint]) -> Vec<Endpoint> {
    let before = |endpoint: &Endpoint| started.iter().find(|before| before.id == endpoint.id);
    named.iter().filter_map(before).cloned().collect()
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
    wait::for_scans(context, started, wait).await?;
    add_findings(context, started, outcome).await
}

/// What happens to a server that was scanned a moment ago.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cooldown {
    IsAnError,
    IsWaitedFor,
}

/// Asks for a scan, and keeps the server as it was before.
async fn start(
    context: &Context,
    endpoint: &Endpoint,
    cooldown: Cooldown,
    servers: &RefCell<Vec<Endpoint>>,
) -> Result<End, CliError> {
    let name = references::name_of(endpoint);
    let customer = references::owner(context, endpoint)?;
    context.ready().await?;
    let mut before = endpoint.clone();
    loop {
        let started = Instant::now();
        let error = match context
            .client()?
            .send(ScanEndpoint::new(customer, endpoint.id))
            .await
        {
            Ok(scan) => {
                context.remember("scan_endpoint", &name, "done", started);
                servers.borrow_mut().push(before);
                return Ok(End::Done(Done {
                    id: scan.data.scan_id.to_string(),
                    record: to_json(&scan.data),
                    sentence: format!("A scan of {name} is on its way."),
                    ..Done::default()
                }));
            }
            Err(error) if context.guard()?.stopped(&error) => {
                context.refused::<()>(context.guard()?, &format!("scan of {name}"))?;
                return Ok(End::Planned);
            }
            Err(error) => error,
        };
        if error.sent() == Sent::Maybe {
            context.remember("scan_endpoint", &name, "no_answer", started);
        }
        let pause = error
            .retry_after()
            .filter(|_| error.code() == Some(&ErrorCode::RateLimited));
        match (pause, cooldown) {
            (Some(pause), Cooldown::IsWaitedFor) => {
                let again = durations::shown(pause);
                context.note(&format!(
                    "{name} was scanned a moment ago: next try in {again}"
                ));
                context.rest(pause).await;
                // Another scan may have ended meanwhile: it is not the one that is waited for.
                before = context
                    .read(GetEndpoint::new(endpoint.id))
                    .await?
                    .into_data();
            }
            _ => return Err(explained(error, endpoint, pause)),
        }
    }
}

fn explained(error: secmon::Error, endpoint: &Endpoint, pause: Option<Duration>) -> CliError {
    let inactive = error.code() == Some(&ErrorCode::EndpointNotActive);
    let error = CliError::from(error).during(format!("scanning {}", references::name_of(endpoint)));
    let id = endpoint.id;
    match pause {
        Some(pause) => {
            let again = durations::shown(pause);
            error.hint(format!("it may be scanned again in {again}; to wait for that: `scan {id} --respect-cooldown`"))
        }
        None if inactive => error.hint(format!("have it scanned again: `endpoint resume {id}`")),
        None => error,
    }
}

async fn add_findings(
    context: &Context,
    endpoints: &[Endpoint],
    outcome: &mut Outcome,
) -> Result<(), CliError> {
    outcome
        .story
        .retain(|line| matches!(line, Line::Table(_) | Line::Hint(_)));
    for endpoint in endpoints {
        let detail = findings::read(context, endpoint.id).await?;
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
