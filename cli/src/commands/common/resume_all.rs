//! Which records `resume --all` takes up again: those that `suspend --all` has stopped, and none that was stopped by
//! name, or by the platform.

use crate::bulk;
use crate::error::CliError;
use crate::notebook::history;
use crate::session::prompt::{Danger, Prompt};
use crate::ui::outcome::Line;
use crate::values::durations::counted;
use secmon::model::CustomerId;
use std::collections::HashSet;
use uuid::Uuid;

/// What is resumed: its name in the history, and in a sentence.
pub struct SuspendedKind {
    /// As the operations of the history name it, or them.
    pub operations: &'static [&'static str],
    /// One of them in a sentence.
    pub one: &'static str,
    /// The command that has stopped it.
    pub stopped_by: &'static str,
    /// The command, or the commands, that resume one by its name.
    pub resume_one: &'static str,
}

/// Something that is suspended.
pub trait Suspended {
    /// Its id.
    fn id(&self) -> Uuid;
    /// What it is called in sentences.
    fn name(&self) -> String;
}

/// The records of a kind that this history tells were stopped together.
fn stopped(kind: &SuspendedKind) -> Result<HashSet<Uuid>, CliError> {
    let mut stopped = HashSet::new();
    for operation in kind.operations {
        stopped.extend(history::stopped_with_all(operation)?);
    }
    Ok(stopped)
}

/// Whether all that a customer has of a kind was stopped from here before: then what still rests was stopped otherwise.
fn was_stopped(kind: &SuspendedKind, customer: CustomerId) -> Result<bool, CliError> {
    for operation in kind.operations {
        if history::was_stopped_with_all(operation, customer)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Keeps those that `suspend --all` has stopped, once that is agreed to, and says which stay as they are. Where this
/// history tells of none, all of them are meant only if somebody says so.
pub fn choose<T: Suspended>(
    prompt: &Prompt,
    customer: CustomerId,
    kind: &SuspendedKind,
    suspended: Vec<T>,
) -> Result<(Vec<T>, Vec<Line>), CliError> {
    let stopped = stopped(kind)?;
    let is_chosen = |record: &T| stopped.contains(&record.id());
    let (chosen, others): (Vec<T>, Vec<T>) = suspended.into_iter().partition(is_chosen);
    let what = |records: &[T]| {
        format!(
            "{}: {}",
            counted(records.len(), kind.one),
            bulk::preview(records, T::name)
        )
    };
    if chosen.is_empty() && !others.is_empty() && !was_stopped(kind, customer)? {
        let question = format!(
            "The history of this machine knows no {0} of customer {customer}. About to resume {1}, whoever suspended that.",
            kind.stopped_by,
            what(&others)
        );
        agree(prompt, Danger::Moderate, &question, others.len())?;
        return Ok((others, Vec::new()));
    }
    let question = format!("About to resume {}.", what(&chosen));
    agree(prompt, Danger::Mild, &question, chosen.len())?;
    let stay = stay(kind, &others);
    Ok((chosen, stay))
}

fn agree(prompt: &Prompt, danger: Danger, question: &str, count: usize) -> Result<(), CliError> {
    prompt.confirm(danger.times(count), question, &count.to_string())
}

fn stay<T: Suspended>(kind: &SuspendedKind, others: &[T]) -> Vec<Line> {
    let (names, by) = (bulk::preview(others, T::name), kind.stopped_by);
    let why = match others.len() {
        0 => return Vec::new(),
        1 => "1 stays suspended, because it was not".to_owned(),
        many => format!("{many} stay suspended, because they were not"),
    };
    vec![
        Line::text(format!("{why} suspended by {by}: {names}.")),
        Line::Hint(format!("to resume one by its name: {}", kind.resume_one)),
    ]
}
