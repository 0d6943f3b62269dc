//! CSV output: every column, values as the API gives them.

use super::sanitize;
use super::table::exact;
use crate::outcome::Table;
use serde_json::Value;

/// Renders the rows. A cell that a spreadsheet would run as a formula gets an apostrophe in front.
pub fn render(table: &Table, with_header: bool) -> String {
    let header = table
        .columns
        .iter()
        .map(|column| column.name.to_owned())
        .collect();
    let rows = table
        .rows
        .iter()
        .map(|row| row.iter().map(|cell| inert(&exact(cell))).collect());
    written(std::iter::once(header).filter(|_| with_header).chain(rows))
}

/// A record that has no columns of its own: its fields, and one row.
pub fn render_record(record: &Value, with_header: bool) -> String {
    let Value::Object(fields) = record else {
        return String::new();
    };
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let header = fields.keys().cloned().collect();
    let row = fields.values().map(|value| inert(&text(value))).collect();
    written(std::iter::once(header).filter(|_| with_header).chain([row]))
}

fn written(records: impl Iterator<Item = Vec<String>>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        let _ = writer.write_record(record);
    }
    String::from_utf8_lossy(&writer.into_inner().unwrap_or_default()).into_owned()
}

/// A cell that a spreadsheet takes as text, and a terminal too.
fn inert(text: &str) -> String {
    let text = sanitize(text);
    if text.starts_with(['=', '+', '-', '@']) {
        format!("'{text}")
    } else {
        text
    }
}
