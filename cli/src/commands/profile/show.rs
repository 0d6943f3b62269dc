//! `secmon profile show`.

use super::view::{ProfileView, key_place, table, to_json};
use crate::error::CliError;
use crate::session::profile::Profile;
use crate::session::{Session, credentials};
use crate::ui::outcome::{Block, Cell, Outcome};

/// Where the key is, and its last characters where it is kept in a file.
fn key_shown(session: &Session, profile: &Profile) -> String {
    let place = key_place(profile).unwrap_or_else(|| "none".to_owned());
    let file = profile
        .key_file
        .as_ref()
        .filter(|_| profile.key_command.is_none());
    let key = file.map(|file| credentials::read_file(&session.settings.config_folder().join(file)));
    match key {
        Some(Ok(key)) => format!("{} ({place})", key.masked_tail()),
        Some(Err(error)) => error.message().to_owned(),
        None => place,
    }
}

/// Runs the command.
pub fn run(session: &Session, name: Option<String>) -> Result<Outcome, CliError> {
    let name = name.or_else(|| session.settings.profile_name.clone());
    let name = name.ok_or_else(|| {
        CliError::usage("no profile is in use: say which, as in secmon profile show NAME")
    })?;
    let profile = session.settings.config.profile(&name)?;
    let text = vec![
        Block::text(format!("Profile {name}")),
        Block::Field("address", Cell::maybe(profile.base_url.as_ref())),
        Block::Field("key", Cell::text(key_shown(session, profile))),
        Block::Field("customer", Cell::maybe(profile.customer)),
        Block::Field("read only", Cell::text(profile.read_only)),
        Block::Field("protected", Cell::text(profile.protected)),
    ];
    let view = ProfileView::of(&session.settings.config, &name, profile);
    Ok(Outcome::record(to_json(&view), table(&[view])).tell(text))
}
