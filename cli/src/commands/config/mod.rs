//! `secmon config ...`: the configuration file.

mod edit;
mod get;
mod key;
mod list;
mod path;
mod set;
mod unset;

use self::path::PathOf;
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::Outcome;
use clap::Subcommand;

const CONFIG_HELP: &str = "\
KEY is default_profile, or a setting of the profile in use (--profile names another): base_url, key_file, key_command,
customer, namespace, rate_limits, allow_http, plans, output, read_only, protected, protect. profiles.NAME.SETTING names both.

Examples:
  secmon config set customer 42
  secmon config set profiles.acme.read_only true
  secmon config unset customer --profile acme
  cat \"$(secmon config path config)\"";

/// The configuration file. API keys are not settings: they have files of their own.
#[derive(Debug, Subcommand)]
#[command(after_help = CONFIG_HELP)]
pub enum ConfigCommand {
    /// Print a setting
    #[command(after_help = CONFIG_HELP)]
    Get {
        /// The setting
        key: String,
    },
    /// Change a setting; comments in the file are kept
    #[command(after_help = CONFIG_HELP)]
    Set {
        /// The setting
        key: String,
        /// Its value; a list (allow_http, plans, protect) with commas
        value: String,
    },
    /// Remove a setting from the file
    #[command(after_help = CONFIG_HELP)]
    Unset {
        /// The setting
        key: String,
    },
    /// List the settings in the file
    List,
    /// Print where files are kept
    Path {
        /// Print only this one
        of: Option<PathOf>,
    },
    /// Edit the file in $VISUAL or $EDITOR; a file with a mistake in it is not saved
    Edit,
}

/// Runs the command.
pub fn run(context: &Context, command: ConfigCommand) -> Result<Outcome, CliError> {
    match command {
        ConfigCommand::Get { key } => get::run(context, &key),
        ConfigCommand::Set { key, value } => set::run(context, &key, &value),
        ConfigCommand::Unset { key } => unset::run(context, &key),
        ConfigCommand::List => list::run(&context.session),
        ConfigCommand::Path { of } => path::run(&context.session, of),
        ConfigCommand::Edit => edit::run(&context.session, &context.prompt),
    }
}
