//! The lines of a journal.

use crate::bulk::{Created, Done, End};
use crate::error::CliError;
use secmon::model::CustomerId;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum JournalLine {
    /// The run began.
    Began {
        /// When, in UTC.
        at: String,
        /// What is done to every row.
        operation: String,
    },
    /// A row is about to be sent.
    Sent {
        /// When, in UTC.
        at: String,
        /// Names the row.
        key: String,
        /// All that the row says.
        content: String,
        /// Its line in the file.
        row: Option<u64>,
        /// As it was named.
        target: String,
        /// The customer it belongs to.
        customer: Option<CustomerId>,
        /// What a later run cannot find out again.
        subject: Value,
    },
    /// The service has answered.
    Answered {
        /// When, in UTC.
        at: String,
        /// Names the row.
        key: String,
        /// What became of it.
        end: KeptEnd,
    },
    /// Every row has its answer.
    Closed {
        /// When, in UTC.
        at: String,
    },
}

impl JournalLine {
    /// When it was written.
    pub fn at(&self) -> &str {
        match self {
            Self::Began { at, .. }
            | Self::Sent { at, .. }
            | Self::Answered { at, .. }
            | Self::Closed { at } => at,
        }
    }
}

/// What became of a row.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum KeptEnd {
    /// The change was made.
    Succeeded(KeptAnswer),
    /// Everything was so before.
    Skipped(KeptAnswer),
    /// The service refused it.
    Failed {
        /// Its code.
        code: String,
        /// Its sentence.
        message: String,
    },
}

/// What the service answered.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct KeptAnswer {
    id: String,
    record: Value,
    /// None also for a call that makes no records.
    created: Option<bool>,
    /// An earlier attempt of the same call may have made it; journals of before have no such member.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    perhaps_created: bool,
    note: Option<String>,
    sentence: String,
}

impl KeptEnd {
    /// The end of a row as it is kept; `None` where nobody knows whether the change was made.
    pub fn of(end: &Result<End, CliError>) -> Option<Self> {
        match end {
            Ok(End::Done(done)) => Some(Self::Succeeded(KeptAnswer::of(done))),
            Ok(End::Skipped(done)) => Some(Self::Skipped(KeptAnswer::of(done))),
            Ok(End::Planned) => None,
            Ok(End::Failed(error)) | Err(error) if error.may_have_happened() => None,
            Ok(End::Failed(error)) | Err(error) => Some(Self::Failed {
                code: error.code().into_owned(),
                message: error.message().to_owned(),
            }),
        }
    }

    /// The record it is about.
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::Succeeded(answer) | Self::Skipped(answer) => Some(&answer.id),
            Self::Failed { .. } => None,
        }
    }

    /// The end of a row that needs nothing more; a row that was refused is tried again.
    pub fn settled(&self, at: &str) -> Option<End> {
        match self {
            Self::Succeeded(answer) => Some(End::Done(answer.done(at))),
            Self::Skipped(answer) => Some(End::Skipped(answer.done(at))),
            Self::Failed { .. } => None,
        }
    }
}

impl KeptAnswer {
    fn of(done: &Done) -> Self {
        Self {
            id: done.id.clone(),
            record: done.record.clone(),
            created: match done.created {
                Created::Yes => Some(true),
                Created::No => Some(false),
                Created::Perhaps | Created::NoRecord => None,
            },
            perhaps_created: done.created == Created::Perhaps,
            note: done.note.clone(),
            sentence: done.sentence.clone(),
        }
    }

    /// The same, saying that it is not of now.
    fn done(&self, at: &str) -> Done {
        let before = format!("at {at}, before the run was interrupted");
        let note = match &self.note {
            Some(note) => format!("{note} ({before})"),
            None => before,
        };
        Done {
            id: self.id.clone(),
            record: self.record.clone(),
            created: match self.created {
                Some(true) => Created::Yes,
                Some(false) => Created::No,
                None if self.perhaps_created => Created::Perhaps,
                None => Created::NoRecord,
            },
            note: Some(note),
            sentence: self.sentence.clone(),
        }
    }
}
