//! Provisioning of subscriptions: provision, suspend, resume, terminate, change.

use http::Method;
use serde::Serialize;

use super::setters;
use crate::envelope::Envelope;
use crate::model::{
    CustomerId, ProductSlug, ServiceId, Subscription, SubscriptionChange, SubscriptionState,
};
use crate::operation::{Basis, Group, Operation, OperationInfo, RetrySafety};
use crate::{Client, Error, FieldErrors, Response, validate};

/// `POST .../provision-subscription`: records what a customer bought, or changes the record.
///
/// Per-plan products (`port_monitoring`) take a plan, per-unit products (`domain_monitoring`) a quantity. A new record
/// answers 201, a changed one 200. Error: `PRODUCT_NOT_FOUND`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProvisionSubscription {
    /// The customer in the billing system.
    pub client_id: CustomerId,
    /// The service in the billing system.
    pub service_id: ServiceId,
    /// The product, at most 50 characters.
    pub product_slug: ProductSlug,
    /// The plan, at most 50 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_slug: Option<String>,
    /// How many units, 1 to 10000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<u32>,
    /// Monthly price, 0.01 to 9999.99.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mrr: Option<f64>,
    /// Name of the customer's account, used when it is created; at most 255 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_name: Option<String>,
    /// E-mail address of the customer's account, used when it is created; at most 255 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_email: Option<String>,
}

impl ProvisionSubscription {
    /// A subscription of this customer's service to a product.
    pub fn new(
        client_id: CustomerId,
        service_id: ServiceId,
        product_slug: impl Into<ProductSlug>,
    ) -> Self {
        Self {
            client_id,
            service_id,
            product_slug: product_slug.into(),
            plan_slug: None,
            quantity: None,
            mrr: None,
            client_name: None,
            client_email: None,
        }
    }
}

setters!(ProvisionSubscription {
    [plan_slug, client_name, client_email]
    quantity: u32,
    mrr: f64,
});

impl Operation for ProvisionSubscription {
    type Output = Subscription;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "provision_subscription",
        group: Group::Provisioning,
        method: Method::POST,
        path: "/api/v1/{namespace}/provision-subscription",
        safety: RetrySafety::Repeatable,
        basis: Basis::Specified,
        envelope: Envelope::Success,
    };

    fn validate(&self, problems: &mut FieldErrors) {
        product(problems, &self.product_slug);
        validate::max_length(problems, "plan_slug", self.plan_slug.as_deref(), 50);
        validate::quantity(problems, "quantity", self.quantity);
        validate::mrr(problems, self.mrr);
        validate::max_length(problems, "client_name", self.client_name.as_deref(), 255);
        validate::email(problems, "client_email", self.client_email.as_deref());
    }
}

fn product(problems: &mut FieldErrors, slug: &ProductSlug) {
    validate::required_text(problems, "product_slug", slug.as_str(), 50);
}

/// One line a transition: the request, its name, its path.
macro_rules! transitions {
    ($($(#[$about:meta])* $request:ident: $name:literal, $path:literal;)+) => {$(
        $(#[$about])*
        ///
        /// Repeating it succeeds with a [note](Response::note). Errors: `PRODUCT_NOT_FOUND`,
        /// `BILLING_CLIENT_NOT_FOUND`, `SUBSCRIPTION_NOT_FOUND`.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize)]
        pub struct $request {
            /// The customer in the billing system.
            pub client_id: CustomerId,
            /// The service in the billing system.
            pub service_id: ServiceId,
            /// The product, at most 50 characters.
            pub product_slug: ProductSlug,
        }

        impl $request {
            /// The request for this service's subscription to a product.
            pub fn new(
                client_id: CustomerId,
                service_id: ServiceId,
                product_slug: impl Into<ProductSlug>,
            ) -> Self {
                Self { client_id, service_id, product_slug: product_slug.into() }
            }
        }

        impl Operation for $request {
            type Output = SubscriptionState;

            const INFO: &'static OperationInfo = &OperationInfo {
                name: $name,
                group: Group::Provisioning,
                method: Method::POST,
                path: $path,
                safety: RetrySafety::Repeatable,
                basis: Basis::Specified,
                envelope: Envelope::Success,
            };

            fn validate(&self, problems: &mut FieldErrors) {
                product(problems, &self.product_slug);
            }
        }
    )+};
}

transitions! {
    /// `POST .../suspend-subscription`: takes the capacity away; what no longer fits is paused, newest first.
    SuspendSubscription: "suspend_subscription", "/api/v1/{namespace}/suspend-subscription";
    /// `POST .../resume-subscription`: gives the capacity back; what the platform paused is un-paused, oldest first.
    ResumeSubscription: "resume_subscription", "/api/v1/{namespace}/resume-subscription";
    /// `POST .../terminate-subscription`: ends it. Nothing is deleted; what no longer fits is paused, newest first.
    TerminateSubscription: "terminate_subscription", "/api/v1/{namespace}/terminate-subscription";
}

/// `POST .../change-subscription`: to another plan or quantity; at least one of the two is required.
///
/// It is not sent again after a lost answer: the repeat would say `changed: false`. Errors: `PRODUCT_NOT_FOUND`,
/// `SUBSCRIPTION_NOT_FOUND`, `SUBSCRIPTION_NOT_CHANGEABLE`, and `DOWNGRADE_USAGE_EXCEEDED` with
/// [`current_usage`](crate::Details::current_usage) and [`new_limit`](crate::Details::new_limit).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangeSubscription {
    /// The customer in the billing system.
    pub client_id: CustomerId,
    /// The service in the billing system.
    pub service_id: ServiceId,
    /// The product, at most 50 characters.
    pub product_slug: ProductSlug,
    /// The new plan, at most 50 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_plan_slug: Option<String>,
    /// The new quantity, 1 to 10000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_quantity: Option<u32>,
    /// Reserved for administrative overrides: a downgrade is made whatever is in use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub force: Option<bool>,
}

impl ChangeSubscription {
    /// A change of this service's subscription; what to change is still to be set.
    pub fn new(
        client_id: CustomerId,
        service_id: ServiceId,
        product_slug: impl Into<ProductSlug>,
    ) -> Self {
        Self {
            client_id,
            service_id,
            product_slug: product_slug.into(),
            new_plan_slug: None,
            new_quantity: None,
            force: None,
        }
    }

    /// Sets `force`.
    #[must_use]
    pub fn force(mut self) -> Self {
        self.force = Some(true);
        self
    }
}

setters!(ChangeSubscription { [new_plan_slug] new_quantity: u32 });

impl Operation for ChangeSubscription {
    type Output = SubscriptionChange;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "change_subscription",
        group: Group::Provisioning,
        method: Method::POST,
        path: "/api/v1/{namespace}/change-subscription",
        safety: RetrySafety::Once,
        basis: Basis::Specified,
        envelope: Envelope::Success,
    };

    fn validate(&self, problems: &mut FieldErrors) {
        product(problems, &self.product_slug);
        if self.new_plan_slug.is_none() && self.new_quantity.is_none() {
            for field in ["new_plan_slug", "new_quantity"] {
                problems.add(field, "A new plan or a new quantity is required.");
            }
        }
        validate::max_length(problems, "new_plan_slug", self.new_plan_slug.as_deref(), 50);
        validate::quantity(problems, "new_quantity", self.new_quantity);
    }
}

/// Provisioning of subscriptions, from [`Client::subscriptions`].
#[derive(Clone, Copy)]
pub struct Subscriptions<'a>(&'a Client);

impl Client {
    /// Provisioning of subscriptions.
    pub fn subscriptions(&self) -> Subscriptions<'_> {
        Subscriptions(self)
    }
}

impl Subscriptions<'_> {
    /// Records or changes what a customer bought: [`ProvisionSubscription`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn provision(
        self,
        subscription: ProvisionSubscription,
    ) -> Result<Response<Subscription>, Error> {
        self.0.send(subscription).await
    }

    /// Takes the capacity away: [`SuspendSubscription`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn suspend(
        self,
        subscription: SuspendSubscription,
    ) -> Result<Response<SubscriptionState>, Error> {
        self.0.send(subscription).await
    }

    /// Gives the capacity back: [`ResumeSubscription`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn resume(
        self,
        subscription: ResumeSubscription,
    ) -> Result<Response<SubscriptionState>, Error> {
        self.0.send(subscription).await
    }

    /// Ends it: [`TerminateSubscription`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn terminate(
        self,
        subscription: TerminateSubscription,
    ) -> Result<Response<SubscriptionState>, Error> {
        self.0.send(subscription).await
    }

    /// To another plan or quantity: [`ChangeSubscription`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn change(
        self,
        change: ChangeSubscription,
    ) -> Result<Response<SubscriptionChange>, Error> {
        self.0.send(change).await
    }
}
