//! `secmon pricing ...`

use super::subscription::plans;
use crate::error::CliError;
use crate::session::Session;
use crate::ui::outcome::{Outcome, to_json};
use clap::Subcommand;
use secmon::model::{Money, PlanSlug};
use secmon::operations::{Price, RemovePrice, SetPrice};
use serde_json::Value;

/// Prices of products.
#[derive(Debug, Subcommand)]
pub enum PricingCommand {
    /// Set a price
    Set {
        /// The product
        product: String,
        /// The price, 0 or more
        price: Money,
        /// Three letters, as EUR
        currency: String,
        /// The plan, for port_monitoring
        #[arg(long, value_name = "PLAN")]
        plan: Option<String>,
    },
    /// Remove a price
    Remove {
        /// The product
        product: String,
        /// The plan, for port_monitoring
        #[arg(long, value_name = "PLAN")]
        plan: Option<String>,
    },
}

/// Runs the command.
pub async fn run(session: &Session, command: PricingCommand) -> Result<Outcome, CliError> {
    session.settings.need_billing("prices are kept")?;
    match command {
        PricingCommand::Set {
            product,
            price,
            currency,
            plan,
        } => {
            let mut request = SetPrice::new(product.as_str(), price, currency.as_str());
            request.plan_slug = plan.as_deref().map(PlanSlug::from);
            let label = label(&product, plan.as_deref());
            let sent = session
                .write(request, &format!("the price of {label}"))
                .await
                .map_err(|error| plans::named_in(session, error))?;
            Ok(sent.map_or_else(Outcome::silent, |answer| stored(&answer.data)))
        }
        PricingCommand::Remove { product, plan } => {
            let label = label(&product, plan.as_deref());
            let mut request = RemovePrice::new(product.as_str());
            request.plan_slug = plan.map(PlanSlug::from);
            let sent = session
                .write(request, &format!("the price of {label}"))
                .await?;
            let there = sent.as_ref().is_some_and(|answer| answer.data.deleted);
            let end = if there { "is removed" } else { "was not set" };
            Ok(Outcome::said(
                sent.map_or(Value::Null, |answer| to_json(&answer.data)),
                format!("The price of {label} {end}."),
            ))
        }
    }
}

/// The price as the service has stored it.
fn stored(price: &Price) -> Outcome {
    let plan = price.plan_slug.as_ref().map(ToString::to_string);
    let label = label(price.product_slug.as_ref(), plan.as_deref());
    let (amount, currency) = (&price.price, &price.currency);
    Outcome::said(
        to_json(price),
        format!("The price of {label} is {amount} {currency}."),
    )
}

fn label(product: &str, plan: Option<&str>) -> String {
    plan.map_or_else(|| product.to_owned(), |plan| format!("{product} {plan}"))
}
