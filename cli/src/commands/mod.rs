//! What each command does. A command returns what it found or did; `ui` shows it.

mod alert;
mod alert_changes;
mod alert_listing;
mod alert_triage;
mod alert_watch;
mod api;
mod api_pages;
mod auth;
mod capacity;
pub mod completion;
mod config;
mod customer;
mod doctor;
mod domain;
mod domain_changes;
mod domain_findings;
mod elsewhere;
mod endpoint;
mod endpoint_changes;
mod endpoint_listing;
mod findings;
mod health;
pub mod help;
mod history;
mod man;
pub mod mock;
mod mock_trigger;
mod open;
mod pricing;
mod profile;
mod provision;
mod report;
mod resuming;
mod rule_adding;
mod rule_import;
mod rule_removing;
mod rules;
mod sandbox;
mod scan;
mod sso;
mod standing;
mod status;
mod subscription;
mod sync;
mod transition;
mod unknown_customer;
mod views;
mod wait;

use crate::args::{
    ConfigCommand, MockSteering, OfflineCommand, OnlineCommand, RuleCommand, StateCommand,
};
use crate::context::Context;
use crate::error::CliError;
use crate::session::settings::Reading;
use crate::ui::outcome::Outcome;
use std::path::Path;

/// Runs a command that needs no service.
pub fn run_offline(command: OfflineCommand) -> Result<Outcome, CliError> {
    match command {
        OfflineCommand::Man(args) => man::run(args.dir.as_deref()),
        OfflineCommand::Version => Ok(version()),
        OfflineCommand::Completion(args) => Ok(completion::script(args.shell)),
        OfflineCommand::Help(args) => help::run(&args.words),
    }
}

/// A command that works with the settings.
pub enum Task {
    /// One of the program's own.
    Command(Box<OnlineCommand>),
    /// Steering a mock.
    Mock(MockSteering),
}

impl Task {
    /// A configuration file that cannot be read is no hindrance to mending it.
    pub fn reading(&self) -> Reading {
        match self {
            Self::Command(command) => match **command {
                OnlineCommand::Config(ConfigCommand::Edit | ConfigCommand::Path { .. }) => {
                    Reading::EvenBroken
                }
                _ => Reading::Strict,
            },
            Self::Mock(_) => Reading::Strict,
        }
    }
}

impl Task {
    /// The file whose content the command works with, where it takes one.
    pub fn input(&self) -> Option<&Path> {
        let command = match self {
            Self::Command(command) => &**command,
            Self::Mock(MockSteering::State {
                command: StateCommand::Import { file },
                ..
            }) => return Some(file),
            Self::Mock(_) => return None,
        };
        match command {
            OnlineCommand::Provision(args) => args.file.as_deref(),
            OnlineCommand::Endpoint(command) => command.input(),
            OnlineCommand::Rules(RuleCommand::Import(args)) => Some(&args.file),
            OnlineCommand::Sync(args) => Some(&args.file),
            OnlineCommand::Api(args) => args.input.as_deref(),
            _ => None,
        }
    }
}

/// Runs a command.
pub async fn run(context: &Context, task: Task) -> Result<Outcome, CliError> {
    match task {
        Task::Command(command) => online(context, *command).await,
        Task::Mock(command) => mock::run(context, command).await,
    }
}

async fn online(context: &Context, command: OnlineCommand) -> Result<Outcome, CliError> {
    match command {
        OnlineCommand::Provision(args) => provision::run(context, *args).await,
        OnlineCommand::Scan(args) => scan::run(context, args).await,
        OnlineCommand::Status => status::run(context).await,
        OnlineCommand::Open(args) => open::run(context, &args).await,
        OnlineCommand::Customer(command) => customer::run(context, command).await,
        OnlineCommand::Endpoint(command) => endpoint::run(context, command).await,
        OnlineCommand::Rules(command) => rules::run(context, command).await,
        OnlineCommand::Alert(command) => alert::run(context, command).await,
        OnlineCommand::Domain(command) => domain::run(context, command).await,
        OnlineCommand::Subscription(command) => subscription::run(context, command).await,
        OnlineCommand::Sync(args) => sync::run(context, args).await,
        OnlineCommand::Sso(command) => sso::run(context, command).await,
        OnlineCommand::Pricing(command) => pricing::run(context, command).await,
        OnlineCommand::Sandbox(command) => sandbox::run(context, command).await,
        OnlineCommand::Health => health::run(context).await,
        OnlineCommand::Report(args) => report::run(context, &args).await,
        OnlineCommand::Doctor => doctor::run(context).await,
        OnlineCommand::Api(args) => api::run(context, args).await,
        OnlineCommand::Config(command) => config::run(context, command),
        OnlineCommand::Auth(command) => auth::run(context, command).await,
        OnlineCommand::Profile(command) => profile::run(context, command),
        OnlineCommand::History(args) => history::run(context, &args),
    }
}

fn version() -> Outcome {
    let version = env!("CARGO_PKG_VERSION");
    let mut outcome = Outcome::text(format!("secmon {version}\n"));
    outcome.result = serde_json::json!({ "version": version });
    outcome
}
