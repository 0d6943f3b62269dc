//! Endpoints as resources (A11, A12, B9, B13).

use serde_json::{Value, json};

use crate::client::{Reply, Stage, text};

fn numbered(reply: Reply, status: u16) -> Reply {
    let reply = reply.expect(status);
    assert_eq!(reply.at("/error/code"), status);
    assert!(reply.at("/error/message").is_string());
    assert_eq!(
        reply.json().as_object().map(|body| body.len()),
        Some(1),
        "{}",
        reply.text()
    );
    reply
}

#[test]
fn a_created_endpoint_has_every_field_in_the_resource_envelope() {
    let stage = Stage::new();
    let body =
        json!({ "billing_customer_id": 42, "ip_address": "203.0.113.10", "nickname": "web-1" });
    let made = stage
        .acme
        .post("/api/v1/endpoints", body.clone())
        .expect(201);
    let id = made.at("/data/id");
    assert_eq!(
        made.json(),
        json!({
            "data": {
                "id": id,
                "ip_address": "203.0.113.10",
                "hostname": "203.0.113.10",
                "nickname": "web-1",
                "platform": null,
                "status": "active",
                "nmap_cooldown_seconds": 300,
                "last_scan_at": null,
                "next_scan_at": "2026-01-01T00:00:00+00:00",
                "created_at": "2026-01-01T00:00:00+00:00",
                "updated_at": "2026-01-01T00:00:00+00:00",
                "billing_customer_id": 42,
                "quota_paused": false,
            },
            "meta": { "version": "v1", "timestamp": "2026-01-01T00:00:00+00:00" },
        })
    );
    let again = stage.acme.post("/api/v1/endpoints", body).expect(200);
    assert_eq!(again.at("/data/id"), id);
    assert!(again.at("/data/note").is_string());
}

#[test]
fn a_hostname_is_resolved_at_creation_or_refused_b2() {
    let stage = Stage::new();
    let add = |name: &str| {
        let body = json!({ "billing_customer_id": 42, "ip_address": name });
        stage.acme.post("/api/v1/endpoints", body)
    };
    let made = add("web.example.org").expect(201);
    assert_eq!(made.at("/data/hostname"), "web.example.org");
    assert_eq!(
        add("gone.invalid").expect(422).at("/error/code"),
        "DNS_RESOLUTION_FAILED"
    );
    for wrong in ["", "1.2.3", "two words", "192.0.2.1/32"] {
        assert_eq!(
            add(wrong).expect(422).wrong_fields(),
            ["ip_address"],
            "{wrong}"
        );
    }
}

#[test]
fn limits_have_their_string_code_in_this_group_too_a11() {
    let stage = Stage::new();
    for last in 1..=25 {
        stage.endpoint(42, &format!("192.0.2.{last}"));
    }
    let body = json!({ "billing_customer_id": 42, "ip_address": "192.0.2.26" });
    let reply = stage.acme.post("/api/v1/endpoints", body).expect(403);
    assert_eq!(reply.at("/error/code"), "ENDPOINT_LIMIT_EXCEEDED");
    assert_eq!(reply.at("/error/details/limit"), 25);
}

#[test]
fn reads_and_changes_check_the_owner_a12() {
    let stage = Stage::new();
    let path = format!("/api/v1/endpoints/{}", stage.endpoint(42, "192.0.2.1"));
    let foreign = format!("{path}?billing_customer_id=43");
    let denied = numbered(stage.acme.get(&foreign), 403);
    assert_eq!(denied.at("/error/message"), "Access denied");
    numbered(
        stage
            .acme
            .get(&format!("{path}/detail?billing_customer_id=43")),
        403,
    );
    numbered(
        stage.acme.put(&path, json!({ "billing_customer_id": 43 })),
        403,
    );
    numbered(stage.acme.delete(&foreign), 403);
    stage.acme.get(&path).expect(200);
    stage
        .acme
        .get(&format!("{path}?billing_customer_id=42"))
        .expect(200);
    let list = stage
        .acme
        .get("/api/v1/endpoints?billing_customer_id=43")
        .expect(200);
    assert_eq!(list.at("/data"), json!([]));
}

#[test]
fn an_update_changes_nickname_and_status_only() {
    let stage = Stage::new();
    let path = format!("/api/v1/endpoints/{}", stage.endpoint(42, "192.0.2.1"));
    let body = json!({ "billing_customer_id": 42, "nickname": "db", "status": "paused", "ip_address": "192.0.2.9" });
    let updated = stage.acme.put(&path, body).expect(200);
    assert_eq!(updated.at("/data/nickname"), "db");
    assert_eq!(updated.at("/data/status"), "paused");
    assert_eq!(updated.at("/data/next_scan_at"), Value::Null);
    assert_eq!(updated.at("/data/ip_address"), "192.0.2.1");
    let resumed = stage
        .acme
        .put(
            &path,
            json!({ "billing_customer_id": 42, "status": "active" }),
        )
        .expect(200);
    assert!(resumed.at("/data/next_scan_at").is_string());
    let wrong = json!({ "status": "terminated", "nickname": 7 });
    let fields = stage.acme.put(&path, wrong).expect(422).wrong_fields();
    assert_eq!(fields, ["billing_customer_id", "nickname", "status"]);
}

#[test]
fn a_deleted_endpoint_is_gone_until_its_address_is_added_again_b9() {
    let stage = Stage::new();
    let id = stage.endpoint(42, "192.0.2.1");
    let path = format!("/api/v1/endpoints/{id}");
    let gone = stage.acme.delete(&path).expect(204);
    assert!(gone.body.is_empty());
    numbered(stage.acme.get(&path), 404);
    numbered(stage.acme.get(&format!("{path}/detail")), 404);
    numbered(
        stage.acme.put(&path, json!({ "billing_customer_id": 42 })),
        404,
    );
    numbered(stage.acme.delete(&path), 404);
    let body = json!({ "billing_customer_id": 42, "ip_address": "192.0.2.1" });
    let back = stage.acme.post("/api/v1/endpoints", body).expect(200);
    assert_eq!(back.at("/data/id"), id.as_str());
    assert!(back.at("/data/note").is_string());
}

#[test]
fn detail_shows_the_scan_and_has_no_meta() {
    let stage = Stage::new();
    let id = stage.endpoint(42, "192.0.2.1");
    let path = format!("/api/v1/endpoints/{id}/detail");
    let before = stage.acme.get(&path).expect(200);
    assert_eq!(before.at("/latest_scan"), Value::Null);
    stage.advance(2);
    let after = stage.acme.get(&path).expect(200);
    assert_eq!(after.json().get("meta"), None);
    assert_eq!(after.at("/data/id"), id.as_str());
    assert_eq!(
        after.at("/latest_scan"),
        json!({
            "open_ports": [22, 80, 443, 8080],
            "status": "completed",
            "scan_duration_ms": 2000,
            "scanned_at": "2026-01-01T00:00:02+00:00",
        })
    );
    assert_eq!(after.at("/alerts").as_array().map(Vec::len), Some(4));
    for field in ["whitelisted_ports", "new_ports", "closed_ports"] {
        assert_eq!(after.at(&format!("/{field}")), json!([]));
    }
}

#[test]
fn the_list_counts_by_status_whatever_the_filter_b13() {
    let stage = Stage::new();
    stage.endpoint(42, "192.0.2.1");
    let paused = stage.endpoint(42, "192.0.2.2");
    stage
        .acme
        .post("/api/v1/billing/suspend", json!({ "endpoint_id": paused }))
        .expect(200);
    let list = stage
        .acme
        .get("/api/v1/endpoints?billing_customer_id=42&status=paused")
        .expect(200);
    assert_eq!(text(&list.at("/data/0/id")), paused);
    assert_eq!(list.at("/meta/total"), 1);
    assert_eq!(
        list.at("/meta/status_counts"),
        json!({ "active": 1, "paused": 1 })
    );
    assert_eq!(list.at("/meta/endpoint_limit"), 25);
    assert_eq!(list.at("/meta/current_endpoint_count"), 2);
    let all = stage.acme.get("/api/v1/endpoints").expect(200);
    assert_eq!(all.at("/meta/endpoint_limit"), 10_000);
}
