//! `secmon alert watch`: looking again and again, and telling of what is new.

use super::filter::{self, AlertFilter, AlertStatusArg, LocalAlertFilter, customer};
use super::rows;
use crate::commands::common::live::Live;
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::machine::children;
use crate::references::alert::Alert;
use crate::references::alerts;
use crate::ui::outcome::{Outcome, to_json};
use crate::ui::{Reader, Ui};
use crate::values::durations;
use clap::Args;
use secmon::model::{CustomerId, Timestamp};
use secmon::watch::{AlertEvent, AlertWatch};
use std::collections::BTreeSet;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

const WATCH_EXAMPLES: &str = "\
The command of --exec gets the alert as JSON on its standard input, and SECMON_ALERT_ID and SECMON_ALERT_SEVERITY.
With -o json each alert is one line, as with -o jsonl.

Examples:
  secmon alert watch -c 42 --severity high+
  secmon alert watch -c 42 --exec 'notify-send \"secmon: $SECMON_ALERT_SEVERITY\"'
  secmon alert watch -c 42 --for 10m --exit-code";

/// Alerts to keep looking for.
#[derive(Debug, Args)]
#[command(after_help = WATCH_EXAMPLES)]
pub struct AlertWatchArgs {
    /// Which alerts
    #[command(flatten)]
    pub filter: AlertFilter,
    /// Time between two checks
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub interval: String,
    /// Run this command for each new alert
    #[arg(long, value_name = "CMD")]
    pub exec: Option<String>,
    /// Exit with code 1 as soon as a new alert is found
    #[arg(long)]
    pub exit_code: bool,
    /// Stop after this time, with exit code 0
    #[arg(long = "for", value_name = "TIME")]
    pub length: Option<String>,
}

/// Runs the command. What is open when it begins is counted and not told.
pub async fn run(context: &Context, args: &AlertWatchArgs) -> Result<Outcome, CliError> {
    let interval = durations::length("--interval", &args.interval)?;
    if interval < SHORTEST {
        return Err(CliError::usage(
            "--interval must be at least 1s: every check uses some of the key's calls per minute",
        ));
    }
    let ends = args
        .length
        .as_deref()
        .map(|text| durations::length("--for", text))
        .transpose()?
        .map(|length| Instant::now() + length);
    let mut watch = Watch::of(context, args, interval)?;
    watch.look().await?;
    context.screen.note(&format!(
        "{} open now; checking for new ones every {}",
        watch.open,
        durations::shown(interval)
    ));
    loop {
        let rest = ends.map_or(interval, |ends| {
            interval.min(ends.saturating_duration_since(Instant::now()))
        });
        context.session.rest(rest).await;
        let new = match watch.look().await {
            Ok(new) => new,
            Err(error) if passes(&error) => {
                context
                    .screen
                    .note(&format!("{}; trying again", error.message()));
                Vec::new()
            }
            Err(error) => return Err(error),
        };
        if !new.is_empty() {
            let live = servers(context, &new).await;
            let reader = tell(&context.screen, args, &new, &live)?;
            if reader == Reader::Gone && args.exec.is_none() {
                return Ok(ended(Exit::Done));
            }
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

/// Looks at the open alerts, and knows which are new.
struct Watch<'a> {
    context: &'a Context,
    filter: &'a AlertFilter,
    sieve: LocalAlertFilter,
    looks: Looks,
    /// How many that are wanted were open at the last look.
    open: usize,
}

/// What a look reads.
enum Looks {
    /// All alerts of a customer.
    All(CustomerId, Box<AlertWatch>),
    /// Those of a kind, a server or a domain, whose list takes fewer calls; with those that were seen in it before.
    Part(BTreeSet<String>),
}

impl<'a> Watch<'a> {
    fn of(
        context: &'a Context,
        args: &'a AlertWatchArgs,
        interval: Duration,
    ) -> Result<Self, CliError> {
        let filter = &args.filter;
        let sieve = LocalAlertFilter::of(filter)?;
        let is_part = filter.kind.is_some() || filter.endpoint.is_some() || filter.domain.is_some();
        let looks = match is_part {
            true => Looks::Part(BTreeSet::new()),
            false => {
                let customer = customer(context)?;
                let watch = context.session.client()?.watch_alerts(customer, interval);
                Looks::All(customer, Box::new(watch))
            }
        };
        Ok(Self {
            context,
            filter,
            sieve,
            looks,
            open: 0,
        })
    }

    /// The alerts that no look before has seen, oldest first.
    async fn look(&mut self) -> Result<Vec<Alert>, CliError> {
        let context = self.context;
        let mut new: Vec<Alert> = match &mut self.looks {
            Looks::All(customer, watch) => {
                context.session.ready().await?;
                watch.poll().await?;
                let mut open: Vec<Alert> = watch
                    .open()
                    .into_iter()
                    .flatten()
                    .filter_map(Alert::of)
                    .collect();
                alerts::learn(&context.session, *customer, &open);
                self.sieve.keep(&mut open);
                self.open = open.len();
                let news = watch.drain();
                let mut new = news.iter().filter_map(raised).collect();
                self.sieve.keep(&mut new);
                new
            }
            Looks::Part(known) => {
                let (_, open) = filter::read(context, self.filter, AlertStatusArg::Open).await?;
                self.open = open.len();
                let is_new = |alert: &Alert| known.insert(alert.handle());
                open.into_iter().filter(is_new).collect()
            }
        };
        new.sort_by_key(|alert| alert.first_seen().map(Timestamp::date_time));
        Ok(new)
    }
}

/// The alert that was raised, where it is that kind of news.
fn raised(news: &AlertEvent) -> Option<Alert> {
    match news {
        AlertEvent::New(alert) => Alert::of(alert),
        _ => None,
    }
}

/// A service that is away for a moment comes back; anything else would fail every time.
fn passes(error: &CliError) -> bool {
    matches!(error.exit(), Exit::Unavailable | Exit::RateLimited)
}

/// The servers of the alerts, for their names: an alert without them is told all the same.
async fn servers(context: &Context, new: &[Alert]) -> Live {
    let session = &context.session;
    match new.iter().any(Alert::is_of_port) && !context.screen.shows_json() {
        true => Live::read(session, session.settings.customer).await,
        false => Ok(Live::default()),
    }
    .unwrap_or_default()
}

fn tell(
    screen: &Ui,
    args: &AlertWatchArgs,
    new: &[Alert],
    live: &Live,
) -> Result<Reader, CliError> {
    let mut rows = rows::listed(new, &args.filter);
    rows::name_servers(&mut rows, screen, new, live);
    let reader = screen.part(rows)?;
    let Some(command) = &args.exec else {
        return Ok(reader);
    };
    for alert in new {
        if let Err(reason) = run_for(command, alert) {
            screen.note(&format!("warning: --exec {command:?} {reason}"));
        }
    }
    Ok(reader)
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
