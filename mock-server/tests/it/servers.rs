//! Provisioning of servers, with every documented outcome.

use serde_json::{Value, json};

use crate::client::{Stage, coded, text};

const PROVISION: &str = "/api/v1/billing/provision";

#[test]
fn a_new_server_is_created_and_a_known_one_is_noted_a17() {
    let stage = Stage::new();
    let body = json!({ "client_id": 42, "ip_address": "203.0.113.10", "hostname": "web-1" });
    let made = stage.acme.post(PROVISION, body.clone()).expect(201);
    assert_eq!(made.at("/success"), true);
    assert_eq!(made.at("/data/status"), "active");
    assert_eq!(
        made.at("/meta"),
        json!({ "version": "v1", "timestamp": "2026-01-01T00:00:00+00:00" })
    );
    assert_eq!(made.json().pointer("/data/note"), None);
    let again = stage.acme.post(PROVISION, body).expect(200);
    assert_eq!(again.at("/data/endpoint_id"), made.at("/data/endpoint_id"));
    assert!(again.at("/data/note").is_string());
}

#[test]
fn an_address_or_a_hostname_is_needed_and_empty_counts_as_absent_b1() {
    let stage = Stage::new();
    for body in [
        json!({ "client_id": 1 }),
        json!({ "client_id": 1, "ip_address": "", "hostname": "" }),
        json!({ "client_id": 1, "ip_address": null }),
    ] {
        assert_eq!(
            stage.acme.post(PROVISION, body).expect(422).wrong_fields(),
            ["ip_address"]
        );
    }
    let named = stage.acme.post(
        PROVISION,
        json!({ "client_id": 1, "ip_address": "", "hostname": "web.example.org" }),
    );
    let id = text(&named.expect(201).at("/data/endpoint_id"));
    let shown = stage.acme.get(&format!("/api/v1/endpoints/{id}"));
    assert_eq!(shown.at("/data/hostname"), "web.example.org");
    assert!(text(&shown.at("/data/ip_address")).starts_with("198."));
}

#[test]
fn a_hostname_alone_must_be_one_and_next_to_an_address_it_is_a_label_b1() {
    let stage = Stage::new();
    for hostname in [
        "two words",
        "-x",
        "a..b",
        "host.123",
        &format!("{}.example", "a".repeat(64)),
    ] {
        let reply = stage
            .acme
            .post(PROVISION, json!({ "client_id": 1, "hostname": hostname }));
        assert_eq!(reply.expect(422).wrong_fields(), ["hostname"], "{hostname}");
    }
    let body = json!({ "client_id": 1, "ip_address": "192.0.2.1", "hostname": "two words" });
    stage.acme.post(PROVISION, body).expect(201);
}

#[test]
fn a_name_that_does_not_resolve_is_dns_resolution_failed_b2() {
    let stage = Stage::new();
    let reply = stage.acme.post(
        PROVISION,
        json!({ "client_id": 1, "hostname": "gone.invalid" }),
    );
    coded(reply, 422, "DNS_RESOLUTION_FAILED");
}

#[test]
fn addresses_are_strict_and_canonical_b3() {
    let stage = Stage::new();
    for address in [
        "192.0.2.01",
        "192.0.2.0/24",
        "fe80::1%eth0",
        "web.example.com",
        "1.2.3",
    ] {
        let reply = stage
            .acme
            .post(PROVISION, json!({ "client_id": 1, "ip_address": address }));
        assert_eq!(
            reply.expect(422).wrong_fields(),
            ["ip_address"],
            "{address}"
        );
    }
    let id = stage.endpoint(1, "2001:DB8:0:0::0001");
    let shown = stage.acme.get(&format!("/api/v1/endpoints/{id}"));
    assert_eq!(shown.at("/data/ip_address"), "2001:db8::1");
    assert_eq!(shown.at("/data/nickname"), "2001:db8::1");
}

#[test]
fn a_customer_without_room_gets_endpoint_limit_exceeded_with_details_b6() {
    let stage = Stage::new();
    for last in 1..=25 {
        stage.endpoint(42, &format!("192.0.2.{last}"));
    }
    let reply = stage.acme.post(
        PROVISION,
        json!({ "client_id": 42, "ip_address": "192.0.2.26" }),
    );
    let reply = coded(reply, 403, "ENDPOINT_LIMIT_EXCEEDED");
    assert_eq!(
        reply.at("/error/details"),
        json!({ "limit": 25, "current_usage": 25 })
    );
}

#[test]
fn suspend_resume_terminate_move_the_status_and_repeat_with_a_note() {
    let stage = Stage::new();
    let body = json!({ "endpoint_id": stage.endpoint(42, "192.0.2.1") });
    for (operation, status) in [
        ("suspend", "paused"),
        ("resume", "active"),
        ("terminate", "terminated"),
    ] {
        let path = format!("/api/v1/billing/{operation}");
        let first = stage.acme.post(&path, body.clone()).expect(200);
        assert_eq!(first.at("/data/status"), status);
        assert_eq!(first.json().pointer("/data/note"), None);
        let again = stage.acme.post(&path, body.clone()).expect(200);
        assert_eq!(again.at("/data/status"), status);
        assert!(again.at("/data/note").is_string());
    }
}

#[test]
fn transitions_of_an_unknown_server_are_endpoint_not_found() {
    let stage = Stage::new();
    let unknown = json!({ "endpoint_id": "11111111-2222-4333-8444-555555555555" });
    for operation in ["suspend", "resume", "terminate"] {
        let path = format!("/api/v1/billing/{operation}");
        coded(
            stage.acme.post(&path, unknown.clone()),
            404,
            "ENDPOINT_NOT_FOUND",
        );
        for body in [
            json!({}),
            json!({ "endpoint_id": 7 }),
            json!({ "endpoint_id": "7" }),
        ] {
            assert_eq!(
                stage.acme.post(&path, body).expect(422).wrong_fields(),
                ["endpoint_id"]
            );
        }
    }
}

#[test]
fn a_manual_scan_is_accepted_and_then_in_cooldown_e1() {
    let stage = Stage::new();
    let body = json!({ "client_id": 42, "endpoint_id": stage.scanned_endpoint(42, "192.0.2.1") });
    let scan = || {
        stage
            .acme
            .post("/api/v1/billing/scan-endpoint", body.clone())
    };
    let queued = scan().expect(202);
    assert_eq!(queued.at("/data/status"), "pending");
    assert_eq!(queued.at("/data/cooldown_seconds"), 300);
    assert!(queued.at("/data/scan_id").is_string());
    stage.advance(10);
    let refused = coded(scan(), 429, "RATE_LIMITED");
    assert_eq!(
        refused.at("/error/details"),
        json!({ "retry_after_seconds": 290 })
    );
    assert_eq!(refused.header("retry-after"), Some("290"));
    stage.advance(290);
    scan().expect(202);
}

#[test]
fn a_manual_scan_of_a_paused_or_terminated_server_is_a_conflict() {
    let stage = Stage::new();
    let id = stage.endpoint(42, "192.0.2.1");
    let body = json!({ "client_id": 42, "endpoint_id": id });
    for operation in ["suspend", "terminate"] {
        stage
            .acme
            .post(&format!("/api/v1/billing/{operation}"), body.clone())
            .expect(200);
        let reply = stage
            .acme
            .post("/api/v1/billing/scan-endpoint", body.clone());
        coded(reply, 409, "ENDPOINT_NOT_ACTIVE");
    }
}

#[test]
fn a_scan_for_another_customer_is_endpoint_not_found_a12() {
    let stage = Stage::new();
    let body = json!({ "client_id": 43, "endpoint_id": stage.endpoint(42, "192.0.2.1") });
    coded(
        stage.acme.post("/api/v1/billing/scan-endpoint", body),
        404,
        "ENDPOINT_NOT_FOUND",
    );
}

#[test]
fn the_health_check_has_a_meta_of_its_version_alone_a13() {
    let stage = Stage::new();
    let expected = json!({
        "success": true, "status": "ok", "timestamp": "2026-01-01T00:00:00+00:00", "meta": { "version": "v1" },
    });
    assert_eq!(
        stage.anyone.get("/api/v1/health").expect(200).json(),
        expected
    );
    assert_eq!(
        stage
            .anyone
            .with_key("wrong")
            .get("/api/v1/health")
            .expect(200)
            .json(),
        expected
    );
}

#[test]
fn labels_of_product_and_plan_have_no_effect_on_provision_b4() {
    let stage = Stage::new();
    let body = json!({ "client_id": 1, "ip_address": "192.0.2.1", "product_slug": "nonsense", "plan_slug": "none" });
    let reply = stage.acme.post(PROVISION, body).expect(201);
    assert_ne!(reply.at("/data/endpoint_id"), Value::Null);
}
