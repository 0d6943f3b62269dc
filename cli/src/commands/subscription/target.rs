//! The subscription that a command is about.

use crate::bulk::{self, End, Item, Words};
use crate::commands::common::capacity::{self, Kept};
use crate::commands::domain::provision;
use crate::context::Context;
use crate::error::CliError;
use crate::notebook::Notebook;
use crate::notebook::index::{self, Seen};
use crate::session::prompt::Danger;
use crate::ui::Ui;
use crate::ui::outcome::Outcome;
use clap::Args;
use secmon::model::{CustomerId, ServiceId, SubscriptionId};
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

    /// What a change of it may pause.
    pub async fn outlook(&self, context: &Context, kept: Kept) -> String {
        let danger = Danger::Moderate;
        capacity::outlook(
            &context.session,
            &context.prompt,
            danger,
            self.customer,
            &self.product,
            kept,
        )
        .await
    }

    pub fn confirm(&self, context: &Context, question: &str) -> Result<(), CliError> {
        let name = self.service.to_string();
        capacity::confirm(context, Danger::Moderate, question, &name)
    }

    /// Keeps in mind that there is such a subscription.
    pub fn learn(&self, notebook: &Notebook, id: SubscriptionId) {
        notebook.learn(Seen::Subscription(index::Subscription {
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
    screen: &Ui,
    subscription: &Subscription,
    activity: &str,
    words: Words,
    end: Result<End, CliError>,
) -> Result<Outcome, CliError> {
    let label = subscription.label();
    let end = end.map_err(|error| error.during(format!("{activity} {label}")))?;
    bulk::conclude(
        screen,
        words,
        vec![Item {
            row: None,
            target: label,
            customer: Some(subscription.customer),
            end,
        }],
    )
}
