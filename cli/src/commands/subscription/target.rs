//! The subscription that a command is about.

use crate::bulk::{self, Applied, Item, Label, RowOutcome};
use crate::commands::common::capacity::{self, Kept};
use crate::commands::domain::provision;
use crate::commands::lifecycle::SubscriptionRef;
use crate::context::Context;
use crate::error::CliError;
use crate::session::prompt::ConfirmationLevel;
use crate::ui::outcome::Outcome;
use clap::Args;
use secmon::model::PlanSlug;

/// The subscription of a service to a product.
#[derive(Debug, Args)]
pub struct SubscriptionTarget {
    /// Number of the service in the billing system
    pub service: String,
    /// port_monitoring, domain_monitoring or endpoint
    #[arg(long, value_name = "PRODUCT")]
    pub product: String,
}

/// The subscription that the arguments name, with its state as this computer was answered last.
pub fn read(context: &Context, target: &SubscriptionTarget) -> Result<SubscriptionRef, CliError> {
    let customer = context.customer()?;
    let mut named = SubscriptionRef {
        customer,
        service: provision::service(&context.prompt, Some(&target.service))?,
        product: target.product.clone(),
        last_status: None,
    };
    let known = context.session.known()?.subscriptions.iter();
    let mut known = known.map(SubscriptionRef::from);
    if let Some(known) = known.find(|known| known.record() == named.record()) {
        named.last_status = known.last_status;
    }
    Ok(named)
}

/// What takes up its capacity now; nothing in a dry run, which changes none of it.
pub async fn active(context: &Context, one: &SubscriptionRef) -> Option<Vec<String>> {
    match context.session.settings.safety.dry_run {
        true => None,
        false => capacity::active(&context.session, one.customer, &one.product).await,
    }
}

/// Asks before a change of it, and tells what may be paused.
pub async fn confirm(
    context: &Context,
    one: &SubscriptionRef,
    change: &str,
    kept: Kept,
) -> Result<(), CliError> {
    let danger = ConfirmationLevel::Moderate;
    let (session, prompt, product) = (&context.session, &context.prompt, &one.product);
    let outlook = capacity::outlook(session, prompt, danger, one.customer, product, kept).await;
    let question = format!("About to {change}.{outlook}");
    capacity::confirm(context, danger, &question, &one.service.to_string())
}

/// The result of a change of a subscription.
pub fn conclude(
    subscription: &SubscriptionRef,
    activity: &str,
    outcome: Result<RowOutcome, CliError>,
) -> Result<Outcome, CliError> {
    let label = Label::of(subscription.label(), Some(subscription.customer));
    let outcome = outcome.map_err(|error| error.during(format!("{activity} {}", label.name)))?;
    bulk::conclude_one(Item::of(label, outcome))
}

/// What is said of a quantity that was sent and did not come to count.
pub fn untaken(asked: Option<u32>, now: Option<u32>, plan: Option<&PlanSlug>) -> String {
    let Some(asked) = asked.filter(|asked| now != Some(*asked)) else {
        return String::new();
    };
    let why = match plan {
        Some(_) => "this product is sold by plan, and --plan chooses it",
        None => "this product has no quantity",
    };
    format!(" The quantity {asked} has no effect: {why}.")
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
