//! What became of one of many.

use crate::error::CliError;
use crate::ui::outcome::to_json;
use secmon::Response;
use secmon::model::CustomerId;
use serde::Serialize;
use serde_json::Value;

/// A target as people know it.
#[derive(Debug, Clone)]
pub struct Label {
    /// Its line in the file; `None` without a file.
    pub row: Option<u64>,
    /// As it was named.
    pub name: String,
    /// The customer it belongs to.
    pub customer: Option<CustomerId>,
}

impl Label {
    /// A target that stands in no file.
    pub fn of(name: impl Into<String>, customer: Option<CustomerId>) -> Self {
        Self {
            row: None,
            name: name.into(),
            customer,
        }
    }
}

/// One target and its outcome.
#[derive(Debug)]
pub struct Item {
    /// Its line in the file; `None` without a file.
    pub row: Option<u64>,
    /// As it was named.
    pub target: String,
    /// The customer it belongs to.
    pub customer: Option<CustomerId>,
    /// What became of it.
    pub outcome: RowOutcome,
}

impl Item {
    /// A target and its outcome.
    pub fn of(label: Label, outcome: RowOutcome) -> Self {
        Self {
            row: label.row,
            target: label.name,
            customer: label.customer,
            outcome,
        }
    }
}

/// What became of a target.
#[derive(Debug, Clone)]
pub enum RowOutcome {
    /// The change was made.
    Applied(Applied),
    /// Everything was as it should be already.
    Skipped(Applied),
    /// It is not as it was wanted, and is left so; its note says why.
    Left(Applied),
    /// It failed.
    Failed(CliError),
    /// A dry run: nothing was sent.
    Planned,
}

/// What the service answered.
#[derive(Debug, Clone, Default)]
pub struct Applied {
    /// The record's id.
    pub id: String,
    /// The answer's data.
    pub record: Value,
    /// Whether the record is new.
    pub created: Created,
    /// Whether the record is paused, where the answer of a call that makes records says so.
    pub is_paused: bool,
    /// The service's remark.
    pub note: Option<String>,
    /// What a person reads.
    pub sentence: String,
    /// What was done, where that is not what the run is for.
    pub done_instead: Option<&'static str>,
}

/// Whether a record is new.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Created {
    /// The call makes no records.
    #[default]
    NoRecord,
    /// It is.
    Yes,
    /// It was there.
    No,
    /// It is there, and an earlier attempt of the same call may have made it.
    Perhaps,
}

impl Created {
    /// What the answer of a call that makes records says of it.
    pub fn by<T>(answer: &Response<T>) -> Self {
        match answer.was_created() {
            Some(true) => Self::Yes,
            Some(false) => Self::No,
            None => Self::Perhaps,
        }
    }

    /// What a sentence about the record says besides.
    pub fn aside(self) -> &'static str {
        match self {
            Self::Perhaps => " (an earlier attempt may have made it)",
            _ => "",
        }
    }

    /// As JSON; nothing for a call that makes no records.
    pub fn to_json(self) -> Option<Value> {
        match self {
            Self::NoRecord => None,
            Self::Yes => Some(true.into()),
            Self::No => Some(false.into()),
            Self::Perhaps => Some(Value::Null),
        }
    }
}

impl Applied {
    /// Nothing but a remark.
    pub fn noted(note: &str) -> Self {
        Self {
            note: Some(note.to_owned()),
            ..Self::default()
        }
    }

    /// What the service answered, with its remark; for a call that makes no records.
    pub fn answered<T: Serialize>(
        id: impl ToString,
        answer: &Response<T>,
        sentence: String,
    ) -> Self {
        Self {
            id: id.to_string(),
            record: to_json(&answer.data),
            note: answer.note().map(str::to_owned),
            sentence,
            ..Self::default()
        }
    }

    /// The end of a change of state: a remark says that everything was so before.
    pub fn changed(self) -> RowOutcome {
        match self.note {
            Some(_) => RowOutcome::Skipped(self),
            None => RowOutcome::Applied(self),
        }
    }

    /// The end of a call that makes a record, or finds it there. What an earlier attempt may have made counts as made.
    pub fn made(self) -> RowOutcome {
        match self.created {
            Created::Yes | Created::Perhaps => RowOutcome::Applied(self),
            Created::No | Created::NoRecord => RowOutcome::Skipped(self),
        }
    }

    /// One record as JSON: the data, with `created` and `note` where the call has them.
    pub fn to_json(&self) -> Value {
        let mut record = self.record.clone();
        if let Value::Object(fields) = &mut record {
            if let Some(created) = self.created.to_json() {
                fields.insert("created".to_owned(), created);
            }
            if let Some(note) = &self.note {
                fields.insert("note".to_owned(), Value::from(note.as_str()));
            }
        }
        record
    }
}

impl RowOutcome {
    /// The word for it in results.
    pub fn status(&self) -> &'static str {
        match self {
            Self::Applied(_) | Self::Planned => "succeeded",
            Self::Skipped(_) | Self::Left(_) => "skipped",
            Self::Failed(_) => "failed",
        }
    }

    /// What the service answered, unless it failed.
    pub fn applied(&self) -> Option<&Applied> {
        match self {
            Self::Applied(applied) | Self::Skipped(applied) | Self::Left(applied) => Some(applied),
            Self::Failed(_) | Self::Planned => None,
        }
    }

    /// What went wrong.
    pub fn error(&self) -> Option<&CliError> {
        match self {
            Self::Failed(error) => Some(error),
            _ => None,
        }
    }
}

/// The first of many, as sentences name them: `web-1, web-2, web-3 and 6 more`.
pub fn preview<T>(items: &[T], name: impl Fn(&T) -> String) -> String {
    const ALL: usize = 10;
    const NAMED: usize = 3;
    let shown = if items.len() > ALL {
        NAMED
    } else {
        items.len()
    };
    let first: Vec<String> = items.iter().take(shown).map(name).collect();
    let names = first.join(", ");
    match items.len() - shown {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}

/// With a capital letter, as a sentence begins.
pub fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
