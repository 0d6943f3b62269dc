//! How results are shown.

use super::jq;
use clap::ValueEnum;
use std::sync::Arc;

/// How results are shown.
#[derive(Debug, Clone, Default)]
pub struct Display {
    /// The form.
    pub format: OutputFormat,
    /// What filters a JSON result.
    pub jq: Option<Arc<jq::Filter>>,
    /// What becomes of CSV cells that a spreadsheet would run.
    pub csv: CsvCells,
    /// Columns of a list.
    pub columns: Vec<String>,
    /// Column to sort by.
    pub sort: Option<String>,
    /// At most this many items.
    pub limit: Option<usize>,
    /// Leave out headings.
    pub no_headers: bool,
    /// How times are shown.
    pub time: TimeStyle,
    /// When to colour.
    pub color: ColorChoice,
    /// Print only the result and errors.
    pub quiet: bool,
    /// Hide the progress bar.
    pub no_progress: bool,
}

/// The forms a result can take on standard output.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For reading.
    #[default]
    Table,
    /// For reading, with every column.
    Wide,
    /// The result as JSON, with the API's field names.
    Json,
    /// One JSON value a line.
    Jsonl,
    /// Comma-separated values with every column.
    Csv,
    /// Identifiers only, one a line.
    Ids,
}

/// What becomes of CSV cells that a spreadsheet would run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum CsvCells {
    /// They get an apostrophe in front.
    #[default]
    Guarded,
    /// They stay as they are, control characters too.
    Raw,
}

/// How a point in time is written for people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum TimeStyle {
    /// As `3 h ago`.
    #[default]
    Relative,
    /// As the service writes it, in UTC.
    Utc,
    /// In this computer's time zone.
    Local,
}

/// When to colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}
