//! `secmon profile delete`.

use super::said;
use crate::commands::auth::logout::forget;
use crate::context::Context;
use crate::error::CliError;
use crate::session::profile::ConfigDocument;
use crate::session::prompt::Danger;
use crate::ui::outcome::Outcome;

/// Runs the command.
pub fn run(context: &Context, name: &str) -> Result<Outcome, CliError> {
    let profile = context.session.settings.config.profile(name)?;
    context.prompt.confirm(
        Danger::Moderate,
        &format!("About to delete profile {name} and its key."),
        name,
    )?;
    if let Some(said) = context
        .session
        .only_said(&format!("delete profile {name} and its key"))
    {
        return Ok(said);
    }
    ConfigDocument::change(&context.session.settings.config_path, |document| {
        if let Some(file) = &profile.key_file {
            forget(&context.session.settings.config_folder().join(file))?;
        }
        document.remove(name);
        Ok(())
    })?;
    Ok(said(name, format!("Profile {name} is deleted.")))
}
