//! The subscription that a command is about.

use crate::bulk::{self, Done, End, Item, Label};
use crate::commands::common::capacity::{self, Kept};
use crate::commands::domain::provision;
use crate::context::Context;
use crate::error::CliError;
use crate::notebook::index::{self, Seen};
use crate::session::Session;
use crate::session::prompt::Danger;
use crate::ui::outcome::Outcome;
use clap::Args;
use secmon::model::{CustomerId, PlanSlug, ServiceId, SubscriptionId};
use serde::{Deserialize, Serialize};

/// The subscription of a service to a product.
#[derive(Debug, Args)]
pub struct SubscriptionTarget {
    /// Number of the service in the billing system
    pub service: String,
    /// port_monitoring, domain_monitoring or endpoint
    #[arg(long, value_name = "PRODUCT")]
    pub product: String,
}

/// The subscription a command is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Subscription {
    /// Whose it is.
    pub customer: CustomerId,
    /// The service that pays.
    pub service: ServiceId,
    /// What it is for.
    pub product: String,
}

impl Subscription {
    pub fn read(context: &Context, target: &SubscriptionTarget) -> Result<Self, CliError> {
        let customer = context.customer()?;
        let service = provision::service(&context.prompt, Some(&target.service))?;
        Ok(Self {
            customer,
            service,
            product: target.product.clone(),
        })
    }

    /// The names of what is active of its product; none in a dry run, or where they cannot be read.
    pub async fn active(&self, context: &Context) -> Option<Vec<String>> {
        match context.session.settings.safety.dry_run {
            true => None,
            false => capacity::active(&context.session, self.customer, &self.product).await,
        }
    }

    /// Asks before a change of it, with what that may pause.
    pub async fn confirm(
        &self,
        context: &Context,
        change: &str,
        kept: Kept,
    ) -> Result<(), CliError> {
        let danger = Danger::Moderate;
        let (session, prompt, product) = (&context.session, &context.prompt, &self.product);
        let outlook =
            capacity::outlook(session, prompt, danger, self.customer, product, kept).await;
        let question = format!("About to {change}.{outlook}");
        capacity::confirm(context, danger, &question, &self.service.to_string())
    }

    /// Keeps in mind that there is such a subscription.
    pub fn learn(&self, session: &Session, id: SubscriptionId) {
        session.learn(Seen::Subscription(index::Subscription {
            id,
            customer: self.customer,
            service: self.service,
            product: self.product.clone(),
        }));
    }

    /// What it is called in sentences.
    pub fn label(&self) -> String {
        format!(
            "{} of service {} (customer {})",
            self.product, self.service, self.customer
        )
    }
}

/// The result of a change of a subscription.
pub fn conclude(
    subscription: &Subscription,
    activity: &str,
    end: Result<End, CliError>,
) -> Result<Outcome, CliError> {
    let label = Label::of(subscription.label(), Some(subscription.customer));
    let end = end.map_err(|error| error.during(format!("{activity} {}", label.name)))?;
    bulk::conclude_one(Item::of(label, end))
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

/// The end of a change of capacity, with the names of the records that it paused and resumed: what was active before
/// and is not now, and the other way round. Where either could not be read, nothing is said of it.
pub fn with_moves(before: Option<Vec<String>>, now: Option<Vec<String>>, end: End) -> End {
    let (Some(before), Some(now)) = (before, now) else {
        return end;
    };
    let without = |these: &[String], those: &[String]| -> Vec<String> {
        let only = these.iter().filter(|name| !those.contains(name));
        only.cloned().collect()
    };
    let (paused, resumed) = (without(&before, &now), without(&now, &before));
    let tell = |mut done: Done| {
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
    match end {
        End::Done(done) => End::Done(tell(done)),
        End::Skipped(done) => End::Skipped(tell(done)),
        other => other,
    }
}
