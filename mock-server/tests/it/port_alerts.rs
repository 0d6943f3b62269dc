//! Port alerts (E6, A11).

use serde_json::json;

use crate::client::{Reply, Stage, text};

fn numbered(reply: Reply, status: u16) {
    let reply = reply.expect(status);
    assert_eq!(reply.at("/success"), false);
    assert_eq!(reply.at("/error/code"), status);
    assert!(reply.at("/error/message").is_string());
    assert_eq!(reply.at("/meta/version"), "v1");
}

fn first_alert(stage: &Stage) -> String {
    text(
        &stage
            .acme
            .get("/api/v1/alerts?billing_customer_id=42")
            .at("/data/alerts/0/id"),
    )
}

#[test]
fn alerts_are_listed_for_a_customer_with_filters() {
    let stage = Stage::new();
    let endpoint = stage.scanned_endpoint(42, "192.0.2.1");
    let total = |query: &str| {
        stage
            .acme
            .get(&format!("/api/v1/alerts?billing_customer_id=42{query}"))
            .expect(200)
            .at("/data/total")
    };
    assert_eq!(total(""), 4);
    assert_eq!(total("&status=open"), 4);
    assert_eq!(total("&status=resolved"), 0);
    assert_eq!(total("&severity=medium"), 2);
    assert_eq!(total(&format!("&endpoint_id={endpoint}")), 4);
    assert_eq!(
        total("&endpoint_id=11111111-2222-4333-8444-555555555555"),
        0
    );
    let wrong = stage
        .acme
        .get("/api/v1/alerts?status=acknowledged&severity=bad&endpoint_id=7&per_page=101");
    assert_eq!(
        wrong.expect(422).wrong_fields(),
        [
            "billing_customer_id",
            "endpoint_id",
            "per_page",
            "severity",
            "status",
        ]
    );
}

#[test]
fn an_alert_is_shown_to_its_customer_only_a12() {
    let stage = Stage::new();
    stage.scanned_endpoint(42, "192.0.2.1");
    let path = format!("/api/v1/alerts/{}", first_alert(&stage));
    let shown = stage
        .acme
        .get(&format!("{path}?billing_customer_id=42"))
        .expect(200);
    assert_eq!(shown.at("/success"), true);
    for field in [
        "id",
        "port",
        "protocol",
        "service",
        "severity",
        "risk_level",
        "status",
        "title",
        "first_detected_at",
        "last_detected_at",
        "endpoint_id",
        "ip_address",
        "resolved_at",
    ] {
        shown.at(&format!("/data/alert/{field}"));
    }
    numbered(
        stage.acme.get(&format!("{path}?billing_customer_id=43")),
        404,
    );
    numbered(
        stage.acme.post(
            &format!("{path}/resolve"),
            json!({ "billing_customer_id": 43 }),
        ),
        404,
    );
}

#[test]
fn resolving_twice_keeps_the_first_moment_e6() {
    let stage = Stage::new();
    stage.scanned_endpoint(42, "192.0.2.1");
    let id = first_alert(&stage);
    let path = format!("/api/v1/alerts/{id}/resolve");
    let body = json!({ "billing_customer_id": 42 });
    let first = stage.acme.post(&path, body.clone()).expect(200);
    assert!(first.at("/data/message").is_string());
    assert_eq!(
        first.at("/data/alert"),
        json!({
            "id": id, "status": "resolved", "resolved_at": "2026-01-01T00:00:02+00:00",
        })
    );
    stage.advance(60);
    let second = stage.acme.post(&path, body).expect(200);
    assert_eq!(second.at("/data/alert"), first.at("/data/alert"));
    assert_eq!(
        stage.acme.post(&path, json!({})).expect(422).wrong_fields(),
        ["billing_customer_id"]
    );
}
