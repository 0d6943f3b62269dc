//! Reading a spreadsheet: every row is checked before anything is sent.

use super::columns;
use super::spreadsheet::{self, BadRow};
use crate::error::CliError;
use crate::machine::encoding::{self, Decoded, Letters};
use crate::machine::files;
use crate::references::targets::{Defaults, RowFields, Target};
use crate::ui::Ui;
use crate::values::durations::counted;
use csv::StringRecord;
use secmon::model::CustomerId;
use std::collections::{HashMap, HashSet};
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
    pub cells: StringRecord,
}

/// How a spreadsheet program has written a file; a report is written the same way.
#[derive(Debug, Clone, Copy)]
pub struct Dialect {
    /// What stands between the columns.
    pub delimiter: u8,
    /// The letters.
    pub letters: Letters,
}

/// A file whose rows are all good.
#[derive(Debug)]
pub struct Sheet {
    /// How it is written.
    pub dialect: Dialect,
    /// The heading as it stood in the file.
    pub header: Vec<String>,
    /// The rows, in order.
    pub rows: Vec<Row>,
    /// How it was read, where that is worth a word.
    notes: Vec<String>,
}

/// An empty sheet to fill in.
pub fn template() -> String {
    format!("{}\n", columns::FIELDS.join(","))
}

/// Reads a file, or standard input for `-`.
pub fn read(
    screen: &Ui,
    path: &Path,
    options: &FileOptions<'_>,
    defaults: &Defaults,
) -> Result<Sheet, CliError> {
    let name = files::name_of(path);
    let decoded = decoded(screen, path, &name)?;
    let sheet = parse(&decoded, &name, options, defaults)?;
    for note in &sheet.notes {
        screen.note(note);
    }
    Ok(sheet)
}

/// Reads a file's letters, and says where they had to be guessed.
pub fn read_text(screen: &Ui, path: &Path, name: &str) -> Result<String, CliError> {
    Ok(decoded(screen, path, name)?.text)
}

fn decoded(screen: &Ui, path: &Path, name: &str) -> Result<Decoded, CliError> {
    let decoded = encoding::decode(&files::read(path, name, MAX_BYTES)?, name)?;
    if let Some(encoding) = decoded.guessed {
        screen.note(&format!(
            "warning: {name} is not UTF-8: it is read as {encoding}"
        ));
    }
    Ok(decoded)
}

pub fn parse(
    decoded: &Decoded,
    name: &str,
    options: &FileOptions<'_>,
    defaults: &Defaults,
) -> Result<Sheet, CliError> {
    let text = &decoded.text;
    let dialect = Dialect {
        delimiter: spreadsheet::delimiter(options.delimiter, text)?,
        letters: decoded.letters,
    };
    let spreadsheet::Records {
        heading: header,
        rows: records,
    } = spreadsheet::records(text, dialect.delimiter, name)?;
    let columns = columns::read(&header, options.map, name)?;
    let mut rows = Vec::new();
    let mut problems = Vec::new();
    let mut earlier = EarlierRows::new();
    let mut seen = HashSet::new();
    let all = records.len();
    for (line, record) in records {
        let cells: Vec<&str> = record.iter().map(str::trim).collect();
        if !seen.insert(cells.join("\n")) {
            continue;
        }
        match spreadsheet::check_width(&record, &header)
            .and_then(|()| row(record, line, (&columns, dialect), defaults))
            .and_then(|row| new_row(row, line, &mut earlier))
        {
            Ok(row) => rows.push(row),
            Err(error) => problems.push(BadRow::new(line, &error)),
        }
    }
    let repeated = all - seen.len();
    let repeated = (repeated > 0).then(|| {
        let rows = counted(repeated, "row");
        format!("{rows} left out: the same as an earlier one")
    });
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
        notes: columns::reading_note(&header, &columns)
            .into_iter()
            .chain(repeated)
            .collect(),
        dialect,
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
    record: StringRecord,
    line: u64,
    (columns, dialect): (&[Option<&'static str>], Dialect),
    defaults: &Defaults,
) -> Result<Row, CliError> {
    let mut fields = RowFields::default();
    for (cell, column) in record.iter().zip(columns) {
        if let Some(field) = column {
            match *field {
                "mrr" if dialect.delimiter == b';' => fields.set(field, &with_point(cell.trim())),
                field => fields.set(field, cell.trim()),
            }
        }
    }
    let target = Target::from_fields(&fields, defaults)?;
    Ok(Row {
        line: Some(line),
        target,
        cells: record,
    })
}

/// An amount as spreadsheets write it that put `;` between columns: `1.009,90`. What is no such amount stays as it is.
fn with_point(amount: &str) -> String {
    let Some((whole, decimals)) = amount.split_once(',') else {
        return amount.to_owned();
    };
    let is_digits = |text: &str| text.chars().all(|letter| letter.is_ascii_digit());
    let mut groups = whole.split('.');
    let first = groups.next().unwrap_or_default();
    let is_grouped = groups.all(|group| group.len() == 3 && is_digits(group));
    match is_grouped && !first.is_empty() && is_digits(first) && is_digits(decimals) {
        true => format!("{}.{decimals}", whole.replace('.', "")),
        false => amount.to_owned(),
    }
}
