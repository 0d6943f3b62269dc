//! `secmon mock state` and `reset`: the whole state.

use super::admin::{Admin, AdminArgs};
use crate::context::Context;
use crate::error::CliError;
use crate::machine::files;
use crate::session::account;
use crate::ui::outcome::Outcome;
use clap::Subcommand;
use http::Method;
use serde_json::Value;
use std::path::PathBuf;

/// The whole state.
#[derive(Debug, Subcommand)]
pub enum StateCommand {
    /// Print the state as JSON
    Export,
    /// Replace the state with an exported one
    Import {
        /// The file, or - for standard input
        file: PathBuf,
    },
}

const MAX_STATE: u64 = 1024 * 1024 * 1024;

/// Takes a mock back to its start. What this computer remembers of its records goes with them.
pub async fn reset(context: &Context, args: &AdminArgs) -> Result<Outcome, CliError> {
    let admin = Admin::of(context, args)?;
    admin.call(Method::POST, "reset", None).await?;
    if let Ok(service) = &context.session.settings.service
        && admin.is_of(service)
        && let Some(state) = account::remembered(service)
    {
        state.forget_origin();
    }
    Ok(Outcome::said(
        Value::Null,
        "The mock was reset to its initial state.",
    ))
}

/// Runs the command.
pub async fn run(
    context: &Context,
    admin: &AdminArgs,
    command: StateCommand,
) -> Result<Outcome, CliError> {
    match command {
        StateCommand::Export => {
            let state = Admin::of(context, admin)?
                .call(Method::GET, "state", None)
                .await?;
            Ok(Outcome::text(format!("{state}\n")))
        }
        StateCommand::Import { file } => {
            let state = files::read_json(&file, MAX_STATE)?;
            Admin::of(context, admin)?
                .call(Method::PUT, "state", Some(state))
                .await?;
            Ok(Outcome::said(
                Value::Null,
                "The state was imported into the mock.",
            ))
        }
    }
}
