//! `secmon profile list`.

use super::view::{ProfileView, table, to_json};
use crate::session::Session;
use crate::ui::outcome::Outcome;
use serde_json::Value;

/// Runs the command.
pub fn run(session: &Session) -> Outcome {
    let config = &session.settings.config;
    let profiles = config.profiles.iter();
    let views: Vec<ProfileView> = profiles
        .map(|(name, profile)| ProfileView::of(config, name, profile))
        .collect();
    let result = views.iter().map(to_json).collect();
    Outcome::record(Value::Array(result), table(&views))
}
