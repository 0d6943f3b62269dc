//! CSV output: every column, values as the API gives them.

use super::table::exact;
use super::{CsvCells, Display, sanitize_cell};
use crate::ui::outcome::Table;
use serde_json::Value;

/// Renders the rows. A cell that a spreadsheet would run as a formula gets an apostrophe in front, unless raw cells
/// were asked for.
pub fn render(table: &Table, display: &Display) -> String {
    let header = table
        .columns
        .iter()
        .map(|column| written_cell(column.name.to_owned(), display))
        .collect();
    let rows = table.rows.iter().map(|row| {
        row.iter()
            .map(|cell| written_cell(exact(cell), display))
            .collect()
    });
    written(with_header(header, display).chain(rows))
}

/// A record that has no columns of its own: its fields, and one row.
pub fn render_record(record: &Value, display: &Display) -> String {
    let Value::Object(fields) = record else {
        return String::new();
    };
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let names = fields.keys().cloned();
    let header = names.map(|name| written_cell(name, display)).collect();
    let row = fields
        .values()
        .map(|value| written_cell(text(value), display))
        .collect();
    written(with_header(header, display).chain([row]))
}

fn with_header(header: Vec<String>, display: &Display) -> impl Iterator<Item = Vec<String>> {
    std::iter::once(header).filter(|_| !display.no_headers)
}

fn written_cell(text: String, display: &Display) -> String {
    match display.csv {
        CsvCells::Guarded => inert(&text),
        CsvCells::Raw => text,
    }
}

fn written(records: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        let _ = writer.write_record(record);
    }
    String::from_utf8_lossy(&writer.into_inner().unwrap_or_default()).into_owned()
}

/// A cell that a spreadsheet takes as text, and a terminal too, on one line. In a country where `;` separates, what
/// stands behind one is a cell of its own.
pub fn inert(text: &str) -> String {
    let mut guarded = String::with_capacity(text.len());
    let mut begins = true;
    for c in text.chars() {
        if begins && would_run(c) {
            guarded.push('\'');
        }
        begins = c == ';' || begins && matches!(c, ' ' | '"');
        guarded.push(c);
    }
    sanitize_cell(&guarded)
}

/// A cell as it was before it was made inert, where nothing was taken out of it.
pub fn uninert(cell: &str) -> String {
    let mut text = String::with_capacity(cell.len());
    let mut begins = true;
    let mut letters = cell.chars().peekable();
    while let Some(c) = letters.next() {
        let guards = begins && c == '\'' && letters.peek().copied().is_some_and(would_run);
        if guards {
            begins = false;
            continue;
        }
        begins = c == ';' || begins && matches!(c, ' ' | '"');
        text.push(c);
    }
    text
}

/// Whether a cell that begins so is run as a formula; in full width too. A tab or a line's end in front is taken off by
/// some programs, and what stands behind it would run.
fn would_run(first: char) -> bool {
    "=+-@\t\r\n＝＋－＠".contains(first)
}
