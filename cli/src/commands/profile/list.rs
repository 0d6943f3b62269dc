//! `secmon profile list`.

use super::view::{COLUMNS, row, to_json};
use crate::context::Context;
use crate::ui::outcome::{Outcome, Table};
use serde_json::Value;

/// Runs the command.
pub fn run(context: &Context) -> Outcome {
    let config = &context.session.settings.config;
    let mut table = Table::new(COLUMNS);
    let profiles = config.profiles.iter();
    table.rows = profiles
        .clone()
        .map(|(name, profile)| row(context, name, profile))
        .collect();
    let result = profiles
        .map(|(name, profile)| to_json(context, name, profile))
        .collect();
    Outcome::record(Value::Array(result), table)
}
