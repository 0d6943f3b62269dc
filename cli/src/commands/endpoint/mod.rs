//! `secmon endpoint ...`: the monitored servers.

mod add;
pub mod change;
mod earlier_server;
mod history;
mod list;
mod relocate;
mod rename;
mod show;
mod wait;

use self::add::EndpointAddArgs;
use self::change::{EndpointSelection, SUSPEND_EXAMPLES};
use self::history::EndpointHistoryArgs;
use self::list::EndpointListArgs;
use self::relocate::{EndpointMoveArgs, MOVE_EXAMPLES, MOVE_USAGE};
use self::rename::EndpointRenameArgs;
use self::show::EndpointShowArgs;
use self::wait::EndpointWaitArgs;
use crate::commands::lifecycle::Transition;
use crate::commands::provision;
use crate::commands::provision::args::ProvisionArgs;
use crate::commands::scan::{self, ScanArgs};
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::Outcome;
use clap::Subcommand;
use std::path::Path;

/// Monitored servers.
#[derive(Debug, Subcommand)]
pub enum EndpointCommand {
    /// List monitored servers by customer and name; --sort changes the order
    List(EndpointListArgs),
    /// Show one server: its last scan, open alerts and allowed ports
    Show(EndpointShowArgs),
    /// Show what happened on one server: scans, alerts, rules, and the changes from this computer
    History(EndpointHistoryArgs),
    /// Start monitoring servers (the same as `secmon provision`)
    Provision(Box<ProvisionArgs>),
    /// Add a server through the endpoints call, which allows 100 a minute instead of 60 and can start paused
    Add(EndpointAddArgs),
    /// Change the name a server is shown by
    Rename(EndpointRenameArgs),
    /// Move a server to another address or customer: its name and rules move along, and the old record is terminated
    #[command(override_usage = MOVE_USAGE, after_help = MOVE_EXAMPLES)]
    Move(EndpointMoveArgs),
    /// Pause monitoring and keep what was found; `resume` goes on
    #[command(after_help = SUSPEND_EXAMPLES)]
    Suspend(EndpointSelection),
    /// Resume monitoring of suspended servers
    Resume(EndpointSelection),
    /// End monitoring: no longer listed; provisioning the same address restores it
    Terminate(EndpointSelection),
    /// End monitoring and remove the server: no longer listed or readable by id; adding the same address again restores it
    Delete(EndpointSelection),
    /// Scan servers for open ports now
    Scan(ScanArgs),
    /// Wait until servers have been scanned, or are active or paused
    Wait(EndpointWaitArgs),
}

impl EndpointCommand {
    /// The file that names servers.
    pub fn input(&self) -> Option<&Path> {
        match self {
            Self::Provision(args) => args.file.as_deref(),
            Self::Suspend(servers)
            | Self::Resume(servers)
            | Self::Terminate(servers)
            | Self::Delete(servers) => servers.file.as_deref(),
            _ => None,
        }
    }
}

/// Runs the command.
pub async fn run(context: &Context, command: EndpointCommand) -> Result<Outcome, CliError> {
    match command {
        EndpointCommand::List(args) => list::run(context, &args).await,
        EndpointCommand::Show(args) => show::run(context, &args).await,
        EndpointCommand::History(args) => history::run(context, &args).await,
        EndpointCommand::Provision(args) => provision::run(context, *args).await,
        EndpointCommand::Add(args) => add::run(context, args).await,
        EndpointCommand::Rename(args) => rename::run(context, &args).await,
        EndpointCommand::Move(args) => relocate::run(context, &args).await,
        EndpointCommand::Suspend(servers) => {
            change::run(context, &servers, Transition::Suspend).await
        }
        EndpointCommand::Resume(servers) => {
            change::run(context, &servers, Transition::Resume).await
        }
        EndpointCommand::Terminate(servers) => {
            change::run(context, &servers, Transition::Terminate).await
        }
        EndpointCommand::Delete(servers) => {
            change::run(context, &servers, Transition::Delete).await
        }
        EndpointCommand::Scan(args) => scan::run(context, args).await,
        EndpointCommand::Wait(args) => wait::run(context, args).await,
    }
}
