//! `secmon mock ...`

use clap::{Args, Subcommand};
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
    #[arg(long, value_name = "FILE")]
    pub mock_config: Option<PathBuf>,
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
