//! `secmon undo`: what takes a change back is kept with it in the history of this machine.

mod call;
mod effect;

use self::call::Call;
use self::effect::{about_whom, effects, named_done, shortened};
use super::common::views::ports_of;
use crate::bulk::args::RunArgs;
use crate::bulk::{self, ChangeOfMany, End, Key, Label, Prior, Words};
use crate::context::Context;
use crate::error::CliError;
use crate::notebook::history::{self, Entry};
use crate::notebook::way_back::{Capacity, Switched, WayBack};
use crate::references::{self, RecordKind};
use crate::session::Session;
use crate::session::guard::Guard;
use crate::session::prompt::Danger;
use crate::ui::invocation::quoted;
use crate::ui::outcome::{Line, Outcome};
use crate::ui::{OutputFormat, TimeStyle, time};
use clap::Args;
use secmon::model::{CustomerId, Rule};
use uuid::Uuid;

/// The change to take back.
#[derive(Debug, Args)]
pub struct UndoArgs {
    /// Id of one change, as `history` shows it; without it, what the last command changed
    #[arg(value_name = "CHANGE")]
    pub id: Option<String>,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

const TAKEN_BACK: Words = Words {
    done: "taken back",
    skipped: "so already",
};

/// How changes are named in sentences.
pub const CHANGE: RecordKind = RecordKind {
    one: "change",
    list: "history",
};

/// Runs the command.
pub async fn run(context: &Context, args: &UndoArgs) -> Result<Outcome, CliError> {
    refuse_read_only(&context.session)?;
    let Chosen {
        mut entries,
        passed_over,
    } = chosen(context, args.id.as_deref())?;
    entries.retain(|entry| !matches!(entry.way_back, Some(WayBack::Nothing)));
    // The last change goes first.
    entries.reverse();
    if entries.is_empty() {
        return Ok(Outcome::text(
            "There is nothing to take back: the command changed nothing.\n",
        ));
    }
    if !passed_over.is_empty() {
        context.screen.note(&format!(
            "not taken back: {}, which cannot be",
            bulk::preview(&passed_over, named)
        ));
    }
    confirm(context, &entries)?;
    let undoing = Undoing { context };
    let items = bulk::change_all(context, &undoing, &entries, &args.run).await?;
    bulk::conclude(&context.screen, TAKEN_BACK, items)
}

/// Before the history is looked at: it tells another profile's changes by their profile.
fn refuse_read_only(session: &Session) -> Result<(), CliError> {
    let settings = &session.settings;
    match settings.safety.read_only {
        true => Err(Guard::read_only_error(
            settings.profile_name.as_deref().unwrap_or("in use"),
        )),
        false => Ok(()),
    }
}

/// What is taken back, and the newer changes that cannot be.
struct Chosen {
    entries: Vec<Entry>,
    passed_over: Vec<Entry>,
}

/// The change that was named, or the last ones that can be taken back and were not.
fn chosen(context: &Context, id: Option<&str>) -> Result<Chosen, CliError> {
    let session = &context.session;
    let service = session.service_name();
    let mut entries = history::read()?;
    entries.retain(|entry| entry.service == service);
    let undone = undone(&entries);
    if let Some(customer) = session.settings.customer {
        entries.retain(|entry| entry.is_about(customer));
    }
    if let Some(id) = id {
        let entry =
            references::by_id_or_prefix(session, id, CHANGE, entries, |entry| entry.id.clone())?;
        refuse_unmade(&entry, &undone)?;
        if entry.way_back.is_none() {
            return Err(refused(&entry));
        }
        return Ok(Chosen {
            entries: vec![entry],
            passed_over: Vec::new(),
        });
    }
    entries.retain(|entry| {
        entry.result == history::DONE && entry.undoes.is_none() && !undone.contains(&entry.id)
    });
    latest(entries, session.settings.customer)
}

/// What the last command changed that can be taken back, among changes that were made.
fn latest(made: Vec<Entry>, whose: Option<CustomerId>) -> Result<Chosen, CliError> {
    let Some(newest) = made.last() else {
        let whose = whose.map(|id| format!(" of customer {id}"));
        return Err(CliError::not_found(format!(
            "the history of this machine has no change{} that could be taken back",
            whose.unwrap_or_default()
        )));
    };
    let Some(at) = made.iter().rposition(|entry| entry.way_back.is_some()) else {
        // A command that changed much is told by what it did first.
        let mut of_run = made.iter().filter(|entry| entry.is_of_run(newest));
        return Err(refused(of_run.next().unwrap_or(newest)));
    };
    let last = made[at].clone();
    let at_issue = made.into_iter().enumerate();
    let at_issue = at_issue.filter(|(place, entry)| *place > at || entry.is_of_run(&last));
    let (entries, passed_over): (Vec<Entry>, Vec<Entry>) = at_issue
        .map(|(_, entry)| entry)
        .partition(|entry| entry.way_back.is_some());
    match passed_over.iter().rfind(|entry| !changes_nothing(entry)) {
        Some(newer) => Err(refused(newer).hint(format!(
            "{}; the change before it can be: `undo {}` would {}",
            nearest(newer),
            shortened(&last.id),
            effects(std::slice::from_ref(&last))
        ))),
        None => Ok(Chosen {
            entries,
            passed_over,
        }),
    }
}

/// What somebody who types `undo` can hardly mean.
fn changes_nothing(entry: &Entry) -> bool {
    ["scan_endpoint", "create_sso_token"].contains(&entry.operation.as_str())
}

/// A change in a sentence.
fn named(entry: &Entry) -> String {
    let verb = entry.operation.split('_').next().unwrap_or_default();
    let noun = match verb {
        "create" => "creation",
        "provision" => "provisioning",
        "resolve" => "resolution",
        verb => verb,
    };
    format!("{noun} of {}", about_whom(entry))
}

/// The changes that others have taken back.
pub fn undone(entries: &[Entry]) -> Vec<String> {
    entries.iter().filter_map(taken_back).collect()
}

/// The change that an entry has taken back.
fn taken_back(entry: &Entry) -> Option<String> {
    let done = entry.result == history::DONE;
    entry.undoes.clone().filter(|_| done)
}

fn refuse_unmade(entry: &Entry, undone: &[String]) -> Result<(), CliError> {
    if undone.contains(&entry.id) {
        return Err(CliError::usage(format!(
            "change {} was taken back already",
            entry.id
        )));
    }
    match entry.result == history::DONE {
        true => Ok(()),
        false => Err(CliError::usage(format!(
            "change {} ended with {}, so this machine does not know whether it was made",
            entry.id, entry.result
        ))
        .hint("check the record, and change it by its own command if needed")),
    }
}

fn refused(entry: &Entry) -> CliError {
    let what = entry.operation.replace('_', " ");
    CliError::usage(format!("{what} ({}) cannot be taken back", entry.about)).hint(nearest(entry))
}

/// What comes nearest to taking back what cannot be taken back.
fn nearest(entry: &Entry) -> String {
    let way = nearest_way(entry);
    match entry.customers.as_deref() {
        Some([customer]) => way.replace("-c ID", &format!("-c {customer}")),
        _ => way.to_owned(),
    }
}

fn nearest_way(entry: &Entry) -> &'static str {
    if entry.undoes.is_some() {
        return "it took another change back: to make that one again, repeat its command";
    }
    match entry.operation.as_str() {
        "terminate_endpoint" | "delete_endpoint" => {
            "to monitor it again: `provision ADDRESS -c ID`"
        }
        "provision_endpoint" | "create_endpoint" => "to end it: `endpoint terminate ENDPOINT`",
        "provision_domain" => "to end it: `domain terminate DOMAIN -c ID`",
        "terminate_domain" => "to watch it again: `domain provision NAME --service ID -c ID`",
        "release_domain" => {
            "what was found is gone; to watch it again: `domain provision NAME --service ID -c ID`"
        }
        "update_endpoint" => {
            "it had no name before; to give it one: `endpoint rename ENDPOINT NAME`"
        }
        "delete_rule" => {
            "whose servers the rule was for is not known; to add it again: `rules add --global PORT -m TEXT -c ID`"
        }
        "set_scenario" => "to choose another one: `sandbox scenario set warnings`",
        "scan_endpoint" => "a scan changes nothing: it only updates what is known of the server",
        "create_sso_token" => "the link ends by itself after a minute",
        "sync_services" => "to report another status: `sync -f FILE`",
        "set_price" | "remove_price" => "to set the earlier price: `pricing set PRODUCT PRICE EUR`",
        operation if operation.ends_with("_subscription") => {
            "to set it as it was: `subscription set SERVICE --product PRODUCT -c ID`"
        }
        operation if operation.starts_with("resolve") => {
            "an alert whose cause is still there comes back with the next scan: `scan ENDPOINT`"
        }
        operation if operation.starts_with("acknowledge") => {
            "what somebody has seen stays seen; to see what is open: `alert list -c ID`"
        }
        _ => "change the record back by its own command",
    }
}

/// What `history show` says of taking a change back.
pub fn told(entry: &Entry, undone: &[String]) -> Vec<Line> {
    if undone.contains(&entry.id) {
        return vec![Line::text("It was taken back.")];
    }
    match &entry.way_back {
        Some(WayBack::Nothing) => vec![Line::text("It changed nothing.")],
        Some(way_back) => vec![
            Line::Heading("Next:"),
            Line::next(line(way_back), "take it back"),
            Line::next(format!("undo {}", entry.id), "the same"),
        ],
        None => vec![Line::Hint(format!(
            "it cannot be taken back; {}",
            nearest(entry)
        ))],
    }
}

/// The command that takes a change back.
fn line(way_back: &WayBack) -> String {
    match way_back {
        WayBack::Nothing => "history".to_owned(),
        WayBack::RemoveRules { rules, customer } => {
            let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
            format!("rules remove {}{}", rules.join(" "), of(*customer))
        }
        WayBack::AddRule { rule, customer } => {
            let place = match rule.endpoint_id {
                Some(server) => server.to_string(),
                None => "--global".to_owned(),
            };
            format!("rules add {place} {}{}", said_of(rule), of(Some(*customer)))
        }
        WayBack::EditRule { rule, customer } => {
            format!(
                "rules edit {} --port {}{}",
                rule.id,
                said_of(rule),
                of(*customer)
            )
        }
        WayBack::Resume(switched) => format_switch("resume", switched),
        WayBack::Suspend(switched) => format_switch("suspend", switched),
        WayBack::RenameServer { server, name, .. } => {
            format!("endpoint rename {server} {}", quoted(name))
        }
        WayBack::RenameDomain { domain, name } => {
            format!("domain rename {domain} {}", quoted(name))
        }
        WayBack::SetScenario { scenario } => format!("sandbox scenario set {scenario}"),
        WayBack::ChangeSubscription {
            customer,
            service,
            product,
            to,
        } => {
            let to = match to {
                Capacity::Plan(plan) => format!("--plan {}", quoted(plan.as_str())),
                Capacity::Quantity(quantity) => format!("--quantity {quantity}"),
            };
            format!("subscription change {service} --product {product} {to} -c {customer}")
        }
    }
}

fn of(customer: Option<CustomerId>) -> String {
    customer.map(|id| format!(" -c {id}")).unwrap_or_default()
}

/// What a rule says, as options.
fn said_of(rule: &Rule) -> String {
    let reason = rule.justification.as_deref().unwrap_or_default();
    let mut said = format!("{} -m {}", ports_of(rule), quoted(reason));
    if let Some(service) = &rule.service {
        said += &format!(" --service {}", quoted(service));
    }
    if let Some(end) = &rule.expires_at {
        said += &format!(" --expires {}", end.date_time().format("%Y-%m-%d"));
    }
    said
}

fn format_switch(verb: &str, switched: &Switched) -> String {
    match switched {
        Switched::Server { id } => format!("endpoint {verb} {id}"),
        Switched::Domain { id } => format!("domain {verb} {id}"),
        Switched::Subscription {
            customer,
            service,
            product,
        } => format!("subscription {verb} {service} --product {product} -c {customer}"),
    }
}

fn confirm(context: &Context, entries: &[Entry]) -> Result<(), CliError> {
    let is_of_account = |entry: &Entry| {
        matches!(
            entry.way_back,
            Some(
                WayBack::RemoveRules { customer: None, .. }
                    | WayBack::EditRule { customer: None, .. }
            )
        )
    };
    let danger = match entries.iter().any(is_of_account) {
        true => Danger::Severe,
        false => Danger::Moderate.times(entries.len()),
    };
    let is_wide = context.screen.format() == OutputFormat::Wide;
    let commands = bulk::preview(entries, |entry| {
        let line = entry.way_back.as_ref().map(line).unwrap_or_default();
        match is_wide {
            true => line,
            false => with_short_ids(&line),
        }
    });
    let question = format!(
        "About to undo {}. This will {}: {commands}.",
        bulk::preview(&commands_of(entries), String::clone),
        effects(entries)
    );
    let count = entries.len().to_string();
    context.prompt.confirm(danger, &question, &count)
}

/// The commands that made the changes, each with its time.
fn commands_of(entries: &[Entry]) -> Vec<String> {
    let mut commands = Vec::new();
    for entry in entries {
        let at = entry
            .at
            .parse()
            .map(|at| time::passed(&at, TimeStyle::Relative));
        let command = format!(
            "`{}` ({})",
            with_short_ids(&entry.command),
            at.unwrap_or_else(|_| entry.at.clone())
        );
        if !commands.contains(&command) {
            commands.push(command);
        }
    }
    commands
}

/// A command line as a question shows it: of an id, the beginning tells it from others.
fn with_short_ids(line: &str) -> String {
    let words = line.split(' ').map(|word| match word.parse::<Uuid>() {
        Ok(_) => shortened(word),
        Err(_) => word,
    });
    words.collect::<Vec<_>>().join(" ")
}

/// Changes that are taken back.
struct Undoing<'a> {
    context: &'a Context,
}

impl ChangeOfMany for Undoing<'_> {
    type Target = Entry;

    fn operation(&self) -> &'static str {
        "undo"
    }

    fn label(&self, entry: &Entry) -> Label {
        let customers = entry.customers.as_deref().unwrap_or_default();
        Label::of(named_done(entry), customers.first().copied())
    }

    fn key(&self, entry: &Entry) -> Key {
        Key::of(self.operation(), None, &entry.id)
    }

    async fn apply(&self, entry: &Entry, prior: Prior) -> Result<End, CliError> {
        let call = Call {
            session: &self.context.session,
            entry,
        };
        let sent = match &entry.way_back {
            Some(way_back) => call.back(way_back).await,
            None => Err(refused(entry)),
        };
        let end = sent.map_err(|error| error.during(format!("taking back {}", entry.about)))?;
        Ok(end.after(prior))
    }
}
