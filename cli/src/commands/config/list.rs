//! `secmon config list`.

use crate::error::CliError;
use crate::session::Session;
use crate::session::profile::ConfigDocument;
use crate::ui::outcome::{Cell, Field, Outcome, Table, shown};
use serde_json::{Value, json};

/// A setting and its value.
pub const COLUMNS: &[Field<(String, String)>] = &[
    shown("key").of(|(key, _)| Cell::text(key)),
    shown("value").of(|(_, value)| Cell::text(value)),
];

/// Runs the command.
pub fn run(session: &Session) -> Result<Outcome, CliError> {
    let values = ConfigDocument::open(&session.settings.config_path)?.values();
    let table = Table::of(COLUMNS, &values);
    let items = values
        .iter()
        .map(|(key, value)| json!({ "key": key, "value": value }))
        .collect();
    Ok(Outcome::record(Value::Array(items), table))
}
