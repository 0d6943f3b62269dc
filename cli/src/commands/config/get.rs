//! `secmon config get`.

use super::key::SettingKey;
use super::list::COLUMNS;
use crate::context::Context;
use crate::error::CliError;
use crate::session::profile::ConfigDocument;
use crate::ui::outcome::{Block, Outcome, Table};
use serde_json::json;

/// Runs the command.
pub fn run(context: &Context, key: &str) -> Result<Outcome, CliError> {
    let key = SettingKey::parse(context, key)?.name();
    let document = ConfigDocument::open(&context.session.settings.config_path)?;
    let value = document
        .values()
        .into_iter()
        .find(|(name, _)| *name == key)
        .map(|(_, value)| value)
        .ok_or_else(|| {
            CliError::not_found(format!("{key} is not set"))
                .hint(format!("set it: `config set {key} VALUE`"))
        })?;
    let result = json!({ "key": key, "value": value });
    let text = vec![Block::text(&value)];
    Ok(Outcome::record(result, Table::of(COLUMNS, [&(key, value)])).tell(text))
}
