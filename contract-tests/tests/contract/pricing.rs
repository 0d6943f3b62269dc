//! Prices of products (assumed shapes).

use secmon::ErrorCode;
use secmon::model::Money;
use secmon::operations::{RemovePrice, SetPrice};
use secmon_contract_tests::{Account, assert_api_error, assert_keys, cases};
use serde_json::Value;

cases! {
    anywhere:
        an_unknown_product_is_product_not_found,
        bad_fields_come_back_by_their_names;
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

async fn an_unknown_product_is_product_not_found() {
    let account = Account::new().await;
    let pricing = account.client.pricing();
    let set = pricing
        .set(SetPrice::new("voip", Money::from_cents(100), "EUR"))
        .await;
    assert_api_error(set, 404, ErrorCode::ProductNotFound);
    let remove = pricing.remove(RemovePrice::new("voip")).await;
    assert_api_error(remove, 404, ErrorCode::ProductNotFound);
}

async fn bad_fields_come_back_by_their_names() {
    let account = Account::new().await;
    let bad = SetPrice::new("domain_monitoring", Money::from_cents(-100), "EURO");
    let error = account
        .client
        .call(bad)
        .with(|call| call.validation(false))
        .send()
        .await;
    let error = assert_api_error(error, 422, None);
    let fields = error.field_errors().expect("fields");
    assert_eq!(
        fields.iter().map(|(field, _)| field).collect::<Vec<_>>(),
        ["currency", "price"]
    );
}
