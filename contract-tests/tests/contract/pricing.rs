//! Prices of products (assumed shapes).

use secmon::model::Money;
use secmon::operations::{RemovePrice, SetPrice};
use secmon_contract_tests::{Account, assert_keys, cases};
use serde_json::Value;

cases! {
    anywhere: ;
    steered:
        a_price_is_stored_and_removed(Accounts)
}

async fn a_price_is_stored_and_removed() {
    let account = Account::new().await;
    let pricing = account.client.pricing();
    let price =
        SetPrice::new("port_monitoring", Money::from_cents(450), "EUR").plan_slug("starter");
    let stored = pricing.set(price).await.expect("stored");
    let raw: Value = serde_json::from_slice(stored.body()).expect("JSON");
    assert_keys(
        &raw["data"],
        &["product_slug", "plan_slug", "price", "currency"],
    );
    assert_eq!(stored.data.plan_slug, Some("starter".into()));
    let remove = RemovePrice::new("port_monitoring").plan_slug("starter");
    assert!(
        pricing
            .remove(remove.clone())
            .await
            .expect("removed")
            .data
            .deleted
    );
    assert!(
        !pricing
            .remove(remove)
            .await
            .expect("gone already")
            .data
            .deleted
    );
}
