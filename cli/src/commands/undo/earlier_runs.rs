//! Runs before the one that is taken back.

use super::inverse::inverse_of;
use crate::session::Session;
use crate::state::StateDb;
use crate::state::changes::ChangeResult;
use crate::state::history::ChangeRow;
use crate::ui::outcome::Block;
use crate::values::durations::counted;

/// So much of an id as tells it from others.
const SHORT: usize = 8;

/// The run of this terminal that changed something last and was not undone.
pub fn newest(session: &Session) -> Option<Block> {
    let changes = standing(session);
    let last = changes.iter().rfind(|change| inverse_of(change).is_ok())?;
    let count = changes.iter().filter(|change| change.batch == last.batch);
    let count = counted(count.count(), "change");
    Some(Block::Hint(format!(
        "the command before it that can be undone, {} ({count}): `undo {}`",
        last.command,
        last.batch.get(..SHORT).unwrap_or(&last.batch)
    )))
}

/// Runs of the same line, of which one was interrupted and the other has gone on: each is undone by itself.
pub fn of_the_same_line(session: &Session, change: &ChangeRow) -> Vec<String> {
    let mut batches: Vec<(String, usize)> = Vec::new();
    for other in standing(session) {
        if other.command != change.command || other.batch == change.batch {
            continue;
        }
        match batches.iter_mut().find(|(batch, _)| *batch == other.batch) {
            Some((_, count)) => *count += 1,
            None => batches.push((other.batch, 1)),
        }
    }
    let told = batches.into_iter().map(|(batch, count)| {
        format!(
            "{} of an earlier run of the same command stay: secmon undo {batch}",
            counted(count, "change")
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
