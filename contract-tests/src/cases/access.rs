//! Where operations stand, and what the client makes of keys and windows.

use std::sync::Arc;
use std::time::Duration;

use crate::table::TABLE;
use crate::{Account, Stage, rate_limits};
use http::Method;
use secmon::ErrorKind;
use secmon::model::EndpointId;
use secmon::pacing::MemoryRateLimiter;
use serde_json::json;

cases! {
    spec_ref: "Versioning, Authentication, F6";
    anywhere:
        what_stands_in_billing_alone_is_nowhere_else;
    steered:
        a_paced_client_meets_no_429(Accounts, Journal)
}

async fn what_stands_in_billing_alone_is_nowhere_else(stage: Arc<Stage>) {
    let account = Account::new(&stage).await;
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

async fn a_paced_client_meets_no_429(stage: Arc<Stage>) {
    let account = Account::with(&stage, json!({"rate_limit": true})).await;
    let (limit, default) = rate_limits();
    let budget = MemoryRateLimiter::new(limit, default, Duration::from_secs(60));
    let client = account.builder().rate_limiter(Arc::new(budget)).build();
    let client = client.expect("a client");
    let nobody = EndpointId::from(crate::nobody());
    for _ in 0..limit {
        drop(client.servers().suspend(nobody).await);
        assert_eq!(account.last_outcome(), "404 ENDPOINT_NOT_FOUND");
    }
    let error = client.servers().suspend(nobody).await;
    assert_eq!(error.expect_err("no slot").kind(), ErrorKind::QueueTimeout);
    let calls = account.calls(&Method::POST, "/api/v1/billing/suspend");
    assert_eq!(calls.await, limit as usize);
}
