//! How a profile is shown.

use crate::session::profile::{ConfigFile, Profile};
use crate::ui::outcome::{Cell, Field, Outcome, Table, shown};
use serde_json::{Value, json};

const COLUMNS: &[Field<ProfileView>] = &[
    shown("name").of(|view| Cell::text(&view.name)),
    shown("base_url").of(|view| Cell::maybe(view.profile.base_url.as_ref())),
    shown("customer").of(|view| Cell::count(view.profile.customer)),
    shown("default").of(|view| Cell::text(view.is_default)),
    shown("read_only").of(|view| Cell::text(view.profile.read_only)),
    shown("protected").of(|view| Cell::text(view.profile.protected)),
];

/// A profile as it is shown.
pub struct ProfileView {
    name: String,
    profile: Profile,
    is_default: bool,
}

impl ProfileView {
    /// A profile of the configuration.
    pub fn of(config: &ConfigFile, name: &str, profile: &Profile) -> Self {
        Self {
            name: name.to_owned(),
            profile: profile.clone(),
            is_default: config.default_profile.as_deref() == Some(name),
        }
    }
}

/// Profiles as rows.
pub fn table(views: &[ProfileView]) -> Table {
    Table::of(COLUMNS, views)
}

/// A profile as JSON; of its key only the place.
pub fn to_json(view: &ProfileView) -> Value {
    let profile = &view.profile;
    json!({
        "name": view.name,
        "base_url": profile.base_url,
        "customer": profile.customer,
        "namespace": profile.namespace,
        "rate_limits": profile.rate_limits,
        "allow_http": profile.allow_http,
        "read_only": profile.read_only,
        "protected": profile.protected,
        "key": key_place(profile),
        "default": view.is_default,
    })
}

/// Where the key of a profile is kept, in words.
pub fn key_place(profile: &Profile) -> Option<String> {
    let command = profile
        .key_command
        .as_ref()
        .map(|command| format!("command {command:?}"));
    command.or_else(|| {
        profile
            .key_file
            .as_ref()
            .map(|file| format!("file {}", file.display()))
    })
}

/// What a change of a profile comes to.
pub fn said(name: &str, sentence: String) -> Outcome {
    Outcome::said(json!({ "name": name }), sentence)
}
