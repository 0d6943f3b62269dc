//! The health check, and who may call what.

use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode, header};
use secmon::model::EndpointId;
use secmon::operations::{GetEndpoint, SuspendEndpoint};
use secmon::pacing::MemoryBudget;
use secmon::{ApiKey, Client, ErrorCode, ErrorKind, OPERATIONS};
use secmon_contract_tests::{Account, assert_api_error, assert_keys, suite};
use serde_json::{Value, json};
use uuid::Uuid;

suite! {
    anywhere:
        health_needs_no_key,
        a_wrong_key_is_refused_everywhere_and_learns_nothing,
        an_unknown_path_is_refused_by_name;
    steered:
        a_key_without_an_account_is_tenant_not_found,
        a_suspended_account_is_refused_everywhere_but_in_health,
        a_foreign_portal_domain_is_refused_in_provisioning_alone,
        a_full_window_is_a_429_with_the_wait,
        a_paced_client_meets_no_429,
        a_revoked_key_is_unauthenticated
}

fn nobody() -> EndpointId {
    EndpointId::from(Uuid::from_u128(7))
}

/// Every path of the table with some identifier in it, and its method.
fn calls() -> impl Iterator<Item = (Method, String)> {
    OPERATIONS
        .iter()
        .filter(|info| info.name != "get_health")
        .map(|info| {
            let segments = info.path.split('/').map(|segment| match segment {
                "{namespace}" => "billing".to_owned(),
                placeholder if placeholder.starts_with('{') => Uuid::from_u128(7).to_string(),
                literal => literal.to_owned(),
            });
            (info.method.clone(), segments.collect::<Vec<_>>().join("/"))
        })
}

async fn health_needs_no_key() {
    let account = Account::new().await;
    let health = account.client.health().await.expect("health");
    assert!(health.data.success);
    assert_eq!(health.data.status, "ok");
    let raw: Value = serde_json::from_slice(health.raw()).expect("JSON");
    assert_keys(&raw, &["success", "status", "timestamp", "meta"]);
    assert_keys(&raw["meta"], &["version"]);
    assert_eq!(raw["meta"]["version"], "v1");
}

async fn a_wrong_key_is_refused_everywhere_and_learns_nothing() {
    let account = Account::new().await;
    for (method, path) in calls() {
        let call = account.raw(method.clone(), &path);
        let answer = call
            .header(header::ACCEPT, "application/json")
            .send()
            .await
            .expect("an answer");
        assert_ne!(
            answer.status,
            StatusCode::UNAUTHORIZED,
            "the right key at {method} {path}"
        );

        let address = format!("{}{path}", account.url);
        for wrong in [Some("Bearer wrong_key"), Some("Basic eDp5"), None] {
            let mut call = secmon_contract_tests::RawCall::new(method.clone(), &address);
            if let Some(value) = wrong {
                call = call.header(header::AUTHORIZATION, value);
            }
            let answer = call.send().await.expect("an answer");
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{method} {path}");
            assert_eq!(
                answer.json,
                json!({"status": "error", "message": "Unauthenticated.", "errors": {}})
            );
        }
    }
    let stranger = Client::builder(&account.url, ApiKey::new("wrong_key").expect("a key")).build();
    let stranger = stranger.expect("a client");
    assert_api_error(stranger.servers().suspend(nobody()).await, 401, None);
    let again = stranger
        .servers()
        .suspend(nobody())
        .await
        .expect_err("not sent");
    assert_eq!(again.kind(), ErrorKind::KeyRejected);
}

async fn an_unknown_path_is_refused_by_name() {
    let account = Account::new().await;
    let answer = account
        .raw(Method::GET, "/api/v1/nothing")
        .send()
        .await
        .expect("an answer");
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    assert_eq!(answer.json["error"]["code"], "NOT_FOUND");
    let answer = account
        .raw(Method::PATCH, "/api/v1/endpoints")
        .send()
        .await
        .expect("an answer");
    assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(answer.json["error"]["code"], "METHOD_NOT_ALLOWED");
}

async fn a_key_without_an_account_is_tenant_not_found() {
    let account = Account::new().await;
    let orphan = ApiKey::new("test_key_orphan").expect("a key");
    let client = Client::builder(&account.url, orphan)
        .build()
        .expect("a client");
    let call = client.servers().suspend(nobody());
    assert_api_error(call.await, 401, ErrorCode::TenantNotFound);
    client.reset_key_rejection();
    assert_api_error(
        client.endpoints().get(nobody()).await,
        401,
        ErrorCode::TenantNotFound,
    );
    client.health().await.expect("health needs no account");
}

async fn a_suspended_account_is_refused_everywhere_but_in_health() {
    let account = Account::with(json!({"suspended": true})).await;
    for (method, path) in calls() {
        let answer = account.raw(method, &path).send().await.expect("an answer");
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{path}");
        assert_eq!(answer.json["error"]["code"], "ACCOUNT_SUSPENDED", "{path}");
    }
    let call = account.client.servers().suspend(nobody());
    assert_api_error(call.await, 403, ErrorCode::AccountSuspended);
    account.client.health().await.expect("health");
}

async fn a_foreign_portal_domain_is_refused_in_provisioning_alone() {
    let account = Account::new().await;
    let suspend = |host: &str| {
        let call = account.raw(Method::POST, "/api/v1/billing/suspend");
        call.header(header::HOST, host)
            .json(&json!({"endpoint_id": nobody()}))
            .send()
    };
    let foreign = suspend("portal.globex.test").await.expect("an answer");
    assert_eq!(foreign.status, StatusCode::FORBIDDEN);
    assert_eq!(foreign.json["error"]["code"], "TENANT_MISMATCH");
    assert_eq!(foreign.json["success"], false);
    let own = suspend(&account.portal_domain.to_uppercase())
        .await
        .expect("an answer");
    assert_eq!(own.json["error"]["code"], "ENDPOINT_NOT_FOUND");

    let read = account.raw(Method::GET, "/api/v1/endpoints");
    let read = read
        .header(header::HOST, "portal.globex.test")
        .send()
        .await
        .expect("an answer");
    assert_eq!(read.status, StatusCode::OK);

    let mismatch = json!({"status": 403, "code": "TENANT_MISMATCH"});
    account
        .fault(&Method::POST, "/api/v1/billing/suspend", mismatch)
        .await;
    let call = account.client.send(SuspendEndpoint::new(nobody()));
    assert_api_error(call.await, 403, ErrorCode::TenantMismatch);
}

async fn a_full_window_is_a_429_with_the_wait() {
    let account = Account::with(json!({"rate_limit": true})).await;
    for _ in 0..60 {
        let call = account.client.servers().suspend(nobody());
        assert_api_error(call.await, 404, ErrorCode::EndpointNotFound);
    }
    let error = assert_api_error(account.client.servers().suspend(nobody()).await, 429, None);
    let wait = error.retry_after().expect("a wait");
    assert!(
        wait >= Duration::from_secs(1) && wait <= Duration::from_secs(60),
        "{wait:?}"
    );
    assert_eq!(
        error.api().map(|api| api.message.as_str()),
        Some("Too Many Attempts.")
    );

    let other_window = account.client.send(GetEndpoint::new(nobody()));
    assert_api_error(other_window.await, 404, ErrorCode::Number(404));
    account.advance(wait.as_secs()).await;
    let call = account.client.servers().suspend(nobody());
    assert_api_error(call.await, 404, ErrorCode::EndpointNotFound);
}

async fn a_paced_client_meets_no_429() {
    let account = Account::with(json!({"rate_limit": true})).await;
    let budget = Arc::new(MemoryBudget::default());
    let client = account.builder().budget(budget).build().expect("a client");
    for _ in 0..60 {
        assert_api_error(
            client.servers().suspend(nobody()).await,
            404,
            ErrorCode::EndpointNotFound,
        );
    }
    let error = client
        .servers()
        .suspend(nobody())
        .await
        .expect_err("no slot");
    assert_eq!(error.kind(), ErrorKind::MaxWait);
    assert_eq!(
        account
            .calls(&Method::POST, "/api/v1/billing/suspend")
            .await,
        60
    );
}

async fn a_revoked_key_is_unauthenticated() {
    let account = Account::new().await;
    let call = account.client.servers().suspend(nobody());
    assert_api_error(call.await, 404, ErrorCode::EndpointNotFound);
    account.revoke_key().await;
    assert_api_error(account.client.servers().suspend(nobody()).await, 401, None);
}
