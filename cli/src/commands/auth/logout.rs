//! `secmon auth logout`.

use crate::error::{CliError, Own};
use crate::session::Session;
use crate::session::profile::ConfigDocument;
use crate::ui::outcome::{Line, Outcome, Table};
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
        if let Some(file) = &profile.key_file {
            forget(&settings.config_folder().join(file))?;
        }
        document.unset(&name, "key_file");
        document.unset(&name, "key_command");
        Ok(())
    })?;
    let sentence = format!(
        "The key of profile {name} is forgotten here. It stays valid at the service until you regenerate it in the portal."
    );
    Ok(
        Outcome::record(json!({ "profile": name }), Table::default())
            .tell(vec![Line::text(sentence)]),
    )
}

/// Deletes a key file; one that is gone already is as good.
pub fn forget(path: &Path) -> Result<(), CliError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(CliError::new(
            Own::Io,
            format!("key file {}: {error}", path.display()),
        )),
        _ => Ok(()),
    }
}
