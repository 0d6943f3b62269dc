//! Prices of products. The specification names these operations without their shape; all here is assumed (D8).

use http::Method;
use serde::{Deserialize, Serialize};

use super::setters;
use crate::envelope::Envelope;
use crate::model::ProductSlug;
use crate::operation::{Basis, FieldsIn, Group, Operation, OperationInfo, RetrySafety};
use crate::{Client, Error, FieldErrors, Response, validate};

/// `POST /api/v1/billing/pricing` (assumed): stores the price of a product or of one of its plans. Only in the billing
/// namespace. Error: `PRODUCT_NOT_FOUND`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SetPrice {
    /// The product, at most 50 characters.
    pub product_slug: ProductSlug,
    /// The plan of a per-plan product, at most 50 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_slug: Option<String>,
    /// The price, at least 0.
    pub price: f64,
    /// Three letters, as in `EUR`.
    pub currency: String,
}

impl SetPrice {
    /// The price of a product.
    pub fn new(
        product_slug: impl Into<ProductSlug>,
        price: f64,
        currency: impl Into<String>,
    ) -> Self {
        Self {
            product_slug: product_slug.into(),
            plan_slug: None,
            price,
            currency: currency.into(),
        }
    }
}

setters!(SetPrice { [plan_slug] });

impl Operation for SetPrice {
    type Output = Price;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "set_price",
        group: Group::Provisioning,
        method: Method::POST,
        path: "/api/v1/billing/pricing",
        safety: RetrySafety::Repeatable,
        basis: Basis::Assumed,
        envelope: Envelope::Success,
    };

    fn validate(&self, problems: &mut FieldErrors) {
        validate::required_text(problems, "product_slug", self.product_slug.as_str(), 50);
        validate::max_length(problems, "plan_slug", self.plan_slug.as_deref(), 50);
        if !self.price.is_finite() || self.price < 0.0 {
            problems.add("price", "It must be at least 0.");
        }
        let letters = self
            .currency
            .chars()
            .filter(char::is_ascii_alphabetic)
            .count();
        if letters != 3 || self.currency.len() != 3 {
            problems.add("currency", "It must be three letters, as in EUR.");
        }
    }
}

/// A stored price (assumed).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Price {
    /// The product.
    pub product_slug: ProductSlug,
    /// The plan; none for per-unit products.
    #[serde(default)]
    pub plan_slug: Option<String>,
    /// The price.
    pub price: f64,
    /// Three letters.
    pub currency: String,
}

/// `DELETE /api/v1/billing/pricing` (assumed; its fields travel in a body): removes a stored price. Only in the billing
/// namespace. Error: `PRODUCT_NOT_FOUND`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RemovePrice {
    /// The product, at most 50 characters.
    pub product_slug: ProductSlug,
    /// The plan of a per-plan product, at most 50 characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_slug: Option<String>,
}

impl RemovePrice {
    /// The price of a product.
    pub fn new(product_slug: impl Into<ProductSlug>) -> Self {
        Self {
            product_slug: product_slug.into(),
            plan_slug: None,
        }
    }
}

setters!(RemovePrice { [plan_slug] });

impl Operation for RemovePrice {
    type Output = RemovedPrice;

    const INFO: &'static OperationInfo = &OperationInfo {
        name: "remove_price",
        group: Group::Provisioning,
        method: Method::DELETE,
        path: "/api/v1/billing/pricing",
        safety: RetrySafety::Repeatable,
        basis: Basis::Assumed,
        envelope: Envelope::Success,
    };

    fn fields_in() -> FieldsIn {
        FieldsIn::Body
    }

    fn validate(&self, problems: &mut FieldErrors) {
        validate::required_text(problems, "product_slug", self.product_slug.as_str(), 50);
        validate::max_length(problems, "plan_slug", self.plan_slug.as_deref(), 50);
    }
}

/// The answer to [`RemovePrice`] (assumed).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RemovedPrice {
    /// Whether there was one.
    pub deleted: bool,
}

/// Prices, from [`Client::pricing`].
#[derive(Clone, Copy)]
pub struct Pricing<'a>(&'a Client);

impl Client {
    /// Prices of products.
    pub fn pricing(&self) -> Pricing<'_> {
        Pricing(self)
    }
}

impl Pricing<'_> {
    /// Stores a price: [`SetPrice`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn set(self, price: SetPrice) -> Result<Response<Price>, Error> {
        self.0.send(price).await
    }

    /// Removes a stored price: [`RemovePrice`].
    ///
    /// # Errors
    /// As [`Client::send`].
    pub async fn remove(self, price: RemovePrice) -> Result<Response<RemovedPrice>, Error> {
        self.0.send(price).await
    }
}
