//! What a customer has bought.

use super::ids::SubscriptionId;
use super::text::PlanSlug;
use super::timestamp::Timestamp;
use super::tolerant::record;
use super::values::{ChangeDirection, ProductSlug, SubscriptionStatus};

record! {
    /// A customer's subscription to a product.
    Subscription {
        /// Its identifier.
        subscription_id: SubscriptionId,
        /// The product.
        product_slug: ProductSlug,
        /// The plan; `None` for per-unit products.
        plan_slug: Option<PlanSlug>,
        /// How many units, 1 to 10000.
        quantity: Option<u32>,
        /// Its state.
        status: SubscriptionStatus,
    }
}

record! {
    /// A subscription and its state after a transition.
    SubscriptionState {
        /// The subscription.
        subscription_id: SubscriptionId,
        /// Its state now.
        status: SubscriptionStatus,
    }
}

record! {
    /// What a change of plan or quantity did.
    SubscriptionChange {
        /// False when the call changed nothing: plan and quantity were already as asked, or what was asked is of the kind
        /// that the product does not take, as a quantity for a product with plans (assumed). It does not prove that an
        /// earlier call arrived: compare plan and quantity here with what was asked.
        changed: bool,
        /// The subscription.
        subscription_id: Option<SubscriptionId>,
        /// The plan now; `None` for per-unit products.
        plan_slug: Option<PlanSlug>,
        /// To more or to less; `None` when nothing changed.
        direction: Option<ChangeDirection>,
        /// The plan before; `None` for per-unit products.
        #[serde(skip_serializing_if = "Option::is_none")]
        previous_plan_slug: Option<PlanSlug>,
        /// The quantity now (assumed field).
        #[serde(skip_serializing_if = "Option::is_none")]
        quantity: Option<u32>,
        /// The quantity before (assumed field).
        #[serde(skip_serializing_if = "Option::is_none")]
        previous_quantity: Option<u32>,
        /// Since when the change holds.
        #[serde(skip_serializing_if = "Option::is_none")]
        effective_at: Option<Timestamp>,
    }
}
