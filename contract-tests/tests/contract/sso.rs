//! Sign-in tokens (assumed shapes).

use chrono::DateTime;
use http::StatusCode;
use secmon::ErrorCode;
use secmon::operations::CreateSsoToken;
use secmon_contract_tests::{Account, assert_api_error, cases};
use serde_json::Value;

cases! {
    anywhere:
        a_customer_nobody_knows_is_user_not_found,
        bad_fields_come_back_by_their_names,
        a_token_is_minted_for_a_customer;
    steered:
}

async fn a_customer_nobody_knows_is_user_not_found() {
    let account = Account::new().await;
    let token = account.client.sso_token(account.customer().id).await;
    assert_api_error(token, 500, ErrorCode::UserNotFound);
}

async fn bad_fields_come_back_by_their_names() {
    let account = Account::new().await;
    let request = CreateSsoToken::new(account.customer().id).redirect_path("//elsewhere.example");
    let error = account
        .client
        .call(request)
        .with(|call| call.without_validation())
        .send()
        .await;
    let error = assert_api_error(error, 422, None);
    assert_eq!(
        error
            .field_errors()
            .map(|errors| errors.get("redirect_path").len()),
        Some(1)
    );
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
        first.data.sign_in_url(&account.url),
        second.data.sign_in_url(&account.url),
        "each token is another"
    );
}
