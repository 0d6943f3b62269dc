//! Prices of products and plans (D8).

use serde::Serialize;
use serde_json::Number;

use crate::catalogue::Product;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::state::{Account, Price, PriceKey};

/// What a price is set for, as the body names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PricedPlan {
    /// `product_slug`, as it was written.
    pub product: String,
    /// `plan_slug`; ignored for a product without plans.
    pub plan: Option<String>,
}

/// A stored price.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct PriceView {
    /// The product.
    pub product_slug: &'static str,
    /// The plan; null for a product without plans.
    pub plan_slug: Option<String>,
    /// The price, as it was given.
    pub price: Number,
    /// The currency, as it was given.
    pub currency: String,
}

/// What removing a price answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct PriceDeleted {
    /// Whether there was one.
    pub deleted: bool,
}

impl Session<'_> {
    /// Sets the price of a product or plan.
    ///
    /// # Errors
    ///
    /// [`Refusal::ProductNotFound`]; [`Refusal::Invalid`] on `plan_slug` as
    /// [`Account::check_priced_plan`] says.
    pub fn set_price(
        &mut self,
        priced: &PricedPlan,
        price: Number,
        currency: String,
    ) -> Result<PriceView, Refusal> {
        let key = self.price_key(priced)?;
        let view = PriceView {
            product_slug: key.product.slug(),
            plan_slug: key.plan.clone(),
            price: price.clone(),
            currency: currency.clone(),
        };
        self.records.prices.insert(key, Price { price, currency });
        Ok(view)
    }

    /// Removes the price of a product or plan.
    ///
    /// # Errors
    ///
    /// As for [`Session::set_price`].
    pub fn delete_price(&mut self, priced: &PricedPlan) -> Result<PriceDeleted, Refusal> {
        let key = self.price_key(priced)?;
        Ok(PriceDeleted {
            deleted: self.records.prices.remove(key).is_some(),
        })
    }

    fn price_key(&self, priced: &PricedPlan) -> Result<PriceKey, Refusal> {
        self.check_priced_plan(&priced.product, priced.plan.as_deref())
            .map_err(|sentence| Refusal::invalid("plan_slug", sentence))?;
        let product = Product::from_slug(&priced.product).ok_or(Refusal::ProductNotFound)?;
        let plan = match product {
            Product::PortMonitoring => priced.plan.clone(),
            Product::Endpoint | Product::DomainMonitoring => None,
        };
        Ok(PriceKey { product, plan })
    }
}

impl Account {
    /// Checks the `plan_slug` of a price, to be reported with the other
    /// fields: a product with plans needs one of them.
    ///
    /// # Errors
    ///
    /// A sentence for the field.
    pub fn check_priced_plan(&self, product: &str, plan: Option<&str>) -> Result<(), &'static str> {
        self.check_plan(None, None, product, plan)
    }
}
