//! The commands: a folder or a file a noun, in a folder a file a verb. A command returns what it found or did; `ui` shows
//! it.

mod alert;
mod api;
mod auth;
mod common;
pub mod completion;
mod config;
mod customer;
pub mod deferred;
mod doctor;
mod domain;
mod endpoint;
mod health;
pub mod help;
mod history;
mod lifecycle;
mod man;
pub mod mock;
mod open;
mod pricing;
mod profile;
mod provision;
mod report;
mod rules;
mod sandbox;
mod scan;
mod sso;
mod status;
mod subscription;
mod sync;
mod undo;
mod version;

use self::alert::AlertCommand;
use self::api::ApiArgs;
use self::auth::AuthCommand;
use self::completion::CompletionArgs;
use self::config::ConfigCommand;
use self::customer::CustomerCommand;
use self::deferred::Deferred;
use self::domain::DomainCommand;
use self::endpoint::EndpointCommand;
use self::help::HelpArgs;
use self::history::HistoryArgs;
use self::man::ManArgs;
use self::mock::state::StateCommand;
use self::mock::{MockCommand, MockSteering};
use self::open::OpenArgs;
use self::pricing::PricingCommand;
use self::profile::ProfileCommand;
use self::provision::args::ProvisionArgs;
use self::report::args::ReportArgs;
use self::rules::RuleCommand;
use self::sandbox::{SandboxCommand, ScenarioCommand};
use self::scan::ScanArgs;
use self::sso::SsoCommand;
use self::subscription::SubscriptionCommand;
use self::sync::SyncArgs;
use self::undo::UndoArgs;
use self::version::VersionArgs;
use crate::context::Context;
use crate::error::CliError;
use crate::session::settings::Reading;
use crate::ui::outcome::Outcome;
use clap::Subcommand;
use std::path::Path;

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// What works with the settings, and mostly with a service.
    #[command(flatten)]
    Online(OnlineCommand),
    /// The mock service: serve it on an address of its own, or steer it
    #[command(subcommand)]
    Mock(Deferred<MockCommand>),
    /// What needs no service.
    #[command(flatten)]
    Offline(OfflineCommand),
}

impl Command {
    /// Whether `-c` narrows it. What is about no customer, or names one itself, refuses it.
    pub fn takes_customer(&self) -> bool {
        match self {
            Self::Online(command) => command.takes_customer(),
            Self::Mock(Deferred(MockCommand::Steering(MockSteering::Trigger { .. }))) => true,
            Self::Mock(_) | Self::Offline(_) => false,
        }
    }
}

impl OnlineCommand {
    fn takes_customer(&self) -> bool {
        match self {
            Self::Sandbox(Deferred(SandboxCommand::Scenario(ScenarioCommand::Set(args)))) => {
                args.endpoint.is_some() || args.domain.is_some()
            }
            Self::Customer(Deferred(command)) => matches!(command, CustomerCommand::List(_)),
            // The customer of a new profile.
            Self::Profile(Deferred(command)) => matches!(command, ProfileCommand::Create(_)),
            Self::Sandbox(_)
            | Self::Pricing(_)
            | Self::Sync(_)
            | Self::Health
            | Self::Doctor
            | Self::Api(_)
            | Self::Auth(_)
            | Self::Config(_) => false,
            _ => true,
        }
    }
}

/// The nouns, and the verbs of every day.
#[derive(Debug, Subcommand)]
pub enum OnlineCommand {
    /// Start monitoring servers or domains: one, several, or a whole file
    Provision(Box<ProvisionArgs>),
    /// Scan servers for open ports now
    Scan(ScanArgs),
    /// Show how things stand: servers, open alerts, rules about to expire
    Status,
    /// Open the portal's page about a server or a domain
    Open(OpenArgs),
    /// Customers: list, show, suspend, resume, leave
    #[command(subcommand, visible_aliases = ["customers"])]
    Customer(Deferred<CustomerCommand>),
    /// Monitored servers: list, show, add, rename, move, suspend, resume, terminate, delete, scan, wait
    #[command(subcommand, visible_aliases = ["endpoints", "server"], aliases = ["servers"])]
    Endpoint(Deferred<EndpointCommand>),
    /// Allowed Ports rules: list, add, show, edit, remove, copy, import, summary
    #[command(subcommand, visible_aliases = ["rule"])]
    Rules(Deferred<RuleCommand>),
    /// Monitored domains: list, show, provision, rename, suspend, resume, terminate, release, leaks, mentions, history
    #[command(subcommand, visible_aliases = ["domains"])]
    Domain(Deferred<DomainCommand>),
    /// Subscriptions of a customer's services: set, change, suspend, resume, terminate, plans
    #[command(subcommand, visible_aliases = ["sub"], aliases = ["subscriptions"])]
    Subscription(Deferred<SubscriptionCommand>),
    /// Send your billing system's statuses, so that the platform corrects mismatches
    Sync(SyncArgs),
    /// Alerts of ports and domains: list, show, ack, resolve, allow, triage, watch
    #[command(subcommand, visible_aliases = ["alerts"])]
    Alert(Deferred<AlertCommand>),
    /// Sign a customer in to the portal
    #[command(subcommand)]
    Sso(Deferred<SsoCommand>),
    /// Prices of products: set, remove
    #[command(subcommand)]
    Pricing(Deferred<PricingCommand>),
    /// What simulated scans find
    #[command(subcommand)]
    Sandbox(Deferred<SandboxCommand>),
    /// Write a page about a customer that can be sent to them
    Report(ReportArgs),
    /// Ask the service whether it is up (needs no key)
    Health,
    /// Find out what keeps this computer from reaching the service
    Doctor,
    /// Call any path of the API and print what it answers
    Api(ApiArgs),
    /// Save, check or delete the API key of a profile
    #[command(subcommand)]
    Auth(Deferred<AuthCommand>),
    /// Named pairs of address and key
    #[command(subcommand, visible_aliases = ["profiles"])]
    Profile(Deferred<ProfileCommand>),
    /// The configuration file: get, set, unset, list, path, edit
    #[command(subcommand)]
    Config(Deferred<ConfigCommand>),
    /// Show what was changed from this computer, and by whom: the last 50 changes, or as many as given with -L
    History(HistoryArgs),
    /// Undo the last command run in this terminal, or the change or run with this id
    Undo(UndoArgs),
}

/// Commands that read no settings and no key, and call no service.
#[derive(Debug, Subcommand)]
pub enum OfflineCommand {
    /// Print the completion script of a shell
    Completion(CompletionArgs),
    /// Print the manual page, or write all of them
    Man(ManArgs),
    /// Print the version, or the licences
    Version(VersionArgs),
    /// Explain a command, or a topic: options, exit-codes, environment, output, references, pace, csv
    Help(HelpArgs),
}

/// Runs a command that needs no service; the parser is what such a command is mostly about.
pub fn run_offline(command: OfflineCommand, parser: clap::Command) -> Result<Outcome, CliError> {
    match command {
        OfflineCommand::Man(args) => man::run(args.dir.as_deref(), parser),
        OfflineCommand::Version(args) => Ok(version::run(&args)),
        OfflineCommand::Completion(args) => Ok(completion::script(args.shell)),
        OfflineCommand::Help(args) => help::run(&args.words, parser),
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
                OnlineCommand::Config(Deferred(
                    ConfigCommand::Edit | ConfigCommand::Path { .. },
                )) => Reading::EvenBroken,
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
            OnlineCommand::Endpoint(Deferred(command)) => command.input(),
            OnlineCommand::Rules(Deferred(RuleCommand::Import(args))) => Some(&args.file),
            OnlineCommand::Rules(Deferred(RuleCommand::Add(args))) => args.file.as_deref(),
            OnlineCommand::Sync(args) => Some(&args.file),
            OnlineCommand::Api(args) => args.input.as_deref(),
            _ => None,
        }
    }
}

/// Runs a command.
pub async fn run_task(context: &Context, task: Task) -> Result<Outcome, CliError> {
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
        OnlineCommand::Customer(Deferred(command)) => customer::run(context, command).await,
        OnlineCommand::Endpoint(Deferred(command)) => endpoint::run(context, command).await,
        OnlineCommand::Rules(Deferred(command)) => rules::run(context, command).await,
        OnlineCommand::Alert(Deferred(command)) => alert::run(context, command).await,
        OnlineCommand::Domain(Deferred(command)) => domain::run(context, command).await,
        OnlineCommand::Subscription(Deferred(command)) => subscription::run(context, command).await,
        OnlineCommand::Sync(args) => sync::run(context, args).await,
        OnlineCommand::Sso(Deferred(command)) => sso::run(context, command).await,
        OnlineCommand::Pricing(Deferred(command)) => pricing::run(&context.session, command).await,
        OnlineCommand::Sandbox(Deferred(command)) => sandbox::run(context, command).await,
        OnlineCommand::Health => health::run(&context.session).await,
        OnlineCommand::Report(args) => report::run(context, &args).await,
        OnlineCommand::Doctor => doctor::run(&context.session, &context.screen).await,
        OnlineCommand::Api(args) => api::run(context, args).await,
        OnlineCommand::Config(Deferred(command)) => config::run(context, command),
        OnlineCommand::Auth(Deferred(command)) => auth::run(context, command).await,
        OnlineCommand::Profile(Deferred(command)) => {
            profile::run(&context.session, &context.prompt, command)
        }
        OnlineCommand::History(args) => history::run(context, &args),
        OnlineCommand::Undo(args) => undo::run(context, &args).await,
    }
}
