//! What a spreadsheet program saves: which row each record is.

use super::cells::visible;
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
    delimiter: u8,
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
            match self.check_width(record).and_then(|()| read(*row, record)) {
                Ok(one) => all.push(one),
                Err(error) => problems.push(BadRow::new(*row, &error)),
            }
        }
        match problems.as_slice() {
            [] => Ok(all),
            problems => Err(bad_rows(name, problems)),
        }
    }

    /// Refuses a record with other cells than its heading has names: which of them is missing, or too many, nobody knows.
    pub fn check_width(&self, record: &StringRecord) -> Result<(), CliError> {
        let cells = counted(record.len(), "cell");
        let columns = counted(self.heading.len(), "column");
        let way_out = match record.len().cmp(&self.heading.len()) {
            Ordering::Equal => return Ok(()),
            Ordering::Less => match self.other_delimiter(record) {
                Some(other) => format!(
                    "its cells are separated by {other:?}, but those of the heading by {:?}",
                    char::from(self.delimiter)
                ),
                None => "an empty cell still needs its delimiter".to_owned(),
            },
            Ordering::Greater if record.iter().any(is_typographic) => {
                "curly quotation marks cannot quote a cell: use \" instead".to_owned()
            }
            Ordering::Greater => {
                let delimiter = match self.delimiter {
                    b',' => "comma".to_owned(),
                    b';' => "semicolon".to_owned(),
                    b'\t' => "tab".to_owned(),
                    other => char::from(other).to_string(),
                };
                format!("put a cell with a {delimiter} in quotes")
            }
        };
        Err(CliError::usage(format!(
            "{cells} under {columns}: {way_out}"
        )))
    }

    /// What parts the cells of a record of another program.
    fn other_delimiter(&self, record: &StringRecord) -> Option<char> {
        let whole = record.get(0).filter(|_| record.len() == 1)?;
        let parts = |other: &char| whole.matches(*other).count() + 1 == self.heading.len();
        [';', ',', '\t', '|'].into_iter().find(parts)
    }

    /// Whether nothing stands below a heading.
    pub fn is_empty_column(&self, place: usize) -> bool {
        let below = |(_, record): &(u64, StringRecord)| is_blank(record.get(place).unwrap_or(""));
        self.rows.iter().all(below)
    }

    /// Takes away what stands to the right of the last heading, where nothing is written there.
    fn drop_empty_columns(&mut self) {
        let titles = self.heading.iter().enumerate();
        let named = titles.filter(|(_, title)| !is_blank(title)).last();
        let named = named.map_or(0, |(place, _)| place + 1);
        let are_empty = (named..self.heading.len()).all(|place| self.is_empty_column(place));
        if are_empty {
            self.heading.truncate(named);
        }
        let width = self.heading.len();
        for (_, record) in &mut self.rows {
            if record.iter().skip(width).all(is_blank) {
                record.truncate(width);
            }
        }
    }
}

fn is_typographic(cell: &str) -> bool {
    cell.trim().starts_with(['“', '„', '”', '«', '»'])
}

fn is_blank(cell: &str) -> bool {
    visible(cell).is_empty()
}

/// Reads a CSV text, each record with the row that a spreadsheet shows it in; blank lines count. A text that is torn
/// is refused whole: a reader that goes on passes over what a quote has swallowed up to the next one.
pub fn records(text: &str, delimiter: u8, name: &str) -> Result<Records, CliError> {
    let torn: Vec<String> = quote_problems(text, delimiter)
        .into_iter()
        .map(|(line, problem)| format!("line {line}: {problem}"))
        .collect();
    if !torn.is_empty() {
        return Err(refused(name, torn.len(), &torn).hint(
            "close each quoted cell on the same line; write a quotation mark inside a text twice",
        ));
    }
    let mut said = separator_line(text);
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
        if said.take().is_some() {
            continue;
        }
        match heading {
            None => heading = Some(record),
            Some(_) if record.iter().all(is_blank) => {}
            Some(_) if rows.len() == MOST_ROWS => {
                return Err(CliError::usage(format!(
                    "{name} has more than {MOST_ROWS} rows, so nothing was sent"
                ))
                .hint("split it into several files"));
            }
            Some(_) => rows.push((row, record)),
        }
    }
    let mut records = Records {
        heading: heading.unwrap_or_default(),
        rows,
        delimiter,
    };
    records.drop_empty_columns();
    Ok(records)
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
    let message = message.replace("\\\"", "");
    let outside = message.split('"').step_by(2);
    let kind: String = outside.collect();
    kind.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// The character between the columns.
pub fn delimiter(option: &str, text: &str) -> Result<u8, CliError> {
    let lines = text.split(LINE_BREAKS);
    let header = lines.into_iter().find(|line| !line.trim().is_empty());
    // What stands in quotes separates nothing.
    let outside: String = header.unwrap_or_default().split('"').step_by(2).collect();
    let count = |c: u8| outside.bytes().filter(|byte| *byte == c).count();
    match option.as_bytes() {
        b"auto" => Ok(separator_line(text).unwrap_or_else(|| {
            let known = [b'\t', b';', b','].into_iter();
            known.max_by_key(|c| count(*c)).unwrap_or(b',')
        })),
        b"tab" | b"\\t" => Ok(b'\t'),
        [one] if !b"\"\r\n".contains(one) => Ok(*one),
        _ => Err(CliError::usage(format!(
            "--delimiter: {option:?} is not a single character: give , or ; or tab"
        ))),
    }
}

/// The delimiter that the first line tells Excel: `sep=;`.
pub fn separator_line(text: &str) -> Option<u8> {
    let first = text.split(LINE_BREAKS).next().unwrap_or_default();
    // Who saves it again may put it in quotes, and may fill the row with delimiters.
    let said = first.trim_matches(['"', ' ']).as_bytes();
    match said {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter, ..]
            if !delimiter.is_ascii_alphanumeric() && said.len() <= "sep=;;;;;;;;;;;;".len() =>
        {
            Some(*delimiter)
        }
        _ => None,
    }
}

const OPEN: &str = "a quotation mark opens a cell that is not closed on the same line";
const BLANK_BEFORE: &str = "there is a space before a cell's opening quotation mark: remove it";
const BACKSLASH: &str =
    "a backslash does not make a quotation mark part of a text: double the mark";
const BEHIND: &str = "there is text after a cell's closing quotation mark";

/// What is wrong with the quotation marks, by line, counted from 1.
fn quote_problems(text: &str, delimiter: u8) -> Vec<(u64, &'static str)> {
    let mut problems = Vec::new();
    let mut line = 1;
    let mut at = CellPart::CellStart;
    let mut before = b' ';
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if matches!(byte, b'\r' | b'\n') {
            if at == CellPart::Quoted {
                problems.push((line, OPEN));
            }
            at = CellPart::CellStart;
            let ends_here = byte == b'\n' || bytes.peek() != Some(&b'\n');
            line += u64::from(ends_here);
            continue;
        }
        at = match (at, byte) {
            (CellPart::Passed, _) => CellPart::Passed,
            (CellPart::Quoted, b'"') => CellPart::QuoteEnd {
                behind_backslash: before == b'\\',
            },
            (CellPart::Quoted, _) => CellPart::Quoted,
            (_, byte) if byte == delimiter => CellPart::CellStart,
            (CellPart::CellStart | CellPart::QuoteEnd { .. }, b'"') => CellPart::Quoted,
            (CellPart::CellStart | CellPart::Blank, b' ' | b'\t') => CellPart::Blank,
            (CellPart::Blank, b'"') => {
                problems.push((line, BLANK_BEFORE));
                CellPart::Passed
            }
            (end @ CellPart::QuoteEnd { .. }, b' ' | b'\t') => end,
            (CellPart::QuoteEnd { behind_backslash }, _) => {
                let problem = if behind_backslash { BACKSLASH } else { BEHIND };
                problems.push((line, problem));
                CellPart::Passed
            }
            _ => CellPart::Bare,
        };
        before = byte;
    }
    if at == CellPart::Quoted {
        problems.push((line, OPEN));
    }
    problems
}

/// Where a reader of a line is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CellPart {
    /// Before a cell: a quote here opens one.
    CellStart,
    /// Behind blanks at the beginning of a cell.
    Blank,
    /// In a cell without quotes: a quote here is a letter.
    Bare,
    /// Between quotes.
    Quoted,
    /// Behind a quote that closes the cell, unless it is doubled.
    QuoteEnd {
        /// What was before that quote.
        behind_backslash: bool,
    },
    /// In a line of which a problem is known.
    Passed,
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
