//! `secmon open`, `secmon sso` and `secmon sandbox`.

use clap::{Args, Subcommand, ValueEnum};

const OPEN_EXAMPLES: &str = "\
Examples:
  secmon open web-1
  secmon open example.com --domain -c 42
  secmon sso link -c 42 --open          the portal, signed in as the customer

Where no browser can be started, the address is printed. BROWSER names another one. The page of a domain is where the
service says; that of a server is taken to be alike, at /endpoints/ID.";

/// A page of the portal.
#[derive(Debug, Args)]
#[command(after_help = OPEN_EXAMPLES)]
pub struct OpenArgs {
    /// A server (id, IP address, host name, nickname), or a domain (name or id; with -c)
    #[arg(value_name = "ENDPOINT|DOMAIN")]
    pub name: String,
    /// It is a server
    #[arg(long)]
    pub server: bool,
    /// It is a domain
    #[arg(long, conflicts_with = "server")]
    pub domain: bool,
}

/// Sign-in of customers.
#[derive(Debug, Subcommand)]
pub enum SsoCommand {
    /// Print an address that signs the customer in: once, within a minute
    Link {
        /// Page to land on, as /domains/...
        #[arg(long, value_name = "PATH")]
        path: Option<String>,
        /// Open it in the browser instead of printing it
        #[arg(long)]
        open: bool,
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
