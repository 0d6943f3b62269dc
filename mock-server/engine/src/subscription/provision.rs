//! Subscriptions: provision, suspend, resume, terminate (D1 to D3, D9).

use std::time::Duration;

use serde::Serialize;
use uuid::Uuid;

use crate::catalogue::{Offer, Pool, Product};
use crate::customer::Client;
use crate::ids::Kind;
use crate::refusal::{Done, Refusal};
use crate::session::Session;
use crate::state::{
    Account, ProRataWindow, ServiceKey, Subscription, SubscriptionKey, SubscriptionStatus,
    next_number,
};
use crate::values::{ClientId, ServiceId};

const ALREADY_SUSPENDED: &str = "The subscription is already suspended.";

const ALREADY_ACTIVE: &str = "The subscription is already active.";

const ALREADY_CANCELLED: &str = "The subscription is already cancelled.";

/// The subscription a call is about, as its body names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubscriptionRef {
    /// `client_id`.
    pub client: ClientId,
    /// `service_id`.
    pub service: ServiceId,
    /// `product_slug`, as it was written.
    pub product: String,
}

/// What `provision-subscription` is asked for. What the product does not take
/// is ignored (B4).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProvisionSubscription {
    /// The customer.
    pub client: Client,
    /// `service_id`.
    pub service: ServiceId,
    /// `product_slug`, as it was written.
    pub product: String,
    /// `plan_slug`.
    pub plan: Option<String>,
    /// `quantity`, 1 to 10000.
    pub quantity: Option<u32>,
}

/// The subscription resource.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SubscriptionView {
    /// Its id.
    pub subscription_id: Uuid,
    /// Its product.
    pub product_slug: &'static str,
    /// Its plan; null for a product without plans.
    pub plan_slug: Option<String>,
    /// Its units; 1 for a product without.
    pub quantity: u32,
    /// Its status.
    pub status: SubscriptionStatus,
}

/// What suspend, resume and terminate of a subscription answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SubscriptionMoved {
    /// Its id.
    pub subscription_id: Uuid,
    /// Its status now.
    pub status: SubscriptionStatus,
}

impl Session<'_> {
    /// `provision-subscription`: makes a subscription, updates it, or revives
    /// a cancelled one; then reconciles (D2).
    ///
    /// # Errors
    ///
    /// [`Refusal::ProductNotFound`]; [`Refusal::Invalid`] on `plan_slug` as
    /// [`Account::check_plan`] says.
    pub fn provision_subscription(
        &mut self,
        request: ProvisionSubscription,
    ) -> Result<Done<SubscriptionView>, Refusal> {
        let client = request.client.id;
        self.check_plan(
            Some(client),
            Some(request.service),
            &request.product,
            request.plan.as_deref(),
        )
        .map_err(|sentence| Refusal::invalid("plan_slug", sentence))?;
        let key = subscription_key(client, request.service, &request.product)?;
        self.grant_portal_access(&request.client);
        let existed = self.records.subscriptions.contains_key(&key);
        if existed {
            self.renew_subscription(key, request.plan, request.quantity);
        } else {
            self.new_subscription(key, request.plan, request.quantity);
        }
        self.mark_subscription_simulated(key);
        let view = self.subscription_view(key);
        Ok(match existed {
            true => Done::changed(view),
            false => Done::created(view),
        })
    }

    fn new_subscription(
        &mut self,
        key: SubscriptionKey,
        plan: Option<String>,
        quantity: Option<u32>,
    ) {
        let number = next_number(&mut self.records.controls.edit().subscriptions);
        let offer = match key.product {
            Product::Endpoint => Offer::Server,
            Product::PortMonitoring => Offer::Plan(plan.unwrap_or_default()),
            Product::DomainMonitoring => Offer::Units(quantity.unwrap_or(1)),
        };
        let subscription = Subscription {
            number,
            offer,
            status: SubscriptionStatus::Active,
            since: self.now,
            pro_rata: Vec::new(),
            simulated: false,
        };
        self.records.subscriptions.insert(key, subscription);
        self.mark_capacity_changed(key);
    }

    fn renew_subscription(
        &mut self,
        key: SubscriptionKey,
        plan: Option<String>,
        quantity: Option<u32>,
    ) {
        let now = self.now;
        self.amend_subscription(key, |subscription| {
            subscription.offer = subscription.offer.with(plan, quantity);
            if subscription.status == SubscriptionStatus::Cancelled {
                subscription.status = SubscriptionStatus::Active;
                subscription.since = now;
            }
        });
    }

    /// `suspend-subscription`: takes its capacity out, and reconciles.
    ///
    /// # Errors
    ///
    /// [`Refusal::ProductNotFound`], [`Refusal::BillingClientNotFound`],
    /// [`Refusal::SubscriptionNotFound`],
    /// [`Refusal::SubscriptionNotChangeable`] when it is cancelled (D3).
    pub fn suspend_subscription(
        &mut self,
        request: &SubscriptionRef,
    ) -> Result<Done<SubscriptionMoved>, Refusal> {
        self.move_subscription(request, SubscriptionStatus::Suspended)
    }

    /// `resume-subscription`: puts its capacity back, and reconciles.
    ///
    /// # Errors
    ///
    /// As for [`Session::suspend_subscription`].
    pub fn resume_subscription(
        &mut self,
        request: &SubscriptionRef,
    ) -> Result<Done<SubscriptionMoved>, Refusal> {
        self.move_subscription(request, SubscriptionStatus::Active)
    }

    /// `terminate-subscription`: cancels it, deletes nothing, and reconciles.
    ///
    /// # Errors
    ///
    /// As for [`Session::suspend_subscription`], but a cancelled one is
    /// answered with a note.
    pub fn terminate_subscription(
        &mut self,
        request: &SubscriptionRef,
    ) -> Result<Done<SubscriptionMoved>, Refusal> {
        self.move_subscription(request, SubscriptionStatus::Cancelled)
    }

    fn move_subscription(
        &mut self,
        request: &SubscriptionRef,
        status: SubscriptionStatus,
    ) -> Result<Done<SubscriptionMoved>, Refusal> {
        let key = self.recorded_subscription(request)?;
        let current = self.records.subscriptions[&key].status;
        if current == status {
            return Ok(Done::existing(self.moved(key), already(status)));
        }
        if current == SubscriptionStatus::Cancelled {
            return Err(Refusal::SubscriptionNotChangeable);
        }
        self.set_subscription_status(key, status);
        self.mark_subscription_simulated(key);
        Ok(Done::changed(self.moved(key)))
    }

    /// Marks a subscription as simulated when the call asks for it and the
    /// account has sandbox mode (A14).
    pub(crate) fn mark_subscription_simulated(&mut self, key: SubscriptionKey) {
        if self.is_simulated() {
            self.amend_subscription(key, |subscription| subscription.simulated = true);
        }
    }

    /// Moves a subscription to another status and records its pro-rata window.
    pub(crate) fn set_subscription_status(
        &mut self,
        key: SubscriptionKey,
        status: SubscriptionStatus,
    ) {
        let now = self.now;
        self.amend_subscription(key, |subscription| {
            subscription.pro_rata.push(ProRataWindow {
                event: status.event(),
                from: subscription.since,
                at: now,
            });
            subscription.status = status;
            subscription.since = now;
        });
    }

    /// Whether there is such a subscription, and it is cancelled.
    pub fn is_cancelled(&self, request: &SubscriptionRef) -> bool {
        let key = self.recorded_subscription(request).ok();
        let status = key.map(|key| self.records.subscriptions[&key].status);
        status == Some(SubscriptionStatus::Cancelled)
    }

    /// The subscription a body names, where it is cancelled and has not been
    /// for so long, and its customer kept what it was for.
    pub fn recently_cancelled_in_use(
        &self,
        request: &SubscriptionRef,
        span: Duration,
    ) -> Option<SubscriptionView> {
        let key = self.recorded_subscription(request).ok()?;
        let subscription = &self.records.subscriptions[&key];
        let is_recent = subscription.status == SubscriptionStatus::Cancelled
            && subscription.since.plus(span) > self.now;
        (is_recent && self.is_in_use(key)).then(|| self.subscription_view(key))
    }

    /// Whether the customer has anything that counts against the product.
    fn is_in_use(&self, key: SubscriptionKey) -> bool {
        let Some((customer, pool)) = (self.customer(key.service.client)).zip(Pool::of(key.product))
        else {
            return false;
        };
        self.live_records(customer, pool).usage() > 0
    }

    /// The subscription a body names, or what is missing (D1).
    pub(crate) fn recorded_subscription(
        &self,
        request: &SubscriptionRef,
    ) -> Result<SubscriptionKey, Refusal> {
        let key = subscription_key(request.client, request.service, &request.product)?;
        if self.records.subscriptions.contains_key(&key) {
            return Ok(key);
        }
        if self.is_service_recorded(key.service) {
            Err(Refusal::SubscriptionNotFound)
        } else {
            Err(Refusal::BillingClientNotFound)
        }
    }

    /// Whether anything is recorded with this customer and service (D1).
    fn is_service_recorded(&self, service: ServiceKey) -> bool {
        let subscribed = Product::ALL.into_iter().any(|product| {
            let key = SubscriptionKey { service, product };
            self.records.subscriptions.contains_key(&key)
        });
        subscribed
            || self.records.service_links.contains_key(&service)
            || self.is_domain_service(service)
    }

    fn moved(&self, key: SubscriptionKey) -> SubscriptionMoved {
        let subscription = &self.records.subscriptions[&key];
        SubscriptionMoved {
            subscription_id: self.ids.uuid(Kind::Subscription, subscription.number),
            status: subscription.status,
        }
    }

    fn subscription_view(&self, key: SubscriptionKey) -> SubscriptionView {
        let subscription = &self.records.subscriptions[&key];
        SubscriptionView {
            subscription_id: self.ids.uuid(Kind::Subscription, subscription.number),
            product_slug: key.product.slug(),
            plan_slug: subscription.offer.plan(),
            quantity: subscription.offer.quantity(),
            status: subscription.status,
        }
    }
}

impl Account {
    /// Checks the `plan_slug` of `provision-subscription`, to be reported with
    /// the other fields (B4). Nothing is wrong with a plan that the product
    /// does not take, or of an unknown product.
    ///
    /// # Errors
    ///
    /// A sentence for the field.
    pub fn check_plan(
        &self,
        client: Option<ClientId>,
        service: Option<ServiceId>,
        product: &str,
        plan: Option<&str>,
    ) -> Result<(), &'static str> {
        if Product::from_slug(product) != Some(Product::PortMonitoring) {
            return Ok(());
        }
        let recorded = || {
            let key = SubscriptionKey {
                service: ServiceKey {
                    client: client?,
                    service: service?,
                },
                product: Product::PortMonitoring,
            };
            self.records.subscriptions.get(&key)
        };
        match plan {
            Some(plan) => self.check_known_plan(plan),
            None if recorded().is_some() => Ok(()),
            None => Err("The plan_slug field is required for this product."),
        }
    }

    /// Checks that a plan of `port_monitoring` is on sale.
    fn check_known_plan(&self, plan: &str) -> Result<(), &'static str> {
        match self.records.settings.catalogue.servers(plan) {
            Some(_) => Ok(()),
            None => Err("The plan is not one of the product's plans."),
        }
    }

    /// Checks the `new_plan_slug` of `change-subscription`, or the `plan_slug`
    /// of a price, to be reported with the other fields (B4).
    ///
    /// # Errors
    ///
    /// A sentence for the field.
    pub fn check_new_plan(&self, product: &str, plan: Option<&str>) -> Result<(), &'static str> {
        match (Product::from_slug(product), plan) {
            (Some(Product::PortMonitoring), Some(plan)) => self.check_known_plan(plan),
            _ => Ok(()),
        }
    }
}

/// The key of what a body names.
pub(crate) fn subscription_key(
    client: ClientId,
    service: ServiceId,
    product: &str,
) -> Result<SubscriptionKey, Refusal> {
    let product = Product::from_slug(product).ok_or(Refusal::ProductNotFound)?;
    Ok(SubscriptionKey {
        service: ServiceKey { client, service },
        product,
    })
}

fn already(status: SubscriptionStatus) -> &'static str {
    match status {
        SubscriptionStatus::Active => ALREADY_ACTIVE,
        SubscriptionStatus::Suspended => ALREADY_SUSPENDED,
        SubscriptionStatus::Cancelled => ALREADY_CANCELLED,
    }
}
