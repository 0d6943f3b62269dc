//! Servers that a file names: one a line, or in a spreadsheet that could be provisioned too.

use super::cells::{is_placeholder, is_total, problem, visible};
use super::columns;
use super::spreadsheet;
use crate::error::CliError;
use crate::machine::files::{self, Word};
use crate::ui::uninert;
use csv::StringRecord;
use secmon::model::CustomerId;
use std::path::Path;

/// A server that was named.
#[derive(Debug, Clone)]
pub struct NamedServer {
    /// What names it.
    pub word: Word,
    /// Whose it is, where a spreadsheet says so.
    pub customer: Option<CustomerId>,
}

impl From<Word> for NamedServer {
    fn from(word: Word) -> Self {
        Self {
            word,
            customer: None,
        }
    }
}

/// Reads the servers of a file.
pub fn read(path: &Path, name: &str) -> Result<Vec<NamedServer>, CliError> {
    let text = files::read_listed(path, name)?;
    let delimiter = spreadsheet::delimiter("auto", &text)?;
    if !begins_with_heading(&text, delimiter) {
        return Ok(files::words(&text).map(NamedServer::from).collect());
    }
    let records = spreadsheet::records(&text, delimiter, name)?;
    let places = Places::of(&records.heading, name)?;
    records.read_all(name, |line, record| places.read(record, line))
}

/// Whether the first line names a column of targets, whatever its quotes.
fn begins_with_heading(text: &str, delimiter: u8) -> bool {
    let is_told = spreadsheet::separator_line(text).is_some();
    let mut lines = text.split(['\r', '\n']).filter(|line| !line.is_empty());
    let first = lines.nth(usize::from(is_told));
    let titles = first.unwrap_or_default().split(char::from(delimiter));
    let mut titles = titles.map(|title| title.trim().trim_matches('"'));
    titles.any(|title| columns::is_for(title, "target"))
}

/// The columns of a heading that count here.
struct Places {
    target: usize,
    customer: Option<usize>,
}

impl Places {
    fn of(heading: &StringRecord, name: &str) -> Result<Self, CliError> {
        let of = |field| {
            let titles = heading.iter().enumerate();
            titles.filter_map(move |(i, title)| columns::is_for(title, field).then_some(i))
        };
        if of("customer").count() > 1 {
            return Err(CliError::usage(format!(
                "{name} has {} columns for customer: keep one of them",
                of("customer").count()
            )));
        }
        let target = of("target")
            .next()
            .ok_or_else(|| columns::no_target(name))?;
        Ok(Self {
            target,
            customer: of("customer").next(),
        })
    }

    fn read(&self, record: &StringRecord, line: u64) -> Result<NamedServer, CliError> {
        let cell = |place| uninert(&visible(record.get(place).unwrap_or_default()));
        let customer = self.customer.map(cell);
        let customer = customer.filter(|cell| !cell.is_empty() && !is_placeholder(cell));
        let customer = customer.map(|cell| {
            cell.parse().map_err(|_| {
                CliError::usage(format!("{cell:?} is not a customer number: give 1 or more"))
            })
        });
        let customer = customer.transpose()?;
        let text = cell(self.target);
        if let Some(problem) = problem(&text) {
            return Err(CliError::usage(problem));
        }
        if is_placeholder(&text) || is_total(&text) {
            return Err(CliError::usage(format!(
                "\"{text}\" names no server: take the row out"
            )));
        }
        let line = Some(line);
        Ok(NamedServer {
            word: Word { line, text },
            customer,
        })
    }
}
