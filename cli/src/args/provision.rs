//! `secmon provision`, and what other commands that create or wait share with it.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

const FILE: &str = "From a file";
const RUN: &str = "A run over many";

const EXAMPLES: &str = "\
Examples:
  secmon provision 203.0.113.10 -c 42 --nickname web-1 --wait
  secmon provision web.example.com --server -c 42
  secmon provision https://example.com --service 501 -c 42
  secmon provision --template > servers.csv
  secmon provision -f servers.csv

A server that is already monitored for the customer is left as it is and reported as skipped.";

/// Of so many options an example tells more.
const EXAMPLES_FIRST: &str = "{about}{after-help}\n\n{usage-heading} {usage}\n\n{all-args}";

/// Start monitoring servers and domains.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, help_template = EXAMPLES_FIRST)]
pub struct ProvisionArgs {
    /// IP addresses of servers, URLs of domains; other names with --server or --domain
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,
    /// The same as TARGET, in the API's words
    #[arg(long, value_name = "IP", hide_short_help = true)]
    pub ip_address: Vec<String>,
    /// The targets are servers, host names too (the service resolves them)
    #[arg(long)]
    pub server: bool,
    /// The targets that are no IP addresses are domains; --service is needed
    #[arg(long, conflicts_with = "server")]
    pub domain: bool,
    /// Name to show for the server (one target only; a second call)
    #[arg(long, alias = "name", value_name = "NAME")]
    pub nickname: Option<String>,
    /// Host name to show beside the address
    #[arg(long, value_name = "NAME")]
    pub hostname: Option<String>,
    /// Number of the billing service that pays for the server
    #[arg(long, value_name = "ID")]
    pub service: Option<String>,
    /// Product the server belongs to
    #[arg(long, value_name = "SLUG")]
    pub product: Option<String>,
    /// Plan the server belongs to
    #[arg(long, value_name = "SLUG")]
    pub plan: Option<String>,
    /// Monthly recurring revenue, 0.01 to 9999.99
    #[arg(long, value_name = "AMOUNT")]
    pub mrr: Option<String>,
    /// Who the customer is, if the service does not know it yet
    #[command(flatten)]
    pub contact: ClientContact,
    /// How to wait for the first scan
    #[command(flatten)]
    pub wait: WaitArgs,

    /// CSV file with a column `target`, or - for standard input
    #[arg(short, long, value_name = "FILE", help_heading = FILE)]
    pub file: Option<PathBuf>,
    /// Read the file's column COL as FIELD, or with - pass it over (repeatable)
    #[arg(long, value_name = "COL=FIELD", help_heading = FILE, requires = "file")]
    pub map: Vec<String>,
    /// Character between the columns; auto finds , ; or tab
    #[arg(long, value_name = "CHAR", default_value = "auto", help_heading = FILE)]
    pub delimiter: String,
    /// What a failed row does to the rows after it
    #[arg(long, value_name = "HOW", default_value = "continue", help_heading = FILE)]
    pub on_error: OnError,
    /// Write what became of each row to this CSV file; failed rows can be fed back in
    #[arg(long, value_name = "FILE", help_heading = FILE, requires = "file")]
    pub report: Option<PathBuf>,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
    /// Print an empty file to fill in
    #[arg(long, help_heading = FILE, conflicts_with_all = ["targets", "file"])]
    pub template: bool,
}

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

/// Used by the service only when it creates the customer's account.
#[derive(Debug, Clone, Default, Args)]
pub struct ClientContact {
    /// Name of the customer, for a new one
    #[arg(long, value_name = "NAME")]
    pub client_name: Option<String>,
    /// E-mail address of the customer, for a new one
    #[arg(long, value_name = "EMAIL")]
    pub client_email: Option<String>,
}

/// Waiting for a scan to end.
#[derive(Debug, Clone, Args)]
pub struct WaitArgs {
    /// Wait until the scan has ended and show what it found
    #[arg(short, long)]
    pub wait: bool,
    /// Longest wait; when it runs out the exit code is 9, and the scan goes on
    #[arg(long, value_name = "TIME", default_value = "10m")]
    pub wait_timeout: String,
}

/// What a failed row does to the rows after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnError {
    /// The other rows are still done.
    Continue,
    /// Nothing is sent after the first failed row.
    Stop,
}
