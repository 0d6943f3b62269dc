//! How a run over many is made.

use clap::{Args, ValueEnum};

const RUN: &str = "Runs over many records";

/// A run over many, which the same command goes on with where it ended early.
#[derive(Debug, Clone, Default, Args)]
pub struct RunArgs {
    /// Continue an interrupted run, however old; fails if there is none
    #[arg(long, help_heading = RUN, conflicts_with = "restart", hide_short_help = true)]
    pub resume: bool,
    /// Start over; without this, an interrupted run is continued
    #[arg(long, help_heading = RUN, hide_short_help = true)]
    pub restart: bool,
    /// Use all 60 calls a minute; without this, 5 of them are left to other users
    #[arg(long, help_heading = RUN, hide_short_help = true)]
    pub use_whole_window: bool,
}

/// What a failed row does to the rows after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnError {
    /// The other rows are still done.
    Continue,
    /// Nothing is sent after the first failed row.
    Stop,
}
