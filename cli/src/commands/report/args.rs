//! What `secmon report` takes.

use clap::Args;
use std::path::PathBuf;

/// A page about a customer.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// File to write: one page without scripts, to send or to print
    #[arg(long, value_name = "FILE")]
    pub html: PathBuf,
}
