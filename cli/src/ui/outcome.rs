//! What a command found or did, before any thought of how it is shown.

use crate::error::{CliError, Exit};
use secmon::model::{CustomerId, Severity, Timestamp};
use serde::Serialize;
use serde_json::Value;

/// The result of a command.
#[derive(Debug)]
pub struct Outcome {
    /// The typed result, with the API's field names (`-o json`, `-o jsonl`).
    pub result: Value,
    /// The same as rows (`-o csv`, `-o ids`, and for reading where there is no story).
    pub table: Table,
    /// For reading, where rows alone would not say it.
    pub text: Vec<Block>,
    /// How the program ends.
    pub exit: Exit,
    /// What went wrong after the result was there: it is shown behind it, and decides the exit code.
    pub deferred_error: Option<CliError>,
}

impl Outcome {
    /// A list: an array, one row an item.
    pub fn list<T: Serialize>(items: &[T], fields: &[Field<T>]) -> Self {
        Self::record(to_json(items), Table::of(fields, items))
    }

    /// One record.
    pub fn record(result: Value, table: Table) -> Self {
        Self {
            result,
            table,
            text: Vec::new(),
            exit: Exit::Done,
            deferred_error: None,
        }
    }

    /// Adds to each record of a list what it is and, where that is known, whose, unless the service tells it.
    #[must_use]
    pub fn of_kind(mut self, kind: &str, owner: Option<CustomerId>) -> Self {
        let records = self.result.as_array_mut().into_iter().flatten();
        for fields in records.filter_map(Value::as_object_mut) {
            fields.entry("kind").or_insert_with(|| kind.into());
            let told = fields.get("endpoint");
            let told = told
                .and_then(|server| server.get("billing_customer_id"))
                .cloned();
            let owner = told.unwrap_or_else(|| to_json(&owner));
            fields.entry("billing_customer_id").or_insert(owner);
        }
        self
    }

    /// Adds what a person reads instead of rows.
    #[must_use]
    pub fn tell(mut self, text: Vec<Block>) -> Self {
        self.text = text;
        self
    }

    /// What was done, in a sentence; scripts get a record.
    pub fn said(record: Value, sentence: impl Into<String>) -> Self {
        Self::record(record, Table::default()).tell(vec![Block::text(sentence)])
    }

    /// Nothing more: everything was shown on the way.
    pub fn silent() -> Self {
        Self::text("")
    }

    /// Whether everything was shown already.
    pub fn is_silent(&self) -> bool {
        self.result.as_str() == Some("")
    }

    /// Whether it is a text that is the same in every form.
    pub fn is_text(&self) -> bool {
        self.result.is_string() && matches!(self.text.as_slice(), [Block::Verbatim(_)])
    }

    /// A text that is the same in every form: a script, a page.
    pub fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        Self::record(Value::String(text.clone()), Table::default())
            .tell(vec![Block::Verbatim(text)])
    }
}

/// The JSON form of a typed value of the SDK.
pub fn to_json<T: Serialize + ?Sized>(value: &T) -> Value {
    serde_json::to_value(value).unwrap_or(Value::Null)
}

/// A count in a sentence.
pub fn count_or_unknown(count: Option<u64>) -> String {
    count.map_or_else(|| "unknown".to_owned(), |count| count.to_string())
}

/// A column of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// The API's name of the field.
    pub name: &'static str,
    /// When it is shown; CSV has all of them.
    pub shown: Shown,
}

/// When a column is shown to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// On every screen; on a narrow one below its row.
    First,
    /// Where the screen has room for it besides the others.
    WithRoom,
    /// Only with `-o wide`.
    Wide,
}

/// A column, and what stands in it for a record.
#[derive(Debug)]
pub struct Field<T> {
    column: Column,
    cell: fn(&T) -> Cell,
}

impl Column {
    /// The column of records that have this in it.
    pub const fn of<T>(self, cell: fn(&T) -> Cell) -> Field<T> {
        Field { column: self, cell }
    }
}

/// A column that is always shown.
pub const fn shown(name: &'static str) -> Column {
    Column {
        name,
        shown: Shown::First,
    }
}

/// A column that a narrow screen does without.
pub const fn with_room(name: &'static str) -> Column {
    Column {
        name,
        shown: Shown::WithRoom,
    }
}

/// A column for `-o wide`.
pub const fn wide(name: &'static str) -> Column {
    Column {
        name,
        shown: Shown::Wide,
    }
}

/// Rows under columns. The column `id`, where there is one, is what `-o ids` prints.
#[derive(Debug, Default)]
pub struct Table {
    /// The columns, in order.
    pub columns: Vec<Column>,
    /// One cell a column in each row.
    pub rows: Vec<Vec<Cell>>,
    /// Address of the page about a row, up to its id, where there is one.
    pub pages: Option<String>,
}

impl Table {
    /// A table of records.
    pub fn of<'a, T: 'a>(fields: &[Field<T>], records: impl IntoIterator<Item = &'a T>) -> Self {
        let row = |record: &T| fields.iter().map(|field| (field.cell)(record)).collect();
        Self {
            columns: fields.iter().map(|field| field.column).collect(),
            rows: records.into_iter().map(row).collect(),
            pages: None,
        }
    }

    /// A table of one row, each column with what stands in it.
    pub fn one(row: impl IntoIterator<Item = (Column, Cell)>) -> Self {
        let (columns, row): (Vec<Column>, Vec<Cell>) = row.into_iter().unzip();
        Self {
            columns,
            rows: vec![row],
            pages: None,
        }
    }

    /// Adds a column with a cell for each row.
    pub fn insert(&mut self, at: usize, column: Column, cells: impl IntoIterator<Item = Cell>) {
        self.columns.insert(at, column);
        for (row, cell) in self.rows.iter_mut().zip(cells) {
            row.insert(at, cell);
        }
    }

    /// Puts other cells under a column, in the rows that get one.
    pub fn amend(&mut self, name: &str, cells: impl IntoIterator<Item = Option<Cell>>) {
        let Some(at) = self.position(name) else {
            return;
        };
        for (row, cell) in self.rows.iter_mut().zip(cells) {
            if let Some(cell) = cell {
                row[at] = cell;
            }
        }
    }

    /// Where a column stands.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.columns
            .iter()
            .position(|column| column.name.eq_ignore_ascii_case(name))
    }
}

/// One value of a row.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// Text as the service gave it; made harmless where it is printed.
    Text(String),
    /// A number.
    Number(u64),
    /// A point in time that is over, whatever this computer's clock says.
    Time(Timestamp),
    /// A point in time that may lie ahead: an end, a next scan.
    Due(Timestamp),
    /// How bad an alert is.
    Severity(Severity),
    /// A state, as `active` or `open`.
    State(String),
    /// Nothing.
    Missing,
}

impl Cell {
    /// Text, or nothing.
    pub fn text(text: impl ToString) -> Self {
        Self::Text(text.to_string())
    }

    /// Text that may be missing.
    pub fn maybe<T: ToString>(text: Option<T>) -> Self {
        text.map_or(Self::Missing, Self::text)
    }

    /// A count; nothing where the service does not tell it.
    pub fn count(count: Option<u64>) -> Self {
        count.map_or(Self::Missing, Self::Number)
    }

    /// A state.
    pub fn state(state: impl ToString) -> Self {
        Self::State(state.to_string())
    }

    /// A point in time that may lie ahead, and may be missing.
    pub fn due(time: Option<&Timestamp>) -> Self {
        time.cloned().map_or(Self::Missing, Self::Due)
    }

    /// A point in time that is over, and may be missing.
    pub fn time(time: Option<&Timestamp>) -> Self {
        time.cloned().map_or(Self::Missing, Self::Time)
    }
}

/// A piece of what a person reads.
#[derive(Debug)]
pub enum Block {
    /// A sentence.
    Text(String),
    /// A label and its value.
    Field(&'static str, Cell),
    /// One whose value may be longer than the screen is wide: it is folded between words.
    LongField(&'static str, Cell),
    /// The outcome's own rows, sorted and cut as was asked for.
    Rows,
    /// Other rows.
    Table(Table),
    /// A command that may come next, without the program's name, and what it is for.
    Next {
        /// The command.
        command: String,
        /// What it is for.
        purpose: &'static str,
    },
    /// A way out, commands between backticks.
    Hint(String),
    /// A heading over what follows.
    Heading(&'static str),
    /// Text that is printed as it is: our own, never the service's.
    Verbatim(String),
}

impl Block {
    /// Whether it is about what comes next, and no part of the result.
    pub fn is_advice(&self) -> bool {
        matches!(
            self,
            Self::Next { .. } | Self::Hint(_) | Self::Heading("Next:")
        )
    }

    /// A sentence.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A command that may come next.
    pub fn next(command: impl Into<String>, purpose: &'static str) -> Self {
        Self::Next {
            command: command.into(),
            purpose,
        }
    }
}
