//! `secmon auth logout`.

use crate::error::CliError;
use crate::session::Session;
use crate::session::profile::{ConfigDocument, Profile};
use crate::session::settings::Settings;
use crate::ui::outcome::Outcome;
use serde_json::json;
use std::path::Path;

/// Runs the command.
pub fn run(session: &Session) -> Result<Outcome, CliError> {
    let settings = &session.settings;
    let name = settings.profile_name.clone().ok_or_else(|| {
        CliError::usage("no profile is in use: name it with --profile")
            .hint("see the profiles there are: `profile list`")
    })?;
    let profile = settings.config.profile(&name)?;
    if profile.key_file.is_none() && profile.key_command.is_none() {
        return Err(CliError::usage(format!(
            "profile {name} has no key: nothing is left to forget"
        )));
    }
    if let Some(said) = session.only_said(&format!("forget the key of profile {name}")) {
        return Ok(said);
    }
    ConfigDocument::change(&settings.config_path, |document| {
        forget_key_of(&name, profile, settings)?;
        document.unset(&name, "key_file");
        document.unset(&name, "key_command");
        Ok(())
    })?;
    let sentence = format!(
        "The key of profile {name} is forgotten here. It stays valid at the service until you regenerate it in the portal."
    );
    Ok(Outcome::said(json!({ "profile": name }), sentence))
}

/// Deletes the key file of a profile, unless another profile has the same.
pub fn forget_key_of(name: &str, profile: &Profile, settings: &Settings) -> Result<(), CliError> {
    let Some(file) = &profile.key_file else {
        return Ok(());
    };
    let mut others = settings.config.profiles.iter();
    match others.any(|(other, one)| other != name && one.key_file.as_ref() == Some(file)) {
        true => Ok(()),
        false => forget(&settings.config_folder().join(file)),
    }
}

/// Deletes a key file; one that is gone already is as good.
pub fn forget(path: &Path) -> Result<(), CliError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(CliError::io(
            &format!("key file {}", path.display()),
            &error,
        )),
        _ => Ok(()),
    }
}
