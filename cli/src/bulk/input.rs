//! Reading a spreadsheet: every row is checked before anything is sent.

use super::{columns, spreadsheet};
use crate::error::CliError;
use crate::machine::encoding;
use crate::references::targets::{Defaults, RowFields, Target};
use crate::ui::Ui;
use csv::StringRecord;
use secmon::model::CustomerId;
use std::collections::HashMap;
use std::path::Path;

const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// How the file is to be read.
#[derive(Debug)]
pub struct FileOptions<'a> {
    /// `COL=FIELD`, as typed.
    pub map: &'a [String],
    /// The delimiter, or `auto`.
    pub delimiter: &'a str,
}

/// A row that can be sent.
#[derive(Debug, Clone)]
pub struct Row {
    /// Its row in the file, as a spreadsheet counts; `None` for a target of the command line.
    pub line: Option<u64>,
    /// What to do.
    pub target: Target,
    /// The cells as they stood in the file.
    pub cells: Vec<String>,
}

/// A file whose rows are all good.
#[derive(Debug)]
pub struct Sheet {
    /// The heading as it stood in the file.
    pub header: Vec<String>,
    /// The rows, in order.
    pub rows: Vec<Row>,
    /// How its columns were read, where that is worth a word.
    reading: Option<String>,
}

/// An empty sheet to fill in.
pub fn template() -> String {
    format!("{}\n", columns::names().join(","))
}

/// Reads a file, or standard input for `-`.
pub fn read(
    screen: &Ui,
    path: &Path,
    options: &FileOptions<'_>,
    defaults: &Defaults,
) -> Result<Sheet, CliError> {
    let name = if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    let text = read_text(screen, path, &name)?;
    let sheet = parse(&text, &name, options, defaults)?;
    if let Some(reading) = &sheet.reading {
        screen.note(reading);
    }
    Ok(sheet)
}

/// Reads a file's letters, and says where they had to be guessed.
pub fn read_text(screen: &Ui, path: &Path, name: &str) -> Result<String, CliError> {
    let decoded = encoding::decode(&crate::machine::files::read(path, name, MAX_BYTES)?, name)?;
    if let Some(encoding) = decoded.guessed {
        screen.note(&format!(
            "warning: {name} is not UTF-8: it is read as {encoding}"
        ));
    }
    Ok(decoded.text)
}

pub fn parse(
    text: &str,
    name: &str,
    options: &FileOptions<'_>,
    defaults: &Defaults,
) -> Result<Sheet, CliError> {
    let delimiter = spreadsheet::delimiter(options.delimiter, text)?;
    let spreadsheet::Records {
        heading: header,
        rows: records,
    } = spreadsheet::records(text, delimiter, name)?;
    let columns = columns::read(&header, options.map, name)?;
    let mut rows = Vec::new();
    let mut problems = Vec::new();
    let mut earlier = EarlierRows::new();
    for (line, record) in records {
        match spreadsheet::check_width(&record, &header)
            .and_then(|()| row(&record, line, &columns, defaults))
            .and_then(|row| new_row(row, line, &mut earlier))
        {
            Ok(row) => rows.push(row),
            Err(error) => problems.push(format!("row {line}: {}", error.message())),
        }
    }
    if !problems.is_empty() {
        return Err(spreadsheet::bad_rows(name, &problems));
    }
    if rows.is_empty() {
        return Err(CliError::usage(format!(
            "{name} has no rows below its heading: nothing was sent"
        )));
    }
    Ok(Sheet {
        header: header.iter().map(str::to_owned).collect(),
        rows,
        reading: columns::reading_note(&header, &columns),
    })
}

/// Refuses a row for what an earlier row has: which one would count?
fn new_row(row: Row, line: u64, earlier: &mut EarlierRows) -> Result<Row, CliError> {
    let (name, customer) = (row.target.name(), row.target.customer());
    let first = *earlier
        .entry((customer, row.target.identity()))
        .or_insert(line);
    if first != line {
        return Err(CliError::usage(format!(
            "{name} of customer {customer} is in row {first} already"
        )));
    }
    Ok(row)
}

/// The lines of the records that rows before were for.
type EarlierRows = HashMap<(CustomerId, String), u64>;

fn row(
    record: &StringRecord,
    line: u64,
    columns: &[Option<&'static str>],
    defaults: &Defaults,
) -> Result<Row, CliError> {
    let mut fields = RowFields::default();
    for (cell, column) in record.iter().zip(columns) {
        if let Some(field) = column {
            fields.set(field, cell.trim());
        }
    }
    let target = Target::from_fields(&fields, defaults)?;
    Ok(Row {
        line: Some(line),
        target,
        cells: record.iter().map(str::to_owned).collect(),
    })
}
