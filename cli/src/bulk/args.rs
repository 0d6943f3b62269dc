//! How a run over many is made.

use clap::{Args, ValueEnum};

const RUN: &str = "A run over many";

/// A run over many, which the same command goes on with where it ended early.
#[derive(Debug, Clone, Default, Args)]
pub struct RunArgs {
    /// Go on with an unfinished run, however old; without one it is an error
    #[arg(long, help_heading = RUN, conflicts_with = "restart", hide_short_help = true)]
    pub resume: bool,
    /// Begin anew; else a run that ended early is gone on with
    #[arg(long, help_heading = RUN, hide_short_help = true)]
    pub restart: bool,
    /// Use all the calls of a minute; else a run leaves 5 of 60 to people
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
