//! What a customer has bought.

use serde::{Deserialize, Serialize};

use super::tolerant::optional;
use super::{
    ChangeDirection, PlanSlug, ProductSlug, SubscriptionId, SubscriptionStatus, Timestamp,
};

/// A customer's subscription to a product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Subscription {
    /// Its identifier.
    pub subscription_id: SubscriptionId,
    /// The product.
    pub product_slug: ProductSlug,
    /// The plan; `None` for per-unit products.
    #[serde(default, deserialize_with = "optional")]
    pub plan_slug: Option<PlanSlug>,
    /// How many units, 1 to 10000.
    #[serde(default, deserialize_with = "optional")]
    pub quantity: Option<u32>,
    /// Its state.
    pub status: SubscriptionStatus,
}

/// A subscription and its state after a transition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SubscriptionState {
    /// The subscription.
    pub subscription_id: SubscriptionId,
    /// Its state now.
    pub status: SubscriptionStatus,
}

/// What a change of plan or quantity did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SubscriptionChange {
    /// False when plan and quantity were already as asked.
    pub changed: bool,
    /// The subscription.
    #[serde(default, deserialize_with = "optional")]
    pub subscription_id: Option<SubscriptionId>,
    /// The plan now; `None` for per-unit products.
    #[serde(default, deserialize_with = "optional")]
    pub plan_slug: Option<PlanSlug>,
    /// To more or to less; `None` when nothing changed.
    #[serde(default, deserialize_with = "optional")]
    pub direction: Option<ChangeDirection>,
    /// The plan before; `None` for per-unit products.
    #[serde(default, deserialize_with = "optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_plan_slug: Option<PlanSlug>,
    /// The quantity now (assumed field).
    #[serde(default, deserialize_with = "optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quantity: Option<u32>,
    /// The quantity before (assumed field).
    #[serde(default, deserialize_with = "optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub previous_quantity: Option<u32>,
    /// Since when the change holds.
    #[serde(default, deserialize_with = "optional")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effective_at: Option<Timestamp>,
}
