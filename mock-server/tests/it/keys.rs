//! Keys, accounts and hosts (A1 to A5).

use serde_json::json;

use crate::client::{Stage, text};

/// A call of each group that needs a key.
const KEYED: [(&str, &str); 4] = [
    ("POST", "/api/v1/billing/suspend"),
    ("GET", "/api/v1/alerts"),
    ("GET", "/api/v1/whitelists"),
    ("GET", "/api/v1/endpoints"),
];

#[test]
fn without_a_known_key_every_group_answers_unauthenticated_a1() {
    let stage = Stage::new();
    let strangers = [
        stage.anyone.clone(),
        stage.anyone.with_key("nobody_knows_this"),
        stage
            .anyone
            .with("Authorization", "Basic dGVzdF9rZXlfYWNtZQ=="),
        stage.anyone.with("Authorization", "test_key_acme"),
    ];
    for stranger in &strangers {
        for (method, path) in KEYED {
            let reply = stranger.send(method, path, b"").expect(401);
            assert_eq!(
                reply.json(),
                json!({ "status": "error", "message": "Unauthenticated.", "errors": {} }),
            );
        }
    }
}

#[test]
fn a_key_of_no_account_answers_tenant_not_found_in_every_group_a2() {
    let stage = Stage::new();
    let orphan = stage.anyone.with_key("test_key_orphan");
    for (method, path) in KEYED {
        let reply = orphan.send(method, path, b"").expect(401);
        assert_eq!(reply.at("/error/code"), "TENANT_NOT_FOUND");
        assert_eq!(reply.at("/error/details"), json!({}));
        assert_eq!(reply.at("/success"), false);
        assert_eq!(reply.at("/meta/version"), "v1");
    }
}

#[test]
fn a_suspended_account_is_refused_in_every_group_but_health_a3() {
    let stage = Stage::new();
    let suspended = stage.anyone.with_key("test_key_suspended");
    for (method, path) in KEYED {
        let reply = suspended.send(method, path, b"").expect(403);
        assert_eq!(reply.at("/error/code"), "ACCOUNT_SUSPENDED");
    }
    suspended.get("/api/v1/health").expect(200);
}

#[test]
fn another_portal_domain_is_refused_in_the_provisioning_group_only_a4() {
    let stage = Stage::of(|builder| builder.host("secmon-mock"));
    let suspend = |host: &str| {
        let caller = stage.acme.with("Host", host);
        caller.post("/api/v1/provisioning/suspend", json!({}))
    };
    for home in [
        "portal.acme.test",
        "PORTAL.Acme.test:8443",
        "localhost",
        "127.0.0.1:1",
        "127.9.9.9",
        "[::1]:4010",
        "[::1]",
        "secmon-mock:4010",
    ] {
        suspend(home).expect(422);
    }
    for elsewhere in [
        "portal.globex.test",
        "portal.acme.test.evil",
        "10.0.0.1",
        "[::2]:80",
    ] {
        let reply = suspend(elsewhere).expect(403);
        assert_eq!(reply.at("/error/code"), "TENANT_MISMATCH", "{elsewhere}");
    }
    let abroad = stage.acme.with("Host", "portal.globex.test");
    abroad.get("/api/v1/endpoints").expect(200);
    abroad.get("/api/v1/whitelists").expect(200);
}

#[test]
fn bearer_is_read_in_any_case_a4() {
    let stage = Stage::new();
    for scheme in ["bearer", "BEARER", "Bearer"] {
        let caller = stage
            .anyone
            .with("Authorization", &format!("{scheme} test_key_acme"));
        caller.get("/api/v1/endpoints").expect(200);
    }
}

#[test]
fn path_comes_before_method_before_key_before_window_before_validation_a5() {
    let stage = Stage::new();
    stage.anyone.get("/api/v1/nothing").expect(404);
    stage.anyone.get("/api/v1/billing/provision").expect(405);
    stage
        .anyone
        .post("/api/v1/billing/provision", json!({}))
        .expect(401);
    for _ in 0..60 {
        stage
            .acme
            .post("/api/v1/billing/provision", json!({}))
            .expect(422);
    }
    stage
        .acme
        .post("/api/v1/billing/provision", json!({}))
        .expect(429);
    stage.acme.get("/api/v1/billing/provision").expect(405);
}

#[test]
fn validation_comes_before_the_lookup_of_the_record_a5() {
    let stage = Stage::new();
    let id = stage.endpoint(42, "203.0.113.10");
    let strange = "11111111-2222-4333-8444-555555555555";
    let path = |id: &str| format!("/api/v1/endpoints/{id}");
    stage
        .acme
        .put(&path(strange), json!({ "nickname": 7 }))
        .expect(422);
    stage
        .acme
        .put(&path(strange), json!({ "billing_customer_id": 42 }))
        .expect(404);
    stage
        .acme
        .put(&path(&id), json!({ "billing_customer_id": 43 }))
        .expect(403);
}

#[test]
fn a_refused_call_does_nothing_a5() {
    let stage = Stage::new();
    let body = json!({ "client_id": 42, "ip_address": "203.0.113.10" });
    stage
        .anyone
        .post("/api/v1/billing/provision", body.clone())
        .expect(401);
    let abroad = stage.acme.with("Host", "portal.globex.test");
    abroad.post("/api/v1/billing/provision", body).expect(403);
    let list = stage.acme.get("/api/v1/endpoints").expect(200);
    assert_eq!(list.at("/meta/total"), 0);
}

#[test]
fn records_of_another_account_are_not_found_a12() {
    let stage = Stage::new();
    let id = stage.endpoint(42, "203.0.113.10");
    let globex = stage.anyone.with_key("test_key_globex");
    globex.get(&format!("/api/v1/endpoints/{id}")).expect(404);
    let reply = globex
        .post("/api/v1/billing/suspend", json!({ "endpoint_id": id }))
        .expect(404);
    assert_eq!(text(&reply.at("/error/code")), "ENDPOINT_NOT_FOUND");
}
