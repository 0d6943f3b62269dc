//! What can be asked of a live account without changing anything in it: every call is a GET that marks nothing.

use std::sync::Arc;

use http::{Method, StatusCode};
use serde_json::Value;

use crate::{Account, RawAnswer, Stage};

cases! {
    spec_ref: "Endpoints";
    anywhere:
        health_answers_without_a_key,
        what_is_refused_is_refused_in_its_shape,
        the_servers_of_the_account_are_a_list,
        what_a_customer_has_can_be_read;
    steered:
}

/// An identifier of nothing.
const UNKNOWN: &str = "00000000-0000-4000-8000-000000000007";

async fn get(account: &Account, path: &str) -> RawAnswer {
    let answer = account.raw(Method::GET, path).send().await;
    answer.unwrap_or_else(|error| panic!("GET {path}: {error}"))
}

/// A read that succeeds.
async fn read(account: &Account, path: &str) -> Value {
    let answer = get(account, path).await;
    assert_eq!(answer.status, StatusCode::OK, "GET {path}: {}", answer.json);
    answer.json
}

async fn health_answers_without_a_key(stage: Arc<Stage>) {
    let account = Account::new(&stage).await;
    let call = account.call(Method::GET, "/api/v1/health");
    let answer = call.send().await.expect("an answer");
    assert_eq!(answer.status, StatusCode::OK, "health");
    assert_eq!(answer.json["success"], true, "`success` of health");
    assert_eq!(answer.json["status"], "ok", "`status` of health");
}

async fn what_is_refused_is_refused_in_its_shape(stage: Arc<Stage>) {
    let account = Account::new(&stage).await;
    let wrong = account.call(Method::GET, "/api/v1/endpoints");
    let refused = wrong.bearer("not-a-key").send().await.expect("an answer");
    assert_eq!(refused.outcome(), "401 key", "wrong key: {}", refused.json);
    let customer = account.customer().id;
    let of = format!("billing_customer_id={customer}");
    for (path, outcome) in [
        (format!("/api/v1/endpoints/{UNKNOWN}"), "404 number"),
        (format!("/api/v1/endpoints/{UNKNOWN}/detail"), "404 number"),
        (format!("/api/v1/whitelists/{UNKNOWN}"), "404 number"),
        (
            format!("/api/v1/domains/{UNKNOWN}/summary?{of}"),
            "404 DOMAIN_NOT_FOUND",
        ),
        (
            format!("/api/v1/domains/{UNKNOWN}/scan-history?{of}"),
            "404 DOMAIN_NOT_FOUND",
        ),
        ("/api/v1/endpoints?status=asleep".to_owned(), "422 fields"),
        (
            "/api/v1/whitelists/endpoint-summary".to_owned(),
            "422 fields",
        ),
        ("/api/v1/domains".to_owned(), "422 fields"),
    ] {
        let refused = get(&account, &path).await;
        assert_eq!(refused.outcome(), outcome, "GET {path}: {}", refused.json);
    }
}

async fn the_servers_of_the_account_are_a_list(stage: Arc<Stage>) {
    let account = Account::new(&stage).await;
    let first = read(&account, "/api/v1/endpoints?per_page=2&page=1").await;
    let second = read(&account, "/api/v1/endpoints?per_page=2&page=2").await;
    let ids = |page: &Value| {
        let items = page["data"].as_array().into_iter().flatten();
        items.map(|item| item["id"].clone()).collect::<Vec<_>>()
    };
    let total = first["meta"]["total"].as_u64().expect("`meta.total`");
    assert!(
        ids(&first).len() as u64 == total.min(2),
        "{total} servers, and on the first page {first}"
    );
    assert!(
        ids(&first).iter().all(|id| !ids(&second).contains(id)),
        "a server on two pages: {first} {second}"
    );
    assert_eq!(
        first["links"]["next"].is_string(),
        total > 2,
        "{}",
        first["links"]
    );
    let Some(id) = ids(&first)
        .first()
        .and_then(|id| id.as_str().map(str::to_owned))
    else {
        return;
    };
    let one = read(&account, &format!("/api/v1/endpoints/{id}")).await;
    assert_eq!(one["data"]["id"], first["data"][0]["id"]);
    assert_eq!(
        one["data"]["ip_address"], first["data"][0]["ip_address"],
        "list and read differ"
    );
    read(&account, &format!("/api/v1/endpoints/{id}/detail")).await;
}

async fn what_a_customer_has_can_be_read(stage: Arc<Stage>) {
    let account = Account::new(&stage).await;
    let known = read(&account, "/api/v1/endpoints?per_page=1").await;
    let known = &known["data"][0]["billing_customer_id"];
    // Nobody has heard of the other one; all but an alert list answer to it all the same.
    let nobody = account.customer().id.get();
    let of = format!("billing_customer_id={}", known.as_u64().unwrap_or(nobody));
    let rules = read(&account, &format!("/api/v1/whitelists?{of}&per_page=2")).await;
    if let Some(id) = rules["data"][0]["id"].as_str() {
        let rule = read(&account, &format!("/api/v1/whitelists/{id}?{of}")).await;
        assert_eq!(
            rule["data"]["port_start"], rules["data"][0]["port_start"],
            "list and read differ"
        );
    }
    read(
        &account,
        &format!("/api/v1/whitelists/endpoint-summary?{of}"),
    )
    .await;
    read(&account, &format!("/api/v1/alerts?{of}&per_page=2")).await;
    let domains = read(&account, &format!("/api/v1/domains?{of}")).await;
    if let Some(id) = domains["data"]["domains"][0]["id"].as_str() {
        let at = format!("/api/v1/domains/{id}");
        read(&account, &format!("{at}/summary?{of}")).await;
        read(&account, &format!("{at}/alerts?{of}&per_page=2")).await;
        // With this parameter a read marks no mention as seen (C9).
        read(
            &account,
            &format!("{at}/dark-web-mentions?{of}&is_new=true&per_page=2"),
        )
        .await;
        read(&account, &format!("{at}/scan-history?{of}")).await;
    }
}
