//! `secmon customer ...`: who there is, how they stand, and what is done to all that they have.

mod everything;
mod leave;
mod list;
mod possession;
mod resume;
mod show;
mod suspend;

use self::list::CustomerListArgs;
use self::possession::Everything;
use self::show::CustomerShowArgs;
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::Outcome;
use clap::Subcommand;

/// Customers, by the numbers that the billing system gave them.
#[derive(Debug, Subcommand)]
pub enum CustomerCommand {
    /// List customers, by their servers and by the domains that this machine has seen
    List(CustomerListArgs),
    /// Show an overview of a customer, like `status -c`: servers, domains, open alerts, expiring rules
    Show(CustomerShowArgs),
    /// Suspend everything a customer has: servers, domains, and the subscriptions this machine knows
    #[command(after_help = suspend::EXAMPLES)]
    Suspend(Everything),
    /// Resume what `customer suspend` suspended; anything suspended another way stays suspended
    Resume(Everything),
    /// End everything a customer has, and its billing: servers, domains, and the subscriptions this machine knows
    #[command(after_help = leave::EXAMPLES)]
    Leave(Everything),
}

/// Runs the command.
pub async fn run(context: &Context, command: CustomerCommand) -> Result<Outcome, CliError> {
    match command {
        CustomerCommand::List(args) => list::run(context, &args).await,
        CustomerCommand::Show(args) => show::run(context, &args).await,
        CustomerCommand::Suspend(all) => suspend::run(context, &all).await,
        CustomerCommand::Resume(all) => resume::run(context, &all).await,
        CustomerCommand::Leave(all) => leave::run(context, &all).await,
    }
}
