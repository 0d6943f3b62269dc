//! `secmon config ...`: the configuration file.

mod edit;
mod key;
mod path;
mod set;

use self::key::{SettingKey, change, said};
use self::path::PathOf;
use crate::context::Context;
use crate::error::CliError;
use crate::session::Session;
use crate::session::profile::ConfigDocument;
use crate::ui::outcome::{Cell, Column, Line, Outcome, Table, shown};
use clap::Subcommand;
use serde_json::{Value, json};

const CONFIG_HELP: &str = "\
KEY is default_profile, or a setting of the profile in use (--profile names another): base_url, key_file, key_command,
customer, namespace, rate_limits, allow_http, output, read_only, protected. profiles.NAME.SETTING names both.

Examples:
  secmon config set customer 42
  secmon config set profiles.acme.read_only true
  secmon config unset customer --profile acme
  cat \"$(secmon config path config)\"";

/// The configuration file. Keys are no settings: they are in files of their own.
#[derive(Debug, Subcommand)]
#[command(after_help = CONFIG_HELP)]
pub enum ConfigCommand {
    /// Print a setting
    #[command(after_help = CONFIG_HELP)]
    Get {
        /// The setting
        key: String,
    },
    /// Change a setting; comments of the file stay
    #[command(after_help = CONFIG_HELP)]
    Set {
        /// The setting
        key: String,
        /// Its value; several hosts of allow_http with commas
        value: String,
    },
    /// Take a setting out of the file
    #[command(after_help = CONFIG_HELP)]
    Unset {
        /// The setting
        key: String,
    },
    /// List what the file says
    List,
    /// Print where things are kept
    Path {
        /// Print only this one
        of: Option<PathOf>,
    },
    /// Change the file in an editor ($VISUAL, $EDITOR); one with a mistake in it is not taken
    Edit,
}

const COLUMNS: &[Column] = &[shown("key"), shown("value")];

/// Runs the command.
pub fn run(context: &Context, command: ConfigCommand) -> Result<Outcome, CliError> {
    match command {
        ConfigCommand::Get { key } => get(context, &key),
        ConfigCommand::Set { key, value } => set::run(context, &key, &value),
        ConfigCommand::Unset { key } => unset(context, &key),
        ConfigCommand::List => list(&context.session),
        ConfigCommand::Path { of } => path::run(&context.session, of),
        ConfigCommand::Edit => edit::run(&context.session, &context.prompt),
    }
}

fn get(context: &Context, key: &str) -> Result<Outcome, CliError> {
    let key = SettingKey::parse(context, key)?.name();
    let document = ConfigDocument::open(&context.session.settings.config_path)?;
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

fn unset(context: &Context, key: &str) -> Result<Outcome, CliError> {
    let key = SettingKey::parse(context, key)?;
    change(&context.session, |document| {
        match &key {
            SettingKey::DefaultProfile => document.unset_default(),
            SettingKey::Of { profile, field, .. } => document.unset(profile, field),
        }
        Ok(())
    })?;
    Ok(said(&key, format!("{} is not set any more.", key.name())))
}

fn list(session: &Session) -> Result<Outcome, CliError> {
    let values = ConfigDocument::open(&session.settings.config_path)?.values();
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
