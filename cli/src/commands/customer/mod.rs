//! `secmon customer ...`: who there is, how they stand, and what is done to all that they have.

mod everything;
mod list;

use self::everything::{Everything, LEAVE_EXAMPLES, SUSPEND_EXAMPLES};
use self::list::CustomerListArgs;
use super::common::transition::Transition;
use super::status;
use crate::context::Context;
use crate::error::CliError;
use crate::references;
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
    Show {
        /// The customer's number
        #[arg(value_name = "CUSTOMER")]
        number: String,
    },
    /// Suspend all that a customer has: servers, domains, and the subscriptions that are known here
    #[command(after_help = SUSPEND_EXAMPLES)]
    Suspend(Everything),
    /// Resume what `customer suspend` has stopped, and nothing that was suspended otherwise
    Resume(Everything),
    /// End all that a customer has, for billing: servers, domains, and the subscriptions that are known here
    #[command(after_help = LEAVE_EXAMPLES)]
    Leave(Everything),
}

/// Runs the command.
pub async fn run(context: &Context, command: CustomerCommand) -> Result<Outcome, CliError> {
    match command {
        CustomerCommand::List(args) => list::run(context, &args).await,
        CustomerCommand::Show { number } => show(context, &number).await,
        CustomerCommand::Suspend(all) => everything::run(context, &all, Transition::Suspend).await,
        CustomerCommand::Resume(all) => everything::run(context, &all, Transition::Resume).await,
        CustomerCommand::Leave(all) => everything::run(context, &all, Transition::Terminate).await,
    }
}

async fn show(context: &Context, number: &str) -> Result<Outcome, CliError> {
    let customer = number_of(number)?;
    references::refuse_unknown(&context.session, customer).await?;
    status::of_customer(context, customer).await
}

fn number_of(text: &str) -> Result<CustomerId, CliError> {
    settings::parse_customer("CUSTOMER", text)
}
