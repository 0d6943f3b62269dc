//! Prices, as recorded.

use serde::{Deserialize, Serialize};
use serde_json::Number;

use crate::catalogue::Product;
use crate::state::storage::Key;

/// What a price is for.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct PriceKey {
    pub(crate) product: Product,
    pub(crate) plan: Option<String>,
}

impl Key for PriceKey {
    fn text(&self) -> String {
        match &self.plan {
            Some(plan) => format!("{}/{plan}", self.product.slug()),
            None => self.product.slug().to_owned(),
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let (product, plan) = match text.split_once('/') {
            Some((product, plan)) => (product, Some(plan.to_owned())),
            None => (text, None),
        };
        Some(Self {
            product: Product::from_slug(product)?,
            plan,
        })
    }
}

/// A price, as recorded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Price {
    pub(crate) price: Number,
    pub(crate) currency: String,
}
