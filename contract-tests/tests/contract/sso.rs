//! Sign-in tokens (assumed shapes).

use chrono::DateTime;
use http::StatusCode;
use secmon_contract_tests::{Account, cases};
use serde_json::Value;

cases! {
    anywhere:
        a_token_is_minted_for_a_customer;
    steered:
}

async fn a_token_is_minted_for_a_customer() {
    let account = Account::new().await;
    let customer = account.customer();
    customer.provisioned("203.0.113.71").await;
    let first = account
        .client
        .sso_token(customer.id)
        .await
        .expect("a token");
    assert_eq!(first.status(), StatusCode::OK);
    let answered: Value = serde_json::from_slice(first.body()).expect("JSON");
    let answered = answered["meta"]["timestamp"].as_str().expect("a time");
    let answered = DateTime::parse_from_rfc3339(answered).expect("a time");
    let expires = first.data.expires_at.as_ref().expect("an end");
    assert!(expires.date_time() > answered, "it can be used for a while");
    let second = account
        .client
        .sso_token(customer.id)
        .await
        .expect("a token");
    assert_ne!(
        first.data.sign_in_url(&account.url).expose(),
        second.data.sign_in_url(&account.url).expose(),
        "each token is another"
    );
}
