//! The settings that the file can hold.

use crate::context::Context;
use crate::error::CliError;
use crate::session::Session;
use crate::session::profile::{self, ConfigDocument, ConfigFile};
use crate::ui::outcome::Outcome;
use serde_json::json;

const DEFAULT_PROFILE: &str = "default_profile";

/// What a setting of a profile takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    Text,
    Number,
    Switch,
    List,
}

/// The settings a profile can have.
const FIELDS: &[(&str, ValueKind)] = &[
    ("base_url", ValueKind::Text),
    ("key_file", ValueKind::Text),
    ("key_command", ValueKind::Text),
    ("customer", ValueKind::Number),
    ("namespace", ValueKind::Text),
    ("rate_limits", ValueKind::Text),
    ("allow_http", ValueKind::List),
    ("plans", ValueKind::List),
    ("output", ValueKind::Text),
    ("read_only", ValueKind::Switch),
    ("protected", ValueKind::Switch),
    ("protect", ValueKind::List),
];

/// A setting that was named.
#[derive(Debug, PartialEq, Eq)]
pub enum SettingKey {
    DefaultProfile,
    Of {
        profile: String,
        field: &'static str,
        kind: ValueKind,
    },
}

impl SettingKey {
    /// `default_profile`, `profiles.NAME.SETTING`, or a setting of the profile in use.
    pub fn parse(context: &Context, text: &str) -> Result<Self, CliError> {
        if text == DEFAULT_PROFILE {
            return Ok(Self::DefaultProfile);
        }
        let (profile, field) = match text.strip_prefix("profiles.") {
            Some(rest) => {
                let named = rest
                    .rsplit_once('.')
                    .map(|(name, field)| (name.to_owned(), field));
                named.ok_or_else(|| unknown(text))?
            }
            None => (in_use(&context.session, text)?, text),
        };
        let (field, kind) = FIELDS
            .iter()
            .find(|(name, _)| *name == field)
            .ok_or_else(|| unknown(text))?;
        profile::check_name(&profile)?;
        Ok(Self::Of {
            profile,
            field,
            kind: *kind,
        })
    }

    /// Its name in the file.
    pub fn name(&self) -> String {
        match self {
            Self::DefaultProfile => DEFAULT_PROFILE.to_owned(),
            Self::Of { profile, field, .. } => format!("profiles.{profile}.{field}"),
        }
    }
}

fn in_use(session: &Session, key: &str) -> Result<String, CliError> {
    let named = session.settings.profile_name.clone();
    named.ok_or_else(|| {
        CliError::usage(format!(
            "no profile is in use: add --profile NAME, or write profiles.NAME.{key}"
        ))
    })
}

fn unknown(key: &str) -> CliError {
    let fields: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).collect();
    CliError::usage(format!(
        "there is no setting {key:?} (settings: {DEFAULT_PROFILE}, {})",
        fields.join(", ")
    ))
}

/// A file that the program could not read again is not written.
pub fn change(
    session: &Session,
    change: impl FnOnce(&mut ConfigDocument) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let path = &session.settings.config_path;
    let change = |document: &mut ConfigDocument| {
        change(document)?;
        ConfigFile::parse(&document.text(), path).map(drop)
    };
    match session.settings.safety.dry_run {
        true => change(&mut ConfigDocument::open(path)?),
        false => ConfigDocument::change(path, change),
    }
}

/// What a change of a setting comes to.
pub fn said(key: &SettingKey, sentence: String) -> Outcome {
    Outcome::said(json!({ "key": key.name() }), sentence)
}
