//! Sign-in tokens (assumed shapes).

use chrono::DateTime;
use http::{Method, StatusCode};
use secmon::ErrorCode;
use secmon::operations::{CreateSsoToken, SignInUrl};
use secmon_contract_tests::{Account, RawCall, assert_api_error, assert_keys, cases};
use serde_json::Value;

cases! {
    anywhere:
        a_customer_nobody_knows_is_user_not_found,
        bad_fields_come_back_by_their_names,
        a_token_is_minted_for_a_customer;
    steered:
        a_token_signs_in_once_and_not_for_long(Clock)
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
        .with(|call| call.validation(false))
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

async fn a_token_signs_in_once_and_not_for_long() {
    let account = Account::new().await;
    let customer = account.customer();
    customer.provisioned("203.0.113.70").await;
    let mint = || {
        let token = CreateSsoToken::new(customer.id).redirect_path("/domains");
        account.client.call(token)
    };
    let minted = mint().await.expect("a token");
    let raw: Value = serde_json::from_slice(minted.body()).expect("JSON");
    assert_keys(&raw["data"], &["token", "expires_at"]);
    let visit = |address: &SignInUrl| RawCall::new(Method::GET, address.expose()).send();
    let address = minted.data.sign_in_url(&account.url);
    assert_eq!(
        visit(&address).await.expect("a page").status,
        StatusCode::OK
    );
    assert_eq!(
        visit(&address).await.expect("a page").status,
        StatusCode::UNAUTHORIZED
    );
    let late = mint()
        .await
        .expect("a token")
        .data
        .sign_in_url(&account.url);
    account.advance(60).await;
    assert_eq!(
        visit(&late).await.expect("a page").status,
        StatusCode::UNAUTHORIZED
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
        first.data.sign_in_url(&account.url).expose(),
        second.data.sign_in_url(&account.url).expose(),
        "each token is another"
    );
}
