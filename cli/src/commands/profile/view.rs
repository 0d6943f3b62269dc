//! How a profile is shown.

use crate::session::Session;
use crate::session::profile::Profile;
use crate::ui::outcome::{Cell, Column, shown};
use serde_json::{Value, json};

pub const COLUMNS: &[Column] = &[
    shown("name"),
    shown("base_url"),
    shown("customer"),
    shown("default"),
    shown("read_only"),
    shown("protected"),
];

fn is_default(session: &Session, name: &str) -> bool {
    session.settings.config.default_profile.as_deref() == Some(name)
}

pub fn row(session: &Session, name: &str, profile: &Profile) -> Vec<Cell> {
    vec![
        Cell::text(name),
        Cell::maybe(profile.base_url.as_ref()),
        profile.customer.map_or(Cell::Missing, Cell::Number),
        Cell::text(is_default(session, name)),
        Cell::text(profile.read_only),
        Cell::text(profile.protected),
    ]
}

pub fn to_json(session: &Session, name: &str, profile: &Profile) -> Value {
    json!({
        "name": name,
        "base_url": profile.base_url,
        "customer": profile.customer,
        "namespace": profile.namespace,
        "rate_limits": profile.rate_limits,
        "allow_http": profile.allow_http,
        "read_only": profile.read_only,
        "protected": profile.protected,
        "key": key_place(profile),
        "default": is_default(session, name),
    })
}

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
