//! `secmon undo`: takes back what a command of this terminal has changed, where it is still as the command left it.

mod call;
mod earlier_runs;
mod inverse;
mod left;
mod present;
mod rule_fields;
mod whole_runs;

use self::call::Call;
use self::earlier_runs::shortened;
use self::inverse::{Inverse, NotUndoable, inverse_of};
use self::present::Present;
use crate::bulk::args::RunArgs;
use crate::bulk::{
    self, BulkOperation, Label, PlannedRow, Question, RowOutcome, Step, VerbLabels, capitalized,
    preview,
};
use crate::context::Context;
use crate::error::{CliError, LocalErrorKind};
use crate::references::{self, RecordKind};
use crate::session::Session;
use crate::session::current_run::RunKind;
use crate::session::prompt::ConfirmationLevel;
use crate::state::StateDb;
use crate::state::changes::{ChangeResult, Scope};
use crate::state::history::ChangeRow;
use crate::ui::outcome::{Block, Outcome, Table};
use crate::values::durations::counted;
use clap::Args;
use serde_json::json;
use std::collections::HashMap;

const NOTES: &str = "\
Each record is read just before it is changed back, and skipped if what the command set
is something else by now. What is set and set back again in between cannot be seen, and the
service cannot lock a record between the look and the call.

Examples:
  secmon undo -n                    what would be sent
  secmon history                    the ids of earlier changes
  secmon undo 3f9c2a71 --only-unchanged";

/// The change to take back.
#[derive(Debug, Args)]
#[command(after_help = NOTES)]
pub struct UndoArgs {
    /// Id of one change or of a whole run, as `history` shows them; without it, what the last command of this terminal changed
    #[arg(value_name = "CHANGE")]
    pub id: Option<String>,
    /// Undo what has not changed since, even if other parts of the run have
    #[arg(long)]
    pub only_unchanged: bool,
    /// How the run is made
    #[command(flatten)]
    pub run: RunArgs,
}

const UNDONE: VerbLabels = VerbLabels {
    done: "undone",
    skipped: "so already",
};

/// How changes are named in sentences.
pub const CHANGE: RecordKind = RecordKind {
    one: "change",
    list: "history",
};

/// So many ids are told to whoever has changed nothing in this terminal.
const LATEST: usize = 3;

/// Runs the command.
pub async fn run(context: &Context, args: &UndoArgs) -> Result<Outcome, CliError> {
    context.session.refuse_read_only()?;
    let chosen = chosen(&context.session, args.id.as_deref())?;
    whole_runs::refuse_move(&chosen)?;
    let line = chosen.first().map(|change| change.command.clone());
    let chosen = whole_runs::without_exceptions(chosen);
    let made: Vec<ChangeRow> = chosen
        .into_iter()
        .filter(|change| change.result != ChangeResult::Unchanged)
        .collect();
    if made.is_empty() {
        let line = line.map_or_else(|| "the last command".to_owned(), |line| format!("`{line}`"));
        let nothing = Block::text(format!("There is nothing to undo: {line} changed nothing."));
        let earlier = earlier_runs::newest(&context.session);
        let blocks = std::iter::once(nothing).chain(earlier);
        return Ok(Outcome::record(json!([]), Table::default()).tell(blocks.collect()));
    }
    let mut rows = Vec::new();
    let mut left = Vec::new();
    // The last change goes first.
    for change in made.into_iter().rev() {
        match undoable(&change) {
            Ok(inverse) => rows.push(UndoRow { change, inverse }),
            Err(reason) => left.push((change, reason)),
        }
    }
    if rows.is_empty() {
        return Err(left::refused(&left));
    }
    for note in earlier_runs::of_the_same_line(&context.session, &rows[0].change) {
        context.screen.note(&note);
    }
    let undoing = Undoing {
        context,
        args,
        rows,
    };
    let items = bulk::run_bulk(context, &undoing, &args.run).await?;
    let mut outcome = bulk::conclude(&context.screen, UNDONE, items)?;
    outcome.text.extend(left::not_undone(&left));
    let rules_go = |row: &UndoRow| matches!(row.inverse, Inverse::RemoveRules(..));
    if undoing.rows.iter().any(rules_go) && !context.session.settings.safety.dry_run {
        outcome.text.push(Block::Hint(
            "alerts that a rule has resolved stay so; the next scan raises new ones for ports that are still open"
                .to_owned(),
        ));
    }
    Ok(outcome)
}

/// The changes that were named, or those of the last command of this terminal that changed records and was not undone.
fn chosen(session: &Session, id: Option<&str>) -> Result<Vec<ChangeRow>, CliError> {
    // The account is known by its key.
    session.known()?;
    let mut changes = session.state().map(StateDb::changes).unwrap_or_default();
    if let Some(customer) = session.settings.customer {
        changes.retain(|change| change.customers.contains(&customer));
    }
    if let Some(id) = id {
        return named(session, id, changes);
    }
    changes.retain(|change| change.undoes.is_none() && change.undone_by.is_none());
    let newest = match session.settings.customer {
        // What the last command about somebody else did is not meant.
        Some(_) => {
            let mut here = changes.iter().filter(|change| change.is_of_this_terminal);
            here.rfind(|change| change.alters_records())
                .map(|change| change.batch.clone())
        }
        None => session.state().and_then(StateDb::newest_run_of_terminal),
    };
    let Some(newest) = newest else {
        let can_be = |change: &ChangeRow| {
            matches!(change.result, ChangeResult::Changed | ChangeResult::Perhaps)
                && undoable(change).is_ok()
        };
        changes.retain(can_be);
        return Err(none_here(session, &changes));
    };
    changes.retain(|change| change.batch == newest && change.result != ChangeResult::Refused);
    Ok(changes)
}

fn named(session: &Session, id: &str, changes: Vec<ChangeRow>) -> Result<Vec<ChangeRow>, CliError> {
    let of_batch = |change: &ChangeRow| references::is_id_or_prefix(id.trim(), &change.batch);
    if !id.trim().is_empty() && changes.iter().any(of_batch) {
        let of_batch = changes.into_iter().filter(of_batch);
        return Ok(of_batch
            .filter(|change| change.undone_by.is_none() && change.result != ChangeResult::Refused)
            .collect());
    }
    let change =
        references::by_id_or_prefix(session, id, CHANGE, changes, |change| change.id.clone())?;
    if change.undone_by.is_some() {
        return Err(CliError::usage(format!(
            "change {} has already been undone",
            change.id
        )));
    }
    if change.result == ChangeResult::Refused {
        return Err(CliError::usage(format!(
            "change {} was refused by the service: there is nothing to undo",
            change.id
        )));
    }
    Ok(vec![change])
}

fn none_here(session: &Session, changes: &[ChangeRow]) -> CliError {
    if let Some(problem) = session.state().and_then(StateDb::problem) {
        return CliError::not_found(format!("this computer has no record of changes: {problem}"))
            .hint("see what is wrong: `doctor`");
    }
    let whose = session
        .settings
        .customer
        .map(|id| format!(" of customer {id}"));
    let error = CliError::not_found(format!(
        "nothing to undo: no change{} made in this terminal can be undone any more",
        whose.unwrap_or_default()
    ));
    let latest: Vec<String> = changes
        .iter()
        .rev()
        .take(LATEST)
        .map(|change| format!("{} ({})", shortened(&change.id), change.about))
        .collect();
    match latest.is_empty() {
        true => error.hint("see what was changed from this computer: `history`"),
        false => error.hint(format!(
            "give the id of a recent change from this computer: {}",
            latest.join(", ")
        )),
    }
}

/// What takes a change back; nothing does where nobody saw its answer.
fn undoable(change: &ChangeRow) -> Result<Inverse, NotUndoable> {
    if change.undoes.is_some() {
        return Err(NotUndoable {
            reason: "it undid another change: to make that change again, repeat its command"
                .to_owned(),
            nearest: None,
        });
    }
    if change.result == ChangeResult::Pending {
        return Err(NotUndoable {
            reason: "no answer to it was seen, so this computer does not know whether it was made"
                .to_owned(),
            nearest: None,
        });
    }
    inverse_of(change)
}

/// What `history show` says of taking a change back.
pub fn told(change: &ChangeRow) -> Vec<Block> {
    if let Some(by) = &change.undone_by {
        return vec![Block::text(format!("It was undone by {by}."))];
    }
    if change.result == ChangeResult::Unchanged {
        return vec![Block::text("It changed nothing.")];
    }
    match undoable(change) {
        Ok(inverse) => vec![
            Block::Heading("Next:"),
            Block::next(format!("undo {}", change.id), "undo it"),
            Block::next(inverse.line(), "does the same with an ordinary command"),
        ],
        Err(reason) => {
            let mut lines = vec![Block::text(format!("Cannot be undone: {}.", reason.reason))];
            lines.extend(
                reason
                    .nearest
                    .map(|nearest| Block::next(nearest.line(), nearest.purpose)),
            );
            lines
        }
    }
}

/// A change that is taken back.
#[derive(Debug, Clone)]
struct UndoRow {
    change: ChangeRow,
    inverse: Inverse,
}

/// Changes that are taken back.
struct Undoing<'a> {
    context: &'a Context,
    args: &'a UndoArgs,
    rows: Vec<UndoRow>,
}

impl BulkOperation for Undoing<'_> {
    type Row = UndoRow;

    fn kind(&self) -> RunKind {
        RunKind {
            verb: "undo",
            scope: Scope::Named,
            customer: None,
        }
    }

    /// Of a command of which something was changed since, nothing is taken back, unless the rest alone is wanted.
    async fn plan(&self) -> Result<Vec<PlannedRow<UndoRow>>, CliError> {
        let session = &self.context.session;
        let mut planned = Vec::new();
        let (mut changed, mut as_left) = (Vec::new(), Vec::new());
        for row in &self.rows {
            let step = match present::look(session, &row.inverse).await? {
                Present::AsLeft => {
                    as_left.push(row.change.about.clone());
                    Step::Send
                }
                Present::AlreadyBack => {
                    let call = Call {
                        session,
                        change: &row.change,
                    };
                    Step::Settled(RowOutcome::Skipped(call.already_back()))
                }
                Present::Changed(now) => {
                    changed.push(format!("{}: {now}", row.change.about));
                    Step::Settled(RowOutcome::Failed(changed_since(&row.change, &now)))
                }
            };
            let row = row.clone();
            planned.push(PlannedRow { row, step });
        }
        if changed.is_empty() || self.args.only_unchanged && !as_left.is_empty() {
            return Ok(planned);
        }
        let rows: Vec<&UndoRow> = self.rows.iter().collect();
        let mut sentence = format!(
            "nothing was undone, because records changed since {}: {}",
            commands_of(&rows),
            changed.join("; ")
        );
        if !as_left.is_empty() {
            sentence += &format!(
                ". Still as it was left: {}",
                preview(&as_left, String::clone)
            );
        }
        let error = CliError::new(LocalErrorKind::ChangedSince, sentence);
        Err(match as_left.is_empty() {
            true => error,
            false => error.hint("undo the rest alone with --only-unchanged"),
        })
    }

    fn label(&self, row: &UndoRow) -> Label {
        Label::of(&row.change.about, row.change.customers.first().copied())
    }

    fn question(&self, rows: &[&UndoRow]) -> Question {
        let level = match rows.iter().any(|row| row.inverse.is_account_wide()) {
            true => ConfirmationLevel::Severe,
            false => ConfirmationLevel::Moderate.times(rows.len()),
        };
        let effects: Vec<String> = rows
            .iter()
            .map(|row| row.inverse.effect(&row.change.about))
            .collect();
        let customers = rows.iter().map(|row| row.change.customers.first().copied());
        Question {
            level,
            text: format!(
                "About to undo {}: {}{}. {}.",
                commands_of(rows),
                counted(rows.len(), "change"),
                bulk::owners(customers),
                capitalized(&preview(&effects, String::clone))
            ),
            typed: rows.len().to_string(),
        }
    }

    /// What somebody has changed while the question stood is not touched either.
    async fn apply(&self, row: &UndoRow) -> Result<RowOutcome, CliError> {
        let session = &self.context.session;
        let call = Call {
            session,
            change: &row.change,
        };
        match present::look(session, &row.inverse).await? {
            Present::AsLeft => call.back(&row.inverse).await,
            Present::AlreadyBack => Ok(RowOutcome::Skipped(call.already_back())),
            Present::Changed(now) => Err(changed_since(&row.change, &now)),
        }
    }
}

fn changed_since(change: &ChangeRow, now: &str) -> CliError {
    CliError::new(
        LocalErrorKind::ChangedSince,
        format!("{} was changed since: {now}", change.about),
    )
}

/// The commands that made the changes, each with its time.
fn commands_of(rows: &[&UndoRow]) -> String {
    let mut commands: HashMap<&str, String> = HashMap::new();
    for row in rows {
        let at = earlier_runs::when(&row.change);
        commands
            .entry(&row.change.batch)
            .or_insert_with(|| format!("`{}` ({at})", row.change.command));
    }
    commands.into_values().collect::<Vec<_>>().join(", ")
}
