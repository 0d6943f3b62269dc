//! `secmon profile list`.

use super::view::{COLUMNS, row, to_json};
use crate::session::Session;
use crate::ui::outcome::{Outcome, Table};
use serde_json::Value;

/// Runs the command.
pub fn run(session: &Session) -> Outcome {
    let config = &session.settings.config;
    let mut table = Table::new(COLUMNS);
    let profiles = config.profiles.iter();
    table.rows = profiles
        .clone()
        .map(|(name, profile)| row(session, name, profile))
        .collect();
    let result = profiles
        .map(|(name, profile)| to_json(session, name, profile))
        .collect();
    Outcome::record(Value::Array(result), table)
}
