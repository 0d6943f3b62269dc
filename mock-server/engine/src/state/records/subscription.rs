//! Subscriptions, as recorded, and the services that they belong to.

use serde::{Deserialize, Serialize};

use crate::catalogue::{Offer, Product};
use crate::named::named;
use crate::state::storage::Key;
use crate::time::Instant;
use crate::values::{ClientId, ServiceId};

/// A service of the billing system that stands for one server (B11).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ServiceKey {
    pub(crate) client: ClientId,
    pub(crate) service: ServiceId,
}

impl Key for ServiceKey {
    fn text(&self) -> String {
        format!("{}/{}", self.client, self.service)
    }

    fn parse(text: &str) -> Option<Self> {
        let (client, service) = text.split_once('/')?;
        Some(Self {
            client: ClientId::new(client.parse().ok()?)?,
            service: ServiceId::new(service.parse().ok()?)?,
        })
    }
}

/// A subscription, as recorded. It is never removed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Subscription {
    pub(crate) number: u32,
    pub(crate) offer: Offer,
    pub(crate) status: SubscriptionStatus,
    /// When it came to this status.
    pub(crate) since: Instant,
    pub(crate) pro_rata: Vec<ProRataWindow>,
    /// Whether a provisioning call asked for simulation (A14).
    pub(crate) simulated: bool,
}

/// The time a subscription spent in the status that an event ended (B12).
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct ProRataWindow {
    pub(crate) event: SubscriptionEvent,
    pub(crate) from: Instant,
    pub(crate) at: Instant,
}

/// What moves a subscription to another status.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SubscriptionEvent {
    Suspend,
    Resume,
    Terminate,
}

/// The states of a subscription.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SubscriptionStatus {
    /// It counts.
    Active,
    /// It does not count for now.
    Suspended,
    /// It does not count any more.
    Cancelled,
}

named!(SubscriptionStatus {
    Active = "active",
    Suspended = "suspended",
    Cancelled = "cancelled",
});

impl SubscriptionStatus {
    /// What brings a subscription to this status.
    pub(crate) fn event(self) -> SubscriptionEvent {
        match self {
            Self::Active => SubscriptionEvent::Resume,
            Self::Suspended => SubscriptionEvent::Suspend,
            Self::Cancelled => SubscriptionEvent::Terminate,
        }
    }
}

/// What a subscription is found by.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct SubscriptionKey {
    pub(crate) service: ServiceKey,
    pub(crate) product: Product,
}

impl Key for SubscriptionKey {
    fn text(&self) -> String {
        format!("{}/{}", self.service.text(), self.product.slug())
    }

    fn parse(text: &str) -> Option<Self> {
        let (service, product) = text.rsplit_once('/')?;
        Some(Self {
            service: ServiceKey::parse(service)?,
            product: Product::from_slug(product)?,
        })
    }
}
