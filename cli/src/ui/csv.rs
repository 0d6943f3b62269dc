//! CSV output: every column, values as the API gives them.

use super::sanitize;
use super::table::exact;
use crate::outcome::Table;

/// Renders the rows. A cell that a spreadsheet would run as a formula gets an apostrophe in front.
pub fn render(table: &Table, with_header: bool) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let header = table
        .columns
        .iter()
        .map(|column| column.name.to_owned())
        .collect();
    let rows = table
        .rows
        .iter()
        .map(|row| row.iter().map(|cell| inert(&exact(cell))).collect());
    let records: Vec<Vec<String>> = std::iter::once(header)
        .filter(|_| with_header)
        .chain(rows)
        .collect();
    for record in &records {
        let _ = writer.write_record(record);
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A cell that a spreadsheet takes as text, and a terminal too.
fn inert(text: &str) -> String {
    let text = sanitize(text);
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text
    }
}
