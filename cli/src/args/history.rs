//! `secmon history`

use clap::{Args, Subcommand};

/// What was changed from this machine, the latest last.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct HistoryArgs {
    /// Only changes within this time, as 30d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
    /// Only changes that touched this server: id, address, host name or nickname
    #[arg(long, value_name = "ENDPOINT")]
    pub endpoint: Option<String>,
    /// Only changes by this user of the machine
    #[arg(long, value_name = "USER")]
    pub user: Option<String>,
    /// One change
    #[command(subcommand)]
    pub command: Option<HistoryCommand>,
}

/// One change.
#[derive(Debug, Subcommand)]
pub enum HistoryCommand {
    /// Show one change
    Show {
        /// Its id, or the first 6 or more of its characters
        id: String,
    },
}
