//! The subscription that a command is about.

use crate::bulk::{self, Applied, RowOutcome};
use crate::commands::common::capacity;
use crate::commands::domain::provision;
use crate::commands::lifecycle::SubscriptionRef;
use crate::context::Context;
use crate::error::CliError;
use clap::Args;
use secmon::model::{CustomerId, PlanSlug, ServiceId};

/// The subscription of a service to a product.
#[derive(Debug, Args)]
pub struct SubscriptionTarget {
    /// Number of the service in the billing system
    pub service: String,
    /// port_monitoring, domain_monitoring or endpoint; by default the one that this computer has seen for the service
    #[arg(long, value_name = "PRODUCT")]
    pub product: Option<String>,
}

/// The subscription that the arguments name, with its state as this computer was answered last.
pub fn read(context: &Context, target: &SubscriptionTarget) -> Result<SubscriptionRef, CliError> {
    let customer = context.customer()?;
    let service = provision::service(&context.prompt, Some(&target.service))?;
    let known = recorded(context, customer)?;
    let product = match &target.product {
        Some(product) => product.clone(),
        None => product_of(context, &known, service)?,
    };
    let is_it = |one: &&SubscriptionRef| one.service == service && one.product == product;
    let last_status = known.iter().find(is_it);
    let last_status = last_status.and_then(|known| known.last_status.clone());
    Ok(SubscriptionRef {
        customer,
        service,
        product,
        last_status,
    })
}

/// The subscriptions of a customer that this computer has seen.
fn recorded(context: &Context, customer: CustomerId) -> Result<Vec<SubscriptionRef>, CliError> {
    let known = context.session.known()?.subscriptions.iter();
    let known = known.filter(|known| known.customer == customer);
    Ok(known.map(SubscriptionRef::from).collect())
}

/// The product that was not typed: the one that this computer has seen for the service, else whoever is there is asked.
fn product_of(
    context: &Context,
    known: &[SubscriptionRef],
    service: ServiceId,
) -> Result<String, CliError> {
    let of_service = known.iter().filter(|one| one.service == service);
    let mut products: Vec<String> = of_service.map(|one| one.product.clone()).collect();
    if let [only] = products.as_slice() {
        context.screen.note(&format!(
            "Using product {only}, the only one that this computer has seen for service {service}."
        ));
        return Ok(only.clone());
    }
    if context.prompt.may_ask() {
        if products.is_empty() {
            products.extend(PRODUCTS.map(str::to_owned));
        }
        let chosen = context
            .prompt
            .choose("Which product does the subscription cover?", &products)?;
        return Ok(products.swap_remove(chosen));
    }
    let error = CliError::usage(format!(
        "the product is missing: give it with --product ({})",
        PRODUCTS.join(", ")
    ));
    Err(match named(known) {
        Some(known) => error.hint(known),
        None => error,
    })
}

/// The products that the service names.
const PRODUCTS: [&str; 3] = ["port_monitoring", "domain_monitoring", "endpoint"];

/// What this computer has seen, in a sentence.
fn named(known: &[SubscriptionRef]) -> Option<String> {
    let each = |one: &SubscriptionRef| format!("{} of service {}", one.product, one.service);
    (!known.is_empty()).then(|| {
        format!(
            "this computer has seen {}; check your billing system for others",
            bulk::preview(known, each)
        )
    })
}

/// Adds to the refusal of a subscription that is not there which ones of the customer this computer has seen.
pub fn named_in(context: &Context, one: &SubscriptionRef, error: CliError) -> CliError {
    const NOT_THERE: [&str; 2] = ["SUBSCRIPTION_NOT_FOUND", "BILLING_CLIENT_NOT_FOUND"];
    if !NOT_THERE.contains(&error.code().as_ref()) {
        return error;
    }
    let known = recorded(context, one.customer).unwrap_or_default();
    let others: Vec<SubscriptionRef> = known
        .into_iter()
        .filter(|known| known.record() != one.record())
        .collect();
    match named(&others) {
        Some(known) => error.hint(known),
        None => error,
    }
}

/// What takes up its capacity now; nothing in a dry run, which changes none of it.
pub async fn active(context: &Context, one: &SubscriptionRef) -> Option<Vec<String>> {
    match context.session.settings.safety.dry_run {
        true => None,
        false => capacity::active(&context.session, one.customer, &one.product).await,
    }
}

/// How much of a product: what was asked for, or what the service answered.
pub struct Size {
    pub plan: Option<PlanSlug>,
    pub quantity: Option<u32>,
}

impl Size {
    /// What is said of a plan or a quantity that was sent and did not come to count.
    pub fn untaken(&self, answered: &Self) -> String {
        let mut sentences = String::new();
        if let Some(quantity) = self.quantity
            && answered.quantity != Some(quantity)
        {
            let why = match answered.plan {
                Some(_) => "this product is sold by plan, and --plan chooses it",
                None => "this product has no quantity",
            };
            sentences += &format!(" The quantity {quantity} has no effect: {why}.");
        }
        if let Some(plan) = &self.plan
            && answered.plan.is_none()
        {
            sentences += &format!(" The plan {plan} has no effect: this product has no plans.");
        }
        sentences
    }
}

/// The outcome of a change of capacity, with the names of the records that it paused and resumed: what was active before
/// and is not now, and the other way round. Where either could not be read, nothing is said of it.
pub fn with_moves(
    before: Option<Vec<String>>,
    now: Option<Vec<String>>,
    outcome: RowOutcome,
) -> RowOutcome {
    let (Some(before), Some(now)) = (before, now) else {
        return outcome;
    };
    let without = |these: &[String], those: &[String]| -> Vec<String> {
        let only = these.iter().filter(|name| !those.contains(name));
        only.cloned().collect()
    };
    let (paused, resumed) = (without(&before, &now), without(&now, &before));
    let tell = |mut done: Applied| {
        if paused.is_empty() && resumed.is_empty() {
            done.sentence += " Nothing was paused or resumed.";
        }
        for (names, verb) in [(&paused, "paused"), (&resumed, "resumed")] {
            if !names.is_empty() {
                let named = bulk::preview(names, String::clone);
                done.sentence += &format!(" The platform has {verb} {named}.");
            }
            if let Some(record) = done.record.as_object_mut() {
                record.insert(verb.to_owned(), names.as_slice().into());
            }
        }
        done
    };
    match outcome {
        RowOutcome::Applied(done) => RowOutcome::Applied(tell(done)),
        RowOutcome::Skipped(done) => RowOutcome::Skipped(tell(done)),
        other => other,
    }
}
