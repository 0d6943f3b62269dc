//! `secmon config ...`: the configuration file. Keys are in files of their own, so none can be printed from here.

use crate::args::{ConfigCommand, PathOf};
use crate::context::Context;
use crate::error::{CliError, Own};
use crate::machine::children;
use crate::machine::files;
use crate::machine::paths;
use crate::session::profile::{self, ConfigDocument, ConfigFile};
use crate::session::service;
use crate::session::settings;
use crate::ui::outcome::{Cell, Column, Line, Outcome, Table, shown};
use clap::ValueEnum;
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;

const COLUMNS: &[Column] = &[shown("key"), shown("value")];
const DEFAULT_PROFILE: &str = "default_profile";

/// What a setting of a profile takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Switch,
    List,
}

/// The settings a profile can have.
const FIELDS: &[(&str, Kind)] = &[
    ("base_url", Kind::Text),
    ("key_file", Kind::Text),
    ("key_command", Kind::Text),
    ("customer", Kind::Number),
    ("namespace", Kind::Text),
    ("rate_limits", Kind::Text),
    ("allow_http", Kind::List),
    ("output", Kind::Text),
    ("read_only", Kind::Switch),
    ("protected", Kind::Switch),
];

/// A setting that was named.
#[derive(Debug, PartialEq, Eq)]
enum Key {
    DefaultProfile,
    Of {
        profile: String,
        field: &'static str,
        kind: Kind,
    },
}

/// Runs the command.
pub fn run(context: &Context, command: ConfigCommand) -> Result<Outcome, CliError> {
    match command {
        ConfigCommand::Get { key } => get(context, &key),
        ConfigCommand::Set { key, value } => set(context, &key, &value),
        ConfigCommand::Unset { key } => unset(context, &key),
        ConfigCommand::List => list(context),
        ConfigCommand::Path { of } => path(context, of),
        ConfigCommand::Edit => edit(context),
    }
}

impl Key {
    /// `default_profile`, `profiles.NAME.SETTING`, or a setting of the profile in use.
    fn parse(context: &Context, text: &str) -> Result<Self, CliError> {
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
            None => (in_use(context, text)?, text),
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
    fn name(&self) -> String {
        match self {
            Self::DefaultProfile => DEFAULT_PROFILE.to_owned(),
            Self::Of { profile, field, .. } => format!("profiles.{profile}.{field}"),
        }
    }
}

fn in_use(context: &Context, key: &str) -> Result<String, CliError> {
    let named = context.settings.profile_name.clone();
    named.ok_or_else(|| {
        CliError::usage(format!(
            "no profile is in use, so {key:?} is a setting of none: name one with --profile, or write profiles.NAME.{key}"
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

fn get(context: &Context, key: &str) -> Result<Outcome, CliError> {
    let key = Key::parse(context, key)?.name();
    let document = ConfigDocument::open(&context.settings.config_path)?;
    let value = document
        .values()
        .into_iter()
        .find(|(name, _)| *name == key)
        .map(|(_, value)| value)
        .ok_or_else(|| {
            CliError::not_found(format!("{key} is not set"))
                .hint(format!("set it: `config set {key} VALUE`"))
        })?;
    let row = vec![Cell::text(&key), Cell::text(&value)];
    let story = vec![Line::text(&value)];
    Ok(Outcome::record(
        json!({ "key": key, "value": value }),
        Table::one(COLUMNS, row),
    )
    .tell(story))
}

fn set(context: &Context, key: &str, value: &str) -> Result<Outcome, CliError> {
    let key = Key::parse(context, key)?;
    change(context, |document| match &key {
        Key::DefaultProfile => {
            context.settings.config.profile(value)?;
            document.set_default(value);
            Ok(())
        }
        Key::Of {
            profile,
            field,
            kind,
        } => {
            settings::check_field(field, value)?;
            if *field == "base_url" {
                refuse_another_service(context, profile, value)?;
            }
            document.set(profile, field, typed(field, *kind, value)?);
            Ok(())
        }
    })?;
    Ok(said(&key, format!("{} is {value}.", key.name())))
}

/// A key goes to the service it was kept for, and to no other.
fn refuse_another_service(context: &Context, name: &str, url: &str) -> Result<(), CliError> {
    let Some(profile) = context.settings.config.profiles.get(name) else {
        return Ok(());
    };
    let has_key = profile.key_file.is_some() || profile.key_command.is_some();
    match &profile.base_url {
        Some(own) if has_key && !service::may_move(own, url) => Err(CliError::usage(format!(
            "the key of profile {name} was kept for {own}, and must not go to {url}"
        ))
        .hint(format!(
            "keep that service's key: `auth login --profile {name} --base-url {url}`"
        ))),
        _ => Ok(()),
    }
}

fn typed(field: &str, kind: Kind, value: &str) -> Result<toml_edit::Value, CliError> {
    let wrong = |what: &str| CliError::usage(format!("{field}: {value:?} is {what}"));
    Ok(match kind {
        Kind::Text if value.trim().is_empty() => {
            return Err(wrong("empty: to take a setting out, use config unset"));
        }
        Kind::Text => value.into(),
        Kind::Number => value
            .trim()
            .parse::<i64>()
            .map_err(|_| wrong("no number"))?
            .into(),
        Kind::Switch => match value.to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => true.into(),
            "false" | "0" | "no" | "off" => false.into(),
            _ => return Err(wrong("neither true nor false")),
        },
        Kind::List => value
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
            .collect::<toml_edit::Array>()
            .into(),
    })
}

fn unset(context: &Context, key: &str) -> Result<Outcome, CliError> {
    let key = Key::parse(context, key)?;
    change(context, |document| {
        match &key {
            Key::DefaultProfile => document.unset_default(),
            Key::Of { profile, field, .. } => document.unset(profile, field),
        }
        Ok(())
    })?;
    Ok(said(&key, format!("{} is not set any more.", key.name())))
}

/// A file that the program could not read again is not written.
fn change(
    context: &Context,
    change: impl FnOnce(&mut ConfigDocument) -> Result<(), CliError>,
) -> Result<(), CliError> {
    let path = &context.settings.config_path;
    let change = |document: &mut ConfigDocument| {
        change(document)?;
        ConfigFile::parse(&document.text(), path).map(drop)
    };
    match context.settings.safety.dry_run {
        true => change(&mut ConfigDocument::open(path)?),
        false => ConfigDocument::change(path, change),
    }
}

fn said(key: &Key, sentence: String) -> Outcome {
    Outcome::record(json!({ "key": key.name() }), Table::new(&[])).tell(vec![Line::text(sentence)])
}

fn list(context: &Context) -> Result<Outcome, CliError> {
    let values = ConfigDocument::open(&context.settings.config_path)?.values();
    let mut table = Table::new(COLUMNS);
    table.rows = values
        .iter()
        .map(|(key, value)| vec![Cell::text(key), Cell::text(value)])
        .collect();
    let items = values
        .iter()
        .map(|(key, value)| json!({ "key": key, "value": value }))
        .collect();
    Ok(Outcome::record(Value::Array(items), table))
}

fn path(context: &Context, of: Option<PathOf>) -> Result<Outcome, CliError> {
    if let Some(of) = of {
        let path = place(context, of)?.display().to_string();
        let story = vec![Line::Verbatim(format!("{path}\n"))];
        return Ok(Outcome::record(json!({ "path": path }), Table::new(&[])).tell(story));
    }
    let mut result = Map::new();
    let mut story = Vec::new();
    for of in PathOf::value_variants() {
        let path = place(context, *of)?.display().to_string();
        let name = of.label();
        story.push(Line::Field(name, Cell::text(&path)));
        result.insert(name.to_owned(), Value::from(path));
    }
    Ok(Outcome::record(Value::Object(result), Table::new(&[])).tell(story))
}

impl PathOf {
    fn label(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Keys => "keys",
            Self::History => "history",
            Self::State => "state",
            Self::Cache => "cache",
            Self::Local => "local",
        }
    }
}

fn place(context: &Context, of: PathOf) -> Result<PathBuf, CliError> {
    match of {
        PathOf::Config => Ok(context.settings.config_path.clone()),
        PathOf::Keys => Ok(context.settings.config_folder().join("keys")),
        PathOf::History => paths::history_file(),
        PathOf::State => paths::state_folder(),
        PathOf::Cache => paths::cache_folder(),
        PathOf::Local => paths::local_state_folder(),
    }
}

/// A copy is edited, and takes the file's place when it can be read.
fn edit(context: &Context) -> Result<Outcome, CliError> {
    if !context.may_ask() {
        return Err(CliError::usage(
            "there is no terminal for an editor: use config set KEY VALUE",
        ));
    }
    let path = &context.settings.config_path;
    if let Some(said) = context.only_said(&format!("edit {}", path.display())) {
        return Ok(said);
    }
    let draft = path.with_extension("draft.toml");
    let before = profile::read_optional(path)?.unwrap_or_default();
    files::write_private(&draft, before.as_bytes())?;
    run_editor(&draft)?;
    let after = std::fs::read_to_string(&draft)
        .map_err(|error| CliError::io(&format!("reading {}", draft.display()), &error))?;
    ConfigFile::parse(&after, &draft).map_err(|error| {
        error.hint("the file in use stays as it was; correct the draft and move it there")
    })?;
    put_in_place(path, &before, &after)?;
    std::fs::remove_file(&draft)
        .map_err(|error| CliError::io(&format!("removing {}", draft.display()), &error))?;
    let sentence = match before == after {
        true => format!("{} is as it was.", path.display()),
        false => format!("{} is changed.", path.display()),
    };
    Ok(Outcome::record(json!({ "path": path }), Table::new(&[])).tell(vec![Line::text(sentence)]))
}

/// Writes what was edited, unless the file was changed while the editor was open.
fn put_in_place(path: &Path, before: &str, after: &str) -> Result<(), CliError> {
    let _lock = profile::lock(path)?;
    if profile::read_optional(path)?.unwrap_or_default() == before {
        return files::write_private(path, after.as_bytes());
    }
    let message = format!(
        "{} was changed by another command while it was edited: it stays as that left it",
        path.display()
    );
    Err(CliError::new(Own::Changed, message))
}

fn run_editor(file: &Path) -> Result<(), CliError> {
    let named = ["VISUAL", "EDITOR"].iter().find_map(|name| {
        std::env::var(name)
            .ok()
            .filter(|value| !value.trim().is_empty())
    });
    let editor = named.unwrap_or_else(|| "vi".to_owned());
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi");
    let mut command = children::without_key(Command::new(program));
    let ended = command.args(words).arg(file).status();
    match ended {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(CliError::new(
            Own::Editor,
            format!("the editor {program} ended with {status}: nothing was changed"),
        )),
        Err(error) => Err(
            CliError::io(&format!("starting the editor {program}"), &error)
                .hint("name one with EDITOR"),
        ),
    }
}
