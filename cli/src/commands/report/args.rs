//! What `secmon report` takes.

use clap::Args;
use std::path::PathBuf;

/// A page about a customer.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  secmon report -c 42 --html report.html
  secmon report -c 42 --html report.html --client-name Ada --brand Acme --logo acme.svg")]
pub struct ReportArgs {
    /// File to write: one page without scripts, to send or to print
    #[arg(long, value_name = "FILE")]
    pub html: PathBuf,
    /// Name of the customer on the page; the service gives only the number
    #[arg(long, value_name = "NAME")]
    pub client_name: Option<String>,
    /// Name of the sender, shown at the top
    #[arg(long, value_name = "NAME")]
    pub brand: Option<String>,
    /// Picture for the top, embedded in the page: PNG, JPEG or SVG of at most 256 KiB
    #[arg(long, value_name = "FILE")]
    pub logo: Option<PathBuf>,
}
