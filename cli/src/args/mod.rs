//! What can be typed: the clap types, one file a noun. Help, man pages and completion are built from here.

mod access;
mod alert;
mod api;
mod billing;
mod customer;
mod domain;
mod endpoint;
mod history;
mod mock;
mod offline;
mod portal;
mod provision;
mod report;
mod rules;

use crate::session::flags::GlobalArgs;
use clap::{Args, Parser, Subcommand, ValueEnum};

pub use access::{
    AuthCommand, ConfigCommand, LoginArgs, PathOf, ProfileCommand, ProfileCreateArgs,
};
pub use alert::{
    AlertAckArgs, AlertAllowArgs, AlertCommand, AlertFilter, AlertKind, AlertListArgs,
    AlertResolveArgs, AlertStatusArg, AlertTriageArgs, AlertWatchArgs,
};
pub use api::ApiArgs;
pub use billing::{
    PricingCommand, SubscriptionChangeArgs, SubscriptionCommand, SubscriptionSetArgs,
    SubscriptionTarget, SyncArgs,
};
pub use customer::CustomerCommand;
pub use domain::{CategoryArg, DomainCommand, DomainProvisionArgs, DomainSwitch};
pub use endpoint::{
    EndpointAddArgs, EndpointCommand, EndpointListArgs, EndpointSwitch, EndpointTargets,
    EndpointWaitArgs, ScanArgs, WaitFor,
};
pub use history::{HistoryArgs, HistoryCommand};
pub use mock::{
    AdminArgs, ClockCommand, FaultAddArgs, FaultCommand, MockCommand, MockServeArgs, MockSteering,
    StateCommand, TriggerCommand, TriggerOptions, TriggerPorts,
};
pub use offline::{CompletionArgs, HelpArgs, ManArgs};
pub use portal::{
    OpenArgs, SandboxCommand, ScenarioArg, ScenarioCommand, ScenarioSetArgs, SsoCommand,
};
pub use provision::{ClientContact, OnError, ProvisionArgs, RunArgs, WaitArgs};
pub use report::ReportArgs;
pub use rules::{
    FirewallFormatArg, RuleAddArgs, RuleCommand, RuleCopyArgs, RuleEditArgs, RuleImportArgs,
    RuleListArgs, RuleScopeArg, RuleStatusArg,
};

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "secmon", version, about = ABOUT, help_template = TOP_PAGE)]
#[command(
    max_term_width = 100,
    disable_help_subcommand = true,
    arg_required_else_help = true
)]
pub struct Cli {
    /// Options every command takes.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

const ABOUT: &str = "Provision monitored servers, allow ports and work on alerts";

/// The page of `secmon` itself: its commands by what they are for, on one screen.
const TOP_PAGE: &str = "\
{about}

{usage-heading} {usage}

Daily work:
  provision     Start monitoring servers or domains: one, several, or a whole file
  scan          Scan servers for open ports now
  status        Show how things stand: servers, open alerts, rules about to expire
  open          Open the portal's page about a server or a domain
  endpoint      Monitored servers: list, show, add, rename, suspend, terminate, wait ...
  domain        Monitored domains: list, show, provision, suspend, release, leaks ...
  rules         Allowed Ports rules: list, add, edit, remove, copy, import, summary
  alert         Alerts of ports and domains: list, ack, resolve, allow, triage, watch

Customers and billing:
  customer      Customers: list, show
  subscription  Subscriptions of a customer's services: set, change, suspend, terminate ...
  sync          Report the status of services, so that the platform corrects drift
  pricing       Prices of products: set, remove
  sso           Sign a customer in to the portal
  report        Write a page about a customer that can be sent to them

This machine:
  auth          Keep, check or forget the API key of a profile
  profile       Named pairs of address and key
  config        The configuration file: get, set, unset, list, path, edit
  history       What was changed from this machine, and by whom
  doctor        Find out what stands between this machine and the service

For developers:
  api           Call any path of the API and print what it answers
  mock          The mock service: serve it on an address of its own, or steer it
  sandbox       What simulated scans find
  health        Ask the service whether it is up (needs no key)
  completion, man, version  The completion script of a shell, manual pages, the version

Start here:
  secmon --local provision 203.0.113.10 -c 42 --wait   try it: no account, no network
  secmon auth login                                    keep your portal's address and API key
  secmon help COMMAND | options | exit-codes | environment | output | references | pace | csv
";

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

impl Command {
    /// Whether `-c` narrows it. What is about no customer, or names one itself, refuses it.
    pub fn takes_customer(&self) -> bool {
        match self {
            Self::Online(command) => command.takes_customer(),
            Self::Mock(MockCommand::Steering(MockSteering::Trigger { .. })) => true,
            Self::Mock(_) | Self::Offline(_) => false,
        }
    }
}

impl OnlineCommand {
    fn takes_customer(&self) -> bool {
        match self {
            Self::Sandbox(SandboxCommand::Scenario(ScenarioCommand::Set(args))) => {
                args.endpoint.is_some() || args.domain.is_some()
            }
            Self::Customer(command) => matches!(command, CustomerCommand::List { .. }),
            // The customer of a new profile.
            Self::Profile(command) => matches!(command, ProfileCommand::Create(_)),
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
    /// Customers: list, show
    #[command(subcommand, visible_aliases = ["customers"])]
    Customer(CustomerCommand),
    /// Monitored servers: list, show, add, rename, suspend, resume, terminate, delete, scan, wait
    #[command(subcommand, visible_aliases = ["endpoints", "server"], aliases = ["servers"])]
    Endpoint(EndpointCommand),
    /// Allowed Ports rules: list, add, show, edit, remove, copy, import, summary
    #[command(subcommand, visible_aliases = ["rule"])]
    Rules(RuleCommand),
    /// Monitored domains: list, show, provision, rename, suspend, resume, terminate, release, leaks, mentions, history
    #[command(subcommand, visible_aliases = ["domains"])]
    Domain(DomainCommand),
    /// Subscriptions of a customer's services: set, change, suspend, resume, terminate
    #[command(subcommand, visible_aliases = ["sub"], aliases = ["subscriptions"])]
    Subscription(SubscriptionCommand),
    /// Report the status of services, so that the platform corrects drift
    Sync(SyncArgs),
    /// Alerts of ports and domains: list, show, ack, resolve, allow, triage, watch
    #[command(subcommand, visible_aliases = ["alerts"])]
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
    #[command(subcommand, visible_aliases = ["profiles"])]
    Profile(ProfileCommand),
    /// The configuration file: get, set, unset, list, path, edit
    #[command(subcommand)]
    Config(ConfigCommand),
    /// What was changed from this machine, and by whom: the last 50 changes, or as many as -L says
    History(HistoryArgs),
}

/// Commands that read no settings and no key, and call no service.
#[derive(Debug, Subcommand)]
pub enum OfflineCommand {
    /// Print the completion script of a shell
    Completion(CompletionArgs),
    /// Print the manual page, or write all of them
    Man(ManArgs),
    /// Print the version
    Version,
    /// Explain a command, or a topic: options, exit-codes, environment, output, references, pace, csv
    Help(HelpArgs),
}

/// States a list of servers can be narrowed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EndpointStatusArg {
    /// Scanned on schedule.
    Active,
    /// Not scanned: suspended by hand, or by the platform for capacity.
    #[value(alias = "suspended")]
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
