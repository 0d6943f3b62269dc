//! How a run over many is made.

use clap::{Args, ValueEnum};

const RUN: &str = "Bulk runs";

/// A run over many.
#[derive(Debug, Clone, Default, Args)]
pub struct RunArgs {
    /// Continue with the rest if some of the named records are not found
    #[arg(long, help_heading = RUN, hide_short_help = true)]
    pub ignore_not_found: bool,
    /// Use all 60 calls a minute; by default 5 of them are left for other users
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
