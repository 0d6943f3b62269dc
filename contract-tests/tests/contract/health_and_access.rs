//! The health check, and who may call what.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use secmon::model::EndpointId;
use secmon::operations::{GetEndpoint, SuspendEndpoint};
use secmon::pacing::MemoryBudget;
use secmon::{ErrorCode, ErrorKind};
use secmon_contract_tests::{Account, assert_api_error, assert_keys, cases, rate_limits};
use serde_json::{Value, json};
use uuid::Uuid;

cases! {
    anywhere:
        health_needs_no_key,
        a_refused_key_is_not_sent_again;
    steered:
        the_client_names_what_a_key_may_not_do(Accounts, Faults),
        a_full_window_is_a_429_with_the_wait(Accounts, Clock),
        a_paced_client_meets_no_429(Accounts, Journal),
        a_revoked_key_is_unauthenticated(Switches)
}

fn nobody() -> EndpointId {
    EndpointId::from(Uuid::from_u128(7))
}

async fn health_needs_no_key() {
    let account = Account::new().await;
    let health = account.client.health().await.expect("health");
    assert!(health.data.success);
    assert_eq!(health.data.status, "ok");
    let raw: Value = serde_json::from_slice(health.body()).expect("JSON");
    assert_keys(&raw, &["success", "status", "timestamp", "meta"]);
    assert_keys(&raw["meta"], &["version"]);
    assert_eq!(raw["meta"]["version"], "v1");
}

async fn a_refused_key_is_not_sent_again() {
    let account = Account::new().await;
    let stranger = account
        .builder_with_key("wrong_key")
        .build()
        .expect("a client");
    assert_api_error(stranger.servers().suspend(nobody()).await, 401, None);
    let again = stranger
        .servers()
        .suspend(nobody())
        .await
        .expect_err("not sent");
    assert_eq!(
        (again.kind(), again.attempts()),
        (ErrorKind::KeyRejected, 0)
    );
}

async fn the_client_names_what_a_key_may_not_do() {
    let account = Account::new().await;
    let client = account
        .builder_with_key("test_key_orphan")
        .build()
        .expect("a client");
    assert_api_error(
        client.servers().suspend(nobody()).await,
        401,
        ErrorCode::TenantNotFound,
    );
    client.reset_key_rejection();
    let refused = client.servers().get_account_wide(nobody()).await;
    assert_api_error(refused, 401, ErrorCode::TenantNotFound);
    client.health().await.expect("health needs no account");

    let suspended = Account::with(json!({"suspended": true})).await;
    let refused = suspended.client.servers().suspend(nobody()).await;
    assert_api_error(refused, 403, ErrorCode::AccountSuspended);
    suspended.client.health().await.expect("health");

    let mismatch = json!({"status": 403, "code": "TENANT_MISMATCH"});
    account
        .fault(&Method::POST, "/api/v1/billing/suspend", mismatch)
        .await;
    let refused = account.client.send(SuspendEndpoint::new(nobody())).await;
    assert_api_error(refused, 403, ErrorCode::TenantMismatch);
}

async fn a_full_window_is_a_429_with_the_wait() {
    let account = Account::with(json!({"rate_limit": true})).await;
    let (limit, _) = rate_limits();
    for _ in 0..limit {
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

    let other_window = account.client.send(GetEndpoint::account_wide(nobody()));
    assert_api_error(other_window.await, 404, ErrorCode::Number(404));
    account.advance(wait.as_secs()).await;
    let call = account.client.servers().suspend(nobody());
    assert_api_error(call.await, 404, ErrorCode::EndpointNotFound);
}

async fn a_paced_client_meets_no_429() {
    let account = Account::with(json!({"rate_limit": true})).await;
    let (limit, default) = rate_limits();
    let budget = MemoryBudget::new(limit, default, Duration::from_secs(60));
    let budget = Arc::new(budget);
    let client = account.builder().budget(budget).build().expect("a client");
    for _ in 0..limit {
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
        limit as usize
    );
}

async fn a_revoked_key_is_unauthenticated() {
    let account = Account::new().await;
    let call = account.client.servers().suspend(nobody());
    assert_api_error(call.await, 404, ErrorCode::EndpointNotFound);
    account.revoke_key().await;
    assert_api_error(account.client.servers().suspend(nobody()).await, 401, None);
}
