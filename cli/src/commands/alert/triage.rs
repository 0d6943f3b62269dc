//! `secmon alert triage`: open alerts at the terminal, server by server. Nothing is sent before the last question, and
//! each step is the command that a script would run.

use super::ack::{self, AlertAckArgs};
use super::allow::{self, AlertAllowArgs};
use super::filter::{self, AlertFilter, AlertStatusArg};
use super::resolve::{AlertResolveArgs, resolve_confirmed};
use crate::bulk::args::RunArgs;
use crate::bulk::preview;
use crate::commands::common::args::Justification;
use crate::commands::common::args::{REASON_LENGTH, is_acceptable_reason};
use crate::context::Context;
use crate::error::{CliError, Exit};
use crate::references;
use crate::references::alert::Alert;
use crate::session::Session;
use crate::session::prompt::{ConfirmationLevel, Prompt};
use crate::ui::invocation::quoted;
use crate::ui::outcome::{Block, Outcome, Table};
use crate::ui::{Ui, severity_rank};
use crate::values::durations::counted;
use clap::Args;
use secmon::model::{CustomerId, Endpoint, EndpointId};
use serde_json::json;
use std::cmp::Reverse;
use std::collections::BTreeMap;

const TRIAGE_EXAMPLES: &str = "\
Nothing is sent before the last question. Each step is shown as the command that does the same, for a script.
SECMON_PLAIN_PROMPTS=1 asks by numbers, without moving the cursor.

Examples:
  secmon alert triage -c 42
  secmon alert triage --endpoint web-1 --severity medium+";

/// Alerts to go through.
#[derive(Debug, Args)]
#[command(after_help = TRIAGE_EXAMPLES)]
pub struct AlertTriageArgs {
    /// Only alerts in this state
    #[arg(long, default_value = "open")]
    pub status: AlertStatusArg,
    /// Which alerts
    #[command(flatten)]
    pub filter: AlertFilter,
}

/// Some alerts, and what becomes of them.
struct Step {
    alerts: Vec<Alert>,
    action: Action,
}

enum Action {
    Allow {
        reason: String,
        expires: Option<String>,
    },
    Acknowledge,
    Resolve,
}

/// What a person says of a selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Allow,
    Acknowledge,
    Resolve,
    Skip,
    Quit,
}

/// Runs the command.
pub async fn run(context: &Context, args: &AlertTriageArgs) -> Result<Outcome, CliError> {
    if !context.prompt.may_ask() {
        return Err(CliError::usage(
            "triage needs a terminal: in a script, use `alert allow ALERT -m TEXT` or `alert resolve ALERT` for a port, and `alert ack ALERT` or `alert ack --all --domain DOMAIN -c ID` for a domain",
        )
        .hint("see the alerts there are: `alert list -c ID -o ids`"));
    }
    let (customer, mut alerts) = filter::read(context, &args.filter, args.status).await?;
    context.imply_customer(customer);
    let names = names(&context.session, &alerts, customer).await?;
    leave_out_ended(&context.screen, &mut alerts, &names);
    let seen = alerts.len();
    let steps = ask(&context.prompt, &context.screen, groups(alerts, &names))?;
    if steps.is_empty() {
        let nothing = match seen {
            0 => "No alert matches, so nothing was changed.".to_owned(),
            1 => "The alert was skipped; nothing was changed.".to_owned(),
            many => format!("All {many} alerts were skipped; nothing was changed."),
        };
        let nothing = vec![Block::text(nothing)];
        return Ok(Outcome::record(json!({ "steps": [] }), Table::default()).tell(nothing));
    }
    summarize(&context.screen, &steps, customer);
    let count: usize = steps.iter().map(|step| step.alerts.len()).sum();
    context.prompt.confirm(
        ConfirmationLevel::Moderate.times(count),
        &format!("About to do this to {}.", counted(count, "alert")),
        &count.to_string(),
    )?;
    carry_out(context, steps, customer).await
}

/// What the customer's servers are called: an alert knows its server's address alone.
async fn names(
    session: &Session,
    alerts: &[Alert],
    customer: CustomerId,
) -> Result<BTreeMap<EndpointId, String>, CliError> {
    if !alerts.iter().any(Alert::is_of_port) {
        return Ok(BTreeMap::new());
    }
    let servers = references::all_endpoints(session, Some(customer)).await?;
    let named = |server: &Endpoint| (server.id, references::name_of(server));
    Ok(servers.iter().map(named).collect())
}

/// Nothing needs doing about a server that is no longer monitored.
fn leave_out_ended(screen: &Ui, alerts: &mut Vec<Alert>, names: &BTreeMap<EndpointId, String>) {
    let all = alerts.len();
    alerts.retain(|alert| match alert {
        Alert::Port(alert) => alert.endpoint_id.is_none_or(|id| names.contains_key(&id)),
        Alert::Domain(_) => true,
    });
    let ended = all - alerts.len();
    if ended > 0 {
        let alerts = counted(ended, "alert");
        screen.note(&format!("{alerts} of ended servers left out"));
    }
}

/// The alerts of each server or domain, the worst first, and the server with the worst first.
fn groups(alerts: Vec<Alert>, names: &BTreeMap<EndpointId, String>) -> Vec<(String, Vec<Alert>)> {
    let mut groups: BTreeMap<String, Vec<Alert>> = BTreeMap::new();
    for alert in alerts {
        let server = match &alert {
            Alert::Port(alert) => alert.endpoint_id.and_then(|id| names.get(&id)),
            Alert::Domain(_) => None,
        };
        let place = server.cloned().or_else(|| alert.place());
        let place = place.unwrap_or_else(|| "elsewhere".to_owned());
        groups.entry(place).or_default().push(alert);
    }
    let rank = |alert: &Alert| Reverse(alert.severity().map(severity_rank));
    for alerts in groups.values_mut() {
        alerts.sort_by_key(rank);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, alerts)| alerts.first().map(rank));
    groups
}

fn ask(
    prompt: &Prompt,
    screen: &Ui,
    groups: Vec<(String, Vec<Alert>)>,
) -> Result<Vec<Step>, CliError> {
    let mut steps = Vec::new();
    let mut reason = String::new();
    let count = groups.len();
    for (at, (place, mut rest)) in groups.into_iter().enumerate() {
        while !rest.is_empty() {
            let title = format!("{place}, {} of {count}: {} open", at + 1, rest.len());
            let options: Vec<String> = rest.iter().map(described).collect();
            let chosen = prompt.choose_some(&title, &options)?;
            if chosen.is_empty() {
                break;
            }
            let action = match answer(prompt, &rest, chosen.len())? {
                Choice::Quit => return Ok(steps),
                Choice::Skip => break,
                Choice::Allow => {
                    reason = asked_reason(prompt, screen, &reason)?;
                    Action::Allow {
                        reason: reason.clone(),
                        expires: asked_expiry(prompt, screen)?,
                    }
                }
                Choice::Acknowledge => Action::Acknowledge,
                Choice::Resolve => Action::Resolve,
            };
            let alerts = taken(&mut rest, &chosen);
            steps.push(Step { alerts, action });
        }
    }
    Ok(steps)
}

fn described(alert: &Alert) -> String {
    let severity = alert
        .severity()
        .map_or_else(|| "-".to_owned(), ToString::to_string);
    format!("{severity:<8}  {}", alert.about())
}

/// A port can be allowed and not acknowledged, a leak acknowledged and not allowed.
fn answer(prompt: &Prompt, group: &[Alert], chosen: usize) -> Result<Choice, CliError> {
    let first = match group.first().is_some_and(Alert::is_of_port) {
        true => ('a', "allow the port", Choice::Allow),
        false => ('k', "acknowledge", Choice::Acknowledge),
    };
    let answers = [
        first,
        ('r', "resolve", Choice::Resolve),
        ('s', "skip", Choice::Skip),
        ('q', "quit", Choice::Quit),
    ];
    let letters = answers.map(|(letter, meaning, _)| (letter, meaning));
    let these = match chosen {
        1 => "this alert".to_owned(),
        many => format!("these {many} alerts"),
    };
    let question = format!("What should happen to {these}?");
    let letter = prompt.ask_letter(&question, &letters)?;
    let found = answers.iter().find(|(known, _, _)| *known == letter);
    Ok(found.map_or(Choice::Skip, |(_, _, answer)| *answer))
}

/// The service takes 10 to 500 characters; what is too short is asked again before anything is sent.
fn asked_reason(prompt: &Prompt, screen: &Ui, before: &str) -> Result<String, CliError> {
    let question = "Why is it meant to be open (10 to 500 characters)";
    loop {
        let reason = prompt.ask_again(question, before)?;
        if is_acceptable_reason(&reason) {
            return Ok(reason.trim().to_owned());
        }
        screen.note(REASON_LENGTH);
    }
}

fn asked_expiry(prompt: &Prompt, screen: &Ui) -> Result<Option<String>, CliError> {
    loop {
        let text = prompt.ask_again("Until when, as 2026-12-31 or 90d (empty: for good)", "")?;
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        match crate::values::days::day("--expires", text) {
            Ok(day) => return Ok(Some(day.to_string())),
            Err(error) => screen.note(error.message()),
        }
    }
}

/// Takes the chosen ones out of the group.
fn taken(group: &mut Vec<Alert>, chosen: &[usize]) -> Vec<Alert> {
    let all = std::mem::take(group);
    let (mut taken, mut left) = (Vec::new(), Vec::new());
    for (at, alert) in all.into_iter().enumerate() {
        match chosen.contains(&at) {
            true => taken.push(alert),
            false => left.push(alert),
        }
    }
    *group = left;
    taken
}

impl Step {
    fn handles(&self) -> Vec<String> {
        self.alerts.iter().map(Alert::handle).collect()
    }

    fn verb(&self) -> &'static str {
        match self.action {
            Action::Allow { .. } => "allow",
            Action::Acknowledge => "acknowledge",
            Action::Resolve => "resolve",
        }
    }

    /// The command that does the same.
    fn command(&self, customer: CustomerId) -> String {
        let handles = self.handles().join(" ");
        match &self.action {
            Action::Allow { reason, expires } => {
                let until = expires.as_ref().map(|day| format!(" --expires {day}"));
                let (reason, until) = (quoted(reason), until.unwrap_or_default());
                format!("alert allow {handles} -m {reason}{until} -c {customer}")
            }
            Action::Acknowledge => format!("alert ack {handles} -c {customer}"),
            Action::Resolve => {
                let both = match self.alerts.iter().all(Alert::is_of_port) {
                    true => "",
                    false => " --ack",
                };
                format!("alert resolve {handles}{both} -c {customer}")
            }
        }
    }
}

fn summarize(screen: &Ui, steps: &[Step], customer: CustomerId) {
    for step in steps {
        let names = preview(&step.alerts, |alert| {
            let place = alert.place().unwrap_or_default();
            format!("{} on {place}", alert.about())
        });
        screen.note(&format!("{}: {names}", step.verb()));
        screen.note(&format!("  `{}`", step.command(customer)));
    }
}

/// Does the steps in order. One that fails ends them, and those that were done stay done.
async fn carry_out(
    context: &Context,
    steps: Vec<Step>,
    customer: CustomerId,
) -> Result<Outcome, CliError> {
    let mut text = Vec::new();
    let mut results = Vec::new();
    let mut exit = Exit::Done;
    let mut trouble = None;
    for step in steps {
        let command = step.command(customer);
        match done(context, step).await {
            Ok(outcome) => {
                text.extend(outcome.text);
                results.push(json!({ "command": command, "result": outcome.result }));
                if outcome.exit != Exit::Done {
                    exit = outcome.exit;
                }
            }
            Err(error) => {
                trouble = Some(error);
                break;
            }
        }
    }
    let result = json!({ "steps": results });
    Ok(Outcome {
        exit,
        deferred_error: trouble,
        ..Outcome::record(result, Table::default()).tell(text)
    })
}

async fn done(context: &Context, step: Step) -> Result<Outcome, CliError> {
    let (alerts, run) = (step.handles(), RunArgs::default());
    match step.action {
        Action::Allow { reason, expires } => {
            let message = Some(reason);
            let args = AlertAllowArgs {
                alerts,
                justification: Justification { message },
                expires,
                run,
            };
            allow::run(context, args).await
        }
        Action::Acknowledge => {
            let args = AlertAckArgs {
                alerts,
                ..AlertAckArgs::default()
            };
            ack::run(context, &args).await
        }
        Action::Resolve => {
            let ack = true;
            let args = AlertResolveArgs { alerts, ack, run };
            resolve_confirmed(context, &args).await
        }
    }
}
