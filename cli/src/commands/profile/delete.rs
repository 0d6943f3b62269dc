//! `secmon profile delete`.

use super::said;
use crate::commands::auth::logout::forget;
use crate::context::{Context, Danger};
use crate::error::CliError;
use crate::session::profile::ConfigDocument;
use crate::ui::outcome::Outcome;

/// Runs the command.
pub fn run(context: &Context, name: &str) -> Result<Outcome, CliError> {
    let profile = context.settings.config.profile(name)?;
    context.confirm(
        Danger::Moderate,
        &format!("About to delete profile {name} and its key."),
        name,
    )?;
    if let Some(said) = context.only_said(&format!("delete profile {name} and its key")) {
        return Ok(said);
    }
    ConfigDocument::change(&context.settings.config_path, |document| {
        if let Some(file) = &profile.key_file {
            forget(&context.settings.config_folder().join(file))?;
        }
        document.remove(name);
        Ok(())
    })?;
    Ok(said(name, format!("Profile {name} is deleted.")))
}
