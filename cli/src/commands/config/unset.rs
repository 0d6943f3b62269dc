//! `secmon config unset`.

use super::key::{SettingKey, change, said};
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::Outcome;

/// Runs the command.
pub fn run(context: &Context, key: &str) -> Result<Outcome, CliError> {
    let key = SettingKey::parse(context, key)?;
    change(&context.session, |document| {
        match &key {
            SettingKey::DefaultProfile => document.unset_default(),
            SettingKey::Of { profile, field, .. } => document.unset(profile, field),
        }
        Ok(())
    })?;
    Ok(said(&key, format!("{} was unset.", key.name())))
}
