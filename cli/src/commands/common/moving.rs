//! What moves of servers and of domains have in common: the new record is made first, and the old one ends last.

use crate::bulk::{Applied, PlannedRow, RowOutcome, VerbLabels};
use crate::error::{CliError, LocalErrorKind};
use crate::session::prompt::ConfirmationLevel;
use crate::ui::outcome::to_json;

/// How the move of a server is remembered.
pub const MOVE_SERVER: &str = "endpoint_move";

/// How the move of a domain is remembered.
pub const MOVE_DOMAIN: &str = "domain_move";

/// How hard a move is to take back.
pub const DANGER: ConfirmationLevel = ConfirmationLevel::Moderate;

/// What became of the steps of a move.
pub const MOVED: VerbLabels = VerbLabels {
    done: "done",
    skipped: "already so",
};

/// A step that needs no call.
pub fn settled<S>(step: S, id: String, note: &str) -> PlannedRow<S> {
    let applied = Applied {
        id,
        note: Some(note.to_owned()),
        record: to_json(&note),
        ..Applied::default()
    };
    PlannedRow::settled(step, RowOutcome::Skipped(applied))
}

/// The error of a step that waits for the one before.
pub fn waits(reason: &str) -> CliError {
    CliError::new(
        LocalErrorKind::NotSent,
        format!("not sent, because {reason}"),
    )
}
