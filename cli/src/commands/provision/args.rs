//! What `secmon provision` takes.

use crate::bulk::args::{OnError, RunArgs};
use crate::commands::common::args::{ClientContact, WaitArgs};
use clap::Args;
use std::path::PathBuf;

const FILE: &str = "From a file";

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
    /// IP addresses of servers or URLs of domains; for other names, add --server or --domain
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,
    /// The same as TARGET, under the API's name
    #[arg(long, value_name = "IP", hide_short_help = true)]
    pub ip_address: Vec<String>,
    /// Treat all targets as servers; the service resolves host names
    #[arg(long)]
    pub server: bool,
    /// Treat targets that are not IP addresses as domains; needs --service
    #[arg(long, conflicts_with = "server")]
    pub domain: bool,
    /// Name to show for the server (one target only; takes a second call)
    #[arg(long, alias = "name", value_name = "NAME")]
    pub nickname: Option<String>,
    /// Host name to show beside the address
    #[arg(long, value_name = "NAME")]
    pub hostname: Option<String>,
    /// Number of the billing service that pays for the server
    #[arg(long, value_name = "ID")]
    pub service: Option<String>,
    /// Product of the billing service, such as port_monitoring or endpoint
    #[arg(long, value_name = "SLUG")]
    pub product: Option<String>,
    /// Plan of the billing service, for port_monitoring
    #[arg(long, value_name = "PLAN")]
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
    /// Read the column COL of the file as FIELD; COL=- ignores it (repeatable)
    #[arg(long, value_name = "COL=FIELD", help_heading = FILE, requires = "file")]
    #[arg(allow_hyphen_values = true)]
    pub map: Vec<String>,
    /// Character between the columns; auto finds , ; or tab
    #[arg(long, value_name = "CHAR", default_value = "auto", help_heading = FILE)]
    pub delimiter: String,
    /// Encoding of a file that is neither UTF-8 nor UTF-16, such as windows-1250, cp852 or macintosh
    #[arg(long, value_name = "NAME", help_heading = FILE, requires = "file")]
    pub encoding: Option<String>,
    /// What a failed row does to the rows after it
    #[arg(long, value_name = "HOW", default_value = "continue", help_heading = FILE)]
    pub on_error: OnError,
    /// Write the result of each row to this CSV file; its failed rows can be used as input again
    #[arg(long, value_name = "FILE", help_heading = FILE, requires = "file")]
    pub report: Option<PathBuf>,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
    /// Print an empty file to fill in
    #[arg(long, help_heading = FILE, conflicts_with_all = ["targets", "file"])]
    pub template: bool,
}
