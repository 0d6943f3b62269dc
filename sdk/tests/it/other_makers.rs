//! Answers as back ends of other makers give them: what can be told of them is told, and nothing that is not so.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;
use secmon::model::{Rule, Timestamp};
use secmon::operations::{ListCredentialLeaks, ScanEndpoint, UpdateRule};
use secmon::testing::MockTransport;
use secmon::{Client, Delivery, ErrorKind};
use serde_json::{Value, json};

use crate::support::*;

fn answering(status: StatusCode, body: impl Into<String>) -> (Client, Arc<MockTransport>) {
    let (client, script) = scripted_once();
    script.answer(status, body.into());
    (client, script)
}

fn rule(expires_at: Value) -> Value {
    json!({
        "id": ID, "port_start": 443, "port_end": 443, "protocol": "tcp",
        "justification": "The shop is meant to be seen.", "expires_at": expires_at,
    })
}

#[tokio::test]
async fn a_rule_that_is_changed_keeps_an_end_in_any_spelling() {
    let end: Timestamp = "2026-12-31T23:59:00+00:00".parse().expect("a time");
    for written in [
        json!("2026-12-31T23:59+00:00"),
        json!("2026-12-31 23:59"),
        json!("Thu, 31 Dec 2026 23:59:00 GMT"),
        json!("Thu, 31 Dec 2026 23:59:00 +0000"),
        json!("Thu, 31 Dec 2026 18:59:00 -0500"),
        json!("31.12.2026 23:59"),
    ] {
        let (client, script) = answering(StatusCode::OK, resource(rule(written.clone())));
        let read = client.rules().get(customer(), rule_id()).await;
        let read: Rule = read.expect("a rule").into_inner();
        assert_eq!(read.expires_at.as_ref(), Some(&end), "{written}");
        script.answer(StatusCode::OK, resource(rule(written)));
        let change = UpdateRule::from_rule(&read).expect("a rule with ports");
        let updated = client.rules().update(customer(), change.service("nginx"));
        updated.await.expect("updated");
        let sent = &script.requests()[1].body;
        let sent = sent["expires_at"]
            .as_str()
            .and_then(|sent| sent.parse().ok());
        assert_eq!(sent.as_ref(), Some(&end), "{sent:?}");
    }
}

#[tokio::test]
async fn a_list_that_php_has_written_as_an_object_is_a_list() {
    let detail = json!({
        "data": endpoint(), "latest_scan": null, "alerts": [], "whitelisted_ports": {"0": "22:tcp"},
        "new_ports": {"1": 8080, "3": 8443}, "closed_ports": [],
    });
    let (client, _) = answering(StatusCode::OK, detail.to_string());
    let read = client.servers().detail(customer(), endpoint_id()).await;
    let read = read.expect("a detail").into_inner();
    assert_eq!(read.new_ports, [8080, 8443]);
    assert_eq!(read.whitelisted_ports, ["22:tcp"]);
    // What has no members may be anything.
    for odd in [json!({"port": 8080}), json!({})] {
        let mut detail = detail.clone();
        detail["new_ports"] = odd.clone();
        let (client, _) = answering(StatusCode::OK, detail.to_string());
        let read = client.servers().detail(customer(), endpoint_id()).await;
        assert_eq!(
            read.expect_err("no list").kind(),
            ErrorKind::Decode,
            "{odd}"
        );
    }
}

#[tokio::test]
async fn a_list_in_the_place_of_a_record_is_none() {
    for data in [json!([ID, "paused"]), json!([[]]), json!([1])] {
        let (client, _) = answering(StatusCode::OK, success(data.clone()));
        let suspended = client.servers().suspend(endpoint_id()).await;
        let error = suspended.expect_err("no record");
        assert_eq!(error.kind(), ErrorKind::Decode, "{data}");
        assert_eq!(error.delivery(), Delivery::Maybe, "{data}");
    }
}

/// Wherever a record stands: in a page, in another record, beside a list.
#[tokio::test]
async fn a_list_in_the_place_of_an_inner_record_is_none_either() {
    let page = |servers: Value, meta: Value| json!({"data": servers, "links": null, "meta": meta});
    let meta = json!({"current_page": 1, "per_page": 50, "total": 1});
    let as_list = json!([ID, "203.0.113.10", null, null, null, "active"]);
    for (body, is_good) in [
        (page(json!([endpoint()]), meta.clone()), true),
        (page(json!([as_list]), meta), false),
        (page(json!([endpoint()]), json!([1, 50, 1])), false),
    ] {
        let (client, _) = answering(StatusCode::OK, body.to_string());
        let read = client.servers().list(customer()).collect_all().await;
        assert_eq!(read.is_ok(), is_good, "{body}");
    }
    let detail = json!({
        "data": endpoint(), "latest_scan": [[22], "completed"], "alerts": [],
        "whitelisted_ports": [], "new_ports": [], "closed_ports": [],
    });
    let (client, _) = answering(StatusCode::OK, detail.to_string());
    let read = client.servers().detail(customer(), endpoint_id()).await;
    assert_eq!(read.expect("a detail").data.latest_scan, None);
    let (client, _) = answering(StatusCode::OK, success(json!(["tok"])));
    assert!(client.sso_token(customer()).await.is_err());
}

#[tokio::test]
async fn an_outage_of_the_leaks_needs_no_more_than_its_sentence() {
    let (client, _) = answering(
        StatusCode::SERVICE_UNAVAILABLE,
        r#"{"success": true, "data": {"items": [], "error": "down"}}"#,
    );
    let domain = ID.parse().expect("an id");
    let leaks = ListCredentialLeaks::new(customer(), domain).page(3);
    let read = client.send(leaks).await.expect("a result");
    assert_eq!(read.data.unavailable(), Some("down"));
}

/// What a server on the way says for another tells nothing of what that one did, whatever code it repeats (F5).
#[tokio::test]
async fn a_code_of_the_service_beside_a_status_of_the_way_leaves_delivery_at_maybe() {
    let refused = failure(json!("SCANNING_UNAVAILABLE"), "Later.", json!({}));
    for (status, delivery) in [
        (500, Delivery::Answered),
        (502, Delivery::Maybe),
        (503, Delivery::Answered),
        (504, Delivery::Maybe),
        (520, Delivery::Maybe),
    ] {
        let status = StatusCode::from_u16(status).expect("a status");
        let (client, _) = answering(status, refused.clone());
        let error = client.servers().scan(customer(), endpoint_id()).await;
        assert_eq!(error.expect_err("refused").delivery(), delivery, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_that_calls_itself_a_success_proves_nothing() {
    let error = json!({"code": "SCANNING_UNAVAILABLE", "message": "Later."});
    for (body, times) in [
        (json!({"success": false, "error": error}), 2),
        (json!({"success": true, "error": error}), 1),
        (json!({"error": error, "data": {"scan_id": ID}}), 1),
        (json!({"error": error, "data": null}), 2),
    ] {
        let (client, script) = scripted();
        script.answer(StatusCode::SERVICE_UNAVAILABLE, body.to_string());
        script.answer(
            StatusCode::BAD_REQUEST,
            failure(json!("NO"), "No.", json!({})),
        );
        let scan = ScanEndpoint::new(customer(), endpoint_id());
        client.send(scan).await.expect_err("refused");
        assert_eq!(script.requests().len(), times, "{body}");
    }
}

#[tokio::test]
async fn a_sign_in_token_that_holds_nothing_or_a_line_end_is_no_result() {
    for (token, is_good) in [("tok", true), ("", false), ("  ", false), ("to\nk", false)] {
        let (client, _) = answering(StatusCode::OK, success(json!({"token": token})));
        let minted = client.sso_token(customer()).await;
        assert_eq!(minted.is_ok(), is_good, "{token:?}");
    }
}

/// The second panic would end the process.
#[tokio::test]
async fn an_observer_that_panics_ends_its_own_call_and_no_more() {
    let (_, script) = scripted();
    let observer = Arc::new(|_: &secmon::Event| panic!("the observer is broken"));
    let client = builder(&script)
        .observer(observer)
        .build()
        .expect("a client");
    let call = tokio::spawn(async move { client.servers().suspend(endpoint_id()).await.map(drop) });
    let ended = tokio::time::timeout(Duration::from_secs(30), call).await;
    assert!(ended.expect("an end").expect_err("a panic").is_panic());
}
