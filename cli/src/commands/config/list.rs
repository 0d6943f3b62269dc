//! `secmon config list`.

use crate::error::CliError;
use crate::session::Session;
use crate::session::profile::ConfigDocument;
use crate::ui::outcome::{Cell, Column, Outcome, Table, shown};
use serde_json::{Value, json};

/// A setting and its value.
pub const COLUMNS: &[Column] = &[shown("key"), shown("value")];

/// Runs the command.
pub fn run(session: &Session) -> Result<Outcome, CliError> {
    let values = ConfigDocument::open(&session.settings.config_path)?.values();
    let mut table = Table::new(COLUMNS);
    table.rows = values
        .iter()
        .map(|(key, value)| vec![Cell::text(key), Cell::text(value)])
        .collect();
    let items = values
        .iter()
        .map(|(key, value)| json!({ "key": key, "value": value }))
        .collect();
    Ok(Outcome::record(Value::Array(items), table))
}
