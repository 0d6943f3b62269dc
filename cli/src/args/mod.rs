//! What can be typed: the clap types, one file a noun. Help, man pages and completion are built from here.

mod access;
mod alert;
mod api;
mod billing;
mod customer;
mod domain;
mod endpoint;
mod global;
mod history;
mod mock;
mod nouns;
mod offline;
mod portal;
mod provision;
mod report;
mod rules;
mod typed;

use clap::{Args, ValueEnum};

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
pub use global::{ColorChoice, CsvCells, GlobalArgs, OutputFormat, TimeStyle};
pub use history::{HistoryArgs, HistoryCommand};
pub use mock::{
    AdminArgs, ClockCommand, FaultAddArgs, FaultCommand, MockCommand, MockServeArgs, MockSteering,
    StateCommand, TriggerCommand, TriggerOptions, TriggerPorts,
};
pub use nouns::{noun_name, tree, tree_for, typed};
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
pub use typed::Typed;

/// The whole command line, read by [`Cli::parse_from`].
#[derive(Debug)]
pub struct Cli {
    /// Options every command takes.
    pub global: GlobalArgs,
    /// What to do.
    pub command: Command,
}

/// What can be done.
#[derive(Debug)]
pub enum Command {
    /// What works with the settings, and mostly with a service.
    Online(OnlineCommand),
    /// The mock service.
    Mock(MockCommand),
    /// What needs no service.
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
#[derive(Debug)]
pub enum OnlineCommand {
    Provision(Box<ProvisionArgs>),
    Scan(ScanArgs),
    Status,
    Open(OpenArgs),
    Customer(CustomerCommand),
    Endpoint(EndpointCommand),
    Rules(RuleCommand),
    Domain(DomainCommand),
    Subscription(SubscriptionCommand),
    Sync(SyncArgs),
    Alert(AlertCommand),
    Sso(SsoCommand),
    Pricing(PricingCommand),
    Sandbox(SandboxCommand),
    Report(ReportArgs),
    Health,
    Doctor,
    Api(ApiArgs),
    Auth(AuthCommand),
    Profile(ProfileCommand),
    Config(ConfigCommand),
    History(HistoryArgs),
}

/// Commands that read no settings and no key, and call no service.
#[derive(Debug)]
pub enum OfflineCommand {
    Completion(CompletionArgs),
    Man(ManArgs),
    Version,
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
