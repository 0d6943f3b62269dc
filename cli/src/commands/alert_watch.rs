//! `secmon alert watch`: looking again and again, and telling of what is new.

use super::{alert, alert_listing};
use crate::alerts::Alert;
use crate::args::{AlertStatusArg, AlertWatchArgs};
use crate::children;
use crate::context::Context;
use crate::durations;
use crate::error::{CliError, Exit};
use crate::outcome::{Outcome, to_json};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Runs the command. What is open when it begins is counted and not told.
pub async fn run(context: &Context, args: &AlertWatchArgs) -> Result<Outcome, CliError> {
    let interval = durations::length("--interval", &args.interval)?;
    if interval < SHORTEST {
        return Err(CliError::usage(
            "--interval: at least 1s, for each look takes calls of the key's minute",
        ));
    }
    let ends = args
        .length
        .as_deref()
        .map(|text| durations::length("--for", text))
        .transpose()?
        .map(|length| Instant::now() + length);
    let mut known: BTreeSet<String> = BTreeSet::new();
    let open = look(context, args).await?;
    known.extend(open.iter().map(Alert::handle));
    context.note(&format!(
        "{} open now; looking every {} for new ones",
        open.len(),
        durations::shown(interval)
    ));
    loop {
        let rest = ends.map_or(interval, |ends| {
            interval.min(ends.saturating_duration_since(Instant::now()))
        });
        context.rest(rest).await;
        let new = match look(context, args).await {
            Ok(open) => news(open, &mut known),
            Err(error) if passes(&error) => {
                context.note(&format!("{}; looking again", error.message()));
                Vec::new()
            }
            Err(error) => return Err(error),
        };
        if !new.is_empty() {
            tell(context, args, &new)?;
            if args.exit_code {
                return Ok(ended(Exit::Other));
            }
        }
        if ends.is_some_and(|ends| Instant::now() >= ends) {
            return Ok(ended(Exit::Done));
        }
    }
}

const SHORTEST: Duration = Duration::from_secs(1);

async fn look(context: &Context, args: &AlertWatchArgs) -> Result<Vec<Alert>, CliError> {
    let open = Some(AlertStatusArg::Open);
    Ok(alert_listing::read(context, &args.filter, open)
        .await?
        .alerts)
}

/// The alerts that no look before has seen, oldest first.
fn news(open: Vec<Alert>, known: &mut BTreeSet<String>) -> Vec<Alert> {
    let mut new: Vec<Alert> = open
        .into_iter()
        .filter(|alert| known.insert(alert.handle()))
        .collect();
    new.sort_by_key(|alert| alert.first_seen().map(|seen| seen.date_time()));
    new
}

/// A service that is away for a moment comes back; anything else would fail every time.
fn passes(error: &CliError) -> bool {
    matches!(error.exit(), Exit::Unavailable | Exit::RateLimited)
}

fn tell(context: &Context, args: &AlertWatchArgs, new: &[Alert]) -> Result<(), CliError> {
    context.show_part(alert::listed(new, &args.filter))?;
    let Some(command) = &args.exec else {
        return Ok(());
    };
    for alert in new {
        if let Err(reason) = run_for(command, alert) {
            context.note(&format!("warning: --exec {command:?} {reason}"));
        }
    }
    Ok(())
}

/// Runs a person's command for one alert. What the service wrote reaches it as data only, never as part of the line.
fn run_for(command: &str, alert: &Alert) -> Result<(), String> {
    let severity = alert.severity().map(ToString::to_string);
    // It keeps the key: most such commands call the service again.
    let started = children::shell(command)
        .env("SECMON_ALERT_ID", alert.handle())
        .env("SECMON_ALERT_SEVERITY", severity.unwrap_or_default())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn();
    let mut child = started.map_err(|error| format!("cannot be run: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that does not read is no mistake.
        let _ = stdin.write_all(format!("{}\n", to_json(alert)).as_bytes());
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("ended with {status}")),
        Err(error) => Err(format!("cannot be waited for: {error}")),
    }
}

/// Everything was told on the way.
fn ended(exit: Exit) -> Outcome {
    Outcome {
        exit,
        ..Outcome::silent()
    }
}
