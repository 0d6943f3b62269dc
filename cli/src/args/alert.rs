//! `secmon alert ...`, for port alerts.

use super::Justification;
use clap::{Args, Subcommand, ValueEnum};

const LIST_EXAMPLES: &str = "\
Examples:
  secmon alert list -c 42
  secmon alert list -c 42 --status open --severity high+
  secmon alert list --endpoint web-1";

/// Port alerts: one for each open port that no rule allows.
#[derive(Debug, Subcommand)]
pub enum AlertCommand {
    /// List alerts of a customer or a server
    List(AlertListArgs),
    /// Show one alert
    Show {
        /// Id of the alert, or the first 6 or more of its characters
        alert: String,
    },
    /// Allow the port of an alert: adds the rule, which resolves the alert for good
    Allow(AlertAllowArgs),
    /// Mark alerts as resolved; a port that is still open raises a new one at the next scan
    Resolve(AlertResolveArgs),
}

/// States of a port alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AlertStatusArg {
    /// The port was open and not allowed when last seen.
    Open,
    /// The port closed, was allowed, or somebody resolved it.
    Resolved,
}

/// Filters of the list.
#[derive(Debug, Args)]
#[command(after_help = LIST_EXAMPLES)]
pub struct AlertListArgs {
    /// Only alerts in this state
    #[arg(long)]
    pub status: Option<AlertStatusArg>,
    /// Only this severity: low, medium, high or critical; with + behind it, and above
    #[arg(long, value_name = "SEVERITY")]
    pub severity: Option<String>,
    /// Only alerts of this server: id, IP address, host name or nickname
    #[arg(long, value_name = "ENDPOINT")]
    pub endpoint: Option<String>,
    /// Only alerts first seen within this time, as 7d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
}

/// Alerts whose ports to allow.
#[derive(Debug, Args)]
pub struct AlertAllowArgs {
    /// Ids of the alerts, or the first 6 or more of their characters
    #[arg(value_name = "ALERT", required = true)]
    pub alerts: Vec<String>,
    /// Why the port is meant to be open
    #[command(flatten)]
    pub justification: Justification,
    /// Last day on which the rule counts: 2026-12-31, or 90d from today
    #[arg(long, value_name = "DAY|TIME")]
    pub expires: Option<String>,
}

/// Alerts to resolve.
#[derive(Debug, Args)]
pub struct AlertResolveArgs {
    /// Ids of the alerts, or - to read them from standard input, one a line
    #[arg(value_name = "ALERT", required = true)]
    pub alerts: Vec<String>,
}
