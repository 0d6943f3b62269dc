//! One driver for every change of many: it reads what the service shows, compares that with what is wanted, asks where a
//! question is due, sends what differs, and reports each row. The same command again is a new decision about what is
//! there, and so goes on where a run ended early.

use super::args::RunArgs;
use super::operation::{BulkOperation, PlannedRow, Step};
use super::send;
use super::{Applied, Item, Label, RowOutcome};
use crate::context::Context;
use crate::error::{CliError, Exit, LocalErrorKind};
use crate::session::profile::Protected;
use crate::session::prompt::ConfirmationLevel;
use crate::values::durations::counted;
use std::time::{Duration, Instant};

/// A question that stood longer than this was answered about what may have changed meanwhile.
const SOON_STALE: Duration = Duration::from_secs(10);

/// Makes a change of many.
pub async fn run_bulk<O: BulkOperation>(
    context: &Context,
    operation: &O,
    args: &RunArgs,
) -> Result<Vec<Item>, CliError> {
    let session = &context.session;
    session.refuse_read_only()?;
    let mut rows = agreed_plan(context, operation, args).await?;
    if session.settings.safety.dry_run {
        foresee(context, operation, &mut rows);
    }
    session.begin_run(operation.kind());
    // Names that a kill must not cost: what has ended by then is in no list any more.
    session.remember_observations();
    session.record_run();
    if rows.iter().filter(|row| row.is_sent()).count() > 1 && !args.use_whole_window {
        session.leave_calls_to_people()?;
    }
    let labels: Vec<Label> = rows.iter().map(|row| operation.label(&row.row)).collect();
    let outcomes = send::in_stages(context, operation, rows).await;
    let items = labels.into_iter().zip(outcomes);
    let items: Vec<Item> = items
        .map(|(label, outcome)| Item::of(label, outcome))
        .collect();
    if items.iter().any(|item| item.outcome.error().is_some()) {
        session.run_is_partial();
    }
    Ok(items)
}

/// Reads and asks until what was agreed to is what is there.
async fn agreed_plan<O: BulkOperation>(
    context: &Context,
    operation: &O,
    args: &RunArgs,
) -> Result<Vec<PlannedRow<O::Row>>, CliError> {
    let mut rows = judged(context, operation.plan().await?, args)?;
    loop {
        // An operation may ask about more than its rows, and reads that with them.
        let agreed = (sent_names(operation, &rows), text_of(operation, &rows));
        let asked = Instant::now();
        confirm(context, operation, &rows)?;
        if asked.elapsed() < SOON_STALE {
            return Ok(rows);
        }
        rows = judged(context, operation.plan().await?, args)?;
        if agreed == (sent_names(operation, &rows), text_of(operation, &rows)) {
            return Ok(rows);
        }
        context.screen.note("Something changed in the meantime:");
    }
}

/// A dry run shows what it would send: what would be refused is no part of that, and is told beside it.
fn foresee<O: BulkOperation>(context: &Context, operation: &O, rows: &mut [PlannedRow<O::Row>]) {
    for row in rows.iter_mut().filter(|row| row.is_sent()) {
        if let Some(error) = operation.refusal(&row.row) {
            row.step = Step::Settled(RowOutcome::Failed(error));
        }
    }
    if !rows.iter().any(PlannedRow::is_sent) {
        return;
    }
    for row in rows {
        if let Step::Settled(RowOutcome::Failed(error)) = &row.step {
            let name = operation.label(&row.row).name;
            let note = format!("not sent: {name}: {}", error.message());
            context.screen.note(&note);
        }
    }
}

fn sent_rows<O: BulkOperation>(rows: &[PlannedRow<O::Row>]) -> Vec<&O::Row> {
    let sent = rows.iter().filter(|row| row.is_sent());
    sent.map(|row| &row.row).collect()
}

/// What is asked before the rows of a plan are sent.
fn text_of<O: BulkOperation>(operation: &O, rows: &[PlannedRow<O::Row>]) -> String {
    operation.question(&sent_rows::<O>(rows)).text
}

fn sent_names<O: BulkOperation>(operation: &O, rows: &[PlannedRow<O::Row>]) -> Vec<String> {
    let sent = sent_rows::<O>(rows).into_iter();
    sent.map(|row| {
        let label = operation.label(row);
        format!("{} {:?}", label.name, label.customer)
    })
    .collect()
}

/// What is not there stops the command, unless somebody can be asked or has said that it need not be; what is doubtful
/// is left where nobody can be asked.
fn judged<R>(
    context: &Context,
    mut rows: Vec<PlannedRow<R>>,
    args: &RunArgs,
) -> Result<Vec<PlannedRow<R>>, CliError> {
    let absent = rows.iter().filter(|row| row.is_absent()).count();
    let goes_on = args.ignore_not_found || context.prompt.may_ask();
    if absent > 0 && (absent == rows.len() || !goes_on) {
        return Err(all_absent(rows));
    }
    // A dry run shows what is sent without anybody's answer.
    let may_ask = context.prompt.may_ask() && !context.session.settings.safety.dry_run;
    for row in &mut rows {
        match &row.step {
            Step::Settled(RowOutcome::Failed(error))
                if args.ignore_not_found && error.exit() == Exit::NotFound =>
            {
                row.step = Step::Settled(RowOutcome::Left(Applied::noted("not found")));
            }
            Step::Doubtful(reason) if !may_ask => {
                let error =
                    CliError::new(LocalErrorKind::NotConfirmed, format!("not sent: {reason}"));
                row.step = Step::Settled(RowOutcome::Failed(error));
            }
            _ => {}
        }
    }
    Ok(rows)
}

/// The error of names that fit nothing, all in one.
fn all_absent<R>(rows: Vec<PlannedRow<R>>) -> CliError {
    let total = rows.len();
    let mut errors: Vec<CliError> = rows
        .into_iter()
        .filter(PlannedRow::is_absent)
        .filter_map(|row| match row.step {
            Step::Settled(RowOutcome::Failed(error)) => Some(error),
            _ => None,
        })
        .collect();
    if total == 1
        && let Some(error) = errors.pop()
    {
        return error;
    }
    let sentences: Vec<&str> = errors.iter().map(CliError::message).collect();
    let error = CliError::not_found(format!(
        "{} of {total} names {} not found, so nothing was done:\n  {}",
        errors.len(),
        match errors.len() {
            1 => "was",
            _ => "were",
        },
        sentences.join("\n  ")
    ));
    match errors.len() == total {
        true => error,
        false => error.hint("to go on with the others, add --ignore-not-found"),
    }
}

/// What the profile protects of these rows, as far as their customers tell.
fn protected<'a, O: BulkOperation>(
    context: &'a Context,
    operation: &O,
    sent: &[&O::Row],
) -> Option<&'a Protected> {
    let owners: Vec<_> = sent
        .iter()
        .filter_map(|row| operation.label(row).customer)
        .collect();
    let protect = &context.session.settings.safety.protect;
    protect.iter().find(|protected| match protected {
        Protected::Customer(customer) => owners.contains(customer),
        Protected::Address(_) => false,
    })
}

fn confirm<O: BulkOperation>(
    context: &Context,
    operation: &O,
    rows: &[PlannedRow<O::Row>],
) -> Result<(), CliError> {
    let sent = sent_rows::<O>(rows);
    if sent.is_empty() {
        return Ok(());
    }
    let mut question = operation.question(&sent);
    // A line that is given again names all of its rows, of which some are done by now.
    let safety = &context.session.settings.safety;
    if let Some(given) = safety.confirm.as_deref().map(str::trim) {
        let total = operation.record_count(rows);
        let is_total = total > 1 && given == total.to_string();
        if is_total || context.session.continues_a_run(&operation.kind()) {
            question.typed = given.to_owned();
        }
    }
    let mut remarks = Vec::new();
    if let Some(protected) = protected(context, operation, &sent) {
        remarks.push(format!("The profile protects {protected}"));
        question.level = ConfirmationLevel::Severe;
        question.typed = protected.to_string();
    }
    for row in rows {
        match &row.step {
            Step::Doubtful(reason) => remarks.push(reason.clone()),
            Step::Settled(RowOutcome::Failed(error)) => {
                remarks.push(format!("Not sent: {}", error.message()));
                if question.text.is_empty() {
                    let rest = counted(sent.len(), "change");
                    question.text = format!("About to send the rest: {rest}.");
                }
            }
            _ => {}
        }
    }
    if !remarks.is_empty() {
        question.level = question.level.max(ConfirmationLevel::Moderate);
        question.text = format!("{}.\n{}", remarks.join(".\n"), question.text);
    }
    match question.text.is_empty() {
        true => Ok(()),
        false => context
            .prompt
            .confirm(question.level, &question.text, &question.typed),
    }
}
