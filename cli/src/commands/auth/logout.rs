//! `secmon auth logout`.

use crate::error::CliError;
use crate::machine::files;
use crate::session::Session;
use crate::session::profile::{ConfigDocument, Profile};
use crate::session::settings::Settings;
use crate::ui::outcome::Outcome;
use serde_json::json;

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
            "profile {name} has no key to remove"
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
        "Signed out: the key of profile {name} was removed from this computer. It stays valid at the service until you regenerate it in the portal."
    );
    Ok(Outcome::said(json!({ "profile": name }), sentence))
}

/// Deletes the key file of a profile, unless another profile has the same.
pub fn forget_key_of(name: &str, profile: &Profile, settings: &Settings) -> Result<(), CliError> {
    let Some(file) = &profile.key_file else {
        return Ok(());
    };
    let mut others = settings.config.profiles.iter();
    if others.any(|(other, one)| other != name && one.key_file.as_ref() == Some(file)) {
        return Ok(());
    }
    let file = settings.config_folder().join(file);
    files::remove(&file)
        .map_err(|error| CliError::io(&format!("key file {}", file.display()), &error))
}
