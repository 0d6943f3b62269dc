//! `secmon profile delete`.

use super::view::said;
use crate::commands::auth::logout::forget_key_of;
use crate::error::CliError;
use crate::session::Session;
use crate::session::profile::ConfigDocument;
use crate::session::prompt::{ConfirmationLevel, Prompt};
use crate::ui::outcome::Outcome;

/// Runs the command.
pub fn run(session: &Session, prompt: &Prompt, name: &str) -> Result<Outcome, CliError> {
    let profile = session.settings.config.profile(name)?;
    prompt.confirm_here(
        ConfirmationLevel::Moderate,
        &format!("About to delete profile {name} and its key."),
        name,
    )?;
    if let Some(said) = session.only_said(&format!("delete profile {name} and its key")) {
        return Ok(said);
    }
    ConfigDocument::change(&session.settings.config_path, |document| {
        forget_key_of(name, profile, &session.settings)?;
        document.remove(name);
        Ok(())
    })?;
    Ok(said(name, format!("Profile {name} is deleted.")))
}
