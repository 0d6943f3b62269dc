//! `secmon mock ...`

use super::CategoryArg;
use clap::{Args, Subcommand};
use secmon_mock::flags::Given;
use std::path::PathBuf;

const FAULT_EXAMPLES: &str = "\
An effect is status=503, status=503,code=SCANNING_UNAVAILABLE, latency=250ms, close=before, close=after,
close=mid_body, close=reset, or body=TEXT (with status=200 in front, if it is to be another).

Examples:
  secmon mock fault add status=429 --path '/api/v1/billing/*'
  secmon mock fault add close=after --method POST --times 2";

/// The mock service: serve it, or steer one that is served.
#[derive(Debug, Subcommand)]
pub enum MockCommand {
    /// Serve the mock until it is told to stop
    Serve(Box<MockServeArgs>),
    /// What is done to one that is served.
    #[command(flatten)]
    Steering(MockSteering),
}

/// Steering a mock that is served.
#[derive(Debug, Subcommand)]
pub enum MockSteering {
    /// Show the mock's time, or move it forward
    Clock {
        /// Which mock
        #[command(flatten)]
        admin: AdminArgs,
        /// What to do with it
        #[command(subcommand)]
        command: ClockCommand,
    },
    /// Order trouble for calls to come
    Fault {
        /// Which mock
        #[command(flatten)]
        admin: AdminArgs,
        /// What to do with it
        #[command(subcommand)]
        command: FaultCommand,
    },
    /// Let something happen in the simulated world, and scan for it
    Trigger {
        /// Which mock
        #[command(flatten)]
        admin: AdminArgs,
        /// What happens
        #[command(subcommand)]
        command: TriggerCommand,
    },
    /// Take everything back to the start: records, faults, journal, clock
    Reset {
        /// Which mock
        #[command(flatten)]
        admin: AdminArgs,
    },
    /// Carry the whole state out and in
    State {
        /// Which mock
        #[command(flatten)]
        admin: AdminArgs,
        /// What to do with it
        #[command(subcommand)]
        command: StateCommand,
    },
}

/// The options of `secmon-mock`; its `--config` is `--mock-config` here.
#[derive(Debug, Args)]
pub struct MockServeArgs {
    /// What `secmon-mock` takes.
    #[command(flatten)]
    pub flags: secmon_mock::flags::ServeFlags,
    /// Configuration of the mock: accounts, keys, limits, timings, DNS (TOML)
    #[arg(long, value_name = "FILE", env = "SECMON_MOCK_CONFIG")]
    pub mock_config: Option<Given<PathBuf>>,
}

/// Where the mock's admin API is.
#[derive(Debug, Args)]
pub struct AdminArgs {
    /// Origin of the admin API; without it SECMON_MOCK_ADMIN_URL, else the address of the service
    #[arg(long, value_name = "URL", global = true)]
    pub admin_url: Option<String>,
}

/// The mock's time.
#[derive(Debug, Subcommand)]
pub enum ClockCommand {
    /// Show the time
    Show,
    /// Move time forward; what is due until then has happened when it returns
    Advance {
        /// How far, as 90s, 5m or 24h
        length: String,
    },
}

/// Ordered trouble.
#[derive(Debug, Subcommand)]
pub enum FaultCommand {
    /// Order trouble
    Add(FaultAddArgs),
    /// List what is ordered, and how often it hit
    List,
    /// Remove all of it
    Clear,
}

/// A fault.
#[derive(Debug, Args)]
#[command(after_help = FAULT_EXAMPLES)]
pub struct FaultAddArgs {
    /// What happens to the call
    pub effect: String,
    /// Only calls of this method
    #[arg(long)]
    pub method: Option<String>,
    /// Only calls of this path; * stands for anything
    #[arg(long)]
    pub path: Option<String>,
    /// How many calls it hits; 0 until it is removed
    #[arg(long, default_value_t = 1)]
    pub times: u64,
    /// How many matching calls pass first
    #[arg(long, default_value_t = 0)]
    pub after: u64,
}

/// Something that happens.
#[derive(Debug, Subcommand)]
pub enum TriggerCommand {
    /// Ports of a server are open from now on
    PortOpen(TriggerPorts),
    /// Ports of a server are closed from now on
    PortClosed(TriggerPorts),
    /// More credentials of a domain leak
    Leak {
        /// The domain: name or id
        domain: String,
        /// Whose credentials
        #[arg(long, default_value = "employees")]
        category: CategoryArg,
        /// How many more
        #[arg(long, value_name = "N", default_value_t = 1)]
        count: u64,
        /// When it shows
        #[command(flatten)]
        options: TriggerOptions,
    },
    /// A domain is mentioned on the dark web
    Mention {
        /// The domain: name or id
        domain: String,
        /// How many more mentions
        #[arg(long, value_name = "N", default_value_t = 1)]
        count: u64,
        /// When it shows
        #[command(flatten)]
        options: TriggerOptions,
    },
}

/// Ports of a server.
#[derive(Debug, Args)]
pub struct TriggerPorts {
    /// The server: id, IP address, host name or nickname
    pub endpoint: String,
    /// The ports, as 3306, 53/udp or mysql
    #[arg(value_name = "PORT", required = true)]
    pub ports: Vec<String>,
    /// When it shows
    #[command(flatten)]
    pub options: TriggerOptions,
}

/// When something that happened shows.
#[derive(Debug, Clone, Copy, Args)]
pub struct TriggerOptions {
    /// Do not scan for it: it shows at the next scan
    #[arg(long)]
    pub no_scan: bool,
}

/// The whole state.
#[derive(Debug, Subcommand)]
pub enum StateCommand {
    /// Print the state as JSON
    Export,
    /// Replace the state by an exported one
    Import {
        /// The file, or - for standard input
        file: PathBuf,
    },
}
