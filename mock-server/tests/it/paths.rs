//! Paths and methods (A6, A16).

use serde_json::json;

use crate::client::Stage;

#[test]
fn an_unknown_path_answers_not_found_in_the_error_envelope_a6() {
    let stage = Stage::new();
    for path in [
        "/",
        "/api",
        "/api/v1",
        "/api/v1/",
        "/api/v1/nothing",
        "/api/v1/health/",
        "/api/v1/endpoints/",
        "/api/v1/billing/provision/",
        "/api/v2/health",
        "/api/v1/provisioning/scan-endpoint",
        "/api/v1/endpoints/1/2/3",
        "/api/v1/endpoints//detail",
        "/api/v1/domains//summary",
        "/api/v1/domains/1/alerts//resolve",
        "/api/v1//endpoints",
    ] {
        let reply = stage.acme.get(path).expect(404);
        assert_eq!(reply.at("/success"), false);
        assert_eq!(reply.at("/error/code"), "NOT_FOUND", "{path}");
        assert_eq!(reply.at("/error/details"), json!({}));
        assert_eq!(reply.at("/meta/version"), "v1");
    }
}

#[test]
fn a_wrong_method_names_the_documented_ones_a6() {
    let stage = Stage::new();
    for (method, path, allow) in [
        ("GET", "/api/v1/billing/provision", "POST"),
        ("POST", "/api/v1/health", "GET"),
        ("PATCH", "/api/v1/endpoints", "GET, POST"),
        ("POST", "/api/v1/endpoints/x", "GET, PUT, DELETE"),
        ("DELETE", "/api/v1/whitelists", "GET, POST"),
        ("OPTIONS", "/api/v1/endpoints", "GET, POST"),
        ("TRACE", "/api/v1/alerts", "GET"),
    ] {
        let reply = stage.anyone.send(method, path, b"").expect(405);
        assert_eq!(reply.header("allow"), Some(allow), "{method} {path}");
        assert_eq!(reply.at("/error/code"), "METHOD_NOT_ALLOWED");
    }
}

#[test]
fn head_is_refused_like_any_other_method_a6() {
    let stage = Stage::new();
    let reply = stage.anyone.send("HEAD", "/api/v1/health", b"").expect(405);
    assert_eq!(reply.header("allow"), Some("GET"));
    assert!(reply.body.is_empty());
}

#[test]
fn a_literal_path_wins_over_a_parameter_a6() {
    let stage = Stage::new();
    let summary = "/api/v1/whitelists/endpoint-summary";
    stage
        .acme
        .get(&format!("{summary}?billing_customer_id=1"))
        .expect(200);
    let reply = stage.acme.delete(summary).expect(405);
    assert_eq!(reply.header("allow"), Some("GET"));
}

#[test]
fn an_id_that_is_no_uuid_is_not_found_after_the_rest_was_validated_a16() {
    let stage = Stage::new();
    for id in [
        "7",
        "%FF%FE",
        "11111111222243338444555555555555",
        "{11111111-2222-4333-8444-555555555555}",
    ] {
        let reply = stage
            .acme
            .get(&format!("/api/v1/endpoints/{id}"))
            .expect(404);
        assert_eq!(reply.at("/error/code"), 404, "{id}");
        stage
            .acme
            .put(&format!("/api/v1/whitelists/{id}"), json!({}))
            .expect(422);
        stage
            .acme
            .get(&format!("/api/v1/alerts/{id}?billing_customer_id=1"))
            .expect(404);
        stage.acme.get(&format!("/api/v1/alerts/{id}")).expect(422);
    }
}

#[test]
fn uuids_are_read_in_any_case_a16() {
    let stage = Stage::new();
    let id = stage.endpoint(42, "203.0.113.10");
    let loud = id.to_uppercase();
    stage
        .acme
        .get(&format!("/api/v1/endpoints/{loud}"))
        .expect(200);
    let reply = stage
        .acme
        .post("/api/v1/billing/suspend", json!({ "endpoint_id": loud }))
        .expect(200);
    assert_eq!(reply.at("/data/endpoint_id"), id.as_str());
}

#[test]
fn both_namespaces_are_identical_but_for_scan_endpoint() {
    let stage = Stage::new();
    let reply = stage
        .acme
        .post(
            "/api/v1/provisioning/provision",
            json!({ "client_id": 1, "ip_address": "192.0.2.1" }),
        )
        .expect(201);
    let id = reply.at("/data/endpoint_id");
    let body = json!({ "endpoint_id": id });
    for operation in ["suspend", "resume", "terminate"] {
        stage
            .acme
            .post(&format!("/api/v1/provisioning/{operation}"), body.clone())
            .expect(200);
        let again = stage
            .acme
            .post(&format!("/api/v1/billing/{operation}"), body.clone())
            .expect(200);
        assert!(again.at("/data/note").is_string());
    }
}
