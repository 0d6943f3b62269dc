//! `secmon alert ...`: port alerts and domain alerts.

mod ack;
mod allow;
mod ends;
pub mod filter;
mod list;
mod resolve;
mod rows;
mod show;
mod stream;
mod triage;
mod watch;

use self::ack::AlertAckArgs;
use self::allow::AlertAllowArgs;
use self::list::AlertListArgs;
use self::resolve::AlertResolveArgs;
use self::show::AlertShowArgs;
use self::triage::AlertTriageArgs;
use self::watch::AlertWatchArgs;
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::Outcome;
use clap::Subcommand;

/// A port alert is an open port that no rule allows. A domain alert is a leak or a mention that a scan found.
#[derive(Debug, Subcommand)]
pub enum AlertCommand {
    /// List alerts of a customer, a server or a domain
    List(AlertListArgs),
    /// Show one alert
    Show(AlertShowArgs),
    /// Acknowledge domain alerts, to say that somebody has seen them
    Ack(AlertAckArgs),
    /// Allow the port of a port alert: adds the rule, which resolves the alert for good
    Allow(AlertAllowArgs),
    /// Go through open alerts in the terminal, server by server, and decide what to do with each
    Triage(AlertTriageArgs),
    /// Keep watching, and report each new open alert
    Watch(AlertWatchArgs),
    /// Mark alerts as resolved; a port that is still open raises a new one at the next scan
    Resolve(AlertResolveArgs),
}

/// Runs the command.
pub async fn run(context: &Context, command: AlertCommand) -> Result<Outcome, CliError> {
    match command {
        AlertCommand::List(args) => list::run(context, &args).await,
        AlertCommand::Show(args) => show::run(context, &args).await,
        AlertCommand::Ack(args) => ack::run(context, &args).await,
        AlertCommand::Allow(args) => allow::run(context, args).await,
        AlertCommand::Triage(args) => triage::run(context, &args).await,
        AlertCommand::Watch(args) => watch::run(context, &args).await,
        AlertCommand::Resolve(args) => resolve::run(context, &args).await,
    }
}
