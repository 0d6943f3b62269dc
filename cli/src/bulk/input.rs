//! Reading a spreadsheet: every row is checked before anything is sent.

use crate::context::Context;
use crate::error::CliError;
use crate::targets::{Defaults, RowFields, Target};
use csv::StringRecord;
use encoding_rs::WINDOWS_1252;
use secmon::model::CustomerId;
use std::collections::HashMap;
use std::path::Path;

/// The fields a column can hold, with the other names people give them.
const FIELDS: &[(&str, &[&str])] = &[
    ("target", &["ip", "ip_address", "server", "domain"]),
    (
        "customer",
        &["client_id", "customer_id", "billing_customer_id"],
    ),
    ("hostname", &[]),
    ("nickname", &[]),
    ("service_id", &["service"]),
    ("product_slug", &["product"]),
    ("plan_slug", &["plan"]),
    ("mrr", &[]),
    ("client_name", &[]),
    ("client_email", &[]),
];

/// Columns of a report; a report can be fed back in.
pub const OWN_COLUMNS: &str = "secmon_";

const BYTE_ORDER_MARK: char = '\u{FEFF}';
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
    /// Its line in the file; `None` for a target of the command line.
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
}

/// An empty sheet to fill in.
pub fn template() -> String {
    let names: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).collect();
    format!("{}\n", names.join(","))
}

/// Reads a file, or standard input for `-`.
pub fn read(
    context: &Context,
    path: &Path,
    options: &FileOptions<'_>,
    defaults: &Defaults,
) -> Result<Sheet, CliError> {
    let name = if path == Path::new("-") {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    };
    let text = read_text(context, path, &name)?;
    parse(&text, &name, options, defaults)
}

/// A file that is no UTF-8 is what Excel saves as plain CSV.
fn read_text(context: &Context, path: &Path, name: &str) -> Result<String, CliError> {
    let bytes = crate::files::read(path, name, MAX_BYTES)?;
    let text = String::from_utf8(bytes).unwrap_or_else(|error| {
        context.note(&format!(
            "warning: {name} is not UTF-8: it is read as Windows-1252"
        ));
        WINDOWS_1252
            .decode_without_bom_handling(error.as_bytes())
            .0
            .into_owned()
    });
    Ok(text
        .strip_prefix(BYTE_ORDER_MARK)
        .map(str::to_owned)
        .unwrap_or(text))
}

fn parse(
    text: &str,
    name: &str,
    options: &FileOptions<'_>,
    defaults: &Defaults,
) -> Result<Sheet, CliError> {
    let delimiter = delimiter(options.delimiter, text)?;
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .from_reader(text.as_bytes());
    let header = reader
        .headers()
        .map_err(|error| unreadable(name, &error))?
        .clone();
    let columns = columns(&header, options.map, name)?;
    let mut rows = Vec::new();
    let mut problems = Vec::new();
    let mut earlier = Earlier::new();
    for record in reader.records() {
        let record = record.map_err(|error| unreadable(name, &error))?;
        let line = record.position().map_or(0, csv::Position::line);
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        match row(&record, line, &columns, header.len(), defaults)
            .and_then(|row| new_row(row, line, &mut earlier))
        {
            Ok(row) => rows.push(row),
            Err(error) => problems.push(format!("row {line}: {}", error.message())),
        }
    }
    if !problems.is_empty() {
        return Err(bad_rows(name, &problems));
    }
    if rows.is_empty() {
        return Err(CliError::usage(format!(
            "{name} has no rows below its heading: nothing was sent"
        )));
    }
    Ok(Sheet {
        header: header.iter().map(str::to_owned).collect(),
        rows,
    })
}

/// Refuses a row for what an earlier row has: which one would count?
fn new_row(row: Row, line: u64, earlier: &mut Earlier) -> Result<Row, CliError> {
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
type Earlier = HashMap<(CustomerId, String), u64>;

fn bad_rows(name: &str, problems: &[String]) -> CliError {
    let count = if problems.len() == 1 {
        "1 row".to_owned()
    } else {
        format!("{} rows", problems.len())
    };
    CliError::usage(format!(
        "{count} of {name} cannot be sent, so nothing was:\n  {}",
        problems.join("\n  ")
    ))
    .hint("correct them and run the same command again")
}

fn unreadable(name: &str, error: &csv::Error) -> CliError {
    CliError::usage(format!("{name} cannot be read as CSV: {error}"))
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
        [one] => Ok(*one),
        _ => Err(CliError::usage(format!(
            "--delimiter: {option:?} is no single character: give , or ; or tab"
        ))),
    }
}

/// The field each column holds; `None` for the columns of a report.
fn columns(
    header: &StringRecord,
    map: &[String],
    name: &str,
) -> Result<Vec<Option<&'static str>>, CliError> {
    let mapped = map
        .iter()
        .map(|pair| mapping(pair))
        .collect::<Result<Vec<_>, _>>()?;
    let titles: Vec<String> = header.iter().map(plain_name).collect();
    if let Some((column, _)) = mapped
        .iter()
        .find(|(column, _)| !titles.contains(&plain_name(column)))
    {
        let there: Vec<&str> = header.iter().collect();
        return Err(CliError::usage(format!(
            "--map: {name} has no column {column:?} (columns: {})",
            there.join(", ")
        )));
    }
    let mut columns = Vec::new();
    let mut unknown = Vec::new();
    for (title, plain) in header.iter().zip(&titles) {
        let chosen = mapped
            .iter()
            .find(|(column, _)| plain_name(column) == *plain)
            .map(|(_, field)| *field);
        match chosen.or_else(|| field_named(plain)) {
            Some(field) if columns.contains(&Some(field)) => {
                return Err(CliError::usage(format!(
                    "{name} has two columns for {field}: leave one out"
                )));
            }
            Some(field) => columns.push(Some(field)),
            None if plain.starts_with(OWN_COLUMNS) => columns.push(None),
            None => unknown.push(title),
        }
    }
    if !unknown.is_empty() {
        return Err(unknown_columns(name, &unknown));
    }
    if !columns.contains(&Some("target")) {
        return Err(CliError::usage(format!("{name} has no column target (or ip, ip_address, server)"))
            .hint("begin with an empty file: `provision --template`; or say which column it is: --map COLUMN=target"));
    }
    Ok(columns)
}

fn unknown_columns(name: &str, titles: &[&str]) -> CliError {
    let known: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).collect();
    let maps: Vec<String> = titles
        .iter()
        .map(|title| format!("--map {}=FIELD", crate::invocation::quoted(title)))
        .collect();
    let message = format!(
        "{name}: nothing is known of the columns {} (columns: {})",
        titles.join(", "),
        known.join(", ")
    );
    CliError::usage(message).hint(format!(
        "say what they hold with {}, or take them out",
        maps.join(" ")
    ))
}

fn mapping(pair: &str) -> Result<(&str, &'static str), CliError> {
    let (column, field) = pair
        .split_once('=')
        .ok_or_else(|| CliError::usage(format!("--map: {pair:?} is no COLUMN=FIELD")))?;
    let known = field_named(&plain_name(field))
        .ok_or_else(|| CliError::usage(format!("--map: there is no field {field:?}")))?;
    Ok((column, known))
}

fn field_named(plain: &str) -> Option<&'static str> {
    FIELDS
        .iter()
        .find(|(name, others)| *name == plain || others.contains(&plain))
        .map(|(name, _)| *name)
}

fn plain_name(title: &str) -> String {
    title.trim().to_lowercase().replace([' ', '-'], "_")
}

fn row(
    record: &StringRecord,
    line: u64,
    columns: &[Option<&'static str>],
    width: usize,
    defaults: &Defaults,
) -> Result<Row, CliError> {
    if record.len() > width {
        return Err(CliError::usage(format!(
            "{} cells under {width} columns: put a cell with a comma in quotes",
            record.len()
        )));
    }
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
