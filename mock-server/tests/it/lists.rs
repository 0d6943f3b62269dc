//! Pages, links and envelopes of lists (A13, A18).

use serde_json::{Value, json};

use crate::client::Stage;

#[test]
fn links_are_absolute_with_the_query_kept_and_page_set_a13() {
    let stage = Stage::new();
    for last in 1..=5 {
        stage.endpoint(42, &format!("192.0.2.{last}"));
    }
    let here = stage.acme.with("Host", "localhost:4010");
    let reply = here
        .get("/api/v1/endpoints?billing_customer_id=42&per_page=2&page=2")
        .expect(200);
    let link = |page: u64| {
        json!(format!(
            "http://localhost:4010/api/v1/endpoints?billing_customer_id=42&per_page=2&page={page}"
        ))
    };
    assert_eq!(
        reply.at("/links"),
        json!({ "first": link(1), "last": link(3), "prev": link(1), "next": link(3) }),
    );
    assert_eq!(reply.at("/meta/current_page"), 2);
    assert_eq!(reply.at("/meta/per_page"), 2);
    assert_eq!(reply.at("/meta/total"), 5);
    assert_eq!(reply.at("/meta/version"), "v1");
    assert_eq!(reply.at("/meta/timestamp"), "2026-01-01T00:00:00+00:00");
    assert_eq!(reply.json().get("success"), None);
}

#[test]
fn prev_and_next_are_null_at_the_ends_a13() {
    let stage = Stage::new();
    let reply = stage.acme.get("/api/v1/endpoints").expect(200);
    assert_eq!(reply.at("/links/prev"), Value::Null);
    assert_eq!(reply.at("/links/next"), Value::Null);
    assert_eq!(reply.at("/links/last"), reply.at("/links/first"));
}

#[test]
fn a_page_beyond_the_end_is_empty_with_its_number_as_asked_a18() {
    let stage = Stage::new();
    stage.endpoint(42, "192.0.2.1");
    let reply = stage.acme.get("/api/v1/endpoints?page=9").expect(200);
    assert_eq!(reply.at("/data"), json!([]));
    assert_eq!(reply.at("/meta/current_page"), 9);
    assert_eq!(reply.at("/meta/total"), 1);
    assert_eq!(reply.at("/links/next"), Value::Null);
    let far = stage
        .acme
        .get("/api/v1/endpoints?page=9223372036854775807")
        .expect(200);
    assert_eq!(far.at("/data"), json!([]));
}

#[test]
fn an_empty_list_of_alerts_has_one_page_a18() {
    let stage = Stage::new();
    let reply = stage
        .acme
        .get("/api/v1/alerts?billing_customer_id=1")
        .expect(200);
    assert_eq!(
        reply.at("/data"),
        json!({ "alerts": [], "total": 0, "current_page": 1, "last_page": 1, "has_more": false }),
    );
}

#[test]
fn page_sizes_are_25_unless_asked_for_up_to_100_a18() {
    let stage = Stage::of(|builder| builder.rate_limit(secmon_mock::RateLimit::Off));
    for last in 1..=30 {
        stage.endpoint(last, &format!("192.0.2.{last}"));
    }
    let size = |query: &str| {
        let reply = stage
            .acme
            .get(&format!("/api/v1/endpoints?{query}"))
            .expect(200);
        reply.at("/data").as_array().map_or(0, Vec::len)
    };
    assert_eq!(size(""), 25);
    assert_eq!(size("per_page=100"), 30);
    assert_eq!(size("per_page=1"), 1);
}

#[test]
fn endpoints_and_rules_are_oldest_first_and_alerts_newest_first_a18() {
    let stage = Stage::new();
    let first = stage.scanned_endpoint(42, "192.0.2.1");
    let second = stage.scanned_endpoint(42, "192.0.2.2");
    let endpoints = stage.acme.get("/api/v1/endpoints?billing_customer_id=42");
    assert_eq!(endpoints.at("/data/0/id"), first.as_str());
    assert_eq!(endpoints.at("/data/1/id"), second.as_str());
    let alerts = stage
        .acme
        .get("/api/v1/alerts?billing_customer_id=42&per_page=4");
    assert_eq!(alerts.at("/data/alerts/0/endpoint_id"), second.as_str());
    assert_eq!(alerts.at("/data/total"), 8);
    assert_eq!(alerts.at("/data/last_page"), 2);
    assert_eq!(alerts.at("/data/has_more"), true);
    for port in [22, 80] {
        let rule =
            json!({ "port_start": port, "protocol": "tcp", "justification": "needed by everyone" });
        stage.acme.post("/api/v1/whitelists", rule).expect(201);
    }
    let rules = stage.acme.get("/api/v1/whitelists");
    assert_eq!(rules.at("/data/0/port"), 22);
    assert_eq!(rules.at("/data/1/port"), 80);
}
