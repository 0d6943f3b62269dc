//! `secmon profile rename`.

use super::view::said;
use crate::commands::auth::logout::forget_key_of;
use crate::error::CliError;
use crate::session::profile::{self, ConfigDocument};
use crate::session::{Session, credentials};
use crate::ui::outcome::Outcome;

/// Runs the command.
pub fn run(session: &Session, name: &str, new: &str) -> Result<Outcome, CliError> {
    let settings = &session.settings;
    let profile = settings.config.profile(name)?;
    profile::check_name(new)?;
    ConfigDocument::open(&settings.config_path)?.refuse_taken(new)?;
    if let Some(said) = session.only_said(&format!("rename profile {name} to {new}")) {
        return Ok(said);
    }
    // The key that `auth login` keeps is named after its profile; any other file stays where it is.
    let kept = profile::key_file_of(name);
    let moves = profile.key_file.as_ref() == Some(&kept);
    let kept = settings.config_folder().join(kept);
    ConfigDocument::change(&settings.config_path, |document| {
        document.refuse_taken(new)?;
        document.rename(name, new);
        if moves {
            let file = profile::key_file_of(new);
            credentials::copy_file(&kept, &settings.config_folder().join(&file))?;
            document.set(new, "key_file", file.display().to_string());
        }
        Ok(())
    })?;
    if moves {
        forget_key_of(name, profile, settings)?;
    }
    Ok(said(new, format!("Profile {name} is now called {new}.")))
}
