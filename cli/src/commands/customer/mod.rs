//! `secmon customer ...`: who there is, how they stand, and what is done to all that they have.

mod change;
mod list;
mod show;

use self::list::CustomerListArgs;
use self::show::CustomerShowArgs;
use crate::commands::lifecycle::Transition;
use crate::commands::lifecycle::everything::CustomerArgs;
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::Outcome;
use clap::Subcommand;

/// Customers, by the numbers that the billing system gave them.
#[derive(Debug, Subcommand)]
pub enum CustomerCommand {
    /// List customers, by their servers and by the domains that this computer has seen
    List(CustomerListArgs),
    /// Show an overview of a customer, like `status -c`: servers, domains, open alerts, expiring rules
    Show(CustomerShowArgs),
    /// Suspend everything a customer has: servers, domains, and the subscriptions set up from this computer
    #[command(after_help = change::SUSPEND_EXAMPLES)]
    Suspend(CustomerArgs),
    /// Resume what `customer suspend` suspended from this computer; if it suspended nothing, asks to resume everything paused
    Resume(CustomerArgs),
    /// End everything a customer has: servers, domains, and the subscriptions set up from this computer
    #[command(after_help = change::LEAVE_EXAMPLES)]
    Leave(CustomerArgs),
}

/// Runs the command.
pub async fn run(context: &Context, command: CustomerCommand) -> Result<Outcome, CliError> {
    match command {
        CustomerCommand::List(args) => list::run(context, &args).await,
        CustomerCommand::Show(args) => show::run(context, &args).await,
        CustomerCommand::Suspend(all) => change::run(context, &all, Transition::Suspend).await,
        CustomerCommand::Resume(all) => change::run(context, &all, Transition::Resume).await,
        CustomerCommand::Leave(all) => change::run(context, &all, Transition::Terminate).await,
    }
}
