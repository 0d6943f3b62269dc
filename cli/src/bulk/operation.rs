//! What a change of many says of itself: its rows, what is to be done about each, and what is asked first.

use super::args::OnError;
use super::{Label, RowOutcome};
use crate::error::{CliError, Exit};
use crate::session::current_run::RunKind;
use crate::session::prompt::ConfirmationLevel;

/// A change that is made to many.
pub trait BulkOperation {
    /// What is known of one of them.
    type Row;

    /// What the run is called where it is remembered.
    fn kind(&self) -> RunKind;

    /// Reads what the service shows now, and says of each row what is to be done.
    async fn plan(&self) -> Result<Vec<PlannedRow<Self::Row>>, CliError>;

    /// What a row is called.
    fn label(&self, row: &Self::Row) -> Label;

    /// What is asked before these rows are sent.
    fn question(&self, rows: &[&Self::Row]) -> Question;

    /// Makes the change of one row.
    async fn apply(&self, row: &Self::Row) -> Result<RowOutcome, CliError>;

    /// Why the service would refuse a row, where what was read tells it. Only a dry run asks: else the service decides.
    fn refusal(&self, _row: &Self::Row) -> Option<CliError> {
        None
    }

    /// What was done of a row that an interruption has kept from its end.
    fn unfinished(&self, _row: &Self::Row) -> Option<RowOutcome> {
        None
    }

    /// How many records all of its rows are about: what may be typed to confirm them.
    fn record_count(&self, rows: &[PlannedRow<Self::Row>]) -> usize {
        rows.len()
    }

    /// What a failed row does to the rows after it.
    fn on_error(&self) -> OnError {
        OnError::Continue
    }

    /// Hears of an outcome as soon as all before it are known.
    fn on_result(&self, _row: &Self::Row, _outcome: &RowOutcome) {}

    /// Rows of a later stage are sent once those of an earlier one have ended.
    fn stage(&self, _row: &Self::Row) -> u8 {
        0
    }
}

/// A row, and what is to be done.
#[derive(Debug)]
pub struct PlannedRow<R> {
    /// The row.
    pub row: R,
    /// What is to be done.
    pub step: Step,
}

impl<R> PlannedRow<R> {
    /// A row that is sent.
    pub fn send(row: R) -> Self {
        Self {
            row,
            step: Step::Send,
        }
    }

    /// A row that needs no call.
    pub fn settled(row: R, outcome: RowOutcome) -> Self {
        let step = Step::Settled(outcome);
        Self { row, step }
    }

    pub(super) fn is_sent(&self) -> bool {
        matches!(self.step, Step::Send | Step::Doubtful(_))
    }

    pub(super) fn is_absent(&self) -> bool {
        let error = match &self.step {
            Step::Settled(outcome) => outcome.error(),
            Step::Send | Step::Doubtful(_) => None,
        };
        error.is_some_and(|error| error.exit() == Exit::NotFound)
    }
}

/// What is to be done about a row.
#[derive(Debug)]
pub enum Step {
    /// It is not as it is wanted.
    Send,
    /// Nothing need be sent.
    Settled(RowOutcome),
    /// It is sent only if somebody who has read this says so.
    Doubtful(String),
}

/// What is asked before rows are sent.
#[derive(Debug)]
pub struct Question {
    /// How hard the change is to take back.
    pub level: ConfirmationLevel,
    /// What is about to happen, as a sentence.
    pub text: String,
    /// What is typed where that is asked for.
    pub typed: String,
}

impl Question {
    /// For what is not asked about.
    pub fn none() -> Self {
        Self {
            level: ConfirmationLevel::Mild,
            text: String::new(),
            typed: String::new(),
        }
    }
}
