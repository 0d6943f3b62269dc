//! Runs before the one that is taken back.

use super::inverse::inverse_of;
use crate::session::Session;
use crate::state::StateDb;
use crate::state::changes::ChangeResult;
use crate::state::history::ChangeRow;
use crate::ui::outcome::Block;
use crate::ui::{TimeStyle, time};
use crate::values::durations::counted;

/// The run of this terminal that changed something last and was not undone.
pub fn newest(session: &Session) -> Option<Block> {
    let changes = standing(session);
    let last = changes.iter().rfind(|change| inverse_of(change).is_ok())?;
    let count = changes.iter().filter(|change| change.batch == last.batch);
    let count = counted(count.count(), "change");
    Some(Block::Hint(format!(
        "the last command here that can be undone was {} ({}, {count}): `undo {}`",
        last.command,
        when(last),
        shortened(&last.batch)
    )))
}

/// How long ago a change was made.
pub fn when(change: &ChangeRow) -> String {
    let at = change.at.parse();
    at.map_or_else(
        |_| change.at.clone(),
        |at| time::passed(&at, TimeStyle::Relative),
    )
}

/// So much of an id as tells it from others.
pub fn shortened(id: &str) -> &str {
    const SHORT: usize = 8;
    id.get(..SHORT).unwrap_or(id)
}

/// Runs of the same line that did not end whole, and went on in this one: each is undone by itself.
pub fn of_the_same_line(session: &Session, change: &ChangeRow) -> Vec<String> {
    let mut batches: Vec<(String, usize)> = Vec::new();
    for other in standing(session) {
        let is_earlier = other.command == change.command && other.batch != change.batch;
        if !is_earlier || other.run_is_whole {
            continue;
        }
        match batches.iter_mut().find(|(batch, _)| *batch == other.batch) {
            Some((_, count)) => *count += 1,
            None => batches.push((other.batch, 1)),
        }
    }
    let told = batches.into_iter().map(|(batch, count)| {
        format!(
            "Not undone with it: {} of an earlier run of the same command: `undo {}`",
            counted(count, "change"),
            shortened(&batch)
        )
    });
    told.collect()
}

/// The changes of this terminal that have not been undone.
fn standing(session: &Session) -> Vec<ChangeRow> {
    let mut changes = session.state().map(StateDb::changes).unwrap_or_default();
    changes.retain(|change| {
        change.is_of_this_terminal
            && change.undoes.is_none()
            && change.undone_by.is_none()
            && matches!(change.result, ChangeResult::Changed | ChangeResult::Perhaps)
    });
    changes
}
