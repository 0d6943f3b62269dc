//! `secmon profile use`.

use super::view::said;
use crate::error::CliError;
use crate::session::Session;
use crate::session::profile::{self, ConfigDocument};
use crate::ui::outcome::Outcome;

/// Runs the command.
pub fn run(session: &Session, name: &str) -> Result<Outcome, CliError> {
    if name == profile::LOCAL {
        return Err(CliError::usage(
            "local is the embedded mock, not a profile: use --local, or set SECMON_PROFILE=local",
        ));
    }
    session.settings.config.profile(name)?;
    if let Some(said) = session.only_said(&format!("use profile {name} when none is named")) {
        return Ok(said);
    }
    ConfigDocument::change(&session.settings.config_path, |document| {
        document.set_default(name);
        Ok(())
    })?;
    Ok(said(
        name,
        format!("Profile {name} is used when none is named."),
    ))
}
