//! CSV files whose every mistake is named by its line, so that nothing is sent before the whole file is right.

use csv::{ErrorKind, ReaderBuilder, StringRecord, Trim};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::fmt;
use std::path::Path;

/// The columns of a table. Their order in the file does not matter.
#[derive(Debug, Clone, Copy)]
pub struct Columns {
    /// Those that must be there.
    pub needed: &'static [&'static str],
    /// Those that may be left out.
    pub optional: &'static [&'static str],
}

/// All that is wrong with a file, a sentence each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistakes(Vec<String>);

impl fmt::Display for Mistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nothing was sent; correct this first:")?;
        self.0.iter().try_for_each(|one| write!(f, "\n  {one}"))
    }
}

impl std::error::Error for Mistakes {}

/// Reads a file with a header. `check` makes of each line what is to be done, or says what is wrong with it.
///
/// # Errors
/// Every mistake of the file.
pub fn read<Row: DeserializeOwned, Item>(
    path: &Path,
    columns: Columns,
    mut check: impl FnMut(u64, Row) -> Result<Item, String>,
) -> Result<Vec<(u64, Item)>, Mistakes> {
    let unreadable =
        |error: &dyn fmt::Display| Mistakes(vec![format!("{}: {error}", path.display())]);
    let mut reader = ReaderBuilder::new()
        .trim(Trim::All)
        .from_path(path)
        .map_err(|error| unreadable(&error))?;
    let header = reader
        .headers()
        .map_err(|error| unreadable(&error))?
        .clone();
    let mut mistakes = wrong_columns(&header, columns);
    let mut items = Vec::new();
    if mistakes.is_empty() {
        for record in reader.records() {
            let item = record.map_err(|error| unlike_the_header(&error));
            let item = item.and_then(|record| {
                let line = record.position().map_or(0, csv::Position::line);
                let item = row_of(&header, &record).and_then(|row| check(line, row));
                item.map(|item| (line, item))
                    .map_err(|wrong| format!("line {line}: {wrong}"))
            });
            match item {
                Ok(item) => items.push(item),
                Err(mistake) => mistakes.push(mistake),
            }
        }
    }
    match mistakes.is_empty() {
        true => Ok(items),
        false => Err(Mistakes(mistakes)),
    }
}

fn wrong_columns(header: &StringRecord, Columns { needed, optional }: Columns) -> Vec<String> {
    let all = [needed, optional].concat();
    let unknown = header.iter().filter(|name| !all.contains(name));
    let unknown = unknown.map(|name| {
        format!(
            "line 1: there is no column `{name}`; there are {}",
            all.join(", ")
        )
    });
    let missing = needed
        .iter()
        .filter(|name| !header.iter().any(|there| there == **name));
    let missing = missing.map(|name| format!("line 1: the column `{name}` is missing"));
    unknown.chain(missing).collect()
}

fn unlike_the_header(error: &csv::Error) -> String {
    let line = error.position().map_or(0, csv::Position::line);
    match error.kind() {
        ErrorKind::UnequalLengths {
            expected_len, len, ..
        } => {
            format!("line {line}: it has {len} fields, and the header {expected_len}")
        }
        _ => format!("line {line}: {error}"),
    }
}

/// An empty field is one that was left out.
fn row_of<Row: DeserializeOwned>(
    header: &StringRecord,
    record: &StringRecord,
) -> Result<Row, String> {
    let fields = header
        .iter()
        .zip(record)
        .filter(|(_, text)| !text.is_empty());
    let fields: Map<String, Value> = fields
        .map(|(name, text)| (name.to_owned(), text.into()))
        .collect();
    serde_path_to_error::deserialize(Value::Object(fields)).map_err(|error| {
        let column = error.path().to_string();
        match header.iter().position(|name| name == column) {
            Some(at) => format!("{column}: {:?}: {}", &record[at], error.inner()),
            None => error.inner().to_string(),
        }
    })
}
