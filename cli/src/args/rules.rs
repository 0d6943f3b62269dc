//! `secmon rules ...`

use super::{Justification, RunArgs};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

const ADD_EXAMPLES: &str = "\
A port is 22, 22/tcp, 53/udp, 53/* (both), 8000-8100/tcp, or a name such as ssh. Without /protocol it is tcp.

Examples:
  secmon rules add web-1 22/tcp -m \"SSH for the operations team\"
  secmon rules add web-1 80 443 -m \"public web site\" --expires 90d
  secmon rules add --global 443 -c 42 -m \"every server of this customer serves HTTPS\"
  secmon rules add --global 9100 --account -m \"our monitoring, on every server of every customer\"";

/// Allowed Ports rules.
#[derive(Debug, Subcommand)]
pub enum RuleCommand {
    /// List rules
    List(RuleListArgs),
    /// Count the rules of each server of a customer
    Summary,
    /// Allow ports: an open alert that the rule covers is resolved
    Add(RuleAddArgs),
    /// Show one rule
    Show {
        /// Id of the rule, or the first 6 or more of its characters
        rule: String,
    },
    /// Change a rule
    Edit(RuleEditArgs),
    /// Remove rules, by id or by port on a server: their open ports raise alerts again at the next scan
    #[command(alias = "delete", alias = "rm")]
    Remove {
        /// Ids of the rules, or - to read them from standard input, one a line; with --on, their ports
        #[arg(value_name = "RULE|PORT", required = true)]
        rules: Vec<String>,
        /// The server whose own rules for these ports are removed: id, IP address, host name or nickname
        #[arg(long, value_name = "ENDPOINT")]
        on: Option<String>,
    },
    /// Give other servers the rules of one server
    Copy(RuleCopyArgs),
    /// Make rules of what a server's own firewall accepts: iptables-save | secmon rules import web-1 -
    Import(RuleImportArgs),
}

/// Where a rule counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RuleScopeArg {
    /// All servers of a customer, or of the account.
    Global,
    /// One server.
    Endpoint,
}

/// Whether a rule still counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RuleStatusArg {
    /// It counts.
    Active,
    /// Its last day is over.
    Expired,
}

/// Filters of the list.
#[derive(Debug, Args)]
pub struct RuleListArgs {
    /// Only rules of this server: id, IP address, host name or nickname
    #[arg(value_name = "ENDPOINT")]
    pub endpoint: Option<String>,
    /// Only rules of this scope
    #[arg(long)]
    pub scope: Option<RuleScopeArg>,
    /// Only rules that count, or only those that expired
    #[arg(long)]
    pub status: Option<RuleStatusArg>,
    /// Only rules that expire within this time, as 14d
    #[arg(long, value_name = "TIME")]
    pub expiring: Option<String>,
}

/// Ports to allow.
#[derive(Debug, Args)]
#[command(after_help = ADD_EXAMPLES)]
pub struct RuleAddArgs {
    /// The server, then the ports; with --global or -e, ports only
    #[arg(value_name = "ENDPOINT PORT", required = true, num_args = 1..)]
    pub words: Vec<String>,
    /// Why the port is meant to be open
    #[command(flatten)]
    pub justification: Justification,
    /// A further server (repeatable); then every positional is a port
    #[arg(short, long = "endpoint", value_name = "ENDPOINT")]
    pub endpoints: Vec<String>,
    /// For all servers of the customer given with -c, or with --account of every customer
    #[arg(long, conflicts_with = "endpoints")]
    pub global: bool,
    /// With --global: for the servers of every customer of the account, which has to be confirmed
    #[arg(long, requires = "global")]
    pub account: bool,
    /// Name of the service on the port, at most 100 characters
    #[arg(long, value_name = "NAME")]
    pub service: Option<String>,
    /// Last day on which the rule counts: 2026-12-31, 31.12.2026, 90d from today, or "end of next month"
    #[arg(long, value_name = "DAY|PERIOD")]
    pub expires: Option<String>,
    /// Pass over ports that a rule covers already, instead of failing
    #[arg(long)]
    pub skip_existing: bool,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

/// Changes to a rule; what is not given stays.
#[derive(Debug, Args)]
pub struct RuleEditArgs {
    /// Id of the rule, or the first 6 or more of its characters
    pub rule: String,
    /// The new port or range, as 22, 22/tcp or 8000-8100/udp
    #[arg(long, value_name = "PORT")]
    pub port: Option<String>,
    /// The new justification
    #[command(flatten)]
    pub justification: Justification,
    /// The new name of the service
    #[arg(long, value_name = "NAME")]
    pub service: Option<String>,
    /// The new last day: 2026-12-31, 31.12.2026, 90d, "end of next month", or never
    #[arg(long, value_name = "DAY|PERIOD|never")]
    pub expires: Option<String>,
}

/// Rules to copy.
#[derive(Debug, Args)]
pub struct RuleCopyArgs {
    /// The server whose rules to copy
    #[arg(value_name = "ENDPOINT")]
    pub from: String,
    /// The servers that get them
    #[arg(long, value_name = "ENDPOINT", required = true, num_args = 1..)]
    pub to: Vec<String>,
}

/// A firewall dump.
#[derive(Debug, Args)]
pub struct RuleImportArgs {
    /// The server the dump was taken on
    pub endpoint: String,
    /// File with what iptables-save, nft list ruleset, ufw status or firewall-cmd --list-all printed, or -
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Which of them; without it the service finds out
    #[arg(long)]
    pub format: Option<FirewallFormatArg>,
}

/// Programs whose dumps are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FirewallFormatArg {
    /// iptables-save.
    Iptables,
    /// nft list ruleset.
    Nftables,
    /// ufw status verbose.
    Ufw,
    /// firewall-cmd --list-all.
    Firewalld,
}
