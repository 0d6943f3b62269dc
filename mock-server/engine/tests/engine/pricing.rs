//! Prices.

use secmon_engine::{PricedPlan, Refusal};
use serde_json::{Number, json};

use crate::bench::Bench;

fn priced(product: &str, plan: Option<&str>) -> PricedPlan {
    PricedPlan {
        product: product.to_owned(),
        plan: plan.map(str::to_owned),
    }
}

#[test]
fn a_price_is_stored_shown_as_given_and_removed_once_d8() {
    let mut bench = Bench::new();
    let call = bench.call();
    let plan = priced("port_monitoring", Some("starter"));
    let price = Number::from_f64(9.5).expect("a number");
    let stored = bench
        .account
        .at(call)
        .set_price(&plan, price, "EUR".to_owned())
        .expect("stored");
    assert_eq!(
        serde_json::to_value(stored).expect("json"),
        json!({
            "product_slug": "port_monitoring",
            "plan_slug": "starter",
            "price": 9.5,
            "currency": "EUR"
        })
    );
    let units = priced("domain_monitoring", Some("ignored"));
    let stored = bench
        .account
        .at(call)
        .set_price(&units, Number::from(0), "EUR".to_owned())
        .expect("stored");
    assert_eq!(stored.plan_slug, None);
    let mut deleted =
        |plan: &PricedPlan| bench.account.at(call).delete_price(plan).map(|d| d.deleted);
    assert_eq!(deleted(&plan), Ok(true));
    assert_eq!(deleted(&plan), Ok(false));
    assert_eq!(deleted(&priced("domain_monitoring", None)), Ok(true));
}

#[test]
fn a_price_needs_a_known_product_and_plan_d8() {
    let mut bench = Bench::new();
    let call = bench.call();
    assert_eq!(
        bench
            .account
            .at(call)
            .delete_price(&priced("antivirus", None))
            .err(),
        Some(Refusal::ProductNotFound)
    );
    for plan in [None, Some("gold")] {
        let refused = bench
            .account
            .at(call)
            .delete_price(&priced("port_monitoring", plan));
        assert!(
            matches!(refused, Err(Refusal::Invalid(fields)) if fields.contains_key("plan_slug"))
        );
    }
}
