//! Prices of products. The specification names these operations without their shape; all here is assumed (D8).

use super::declaration::operations;
use crate::model::tolerant::record;
use crate::model::{Money, PlanSlug, ProductSlug};
use crate::validate::{plan, product};

operations! {
    {
        /// `POST /api/v1/billing/pricing` (assumed): stores the price of a product or of one of its plans. Only in the
        /// billing namespace. Error: `PRODUCT_NOT_FOUND`.
        set_price: SetPrice -> Price = POST "/api/v1/billing/pricing",
        Provisioning, Repeatable, Assumed, Success;
        required {
            /// The product, at most 50 characters.
            product_slug: ProductSlug [product],
            /// The price, at least 0.
            price: Money [at_least_nothing],
            /// Three letters, as in `EUR`.
            currency: String [three_letters],
        }
        optional {
            /// The plan of a per-plan product, at most 50 characters.
            plan_slug: PlanSlug [plan],
        }
        answer {
            |request, answer, check| check.same("price", &request.price, &answer.price)
        }
        accessors { Pricing:
            /// Stores a price: [`SetPrice`].
            call set(price: SetPrice) = price;
        }
    }
    {
        /// `DELETE /api/v1/billing/pricing` (assumed; its fields travel in a body): removes a stored price. Only in the
        /// billing namespace. Error: `PRODUCT_NOT_FOUND`.
        remove_price: RemovePrice -> RemovedPrice = DELETE "/api/v1/billing/pricing",
        Provisioning, Repeatable, Assumed, Success, in_body;
        required {
            /// The product, at most 50 characters.
            product_slug: ProductSlug [product],
        }
        optional {
            /// The plan of a per-plan product, at most 50 characters.
            plan_slug: PlanSlug [plan],
        }
        accessors { Pricing:
            /// Removes a stored price: [`RemovePrice`].
            call remove(price: RemovePrice) = price;
        }
    }
}

fn at_least_nothing(price: &Money) -> Option<String> {
    (*price < Money::ZERO).then(|| "It must be at least 0.".to_owned())
}

fn three_letters(currency: &str) -> Option<String> {
    let fits = currency.len() == 3 && currency.bytes().all(|letter| letter.is_ascii_alphabetic());
    (!fits).then(|| "It must be three letters, as in EUR.".to_owned())
}

record! {
    /// A stored price (assumed).
    Price {
        /// The product.
        product_slug: ProductSlug,
        /// The plan; `None` for per-unit products.
        plan_slug: Option<PlanSlug>,
        /// The price.
        price: Money,
        /// Three letters.
        currency: String,
    }
}

record! {
    /// The answer to [`RemovePrice`] (assumed).
    RemovedPrice {
        /// Whether there was one.
        deleted: bool,
    }
}
