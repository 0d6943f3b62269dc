//! Trouble below and beside the API, against a real server: what the SDK survives, and what it says of the rest.

use std::time::Duration;

use http::Method;
use secmon::model::{EndpointStatus, PortRange, Protocol};
use secmon::operations::{CreateRule, GetEndpoint, ListRules};
use secmon::{ErrorKind, Sent};
use secmon_contract_tests::{Account, cases};
use serde_json::json;

cases! {
    anywhere: ;
    steered:
        a_call_that_is_safe_to_repeat_survives_every_kind_of_lost_connection(Faults),
        a_rule_whose_answer_was_lost_is_not_created_twice(Faults),
        a_deletion_whose_answer_was_lost_is_done(Faults),
        an_answer_cut_in_the_middle_is_interrupted(Faults),
        a_slow_answer_is_a_time_out(Faults),
        a_page_of_a_proxy_is_unreadable_and_keeps_its_text(Faults),
        an_unknown_value_is_kept_and_the_answer_read(Faults),
        a_service_that_is_down_for_a_moment_is_tried_again(Faults, Journal)
}

async fn a_call_that_is_safe_to_repeat_survives_every_kind_of_lost_connection() {
    let account = Account::new().await;
    let id = account.customer().provisioned("203.0.113.60").await;
    let client = account
        .builder()
        .max_retries(3)
        .max_wait(Duration::from_secs(5))
        .build()
        .expect("a client");
    for close in ["before", "after", "mid_body", "reset"] {
        client.servers().resume(id).await.expect("active");
        account
            .fault(
                &Method::POST,
                "/api/v1/billing/suspend",
                json!({"close": close}),
            )
            .await;
        let paused = client.servers().suspend(id).await;
        let paused = paused.unwrap_or_else(|error| panic!("closed {close}: {error}"));
        assert_eq!(paused.attempts(), 2, "closed {close}");
        assert_eq!(paused.data.status, EndpointStatus::Paused);
    }
}

async fn a_rule_whose_answer_was_lost_is_not_created_twice() {
    let account = Account::new().await;
    let customer = account.customer();
    let id = customer.provisioned("203.0.113.61").await;
    let client = account
        .builder()
        .max_retries(3)
        .max_wait(Duration::from_secs(5))
        .build()
        .expect("a client");
    let ports: PortRange = "22".parse().expect("a port");
    let rule = CreateRule::new(ports, Protocol::Tcp, "SSH for operations").endpoint_id(id);
    account
        .fault(
            &Method::POST,
            "/api/v1/whitelists",
            json!({"close": "after"}),
        )
        .await;
    let error = client.rules().create(rule).await.expect_err("lost");
    assert_eq!(
        (error.kind(), error.sent(), error.attempts()),
        (ErrorKind::Interrupted, Sent::Maybe, 1)
    );
    let made = client
        .rules()
        .list(ListRules::new().endpoint_id(id))
        .collect_all()
        .await
        .expect("a list");
    assert_eq!(made.len(), 1);
}

async fn a_deletion_whose_answer_was_lost_is_done() {
    let account = Account::new().await;
    let id = account.customer().provisioned("203.0.113.62").await;
    let client = account
        .builder()
        .max_retries(3)
        .max_wait(Duration::from_secs(5))
        .build()
        .expect("a client");
    account
        .fault(
            &Method::DELETE,
            "/api/v1/endpoints/*",
            json!({"close": "after"}),
        )
        .await;
    let deleted = client.endpoints().delete(id).await.expect("deleted");
    assert_eq!(deleted.attempts(), 2);
}

async fn an_answer_cut_in_the_middle_is_interrupted() {
    let account = Account::new().await;
    let id = account.customer().provisioned("203.0.113.63").await;
    account
        .fault(
            &Method::GET,
            "/api/v1/endpoints/*",
            json!({"close": "mid_body"}),
        )
        .await;
    let error = account.client.endpoints().get(id).await.expect_err("cut");
    assert_eq!(error.kind(), ErrorKind::Interrupted, "{error}");
    assert_eq!(error.sent(), Sent::Maybe);
}

async fn a_slow_answer_is_a_time_out() {
    let account = Account::new().await;
    let id = account.customer().provisioned("203.0.113.64").await;
    account
        .fault(
            &Method::GET,
            "/api/v1/endpoints/*",
            json!({"latency_ms": 30_000}),
        )
        .await;
    let call = account
        .client
        .call(GetEndpoint::new(id))
        .timeout(Duration::from_millis(200));
    let error = call.send().await.expect_err("late");
    assert_eq!(
        (error.kind(), error.sent()),
        (ErrorKind::Deadline, Sent::Maybe)
    );
}

async fn a_page_of_a_proxy_is_unreadable_and_keeps_its_text() {
    let account = Account::new().await;
    let id = account.customer().provisioned("203.0.113.65").await;
    for status in [200, 502] {
        let page = json!({"body": "<html>Bad Gateway</html>", "status": status});
        account
            .fault(&Method::GET, "/api/v1/endpoints/*", page)
            .await;
        let error = account
            .client
            .endpoints()
            .get(id)
            .await
            .expect_err("no JSON");
        assert_eq!(error.kind(), ErrorKind::Decode);
        assert_eq!(error.status().map(|status| status.as_u16()), Some(status));
        assert_eq!(error.body_snippet(), Some("<html>Bad Gateway</html>"));
    }
}

async fn an_unknown_value_is_kept_and_the_answer_read() {
    let account = Account::new().await;
    let id = account.customer().provisioned("203.0.113.66").await;
    let odd = json!({"success": true, "data": {"endpoint_id": id, "status": "hibernating", "until": "spring"}});
    let effect = json!({"body": odd.to_string(), "status": 200});
    account
        .fault(&Method::POST, "/api/v1/billing/suspend", effect)
        .await;
    let state = account.client.servers().suspend(id).await.expect("read");
    assert_eq!(state.data.status.as_str(), "hibernating");
    assert_eq!(state.raw_field("/data/until"), Some(json!("spring")));
}

async fn a_service_that_is_down_for_a_moment_is_tried_again() {
    let account = Account::new().await;
    let customer = account.customer();
    let id = customer.provisioned("203.0.113.67").await;
    let client = account
        .builder()
        .max_retries(3)
        .max_wait(Duration::from_secs(5))
        .build()
        .expect("a client");
    let down = json!({"status": 503, "code": "SCANNING_UNAVAILABLE"});
    account
        .fault(&Method::POST, "/api/v1/billing/scan-endpoint", down)
        .await;
    let scan = client
        .servers()
        .scan(customer.id, id)
        .await
        .expect("queued");
    assert_eq!(scan.attempts(), 2);
    assert_eq!(
        account
            .calls(&Method::POST, "/api/v1/billing/scan-endpoint")
            .await,
        2
    );
}
