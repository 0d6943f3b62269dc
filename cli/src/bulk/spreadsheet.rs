//! What a spreadsheet program saves: which row each record is.

use crate::bulk::preview;
use crate::error::CliError;
use crate::values::durations::counted;
use csv::StringRecord;
use std::cmp::Ordering;
use std::collections::BTreeMap;

const LINE_BREAKS: [char; 2] = ['\r', '\n'];

/// A day of calls at the rate limit of one key is less. A run holds all of its rows, at some 1.5 KiB each.
const MOST_ROWS: usize = 100_000;

/// A CSV text: its heading, and the records below it. Blank rows are none of them.
#[derive(Debug, Default)]
pub struct Records {
    /// The names of the columns.
    pub heading: StringRecord,
    /// The records, each with its row.
    pub rows: Vec<(u64, StringRecord)>,
}

impl Records {
    /// Reads each record; a file with some that cannot be read is refused for them.
    pub fn read_all<T>(
        &self,
        name: &str,
        read: impl Fn(u64, &StringRecord) -> Result<T, CliError>,
    ) -> Result<Vec<T>, CliError> {
        let (mut all, mut problems) = (Vec::new(), Vec::new());
        for (row, record) in &self.rows {
            match check_width(record, &self.heading).and_then(|()| read(*row, record)) {
                Ok(one) => all.push(one),
                Err(error) => problems.push(BadRow::new(*row, &error)),
            }
        }
        match problems.as_slice() {
            [] => Ok(all),
            problems => Err(bad_rows(name, problems)),
        }
    }
}

/// Reads a CSV text, each record with the row that a spreadsheet shows it in; blank lines count. A text that is torn
/// is refused whole: a reader that goes on passes over what a quote has swallowed up to the next one.
pub fn records(text: &str, delimiter: u8, name: &str) -> Result<Records, CliError> {
    let torn: Vec<String> = torn_lines(text, delimiter)
        .into_iter()
        .map(|line| {
            format!(
                "line {line}: a quotation mark opens a cell that is not closed on the same line"
            )
        })
        .collect();
    if !torn.is_empty() {
        return Err(refused(name, torn.len(), &torn)
            .hint("close it on that line; double a quotation mark that is part of a text"));
    }
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut row = 0;
    let mut heading = None;
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record
            .map_err(|error| CliError::usage(format!("{name} cannot be read as CSV: {error}")))?;
        let start = record.position().map_or(0, csv::Position::byte);
        row += 1 + blank_lines(text, start);
        match heading {
            None => heading = Some(record),
            Some(_) if record.iter().all(|cell| cell.trim().is_empty()) => {}
            Some(_) if rows.len() == MOST_ROWS => {
                return Err(CliError::usage(format!(
                    "{name} has more than {MOST_ROWS} rows, so nothing was sent"
                ))
                .hint("split it into several files"));
            }
            Some(_) => rows.push((row, record)),
        }
    }
    Ok(Records {
        heading: heading.unwrap_or_default(),
        rows,
    })
}

/// Refuses a record with other cells than its heading has names: which of them is missing, or too many, nobody knows.
pub fn check_width(record: &StringRecord, heading: &StringRecord) -> Result<(), CliError> {
    let cells = counted(record.len(), "cell");
    let columns = counted(heading.len(), "column");
    let way_out = match record.len().cmp(&heading.len()) {
        Ordering::Equal => return Ok(()),
        Ordering::Less => "an empty cell still needs its delimiter",
        Ordering::Greater => "put a cell with a comma in quotes",
    };
    Err(CliError::usage(format!(
        "{cells} under {columns}: {way_out}"
    )))
}

/// A row that cannot be sent, and why.
#[derive(Debug)]
pub struct BadRow {
    /// As a spreadsheet counts.
    pub row: u64,
    /// What is wrong with it.
    pub message: String,
}

impl BadRow {
    /// A row that an error refuses.
    pub fn new(row: u64, error: &CliError) -> Self {
        Self {
            row,
            message: error.message().to_owned(),
        }
    }
}

/// Refuses a file for some of its rows: what is wrong with several in one line, then the single ones.
pub fn bad_rows(name: &str, problems: &[BadRow]) -> CliError {
    let mut kinds: BTreeMap<String, Vec<&BadRow>> = BTreeMap::new();
    for problem in problems {
        let kind = kind_of(&problem.message);
        kinds.entry(kind).or_default().push(problem);
    }
    let mut kinds: Vec<Vec<&BadRow>> = kinds.into_values().collect();
    kinds.sort_by_key(|rows| (rows.len() == 1, rows.first().map(|first| first.row)));
    let line = |rows: &Vec<&BadRow>| {
        let BadRow { row, message } = rows.first()?;
        Some(match rows.len() {
            1 => format!("row {row}: {message}"),
            count => format!(
                "{count} rows: {message} (in rows {})",
                preview(rows, |bad| bad.row.to_string())
            ),
        })
    };
    let lines: Vec<String> = kinds.iter().filter_map(line).collect();
    refused(name, problems.len(), &lines)
}

fn refused(name: &str, rows: usize, reasons: &[String]) -> CliError {
    CliError::usage(format!(
        "{} of {name} cannot be sent, so nothing was:\n  {}",
        counted(rows, "row"),
        reasons.join("\n  ")
    ))
    .hint("correct them and run the same command again")
}

/// A message without what differs from row to row: the texts in quotes, and the numbers.
fn kind_of(message: &str) -> String {
    let outside = message.split('"').step_by(2);
    let kind: String = outside.collect();
    kind.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// The character between the columns.
pub fn delimiter(option: &str, text: &str) -> Result<u8, CliError> {
    let header = text
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let count = |c: u8| header.bytes().filter(|byte| *byte == c).count();
    match option.as_bytes() {
        b"auto" => Ok([b',', b';', b'\t']
            .into_iter()
            .rev()
            .max_by_key(|c| count(*c))
            .unwrap_or(b',')),
        b"tab" | b"\\t" => Ok(b'\t'),
        [one] if !b"\"\r\n".contains(one) => Ok(*one),
        _ => Err(CliError::usage(format!(
            "--delimiter: {option:?} is not a single character: give , or ; or tab"
        ))),
    }
}

/// The lines in which a quoted cell begins and does not end, counted from 1.
fn torn_lines(text: &str, delimiter: u8) -> Vec<u64> {
    let mut torn = Vec::new();
    let mut line = 1;
    let mut at = CellPart::CellStart;
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if matches!(byte, b'\r' | b'\n') {
            if at == CellPart::Quoted {
                torn.push(line);
            }
            at = CellPart::CellStart;
            let ends_here = byte == b'\n' || bytes.peek() != Some(&b'\n');
            line += u64::from(ends_here);
            continue;
        }
        at = match (at, byte) {
            (CellPart::CellStart | CellPart::QuoteEnd, b'"') => CellPart::Quoted,
            (CellPart::Quoted, b'"') => CellPart::QuoteEnd,
            (CellPart::Quoted, _) => CellPart::Quoted,
            (_, byte) if byte == delimiter => CellPart::CellStart,
            _ => CellPart::Bare,
        };
    }
    if at == CellPart::Quoted {
        torn.push(line);
    }
    torn
}

/// Where a reader of a line is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CellPart {
    /// Before a cell: a quote here opens one.
    CellStart,
    /// In a cell without quotes, or behind one's closing quote: a quote here is a letter.
    Bare,
    /// Between quotes.
    Quoted,
    /// Behind a quote that closes the cell, unless it is doubled.
    QuoteEnd,
}

/// The blank lines at a place between two records, which may lie inside of a CR LF.
fn blank_lines(text: &str, start: u64) -> u64 {
    let start = usize::try_from(start).unwrap_or(text.len());
    let (before, after) = text.split_at_checked(start).unwrap_or((text, ""));
    let after = match before.ends_with('\r') {
        true => after.strip_prefix('\n').unwrap_or(after),
        false => after,
    };
    let run = after.len() - after.trim_start_matches(LINE_BREAKS).len();
    after[..run].replace("\r\n", "\n").len() as u64
}
