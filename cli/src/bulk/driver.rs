//! One change that is made to many: each target goes out between two lines of a journal, so that the same command goes on
//! where a run ended early.

use super::args::{OnError, RunArgs};
use super::journal::{Journal, Key, Origin, Trace};
use super::run::{close, run_telling};
use super::{End, Item, Label, Prior};
use crate::context::Context;
use crate::error::CliError;
use serde_json::Value;
use uuid::Uuid;

/// A change that is made to many.
pub trait ChangeOfMany {
    /// One of them.
    type Target;

    /// What runs of it are called in their journals, as `suspend`.
    fn operation(&self) -> &'static str;

    /// What a target is called.
    fn label(&self, target: &Self::Target) -> Label;

    /// Names a target from one run to the next.
    fn key(&self, target: &Self::Target) -> Key;

    /// All that is wanted of a target: one of which something else is wanted now is sent again.
    fn wanted(&self, _target: &Self::Target) -> String {
        String::new()
    }

    /// What a later run could not find out again about a target.
    fn kept(&self, _target: &Self::Target) -> Value {
        Value::Null
    }

    /// Whether what an earlier run did to a target stands, as far as the service shows.
    fn stands(&self, _target: &Self::Target) -> bool {
        true
    }

    /// The end of a target that is so already, which then needs no line in the journal. `prior` is what is known of it
    /// from an earlier run.
    async fn already(
        &self,
        _target: &Self::Target,
        _prior: Prior,
    ) -> Result<Option<End>, CliError> {
        Ok(None)
    }

    /// What was done of a target that an interruption has kept from its end.
    fn unfinished(&self, _target: &Self::Target) -> Option<End> {
        None
    }

    /// Makes the change.
    async fn apply(&self, target: &Self::Target, prior: Prior) -> Result<End, CliError>;
}

/// A target as the journal knows it.
pub fn trace<C: ChangeOfMany>(change: &C, target: &C::Target) -> Trace {
    Trace {
        key: change.key(target),
        label: change.label(target),
        content: change.wanted(target),
        subject: change.kept(target),
        undone: !change.stands(target),
    }
}

/// Makes a change to targets that all are found; the run is named by them.
pub async fn change_all<C: ChangeOfMany>(
    context: &Context,
    change: &C,
    targets: &[C::Target],
    run: &RunArgs,
) -> Result<Vec<Item>, CliError> {
    let keys: Vec<Key> = targets.iter().map(|target| change.key(target)).collect();
    let journal = Journal::open(context, change.operation(), Origin::Rows, &keys, run)?;
    change_in_journal(context, change, targets, (&journal, run)).await
}

/// The same in a journal that was needed before, to find the targets.
pub async fn change_in_journal<C: ChangeOfMany>(
    context: &Context,
    change: &C,
    targets: &[C::Target],
    run: (&Journal, &RunArgs),
) -> Result<Vec<Item>, CliError> {
    change_in_stages(context, change, &[targets], run).await
}

/// The same in stages: one begins when the one before has ended, and the run is over after the last.
pub async fn change_in_stages<C: ChangeOfMany>(
    context: &Context,
    change: &C,
    stages: &[&[C::Target]],
    (journal, args): (&Journal, &RunArgs),
) -> Result<Vec<Item>, CliError> {
    if stages.iter().map(|stage| stage.len()).sum::<usize>() > 1 && !args.use_whole_window {
        context.session.leave_calls_to_people()?;
    }
    let mut items = Vec::new();
    for targets in stages {
        let run = (journal, OnError::Continue);
        items.extend(send_all(context, change, targets, run, |_, _| {}).await);
    }
    close(&context.screen, journal, &items);
    Ok(items)
}

/// The same, telling of each end as soon as all before it are known.
pub async fn change_telling<C: ChangeOfMany>(
    context: &Context,
    change: &C,
    targets: &[C::Target],
    (journal, on_error): (&Journal, OnError),
    tell: impl FnMut(&C::Target, &End),
) -> Vec<Item> {
    let items = send_all(context, change, targets, (journal, on_error), tell).await;
    close(&context.screen, journal, &items);
    items
}

async fn send_all<C: ChangeOfMany>(
    context: &Context,
    change: &C,
    targets: &[C::Target],
    (journal, on_error): (&Journal, OnError),
    tell: impl FnMut(&C::Target, &End),
) -> Vec<Item> {
    let send = async |target: &C::Target| {
        let trace = trace(change, target);
        if journal.answer(&trace).is_none()
            && let Some(end) = change.already(target, journal.prior(&trace)).await?
        {
            return Ok(end);
        }
        let apply = async |prior| change.apply(target, prior).await;
        journal.settle(&trace, apply).await
    };
    let unfinished = |target: &C::Target| change.unfinished(target);
    let ends = run_telling(context, targets, on_error, send, unfinished, tell).await;
    let items = targets.iter().zip(ends);
    items
        .map(|(target, end)| Item::of(change.label(target), end))
        .collect()
}

/// Refuses to end a record that is there, although an earlier run has ended it, or may have: it came back since.
pub fn refuse_ended<C: ChangeOfMany>(
    journal: &Journal,
    change: &C,
    (target, record): (&C::Target, Uuid),
    (named, verb): (&str, &str),
) -> Result<(), CliError> {
    let trace = Trace {
        undone: false,
        ..trace(change, target)
    };
    match journal.answer(&trace) {
        Some(_) => Err(restored("has ended", named, verb)),
        None => refuse_restored(journal, (&trace.key, record), (named, verb)),
    }
}

/// Refuses to end a record that was provisioned from this machine after an earlier run had sent its end, and seen no
/// answer: a provision restores what was ended.
pub fn refuse_restored(
    journal: &Journal,
    (key, record): (&Key, Uuid),
    (named, verb): (&str, &str),
) -> Result<(), CliError> {
    match journal.was_restored(key, record)? {
        true => Err(restored("may have ended", named, verb)),
        false => Ok(()),
    }
}

fn restored(ended: &str, named: &str, verb: &str) -> CliError {
    CliError::usage(format!(
        "the interrupted run {ended} {named}, which was provisioned again afterwards: nothing was sent"
    ))
    .hint(anew(verb))
}

/// A run that is gone on with must not end what came after it: `named` has a word that stood for something else then.
pub fn came_back(word: &str, named: &str, verb: &str) -> CliError {
    CliError::usage(format!(
        "{word:?} is not what it was for the interrupted run: {named} has come in its place, so nothing was sent"
    ))
    .hint(anew(verb))
}

fn anew(verb: &str) -> String {
    format!("to {verb} that one too, begin anew with --restart; else take it out")
}
