//! `secmon endpoint ...` and `secmon scan`.

use super::{ClientContact, EndpointStatusArg, ProvisionArgs, RunArgs, WaitArgs};
use clap::{Args, Subcommand, ValueEnum};
use std::path::{Path, PathBuf};

const SUSPEND_EXAMPLES: &str = "\
Examples:
  secmon endpoint suspend web-1 203.0.113.10
  secmon endpoint suspend --all -c 42                 a customer does not pay: all of its servers
  secmon domain suspend --all -c 42                   and all of its domains
  secmon endpoint list -c 42 -o ids | secmon endpoint suspend -";

/// Monitored servers.
#[derive(Debug, Subcommand)]
pub enum EndpointCommand {
    /// List monitored servers
    List(EndpointListArgs),
    /// Show one server: its last scan, open alerts and allowed ports
    Show {
        /// The server: id, IP address, host name or nickname
        endpoint: String,
        /// Show only the open ports
        #[arg(long)]
        ports: bool,
    },
    /// Start monitoring servers (the same as `secmon provision`)
    Provision(Box<ProvisionArgs>),
    /// Add a server by the endpoints call: 100 a minute instead of 60, and it can start paused
    Add(EndpointAddArgs),
    /// Change the name a server is shown by
    Rename {
        /// The server: id, IP address, host name or nickname
        endpoint: String,
        /// The new name, at most 255 characters
        name: String,
    },
    /// Stop scanning servers and keep their history
    #[command(after_help = SUSPEND_EXAMPLES)]
    Suspend(EndpointSwitch),
    /// Scan suspended servers again
    Resume(EndpointSwitch),
    /// End monitoring for billing; a later manual scan is still told why it is refused
    Terminate(EndpointTargets),
    /// Remove servers from every list; adding the address again restores them
    Delete(EndpointTargets),
    /// Scan servers for open ports now
    Scan(ScanArgs),
    /// Wait until servers have been scanned, or are active or paused
    Wait(EndpointWaitArgs),
}

impl EndpointCommand {
    /// The file that names servers.
    pub fn input(&self) -> Option<&Path> {
        match self {
            Self::Provision(args) => args.file.as_deref(),
            Self::Suspend(switch) | Self::Resume(switch) => switch.targets.file.as_deref(),
            Self::Terminate(targets) | Self::Delete(targets) => targets.file.as_deref(),
            _ => None,
        }
    }
}

/// Filters of the list.
#[derive(Debug, Args)]
pub struct EndpointListArgs {
    /// Only servers in this state
    #[arg(long)]
    pub status: Option<EndpointStatusArg>,
    /// Only servers with this in their address, nickname or host name, or of the customer with this number
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
    /// Only servers on which the last scan found this port open; a call for each server tells
    #[arg(long, value_name = "PORT")]
    pub port: Option<String>,
}

/// A server to add by `POST /endpoints`.
#[derive(Debug, Args)]
pub struct EndpointAddArgs {
    /// IP address, or host name (the service resolves it)
    pub address: String,
    /// Name to show for the server
    #[arg(long, alias = "name", value_name = "NAME")]
    pub nickname: Option<String>,
    /// Start in this state
    #[arg(long)]
    pub status: Option<EndpointStatusArg>,
    /// Who the customer is, if the service does not know it yet
    #[command(flatten)]
    pub contact: ClientContact,
}

/// Servers to suspend or to resume.
#[derive(Debug, Args)]
pub struct EndpointSwitch {
    /// All servers of the customer given with -c
    #[arg(long, conflicts_with_all = ["endpoints", "file"])]
    pub all: bool,
    /// Servers by name
    #[command(flatten)]
    pub targets: EndpointTargets,
}

/// Servers to change.
#[derive(Debug, Args)]
pub struct EndpointTargets {
    /// The servers: id, IP address, host name or nickname, or - to read them from standard input
    #[arg(value_name = "ENDPOINT")]
    pub endpoints: Vec<String>,
    /// Read the servers from a file, one a line or under a heading as for provision, or - for standard input
    #[arg(short, long, value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

/// Servers to scan.
#[derive(Debug, Args)]
pub struct ScanArgs {
    /// The servers: id, IP address, host name or nickname
    #[arg(value_name = "ENDPOINT", required = true)]
    pub endpoints: Vec<String>,
    /// Wait until the scan has ended and show what it found
    #[command(flatten)]
    pub wait: WaitArgs,
    /// When a server was scanned a moment ago, wait until it may be scanned again
    #[arg(long)]
    pub respect_cooldown: bool,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

/// Servers to wait for.
#[derive(Debug, Args)]
pub struct EndpointWaitArgs {
    /// The servers: id, IP address, host name or nickname
    #[arg(value_name = "ENDPOINT", required = true)]
    pub endpoints: Vec<String>,
    /// What to wait for
    #[arg(long = "for", value_name = "WHAT", default_value = "scan")]
    pub goal: WaitFor,
    /// Only a scan that ended after this moment counts, as 2026-11-21T07:31:13+00:00
    #[arg(long, value_name = "TIMESTAMP")]
    pub after: Option<String>,
    /// Longest wait, 10m if not given (--timeout means the same here); then the exit code is 9
    #[arg(long = "wait-timeout", value_name = "TIME")]
    pub wait_timeout: Option<String>,
    /// Shortest time between two looks
    #[arg(long, value_name = "TIME", default_value = "1s")]
    pub interval: String,
}

/// What `endpoint wait` waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WaitFor {
    /// A scan that has ended; an old one counts unless --after is given.
    Scan,
    /// The server is active.
    Active,
    /// The server is paused.
    Paused,
}
