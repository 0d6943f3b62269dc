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
use crate::session::settings;
use crate::ui::outcome::Outcome;
use clap::Subcommand;
use secmon::model::CustomerId;

/// Customers, by the numbers that the billing system gave them.
#[derive(Debug, Subcommand)]
pub enum CustomerCommand {
    /// List the customers: by their servers, and by the domains that this machine has seen
    List(CustomerListArgs),
    /// Show how a customer stands, as `status -c` does: servers, domains, open alerts, rules about to expire
    Show(CustomerShowArgs),
    /// Suspend all that a customer has: servers, domains, and the subscriptions that are known here
    #[command(after_help = suspend::EXAMPLES)]
    Suspend(Everything),
    /// Resume what `customer suspend` has stopped, and nothing that was suspended otherwise
    Resume(Everything),
    /// End all that a customer has, for billing: servers, domains, and the subscriptions that are known here
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

fn number_of(text: &str) -> Result<CustomerId, CliError> {
    settings::parse_customer("CUSTOMER", text)
}
