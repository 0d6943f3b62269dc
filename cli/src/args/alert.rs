//! `secmon alert ...`: port alerts and domain alerts.

use super::Justification;
use clap::{Args, Subcommand, ValueEnum};

const LIST_EXAMPLES: &str = "\
Examples:
  secmon alert list -c 42
  secmon alert list -c 42 --status open --severity high+
  secmon alert list --endpoint web-1
  secmon alert list --domain example.com -c 42";

const ACK_EXAMPLES: &str = "\
Examples:
  secmon alert ack example.com/4e6f0c1a-... -c 42
  secmon alert ack --all --severity medium -c 42
  secmon alert list -c 42 --kind domain -o ids | secmon alert ack - -c 42";

/// A port alert is an open port that no rule allows. A domain alert is a leak or a mention that a scan found.
#[derive(Debug, Subcommand)]
pub enum AlertCommand {
    /// List alerts of a customer, a server or a domain
    List(AlertListArgs),
    /// Show one alert
    Show {
        /// Id of the alert, or the first 6 or more of its characters; DOMAIN/ID for a domain alert
        alert: String,
    },
    /// Acknowledge domain alerts: somebody has seen them
    Ack(AlertAckArgs),
    /// Allow the port of a port alert: adds the rule, which resolves the alert for good
    Allow(AlertAllowArgs),
    /// Go through open alerts at the terminal, server by server, and say what becomes of each
    Triage(AlertTriageArgs),
    /// Keep looking, and tell of each new open alert
    Watch(AlertWatchArgs),
    /// Mark alerts as resolved; a port that is still open raises a new one at the next scan
    Resolve(AlertResolveArgs),
}

/// What an alert is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AlertKind {
    /// Open ports.
    Port,
    /// Leaks and mentions of domains; one call for each domain.
    Domain,
}

/// States of an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AlertStatusArg {
    /// Nobody has dealt with it.
    Open,
    /// Somebody has seen it (domain alerts only).
    Acknowledged,
    /// It is dealt with.
    Resolved,
}

const WATCH_EXAMPLES: &str = "\
The command of --exec gets the alert as JSON on its standard input, and SECMON_ALERT_ID and SECMON_ALERT_SEVERITY.
With -o json each alert is one line, as with -o jsonl.

Examples:
  secmon alert watch -c 42 --severity high+
  secmon alert watch -c 42 --exec 'notify-send \"secmon: $SECMON_ALERT_SEVERITY\"'
  secmon alert watch -c 42 --for 10m --exit-code";

/// Alerts to keep looking for.
#[derive(Debug, Args)]
#[command(after_help = WATCH_EXAMPLES)]
pub struct AlertWatchArgs {
    /// Which alerts
    #[command(flatten)]
    pub filter: AlertFilter,
    /// Time between two looks
    #[arg(long, value_name = "TIME", default_value = "60s")]
    pub interval: String,
    /// Run this command for each new alert
    #[arg(long, value_name = "CMD")]
    pub exec: Option<String>,
    /// End with exit code 1 at the first look that finds a new alert
    #[arg(long)]
    pub exit_code: bool,
    /// End after this time, with exit code 0
    #[arg(long = "for", value_name = "TIME")]
    pub length: Option<String>,
}

const TRIAGE_EXAMPLES: &str = "\
Nothing is sent before the last question. Each step is shown as the command that does the same, for a script.
SECMON_PLAIN_PROMPTS=1 asks by numbers, without moving the cursor.

Examples:
  secmon alert triage -c 42
  secmon alert triage --endpoint web-1 --severity medium+";

/// Alerts to go through.
#[derive(Debug, Args)]
#[command(after_help = TRIAGE_EXAMPLES)]
pub struct AlertTriageArgs {
    /// Only alerts in this state
    #[arg(long, default_value = "open")]
    pub status: AlertStatusArg,
    /// Which alerts
    #[command(flatten)]
    pub filter: AlertFilter,
}

/// Filters of the list.
#[derive(Debug, Args)]
#[command(after_help = LIST_EXAMPLES)]
pub struct AlertListArgs {
    /// Only alerts in this state
    #[arg(long)]
    pub status: Option<AlertStatusArg>,
    /// Which alerts
    #[command(flatten)]
    pub filter: AlertFilter,
}

/// Whose alerts, and which of them.
#[derive(Debug, Args)]
pub struct AlertFilter {
    /// Only alerts about ports, or about domains
    #[arg(long, alias = "type")]
    pub kind: Option<AlertKind>,
    /// Only this severity: low, medium, high or critical; with + behind it, and above
    #[arg(long, value_name = "SEVERITY")]
    pub severity: Option<String>,
    /// Only alerts of this server: id, IP address, host name or nickname
    #[arg(long, value_name = "ENDPOINT", conflicts_with = "domain")]
    pub endpoint: Option<String>,
    /// Only alerts of this domain: name or id
    #[arg(long, value_name = "DOMAIN")]
    pub domain: Option<String>,
    /// Only alerts first seen within this time, as 7d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
}

const ACK_USAGE: &str = "\
secmon alert ack [OPTIONS] ALERT...
       secmon alert ack [OPTIONS] --all [--severity SEVERITY] [--domain DOMAIN]";

/// Domain alerts to acknowledge.
#[derive(Debug, Default, Args)]
#[command(override_usage = ACK_USAGE, after_help = ACK_EXAMPLES)]
pub struct AlertAckArgs {
    /// Ids of the alerts, as DOMAIN/ID or ID, or - to read them from standard input, one a line
    #[arg(value_name = "ALERT", conflicts_with_all = ["all", "kind", "severity", "domain"])]
    pub alerts: Vec<String>,
    /// All open domain alerts of the customer
    #[arg(long)]
    pub all: bool,
    /// With --all: domain, the only kind that is acknowledged
    #[arg(long, alias = "type")]
    pub kind: Option<AlertKind>,
    /// With --all: only this severity, as medium or high+
    #[arg(long, value_name = "SEVERITY")]
    pub severity: Option<String>,
    /// With --all: only alerts of this domain
    #[arg(long, value_name = "DOMAIN")]
    pub domain: Option<String>,
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
    /// Last day on which the rule counts: 2026-12-31, 31.12.2026, 90d from today, or "end of next month"
    #[arg(long, value_name = "DAY|PERIOD")]
    pub expires: Option<String>,
}

/// Alerts to resolve.
#[derive(Debug, Args)]
pub struct AlertResolveArgs {
    /// Ids of the alerts, or - to read them from standard input, one a line
    #[arg(value_name = "ALERT", required = true)]
    pub alerts: Vec<String>,
    /// Acknowledge domain alerts that are still open first (two calls)
    #[arg(long)]
    pub ack: bool,
}
