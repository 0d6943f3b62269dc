//! `secmon profile ...`: named pairs of address and key.

mod create;
mod delete;
mod list;
mod rename;
mod show;
mod use_by_default;
mod view;

use self::create::ProfileCreateArgs;
use crate::error::CliError;
use crate::session::Session;
use crate::session::prompt::Prompt;
use crate::ui::outcome::Outcome;
use clap::Subcommand;

/// Profiles: named pairs of a portal address and an API key.
#[derive(Debug, Subcommand)]
pub enum ProfileCommand {
    /// List the profiles
    List,
    /// Use this profile when none is named
    Use {
        /// Name of the profile
        name: String,
    },
    /// Show the settings of a profile, and the last characters of its key
    Show {
        /// Name of the profile; without it, the one in use
        name: Option<String>,
    },
    /// Create a profile; `secmon auth login --profile NAME` gives it a key
    Create(ProfileCreateArgs),
    /// Rename a profile; its key is kept
    Rename {
        /// Name of the profile
        name: String,
        /// The new name
        new: String,
    },
    /// Delete a profile and its key
    Delete {
        /// Name of the profile
        name: String,
    },
}

/// Runs the command.
pub fn run(
    session: &Session,
    prompt: &Prompt,
    command: ProfileCommand,
) -> Result<Outcome, CliError> {
    match command {
        ProfileCommand::List => Ok(list::run(session)),
        ProfileCommand::Use { name } => use_by_default::run(session, &name),
        ProfileCommand::Show { name } => show::run(session, name),
        ProfileCommand::Create(args) => create::run(session, &args),
        ProfileCommand::Rename { name, new } => rename::run(session, &name, &new),
        ProfileCommand::Delete { name } => delete::run(session, prompt, &name),
    }
}
