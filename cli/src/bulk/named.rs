//! Servers that a file names: one a line, or in a spreadsheet that could be provisioned too.

use super::{columns, input, spreadsheet};
use crate::error::CliError;
use crate::files::{self, Word};
use csv::StringRecord;
use secmon::model::CustomerId;
use std::path::Path;

/// A server that was named.
#[derive(Debug, Clone)]
pub struct Named {
    /// What names it.
    pub word: Word,
    /// Whose it is, where a spreadsheet says so.
    pub customer: Option<CustomerId>,
}

impl From<Word> for Named {
    fn from(word: Word) -> Self {
        Self {
            word,
            customer: None,
        }
    }
}

/// Reads the servers of a file.
pub fn read(path: &Path, name: &str) -> Result<Vec<Named>, CliError> {
    let text = files::read_listed(path, name)?;
    let delimiter = input::delimiter("auto", &text)?;
    let mut records = spreadsheet::records(&text, delimiter);
    let heading = records
        .next()
        .and_then(Result::ok)
        .map(|(_, record)| record);
    let Some(places) = heading.as_ref().and_then(Places::of) else {
        return Ok(files::words(&text).map(Named::from).collect());
    };
    let mut named = Vec::new();
    for record in records {
        let (line, record) = record.map_err(|error| input::unreadable(name, &error))?;
        if !record.iter().all(|cell| cell.trim().is_empty()) {
            named.push(places.read(&record, line, name)?);
        }
    }
    Ok(named)
}

/// The columns of a heading that count here.
struct Places {
    target: usize,
    customer: Option<usize>,
}

impl Places {
    fn of(heading: &StringRecord) -> Option<Self> {
        let place = |field| {
            heading
                .iter()
                .position(|title| columns::is_for(title, field))
        };
        Some(Self {
            target: place("target")?,
            customer: place("customer"),
        })
    }

    fn read(&self, record: &StringRecord, line: u64, name: &str) -> Result<Named, CliError> {
        let cell = |place| record.get(place).unwrap_or_default().trim();
        let customer = self.customer.map(cell).filter(|cell| !cell.is_empty());
        let customer = customer.map(str::parse).transpose().map_err(|_| {
            CliError::usage(format!(
                "row {line} of {name}: {:?} is no customer: it is a number, 1 or more",
                customer.unwrap_or_default()
            ))
        })?;
        let text = cell(self.target).to_owned();
        let line = Some(line);
        Ok(Named {
            word: Word { line, text },
            customer,
        })
    }
}
