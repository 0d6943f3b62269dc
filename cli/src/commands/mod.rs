//! What each command does. A command returns what it found or did; `ui` shows it.

mod alert;
mod alert_changes;
mod alert_listing;
mod alert_triage;
mod alert_watch;
mod api;
mod api_pages;
mod auth;
mod config;
mod doctor;
mod domain;
mod domain_changes;
mod domain_findings;
mod endpoint;
mod endpoint_changes;
mod findings;
mod health;
mod help;
mod history;
mod man;
pub mod mock;
mod mock_trigger;
mod open;
mod pricing;
mod profile;
mod provision;
mod report;
mod rule_adding;
mod rule_import;
mod rules;
mod sandbox;
mod scan;
mod sso;
mod status;
mod subscription;
mod sync;
mod transition;
mod views;
mod wait;

use crate::args::{Command, OfflineCommand};
use crate::completion;
use crate::context::Context;
use crate::error::CliError;
use crate::outcome::Outcome;

/// Runs a command that needs no service.
pub fn run_offline(command: OfflineCommand) -> Result<Outcome, CliError> {
    match command {
        OfflineCommand::Man { dir } => man::run(dir.as_deref()),
        OfflineCommand::Version => Ok(version()),
        OfflineCommand::Completion { shell } => Ok(completion::script(shell)),
        OfflineCommand::Help { words } => help::run(&words),
    }
}

/// Runs a command.
pub async fn run(context: &Context, command: Command) -> Result<Outcome, CliError> {
    match command {
        Command::Provision(args) => provision::run(context, *args).await,
        Command::Scan(args) => scan::run(context, args).await,
        Command::Status => status::run(context).await,
        Command::Open(args) => open::run(context, &args).await,
        Command::Endpoint(command) => endpoint::run(context, command).await,
        Command::Rules(command) => rules::run(context, command).await,
        Command::Alert(command) => alert::run(context, command).await,
        Command::Domain(command) => domain::run(context, command).await,
        Command::Subscription(command) => subscription::run(context, command).await,
        Command::Sync(args) => sync::run(context, args).await,
        Command::Sso(command) => sso::run(context, command).await,
        Command::Pricing(command) => pricing::run(context, command).await,
        Command::Sandbox(command) => sandbox::run(context, command).await,
        Command::Health => health::run(context).await,
        Command::Report(args) => report::run(context, &args).await,
        Command::Doctor => doctor::run(context).await,
        Command::Api(args) => api::run(context, args).await,
        Command::Config(command) => config::run(context, command),
        Command::Auth(command) => auth::run(context, command).await,
        Command::Profile(command) => profile::run(context, command),
        Command::History(args) => history::run(context, &args),
        Command::Mock(command) => mock::run(context, command).await,
        Command::Offline(command) => run_offline(command),
    }
}

fn version() -> Outcome {
    let version = env!("CARGO_PKG_VERSION");
    let mut outcome = Outcome::text(format!("secmon {version}\n"));
    outcome.result = serde_json::json!({ "version": version });
    outcome
}
