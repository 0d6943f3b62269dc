//! What can be typed: the clap types, one file a noun. Help, man pages and completion are built from here.

mod access;
mod alert;
mod api;
mod billing;
mod domain;
mod endpoint;
mod global;
mod history;
mod mock;
mod portal;
mod provision;
mod report;
mod rules;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

pub use access::{
    AuthCommand, ConfigCommand, LoginArgs, PathOf, ProfileCommand, ProfileCreateArgs,
};
pub use alert::{
    AlertAckArgs, AlertAllowArgs, AlertCommand, AlertFilter, AlertKind, AlertListArgs,
    AlertResolveArgs, AlertStatusArg, AlertWatchArgs,
};
pub use api::ApiArgs;
pub use billing::{
    PricingCommand, SubscriptionChangeArgs, SubscriptionCommand, SubscriptionSetArgs,
    SubscriptionTarget, SyncArgs,
};
pub use domain::{CategoryArg, DomainCommand, DomainProvisionArgs};
pub use endpoint::{
    EndpointAddArgs, EndpointCommand, EndpointListArgs, EndpointTargets, EndpointWaitArgs,
    ScanArgs, WaitFor,
};
pub use global::{ColorChoice, CsvCells, GlobalArgs, OutputFormat, TimeStyle};
pub use history::{HistoryArgs, HistoryCommand};
pub use mock::{
    AdminArgs, ClockCommand, FaultAddArgs, FaultCommand, MockCommand, MockServeArgs, MockSteering,
    StateCommand, TriggerCommand, TriggerOptions, TriggerPorts,
};
pub use portal::{
    OpenArgs, SandboxCommand, ScenarioArg, ScenarioCommand, ScenarioSetArgs, SsoCommand,
};
pub use provision::{ClientContact, OnError, ProvisionArgs, RunArgs, WaitArgs};
pub use report::ReportArgs;
pub use rules::{
    FirewallFormatArg, RuleAddArgs, RuleCommand, RuleCopyArgs, RuleEditArgs, RuleImportArgs,
    RuleListArgs, RuleScopeArg, RuleStatusArg,
};

const ABOUT: &str = "Provision monitored servers, allow ports and work on alerts";

const AFTER_HELP: &str = "\
Start here:
  secmon --local provision 203.0.113.10 -c 42 --wait   try it: no account, no network
  secmon auth login                                    keep your portal's address and API key
  secmon alert list -c 42                              why customer 42 has alerts
  secmon help exit-codes | environment | output | references | pace | csv";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "secmon", version, about = ABOUT, after_help = AFTER_HELP, max_term_width = 100)]
#[command(disable_help_subcommand = true, arg_required_else_help = true)]
pub struct Cli {
    /// Options every command takes.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What can be done.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// What works with the settings, and mostly with a service.
    #[command(flatten)]
    Online(OnlineCommand),
    /// The mock service: serve it on an address of its own, or steer it
    #[command(subcommand)]
    Mock(MockCommand),
    /// What needs no service.
    #[command(flatten)]
    Offline(OfflineCommand),
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
    /// Monitored servers: list, show, add, rename, suspend, resume, terminate, delete, scan, wait
    #[command(visible_alias = "endpoints", alias = "server", alias = "servers")]
    #[command(subcommand)]
    Endpoint(EndpointCommand),
    /// Allowed Ports rules: list, add, show, edit, remove, copy, import, summary
    #[command(visible_alias = "rule", subcommand)]
    Rules(RuleCommand),
    /// Monitored domains: list, show, provision, rename, suspend, resume, terminate, release, leaks,
    /// mentions, history
    #[command(visible_alias = "domains", subcommand)]
    Domain(DomainCommand),
    /// Subscriptions of a customer's services: set, change, suspend, resume, terminate
    #[command(visible_alias = "sub", alias = "subscriptions", subcommand)]
    Subscription(SubscriptionCommand),
    /// Report the status of services, so that the platform corrects drift
    Sync(SyncArgs),
    /// Alerts of ports and domains: list, show, ack, resolve, allow, triage, watch
    #[command(visible_alias = "alerts", subcommand)]
    Alert(AlertCommand),
    /// Sign a customer in to the portal
    #[command(subcommand)]
    Sso(SsoCommand),
    /// Prices of products: set, remove
    #[command(subcommand)]
    Pricing(PricingCommand),
    /// What simulated scans find
    #[command(subcommand)]
    Sandbox(SandboxCommand),
    /// Write a page about a customer that can be sent to them
    Report(ReportArgs),
    /// Ask the service whether it is up (needs no key)
    Health,
    /// Find out what stands between this machine and the service
    Doctor,
    /// Call any path of the API and print what it answers
    Api(ApiArgs),
    /// Keep, check or forget the API key of a profile
    #[command(subcommand)]
    Auth(AuthCommand),
    /// Named pairs of address and key
    #[command(visible_alias = "profiles", subcommand)]
    Profile(ProfileCommand),
    /// The configuration file: get, set, unset, list, path, edit
    #[command(subcommand)]
    Config(ConfigCommand),
    /// What was changed from this machine, and by whom
    History(HistoryArgs),
}

/// Commands that read no settings and no key, and call no service.
#[derive(Debug, Subcommand)]
pub enum OfflineCommand {
    /// Print the completion script of a shell
    Completion {
        /// The shell to complete for
        shell: clap_complete::Shell,
    },
    /// Print the manual page, or write all of them
    Man {
        /// Folder to write the pages of all commands into
        #[arg(long, value_name = "FOLDER")]
        dir: Option<PathBuf>,
    },
    /// Print the version
    Version,
    /// Explain a command, or a topic: exit-codes, environment, output, references, pace, csv
    Help {
        /// A command (several words), or a topic
        #[arg(value_name = "COMMAND|TOPIC")]
        words: Vec<String>,
    },
}

/// States a list of servers can be narrowed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EndpointStatusArg {
    /// Scanned on schedule.
    Active,
    /// Not scanned: suspended by hand, or by the platform for capacity.
    Paused,
}

/// A text every Allowed Ports rule needs.
#[derive(Debug, Clone, Args)]
pub struct Justification {
    /// Why this port is meant to be open: 10 to 500 characters, kept with the rule
    #[arg(
        short = 'm',
        long = "message",
        visible_alias = "justification",
        alias = "reason"
    )]
    #[arg(value_name = "TEXT")]
    pub message: Option<String>,
}
