//! Reading a spreadsheet: every row is checked before anything is sent.

use super::cells;
use super::columns::{self, Column};
use super::spreadsheet::{self, BadRow};
use crate::context::Context;
use crate::error::{CliError, LocalErrorKind};
use crate::machine::encoding::charset::Charset;
use crate::machine::encoding::{self, Decoded, Letters};
use crate::machine::files;
use crate::references::targets::{Defaults, RowFields, Target};
use crate::session::prompt::Prompt;
use crate::ui::{Ui, uninert};
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
    /// The name of its letters, where somebody has said it.
    pub encoding: Option<&'a str>,
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
    /// Whether a line ends in CR LF.
    pub is_crlf: bool,
    /// Whether the first line tells the delimiter.
    pub tells_delimiter: bool,
}

impl Dialect {
    /// Whether a comma stands before the decimals.
    fn has_decimal_comma(self) -> bool {
        matches!(self.delimiter, b';' | b'\t')
    }
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
    context: &Context,
    path: &Path,
    options: &FileOptions<'_>,
    defaults: &Defaults<'_>,
) -> Result<Sheet, CliError> {
    let name = files::name_of(path);
    let decoded = decoded(&context.prompt, path, &name, options.encoding)?;
    let sheet = parse(&decoded, &name, options, defaults)?;
    for note in &sheet.notes {
        context.screen.note(note);
    }
    Ok(sheet)
}

/// Reads a file whose letters beyond ASCII mean nothing; where they had to be guessed, that is said.
pub fn read_text(screen: &Ui, path: &Path, name: &str) -> Result<String, CliError> {
    let bytes = files::read(path, name, MAX_BYTES)?;
    encoding::refuse_other_formats(&bytes, name)?;
    if let Some(decoded) = encoding::unmistakable(&bytes, name)? {
        return Ok(decoded.text);
    }
    screen.note(&format!(
        "warning: {name} is not UTF-8: it is read as Windows-1252"
    ));
    let charset = Charset::Web(encoding_rs::WINDOWS_1252);
    Ok(charset.decode(&bytes).unwrap_or_default())
}

/// Reads a file in the letters that were named, or that are beyond doubt, or that a person agrees to.
pub fn decoded(
    prompt: &Prompt,
    path: &Path,
    name: &str,
    named: Option<&str>,
) -> Result<Decoded, CliError> {
    let bytes = files::read(path, name, MAX_BYTES)?;
    encoding::refuse_other_formats(&bytes, name)?;
    encoding::refuse_markup(&bytes, name)?;
    if let Some(label) = named {
        let charset = Charset::named(label).ok_or_else(|| {
            CliError::usage(format!(
                "--encoding: {label:?} is not known: give {ENCODINGS}"
            ))
        })?;
        return encoding::in_charset(&bytes, charset).ok_or_else(|| {
            CliError::usage(format!(
                "{name} is not valid {}: {ENCODING_HINT}",
                charset.name()
            ))
        });
    }
    if let Some(decoded) = encoding::unmistakable(&bytes, name)? {
        return Ok(decoded);
    }
    if let Some(line) = encoding::first_odd_line(&bytes) {
        let message =
            format!("{name} is UTF-8 in some lines and not in others (first in line {line})");
        return Err(
            CliError::usage(message).hint("save it as CSV UTF-8 from the program that made it")
        );
    }
    let unknown = CliError::usage(format!(
        "{name} is not UTF-8, and its encoding cannot be guessed safely"
    ));
    let likely = encoding::likeliest(&bytes)
        .and_then(|charset| Some((charset.name(), encoding::in_charset(&bytes, charset)?)));
    let Some((charset, decoded)) = likely else {
        return Err(unknown.hint(ENCODING_HINT));
    };
    let samples = samples(&decoded).join(", ");
    if !prompt.may_ask() {
        let hint = format!("{ENCODING_HINT}; as {charset} it says {samples}");
        return Err(unknown.hint(hint));
    }
    let question = format!("{name} is not UTF-8. As {charset} it says {samples}.");
    match prompt.agrees(&question, "Is that right?")? {
        true => Ok(decoded),
        false => {
            let message = format!("{name} was not read, so nothing was sent");
            Err(CliError::new(LocalErrorKind::Declined, message).hint(ENCODING_HINT))
        }
    }
}

const ENCODINGS: &str = "windows-1250, windows-1251, windows-1252, iso-8859-2, macintosh, cp850, cp852 or another name of that kind";
const ENCODING_HINT: &str = "say what it is with --encoding NAME (as windows-1250, windows-1252, cp852, macintosh), or save it as CSV UTF-8";

/// Some of the cells that are not plain ASCII.
fn samples(decoded: &Decoded) -> Vec<String> {
    const SAMPLES: usize = 3;
    let cells = decoded.text.split(['\r', '\n', ',', ';', '\t', '"']);
    let mut samples: Vec<String> = Vec::new();
    for cell in cells.map(str::trim).filter(|cell| !cell.is_ascii()) {
        let cell = format!("\"{cell}\"");
        if !samples.contains(&cell) {
            samples.push(cell);
        }
    }
    // Headings are known better than what stands below them.
    let below = samples.len().saturating_sub(SAMPLES);
    samples.split_off(below)
}

pub fn parse(
    decoded: &Decoded,
    name: &str,
    options: &FileOptions<'_>,
    defaults: &Defaults<'_>,
) -> Result<Sheet, CliError> {
    let text = &decoded.text;
    if is_json(text) {
        return Err(CliError::usage(format!("{name} is JSON: give a CSV file")));
    }
    let delimiter = spreadsheet::delimiter(options.delimiter, text)?;
    let dialect = Dialect {
        delimiter,
        letters: decoded.letters,
        is_crlf: text.contains("\r\n"),
        tells_delimiter: spreadsheet::separator_line(text).is_some(),
    };
    let records = spreadsheet::records(text, delimiter, name)?;
    let columns = columns::read(&records, options.map, name)?;
    let mut rows = Vec::new();
    let mut problems = Vec::new();
    let mut earlier = EarlierRows::new();
    let mut seen = HashSet::new();
    let mut notes = ReadingNotes::default();
    for (line, record) in &records.rows {
        let cells: Vec<_> = record.iter().map(cells::visible).collect();
        if !seen.insert(cells.join("\n")) {
            continue;
        }
        let reader = RowReader {
            columns: &columns,
            dialect,
            defaults,
        };
        match records
            .check_width(record)
            .and_then(|()| reader.read(record, *line, &mut notes))
            .and_then(|row| new_row(row, *line, &mut earlier))
        {
            Ok(row) => rows.push(row),
            Err(error) => problems.push(BadRow::new(*line, &error)),
        }
    }
    let repeated = records.rows.len() - seen.len();
    let repeated = (repeated > 0).then(|| {
        let rows = counted(repeated, "row");
        format!("{rows} skipped: identical to an earlier row")
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
        header: records.heading.iter().map(str::to_owned).collect(),
        rows,
        notes: columns::reading_note(&columns)
            .into_iter()
            .chain(notes.sentences())
            .chain(repeated)
            .collect(),
        dialect,
    })
}

/// A list of texts or objects, or objects alone; `[web]` is a heading of an INI file.
fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    let items = text.strip_prefix('[').map(str::trim_start);
    text.starts_with('{') || items.is_some_and(|items| items.starts_with(['{', '"', '[', ']']))
}

/// Refuses a row for what an earlier row has: which one would count?
fn new_row(row: Row, line: u64, earlier: &mut EarlierRows) -> Result<Row, CliError> {
    let customer = row.target.customer();
    let first = earlier
        .entry(row.target.identity())
        .or_insert((line, customer));
    let (name, (first, other)) = (row.target.name(), *first);
    match first == line {
        true => Ok(row),
        false if other == customer => Err(CliError::usage(format!(
            "{name:?} of customer {customer} is already in row {first} with different values: keep only one of the rows"
        ))),
        false => Err(CliError::usage(format!(
            "{name:?} of customer {customer} is already in row {first} for customer {other}: keep only one of the rows"
        ))),
    }
}

/// The lines of the records that rows before were for, with their customers.
type EarlierRows = HashMap<String, (u64, CustomerId)>;

/// What was passed over in cells, to be said once.
#[derive(Debug, Default)]
struct ReadingNotes {
    invisible: Passed,
    placeholders: Passed,
}

#[derive(Debug, Default)]
struct Passed {
    cells: usize,
    first: Option<(u64, String)>,
}

impl Passed {
    fn note(&mut self, line: u64, what: impl Into<String>) {
        self.cells += 1;
        self.first.get_or_insert_with(|| (line, what.into()));
    }
}

impl ReadingNotes {
    fn sentences(self) -> Vec<String> {
        let mut sentences = Vec::new();
        if let Some((line, field)) = self.invisible.first {
            let cells = counted(self.invisible.cells, "cell");
            sentences.push(format!(
                "invisible characters taken out of {cells} (first in row {line}, {field})"
            ));
        }
        if let Some((line, cell)) = self.placeholders.first {
            let cells = counted(self.placeholders.cells, "cell");
            sentences.push(format!(
                "{cells} read as empty (first in row {line}: {cell})"
            ));
        }
        sentences
    }
}

/// What the cells of a row mean.
#[derive(Clone, Copy)]
struct RowReader<'a> {
    columns: &'a [Column],
    dialect: Dialect,
    defaults: &'a Defaults<'a>,
}

impl RowReader<'_> {
    fn read(
        self,
        record: &StringRecord,
        line: u64,
        notes: &mut ReadingNotes,
    ) -> Result<Row, CliError> {
        let mut fields = RowFields::default();
        let mut problems = Vec::new();
        for (raw, column) in record.iter().zip(self.columns) {
            let Some(field) = column.field else { continue };
            match self.cell(field, raw, line, notes) {
                Ok(cell) => fields.set(field, &cell),
                Err(problem) => problems.push(format!("{field}: {problem}")),
            }
        }
        if !problems.is_empty() {
            return Err(CliError::usage(problems.join("; ")));
        }
        let target = Target::from_fields(&fields, self.defaults)?;
        Ok(Row {
            line: Some(line),
            target,
            cells: record.clone(),
        })
    }

    fn cell(
        self,
        field: &str,
        raw: &str,
        line: u64,
        notes: &mut ReadingNotes,
    ) -> Result<String, String> {
        let cell = cells::visible(raw);
        if cell != raw.trim() {
            notes.invisible.note(line, field);
        }
        if let Some(problem) = cells::problem(&cell) {
            return Err(problem);
        }
        let cell = uninert(&cell);
        match field {
            "target" if cells::is_placeholder(&cell) => Err(format!(
                "\"{cell}\" is not an address: give one, or delete the row"
            )),
            "target" if cells::is_total(&cell) => {
                Err(format!("\"{cell}\" looks like a totals row: delete it"))
            }
            "target" => match cells::several_targets(&cell) {
                Some(count) => Err(format!(
                    "\"{cell}\" contains {count} targets: give each its own row"
                )),
                None => Ok(cell),
            },
            _ if cells::is_placeholder(&cell) => {
                notes.placeholders.note(line, cell);
                Ok(String::new())
            }
            "mrr" if self.dialect.has_decimal_comma() => amount(&cell),
            "customer" | "service_id" => Ok(whole_number(&cell).to_owned()),
            _ => Ok(cell),
        }
    }
}

/// A number that a program has kept as one with decimals, because another cell of its column is empty: `42.0`.
fn whole_number(cell: &str) -> &str {
    match cell.strip_suffix(".0") {
        Some(whole) if !whole.is_empty() && whole.bytes().all(|byte| byte.is_ascii_digit()) => {
            whole
        }
        _ => cell,
    }
}

/// An amount as spreadsheets write it that put `;` or a tab between columns: `1.009,90`. What is no such amount stays as it
/// is; what reads two ways is refused.
fn amount(cell: &str) -> Result<String, String> {
    let is_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|letter| letter.is_ascii_digit());
    let comma = cell.rfind(',');
    let point = cell.rfind('.');
    let decimal_at = match (comma, point) {
        (Some(comma), Some(point)) => Some(comma.max(point)),
        (comma, point) => comma.or(point),
    };
    let (whole, decimals) = match decimal_at {
        Some(place) => (&cell[..place], Some(&cell[place + 1..])),
        None => (cell, None),
    };
    let separator = |c: char| matches!(c, '.' | ',' | ' ' | '\u{A0}' | '\u{202F}' | '\'' | '’');
    let mut groups = whole.split(separator);
    let first = groups.next().unwrap_or_default();
    let mut separators = whole.matches(separator);
    let mark = separators.next();
    let is_one_mark = separators.all(|other| Some(other) == mark);
    let is_grouped = mark.is_some()
        && is_one_mark
        && first.len() <= 3
        && groups.all(|group| group.len() == 3 && is_digits(group));
    let digits: String = whole.chars().filter(char::is_ascii_digit).collect();
    let is_whole = is_digits(first) && (mark.is_none() || is_grouped);
    match decimals {
        None if is_whole => Ok(digits),
        // 1.234.567 has no decimals.
        Some(last)
            if is_whole
                && is_grouped
                && mark
                    == cell
                        .get(decimal_at.unwrap_or_default()..)
                        .and_then(|rest| rest.get(..1)) =>
        {
            match last.len() == 3 && is_digits(last) {
                true => Ok(format!("{digits}{last}")),
                false => Ok(cell.to_owned()),
            }
        }
        Some(last)
            if is_whole
                && !is_grouped
                && last.len() == 3
                && is_digits(last)
                && first.len() <= 3
                && first != "0" =>
        {
            Err(format!(
                "\"{cell}\" can mean {digits}{last} or {digits}.{last}: write it with two decimals, as {digits}{last},00"
            ))
        }
        Some(last) if is_whole && is_digits(last) => Ok(format!("{digits}.{last}")),
        _ => Ok(cell.to_owned()),
    }
}
