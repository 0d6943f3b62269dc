//! `secmon customer show`: what `status -c` shows.

use crate::commands::status;
use crate::context::Context;
use crate::error::CliError;
use crate::references;
use crate::session::settings;
use crate::ui::outcome::Outcome;
use clap::Args;

/// The customer to show.
#[derive(Debug, Args)]
pub struct CustomerShowArgs {
    /// The customer's number
    #[arg(value_name = "CUSTOMER")]
    pub number: String,
}

/// Runs the command.
pub async fn run(context: &Context, args: &CustomerShowArgs) -> Result<Outcome, CliError> {
    let customer = settings::parse_customer("CUSTOMER", &args.number)?;
    references::refuse_unknown(&context.session, customer).await?;
    status::of_customer(context, customer).await
}
