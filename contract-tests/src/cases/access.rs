//! Where operations stand, and what the client makes of keys and windows.

use std::sync::Arc;
use std::time::Duration;

use crate::table::TABLE;
use crate::{Account, assert_api_error, rate_limits};
use http::Method;
use secmon::model::EndpointId;
use secmon::pacing::MemoryBudget;
use secmon::{ErrorCode, ErrorKind};
use serde_json::json;

cases! {
    law: "Versioning, Authentication, F6";
    anywhere:
        what_stands_in_billing_alone_is_nowhere_else,
        a_refused_key_is_not_sent_again;
    steered:
        a_paced_client_meets_no_429(Accounts, Journal)
}

fn nobody() -> EndpointId {
    EndpointId::from(crate::nobody())
}

async fn what_stands_in_billing_alone_is_nowhere_else() {
    let account = Account::new().await;
    let is_alone = |path: &str| path.starts_with("/api/v1/billing/");
    let alone = TABLE.operations().filter(|row| is_alone(&row.path));
    for row in alone {
        let path = row.path.replace("/billing/", "/provisioning/");
        for method in [row.http_method(), Method::GET] {
            let call = account.raw(method, &path).json(&json!({}));
            let refused = call.send().await.expect("an answer");
            assert_eq!(refused.outcome(), "404 NOT_FOUND", "{path}");
        }
    }
}

async fn a_refused_key_is_not_sent_again() {
    let account = Account::new().await;
    let stranger = account.builder_with_key("wrong_key").build();
    let stranger = stranger.expect("a client");
    assert_api_error(stranger.servers().suspend(nobody()).await, 401, None);
    let again = stranger.servers().suspend(nobody()).await;
    let again = again.expect_err("not sent");
    let not_sent = (ErrorKind::KeyRejected, 0);
    assert_eq!((again.kind(), again.attempts()), not_sent);
    stranger.health().await.expect("health needs no key");
    stranger.reset_key_rejection();
    assert_api_error(stranger.servers().suspend(nobody()).await, 401, None);
}

async fn a_paced_client_meets_no_429() {
    let account = Account::with(json!({"rate_limit": true})).await;
    let (limit, default) = rate_limits();
    let budget = MemoryBudget::new(limit, default, Duration::from_secs(60));
    let client = account.builder().budget(Arc::new(budget)).build();
    let client = client.expect("a client");
    for _ in 0..limit {
        let refused = client.servers().suspend(nobody()).await;
        assert_api_error(refused, 404, ErrorCode::EndpointNotFound);
    }
    let error = client.servers().suspend(nobody()).await;
    assert_eq!(error.expect_err("no slot").kind(), ErrorKind::MaxWait);
    let calls = account.calls(&Method::POST, "/api/v1/billing/suspend");
    assert_eq!(calls.await, limit as usize);
}
