//! `secmon history`: what was changed from this computer.

use crate::bulk;
use crate::commands::undo;
use crate::context::Context;
use crate::error::CliError;
use crate::references::{self, Reference, ServerNames};
use crate::session::account;
use crate::state::history::ChangeRow;
use crate::state::unfinished::InterruptedRun;
use crate::state::{self, AccountPlace, StateDb};
use crate::ui::outcome::{Block, Cell, Field, Outcome, Table, shown, to_json, wide};
use crate::values::days;
use crate::values::durations::counted;
use chrono::DateTime;
use clap::{Args, Subcommand};
use secmon::model::CustomerId;
use serde_json::Value;

/// What was changed from this computer, oldest first.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct HistoryArgs {
    /// Only changes within this time, as 30d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only changes that touched this server: id, address, host name or nickname
    #[arg(long, value_name = "ENDPOINT")]
    pub endpoint: Option<String>,
    /// Only changes by this user of this computer
    #[arg(long, value_name = "USER")]
    pub user: Option<String>,
    /// One change
    #[command(subcommand)]
    pub command: Option<HistoryCommand>,
}

/// One change.
#[derive(Debug, Subcommand)]
pub enum HistoryCommand {
    /// Show one change
    Show {
        /// Its id, or the first 6 or more of its characters
        id: String,
    },
}

const COLUMNS: &[Field<ChangeRow>] = &[
    shown("id").of(|change| Cell::text(&change.id)),
    shown("at").of(|change| {
        change
            .at
            .parse()
            .map_or_else(|_| Cell::text(&change.at), Cell::Time)
    }),
    shown("user").of(|change| Cell::text(&change.user)),
    shown("customer").of(|change| listed(&change.customers)),
    shown("operation").of(|change| Cell::text(&change.operation)),
    shown("about").of(|change| Cell::text(&change.about)),
    shown("result").of(|change| Cell::state(word_of(change))),
    wide("batch").of(|change| Cell::text(&change.batch)),
    wide("service").of(|change| Cell::text(&change.service)),
    wide("command").of(|change| Cell::text(&change.command)),
    wide("record").of(|change| Cell::maybe(change.record.as_ref())),
    wide("moved").of(|change| listed(&change.moved)),
];

/// What became of a change: the code of its error says more than that it was refused.
fn word_of(change: &ChangeRow) -> String {
    match &change.code {
        Some(code) => format!("{} ({code})", change.result.as_str()),
        None => change.result.as_str().to_owned(),
    }
}

/// So many changes are shown unless -L says another number.
const LATEST: usize = 50;

/// Runs the command.
pub fn run(context: &Context, args: &HistoryArgs) -> Result<Outcome, CliError> {
    let service = context.session.settings.service.as_ref().ok();
    let state = service.and_then(account::remembered);
    let state = match state {
        Some(state) => state,
        None => StateDb::open(AccountPlace::unknown()),
    };
    state::needed(&state, "the history")?;
    // Where the account is not known without asking, those of all are shown.
    let mut changes = match state.has_account() {
        true => state.changes(),
        false if service.is_none() => state.changes_of_all_accounts(),
        false => Vec::new(),
    };
    if let Some(customer) = context.session.settings.customer {
        changes.retain(|change| change.customers.contains(&customer));
    }
    if let Some(HistoryCommand::Show { id }) = &args.command {
        let change =
            references::by_id_or_prefix(&context.session, id, undo::CHANGE, changes, |change| {
                change.id.clone()
            })?;
        return Ok(one(&change));
    }
    if let Some(since) = &args.since {
        let earliest = days::since("--since", since)?;
        changes.retain(|change| {
            DateTime::parse_from_rfc3339(&change.at).is_ok_and(|at| at >= earliest)
        });
    }
    if let Some(user) = &args.user {
        changes.retain(|change| change.user == *user);
    }
    if let Some(server) = &args.endpoint {
        let server = Reference::parse(server)?;
        let server = ServerNames::new(&state, &changes, &server);
        if context.session.settings.customer.is_none() && server.customers().len() > 1 {
            let customers = bulk::preview(server.customers(), CustomerId::to_string);
            context.screen.note(&format!(
                "warning: several customers have a server of this name ({customers}): -c ID shows the changes of one of them"
            ));
        }
        changes.retain(|change| server.are_in(change));
    }
    if changes.is_empty() {
        context.screen.note(
            "only changes made from this computer are recorded here: for others, see `history` on your colleagues' computers or ask the vendor for the log of your API key",
        );
    }
    let latest = context.screen.latest(&changes, LATEST, "change");
    let mut outcome = Outcome::list(latest, COLUMNS);
    let interrupted = interrupted(&state.interrupted_runs());
    if !interrupted.is_empty() {
        outcome.text.push(Block::Rows);
        outcome.text.extend(interrupted);
    }
    Ok(outcome)
}

/// Runs that ended early, and how each goes on.
pub fn interrupted(runs: &[InterruptedRun]) -> Vec<Block> {
    let mut lines = Vec::new();
    for run in runs {
        let at = DateTime::from_timestamp_millis(run.begun_ms).unwrap_or_default();
        let at = at.format("%Y-%m-%d %H:%M UTC");
        lines.push(Block::text(format!(
            "Interrupted on {at}: {}. To continue, run the same command again.",
            told(run)
        )));
    }
    lines
}

/// The command of a run that ended early, and what is not known of its calls.
pub fn told(run: &InterruptedRun) -> String {
    match run.pending {
        0 => run.command.clone(),
        pending => format!(
            "{} (whether {} arrived is not known)",
            run.command,
            counted(pending as usize, "call")
        ),
    }
}

fn listed<T: ToString>(items: &[T]) -> Cell {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    Cell::maybe((!items.is_empty()).then(|| items.join(" ")))
}

fn one(change: &ChangeRow) -> Outcome {
    let mut text = vec![
        Block::text(format!("{}: {}", change.operation, change.about)),
        Block::Field("id", Cell::text(&change.id)),
        Block::Field("run", Cell::text(&change.batch)),
        Block::Field("at", Cell::text(&change.at)),
        Block::Field("user", Cell::text(&change.user)),
        Block::Field("customer", listed(&change.customers)),
        Block::Field(
            "service",
            Cell::text(change.place.as_ref().unwrap_or(&change.service)),
        ),
        Block::LongField("command", Cell::text(&change.command)),
        Block::Field("record", Cell::maybe(change.record.as_ref())),
        Block::Field("result", Cell::state(word_of(change))),
    ];
    if let Some(took) = change.duration_ms {
        text.push(Block::Field("took", Cell::text(format!("{took} ms"))));
    }
    text.extend(differences(change));
    if !change.moved.is_empty() {
        text.push(Block::Field("capacity moved", listed(&change.moved)));
    }
    text.extend(undo::told(change));
    Outcome::record(to_json(change), Table::of(COLUMNS, [change])).tell(text)
}

/// The fields of the record that the change set: before and after.
fn differences(change: &ChangeRow) -> Vec<Block> {
    let fields = |image: &Option<Value>| image.as_ref().and_then(Value::as_object).cloned();
    let (Some(before), Some(after)) = (fields(&change.before), fields(&change.after)) else {
        return Vec::new();
    };
    let differing = after.iter().filter_map(|(name, now)| {
        let earlier = before.get(name).filter(|earlier| *earlier != now)?;
        (!name.ends_with("_at")).then(|| Block::text(format!("  {name}: {earlier} -> {now}")))
    });
    differing.collect()
}
