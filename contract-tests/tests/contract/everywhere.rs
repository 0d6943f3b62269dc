//! What every operation answers whatever it does: refused keys, accounts, hosts and bodies, full windows.

use http::{Method, StatusCode, header};
use secmon_contract_tests::table::{Row, TABLE};
use secmon_contract_tests::{Account, RawAnswer, RawCall, assert_keys, cases, rate_limits};
use serde_json::{Value, json};
use uuid::Uuid;

cases! {
    anywhere:
        a_wrong_key_is_refused_and_learns_nothing,
        a_body_that_is_no_object_is_refused,
        a_body_of_more_than_a_mebibyte_is_refused,
        a_bad_parameter_is_refused_by_its_name,
        a_path_or_method_that_is_none_is_refused_by_name;
    steered:
        a_key_without_an_account_is_tenant_not_found(Accounts),
        a_suspended_account_is_refused_by_name(Accounts),
        a_foreign_portal_domain_is_refused_in_provisioning_and_sign_in_alone(Accounts),
        a_full_window_refuses_every_operation_that_counts_in_it(Accounts, Clock),
        a_sandbox_account_refuses_bad_bodies_too(Sandbox)
}

const MEBIBYTE: usize = 1024 * 1024;

/// The operations that need a key.
fn keyed() -> impl Iterator<Item = &'static Row> {
    TABLE.operations().filter(|row| row.group != "health")
}

/// The operations that take a body, of which sandbox operations need an account of their kind.
fn with_body() -> impl Iterator<Item = &'static Row> {
    keyed().filter(|row| row.has("413 size"))
}

fn address(account: &Account, row: &Row) -> String {
    let nobody = Uuid::from_u128(7).to_string();
    format!("{}{}", account.url, row.path_with(&nobody))
}

fn call(account: &Account, row: &Row) -> RawCall {
    RawCall::new(row.http_method(), &address(account, row)).bearer(&account.key)
}

async fn answer(call: RawCall) -> RawAnswer {
    call.send().await.expect("an answer")
}

async fn a_wrong_key_is_refused_and_learns_nothing() {
    let account = Account::new().await;
    for row in keyed() {
        for wrong in [Some("Bearer wrong_key"), Some("Basic eDp5"), None] {
            let mut call = RawCall::new(row.http_method(), &address(&account, row));
            if let Some(value) = wrong {
                call = call.header(header::AUTHORIZATION, value);
            }
            let refused = answer(call).await;
            assert_eq!(refused.status, StatusCode::UNAUTHORIZED, "{}", row.name);
            let nothing = json!({"status": "error", "message": "Unauthenticated.", "errors": {}});
            assert_eq!(refused.json, nothing, "{}", row.name);
        }
    }
}

async fn a_body_that_is_no_object_is_refused() {
    let account = Account::new().await;
    for row in with_body().filter(|row| row.group != "sandbox") {
        for body in ["[]", "{\"client_id\":", "42", ""] {
            let refused = answer(call(&account, row).body(body)).await;
            assert_eq!(
                refused.status,
                StatusCode::UNPROCESSABLE_ENTITY,
                "{} {body}",
                row.name
            );
            assert_keys(&refused.json["errors"], &["body"]);
        }
    }
}

async fn a_body_of_more_than_a_mebibyte_is_refused() {
    let account = Account::new().await;
    for row in with_body().filter(|row| row.group != "sandbox") {
        assert_too_large(&account, row).await;
    }
}

async fn assert_too_large(account: &Account, row: &Row) {
    let body = |length: usize| format!("{{{}}}", " ".repeat(length - 2));
    let refused = answer(call(account, row).body(body(MEBIBYTE + 1))).await;
    assert_eq!(
        refused.status,
        StatusCode::PAYLOAD_TOO_LARGE,
        "{}",
        row.name
    );
    assert_keys(&refused.json, &["status", "message", "errors"]);
    let judged = answer(call(account, row).body(body(MEBIBYTE))).await;
    assert_eq!(
        judged.status,
        StatusCode::UNPROCESSABLE_ENTITY,
        "{}",
        row.name
    );
}

async fn a_bad_parameter_is_refused_by_its_name() {
    let account = Account::new().await;
    let with_query = keyed().filter(|row| !row.has("413 size") && row.group != "sandbox");
    for row in with_query {
        for bad in ["", "0", "-1", "x", "1.0", "9223372036854775808"] {
            let address = format!("{}?billing_customer_id={bad}", address(&account, row));
            let refused = answer(RawCall::new(row.http_method(), &address).bearer(&account.key));
            let refused = refused.await;
            assert_eq!(
                refused.status,
                StatusCode::UNPROCESSABLE_ENTITY,
                "{} {bad}",
                row.name
            );
            assert_keys(&refused.json["errors"], &["billing_customer_id"]);
        }
    }
}

async fn a_path_or_method_that_is_none_is_refused_by_name() {
    let account = Account::new().await;
    for path in ["/api/v1/nothing", "/api/v1/endpoints/"] {
        let refused = answer(account.raw(Method::GET, path)).await;
        assert_eq!(refused.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(refused.json["error"]["code"], "NOT_FOUND", "{path}");
    }
    for (method, allowed) in [(Method::PATCH, "GET, POST"), (Method::OPTIONS, "GET, POST")] {
        let refused = answer(account.raw(method, "/api/v1/endpoints")).await;
        assert_eq!(refused.status, StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(refused.json["error"]["code"], "METHOD_NOT_ALLOWED");
        let allow = refused
            .headers
            .get(header::ALLOW)
            .and_then(|allow| allow.to_str().ok());
        let mut methods: Vec<&str> = allow.unwrap_or_default().split(", ").collect();
        methods.sort_unstable();
        assert_eq!(methods.join(", "), allowed);
    }
}

async fn a_key_without_an_account_is_tenant_not_found() {
    let account = Account::new().await;
    for row in keyed() {
        let orphan = RawCall::new(row.http_method(), &address(&account, row));
        let refused = answer(orphan.bearer("test_key_orphan")).await;
        assert_refused(row, &refused, StatusCode::UNAUTHORIZED, "TENANT_NOT_FOUND");
    }
}

async fn a_suspended_account_is_refused_by_name() {
    let account = Account::with(json!({"suspended": true})).await;
    for row in keyed() {
        let refused = answer(call(&account, row)).await;
        assert_refused(row, &refused, StatusCode::FORBIDDEN, "ACCOUNT_SUSPENDED");
    }
}

#[track_caller]
fn assert_refused(row: &Row, answer: &RawAnswer, status: StatusCode, code: &str) {
    assert_eq!(answer.status, status, "{}", row.name);
    assert_eq!(answer.json["error"]["code"], code, "{}", row.name);
    assert_eq!(answer.json["success"], false, "{}", row.name);
}

async fn a_foreign_portal_domain_is_refused_in_provisioning_and_sign_in_alone() {
    let account = Account::new().await;
    for row in keyed() {
        let foreign = call(&account, row).header(header::HOST, "portal.globex.test");
        let foreign = answer(foreign).await;
        if ["provisioning", "sso"].contains(&row.group.as_str()) {
            assert_refused(row, &foreign, StatusCode::FORBIDDEN, "TENANT_MISMATCH");
        } else {
            assert_ne!(
                foreign.json["error"]["code"], "TENANT_MISMATCH",
                "{}",
                row.name
            );
        }
        let own = call(&account, row).header(header::HOST, &account.portal_domain.to_uppercase());
        let own = answer(own).await;
        assert_ne!(own.json["error"]["code"], "TENANT_MISMATCH", "{}", row.name);
    }
}

async fn a_full_window_refuses_every_operation_that_counts_in_it() {
    let account = Account::with(json!({"rate_limit": true})).await;
    let (strict, default) = rate_limits();
    let window = |row: &Row| match row.group.as_str() {
        "sandbox" => None,
        "allowed ports" | "endpoints" => Some("get_endpoint"),
        _ => Some("suspend_endpoint"),
    };
    for (opening, limit) in [("suspend_endpoint", strict), ("get_endpoint", default)] {
        let first = TABLE.row(opening).expect("an operation");
        let counted = json!({"endpoint_id": Uuid::from_u128(7)});
        for _ in 0..limit {
            let counted = answer(call(&account, first).json(&counted)).await;
            assert_eq!(counted.status, StatusCode::NOT_FOUND, "a 404 counts");
        }
        for row in keyed().filter(|row| window(row) == Some(opening)) {
            let refused = answer(call(&account, row)).await;
            assert_eq!(
                refused.status,
                StatusCode::TOO_MANY_REQUESTS,
                "{}",
                row.name
            );
            assert!((1..=60).contains(&wait_of(&refused)), "{}", row.name);
            assert_eq!(refused.json["message"], "Too Many Attempts.");
        }
    }
    for row in TABLE
        .operations()
        .filter(|row| window(row).is_none() || row.group == "health")
    {
        let unlimited = answer(call(&account, row)).await;
        assert_ne!(
            unlimited.status,
            StatusCode::TOO_MANY_REQUESTS,
            "{}",
            row.name
        );
    }
    let first = TABLE.row("suspend_endpoint").expect("an operation");
    let again = || answer(call(&account, first).json(&Value::Null));
    account.advance(wait_of(&again().await) - 10).await;
    let left = wait_of(&again().await);
    assert!((1..=10).contains(&left), "{left}");
    account.advance(left).await;
    let open = again().await;
    assert_eq!(
        open.status,
        StatusCode::UNPROCESSABLE_ENTITY,
        "a refused call counts nowhere"
    );
}

/// The seconds of a `Retry-After`; 0 without one.
fn wait_of(answer: &RawAnswer) -> u64 {
    let seconds = answer.headers.get(header::RETRY_AFTER);
    let seconds = seconds.and_then(|seconds| seconds.to_str().ok()?.parse().ok());
    seconds.unwrap_or_default()
}

async fn a_sandbox_account_refuses_bad_bodies_too() {
    let account = Account::new().await;
    let row = TABLE.row("set_scenario").expect("an operation");
    assert_too_large(&account, row).await;
    let refused = answer(call(&account, row).body("[]")).await;
    assert_keys(&refused.json["errors"], &["body"]);
}
