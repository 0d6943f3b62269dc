//! `secmon domain ...`: the monitored domains.

pub mod bars;
mod change;
mod history;
pub mod leaks;
mod list;
mod mentions;
pub mod named;
pub mod provision;
mod release;
mod relocate;
mod rename;
mod show;

use self::change::{DomainSelection, DomainTargets, SUSPEND_EXAMPLES};
use self::leaks::DomainLeaksArgs;
use self::mentions::DomainMentionsArgs;
use self::named::DomainArg;
use self::provision::DomainProvisionArgs;
use self::release::DomainReleaseArgs;
use self::relocate::DomainMoveArgs;
use self::rename::DomainRenameArgs;
use crate::commands::lifecycle::Transition;
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::Outcome;
use clap::Subcommand;

/// Monitored domains. A domain belongs to a customer: name it with -c.
#[derive(Debug, Subcommand)]
pub enum DomainCommand {
    /// List the monitored domains of a customer, and their slots
    List,
    /// Show one domain: compromised credentials, mentions, slots
    Show(DomainArg),
    /// Start watching domains; each takes a slot of a domain_monitoring subscription
    Provision(DomainProvisionArgs),
    /// Change the name that a record watches; its history stays
    Rename(DomainRenameArgs),
    /// Move a domain to another customer: it is provisioned there, and the old record is terminated
    Move(DomainMoveArgs),
    /// Pause monitoring and keep what was found; `resume` continues it
    #[command(after_help = SUSPEND_EXAMPLES)]
    Suspend(DomainSelection),
    /// Resume monitoring of suspended domains
    Resume(DomainSelection),
    /// End monitoring: no longer listed; provisioning the same name restores it
    Terminate(DomainTargets),
    /// Give up a domain and its slot for good: it can no longer be read or restored
    Release(DomainReleaseArgs),
    /// List leaked credentials of a domain, the newest first
    Leaks(DomainLeaksArgs),
    /// List mentions of a domain on the dark web
    Mentions(DomainMentionsArgs),
    /// List the last 25 scans of a domain
    History(DomainArg),
}

/// Runs the command.
pub async fn run(context: &Context, command: DomainCommand) -> Result<Outcome, CliError> {
    match command {
        DomainCommand::List => list::run(context).await,
        DomainCommand::Show(args) => show::run(context, &args).await,
        DomainCommand::Provision(args) => provision::run(context, args).await,
        DomainCommand::Rename(args) => rename::run(context, &args).await,
        DomainCommand::Move(args) => relocate::run(context, &args).await,
        DomainCommand::Suspend(domains) => {
            change::run(context, &domains, Transition::Suspend).await
        }
        DomainCommand::Resume(domains) => change::run(context, &domains, Transition::Resume).await,
        DomainCommand::Terminate(targets) => {
            change::run_named(
                context,
                &targets.domains,
                Transition::Terminate,
                &targets.run,
            )
            .await
        }
        DomainCommand::Release(args) => release::run(context, &args).await,
        DomainCommand::Leaks(args) => leaks::run(context, &args).await,
        DomainCommand::Mentions(args) => mentions::run(context, &args).await,
        DomainCommand::History(args) => history::run(context, &args).await,
    }
}
