//! change-subscription: another plan or quantity (D4, D5).

use serde::Serialize;
use uuid::Uuid;

use crate::catalogue::{Offer, Pool};
use crate::ids::Kind;
use crate::refusal::{Capacity, Refusal};
use crate::session::Session;
use crate::state::{SubscriptionKey, SubscriptionStatus};
use crate::subscription::provision::{SubscriptionRef, subscription_key};
use crate::time::Timestamp;

/// What `change-subscription` is asked for. What the product does not take is
/// ignored (B4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangeSubscription {
    /// The subscription.
    pub subscription: SubscriptionRef,
    /// `new_plan_slug`.
    pub new_plan: Option<String>,
    /// `new_quantity`, 1 to 10000.
    pub new_quantity: Option<u32>,
    /// `force`.
    pub downgrade: DowngradeCheck,
}

/// Whether a downgrade below what is used is refused (D5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DowngradeCheck {
    /// It is.
    Refuse,
    /// `force: true`: it happens, and what does not fit is paused.
    Force,
}

/// What `change-subscription` answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
pub enum SubscriptionChange {
    /// It has another plan or quantity now.
    Changed(SubscriptionChanged),
    /// It had that plan and quantity already.
    Unchanged(SubscriptionUnchanged),
}

/// A subscription with another plan or quantity.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SubscriptionChanged {
    /// Always true.
    pub changed: bool,
    /// Its id.
    pub subscription_id: Uuid,
    /// Its plan now; null for a product without plans.
    pub plan_slug: Option<String>,
    /// `upgrade` or `downgrade`, by capacity.
    pub direction: &'static str,
    /// Its plan before; null for a product without plans.
    pub previous_plan_slug: Option<String>,
    /// When it counts from: now.
    pub effective_at: Timestamp,
    /// Its units now.
    pub quantity: u32,
    /// Its units before.
    pub previous_quantity: u32,
}

/// A subscription that stays as it is.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SubscriptionUnchanged {
    /// Always false.
    pub changed: bool,
    /// Its id.
    pub subscription_id: Uuid,
    /// Its plan; null for a product without plans.
    pub plan_slug: Option<String>,
    /// Its units.
    pub quantity: u32,
    /// Always null.
    pub direction: Option<&'static str>,
}

impl Session<'_> {
    /// `change-subscription`: gives a subscription another plan or quantity,
    /// and reconciles.
    ///
    /// # Errors
    ///
    /// [`Refusal::ProductNotFound`], [`Refusal::SubscriptionNotFound`],
    /// [`Refusal::SubscriptionNotChangeable`] when it is cancelled,
    /// [`Refusal::DowngradeUsageExceeded`]; [`Refusal::Invalid`] on
    /// `new_plan_slug` as [`crate::Account::check_new_plan`] says.
    pub fn change_subscription(
        &mut self,
        request: ChangeSubscription,
    ) -> Result<SubscriptionChange, Refusal> {
        let named = &request.subscription;
        self.check_new_plan(&named.product, request.new_plan.as_deref())
            .map_err(|sentence| Refusal::invalid("new_plan_slug", sentence))?;
        let key = subscription_key(named.client, named.service, &named.product)?;
        let subscription = self
            .records
            .subscriptions
            .get(&key)
            .ok_or(Refusal::SubscriptionNotFound)?;
        if subscription.status == SubscriptionStatus::Cancelled {
            return Err(Refusal::SubscriptionNotChangeable);
        }
        let old = subscription.offer.clone();
        let new = old.with(request.new_plan, request.new_quantity);
        if new == old {
            return Ok(SubscriptionChange::Unchanged(self.unchanged(key, &old)));
        }
        if request.downgrade == DowngradeCheck::Refuse {
            self.require_downgrade_fits(key, &new)?;
        }
        self.mark_subscription_simulated(key);
        self.amend_subscription(key, |subscription| subscription.offer = new.clone());
        Ok(SubscriptionChange::Changed(self.changed(key, &old, &new)))
    }

    /// Less capacity than is used is refused, for an active service (D5).
    fn require_downgrade_fits(&self, key: SubscriptionKey, new: &Offer) -> Result<(), Refusal> {
        let subscription = &self.records.subscriptions[&key];
        let catalogue = &self.records.settings.catalogue;
        let (held, will_hold) = (catalogue.holds(&subscription.offer), catalogue.holds(new));
        let client = key.service.client;
        let (Some(pool), Some(customer)) = (Pool::of(key.product), self.customer(client)) else {
            return Ok(());
        };
        if subscription.status != SubscriptionStatus::Active || will_hold >= held {
            return Ok(());
        }
        let limit = self.capacity(client, pool) - held + will_hold;
        let current_usage = self.live_records(customer, pool).usage();
        if current_usage <= limit {
            return Ok(());
        }
        Err(Refusal::DowngradeUsageExceeded(Capacity {
            limit,
            current_usage,
        }))
    }

    fn changed(&self, key: SubscriptionKey, old: &Offer, new: &Offer) -> SubscriptionChanged {
        let catalogue = &self.records.settings.catalogue;
        SubscriptionChanged {
            changed: true,
            subscription_id: self.subscription_id(key),
            plan_slug: new.plan(),
            direction: match catalogue.holds(new) < catalogue.holds(old) {
                true => "downgrade",
                false => "upgrade",
            },
            previous_plan_slug: old.plan(),
            effective_at: self.now.into(),
            quantity: new.quantity(),
            previous_quantity: old.quantity(),
        }
    }

    fn unchanged(&self, key: SubscriptionKey, offer: &Offer) -> SubscriptionUnchanged {
        SubscriptionUnchanged {
            changed: false,
            subscription_id: self.subscription_id(key),
            plan_slug: offer.plan(),
            quantity: offer.quantity(),
            direction: None,
        }
    }

    fn subscription_id(&self, key: SubscriptionKey) -> Uuid {
        let number = self.records.subscriptions[&key].number;
        self.ids.uuid(Kind::Subscription, number)
    }
}
