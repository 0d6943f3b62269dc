//! `secmon sso` and `secmon sandbox`.

use clap::{Args, Subcommand, ValueEnum};

/// Sign-in of customers.
#[derive(Debug, Subcommand)]
pub enum SsoCommand {
    /// Print an address that signs the customer in: once, within a minute
    Link {
        /// Page to land on, as /domains/...
        #[arg(long, value_name = "PATH")]
        path: Option<String>,
    },
}

/// The sandbox of an account.
#[derive(Debug, Subcommand)]
pub enum SandboxCommand {
    /// What simulated scans find
    #[command(subcommand)]
    Scenario(ScenarioCommand),
}

/// What simulated scans find.
#[derive(Debug, Subcommand)]
pub enum ScenarioCommand {
    /// List the scenarios, and which one counts
    List,
    /// Choose a scenario; it shows at the next scan
    Set(ScenarioSetArgs),
}

/// A scenario and where it is to count.
#[derive(Debug, Args)]
pub struct ScenarioSetArgs {
    /// The scenario
    pub name: ScenarioArg,
    /// Only for this server: id, IP address, host name or nickname
    #[arg(long, value_name = "ENDPOINT", conflicts_with = "domain")]
    pub endpoint: Option<String>,
    /// Only for this domain: name or id
    #[arg(long, value_name = "DOMAIN")]
    pub domain: Option<String>,
}

/// The scenarios there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScenarioArg {
    /// Nothing is found.
    Clean,
    /// Some open ports and leaks.
    Warnings,
    /// Many, and bad ones.
    Critical,
}
