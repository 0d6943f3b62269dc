//! `secmon mock clock`: the mock's time.

use super::admin::{Admin, AdminArgs};
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::Outcome;
use crate::values::durations;
use clap::Subcommand;
use http::Method;
use serde_json::json;

/// The mock's time.
#[derive(Debug, Subcommand)]
pub enum ClockCommand {
    /// Show the time
    Show,
    /// Move time forward; everything due by then has happened when the command returns
    Advance {
        /// How far, as 90s, 5m or 24h
        length: String,
    },
}

/// Runs the command.
pub async fn run(
    context: &Context,
    admin: &AdminArgs,
    command: ClockCommand,
) -> Result<Outcome, CliError> {
    let admin = Admin::of(context, admin)?;
    let clock = match command {
        ClockCommand::Show => admin.call(Method::GET, "clock", None).await?,
        ClockCommand::Advance { length } => {
            let seconds = durations::length("LENGTH", &length)?.as_secs();
            admin
                .call(
                    Method::POST,
                    "clock",
                    Some(json!({ "advance_seconds": seconds })),
                )
                .await?
        }
    };
    let sentence = format!(
        "The mock's time is {}.",
        clock["now"].as_str().unwrap_or_default()
    );
    Ok(Outcome::said(clock, sentence))
}
