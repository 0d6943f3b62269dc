//! The admin API (M1 to M9).

use serde_json::{Value, json};

use crate::client::{Stage, text};

#[test]
fn health_answers_once_ready() {
    let stage = Stage::new();
    let health = stage.anyone.get("/_mock/health").expect(200);
    assert_eq!(health.at("/status"), "ok");
    assert!(health.at("/version").is_string());
}

#[test]
fn time_moves_forward_only_m2() {
    let stage = Stage::new();
    let clock = "/_mock/clock";
    assert_eq!(
        stage.anyone.get(clock).json(),
        json!({ "now": "2026-01-01T00:00:00+00:00", "mode": "manual" })
    );
    let moved = stage
        .anyone
        .post(clock, json!({ "advance_seconds": 90 }))
        .expect(200);
    assert_eq!(moved.at("/now"), "2026-01-01T00:01:30+00:00");
    let set = stage
        .anyone
        .post(clock, json!({ "set": "2026-01-01T03:00:00+02:00" }))
        .expect(200);
    assert_eq!(set.at("/now"), "2026-01-01T01:00:00+00:00");
    for wrong in [
        json!({ "set": "2026-01-01T00:59:59Z" }),
        json!({ "set": "tomorrow" }),
        json!({ "advance_seconds": -1 }),
        json!({ "advance_seconds": "1" }),
        json!({ "advance_seconds": 3660 * 86_400 + 1 }),
        json!({ "advance_seconds": 1e300 }),
        json!({ "set": "9999-12-31T00:00:00Z" }),
        json!({ "advance_seconds": 1, "set": "2027-01-01T00:00:00Z" }),
        json!({ "advance": 1 }),
        json!({}),
        json!([]),
    ] {
        let reply = stage.anyone.post(clock, wrong).expect(400);
        assert!(reply.at("/error").is_string());
    }
}

#[test]
fn what_was_due_has_happened_when_the_clock_answers() {
    let stage = Stage::new();
    stage.endpoint(42, "192.0.2.1");
    stage.advance(1);
    let total = || {
        stage
            .acme
            .get("/api/v1/alerts?billing_customer_id=42")
            .at("/data/total")
    };
    assert_eq!(total(), 0);
    stage.advance(1);
    assert_eq!(total(), 4);
}

#[test]
fn a_real_clock_moves_by_an_offset() {
    let server = secmon_mock::MockServer::start().expect("a server");
    let anyone = crate::client::Caller::new(server.url());
    let before = anyone.get("/_mock/clock").expect(200);
    assert_eq!(before.at("/mode"), "real");
    let day = 86_400;
    let after = anyone
        .post("/_mock/clock", json!({ "advance_seconds": 400 * day }))
        .expect(200);
    let year = |reply: &crate::client::Reply| text(&reply.at("/now"))[..4].parse().unwrap_or(0);
    assert!(year(&after) > year(&before));
}

#[test]
fn an_account_of_its_own_has_its_own_time_and_records_m3() {
    let stage = Stage::new();
    let made = stage
        .anyone
        .post("/_mock/tenants", json!({ "name": "mine" }))
        .expect(201);
    assert_eq!(made.at("/portal_domain"), "portal.mine.test");
    let mine = stage.anyone.with_key(&text(&made.at("/api_key")));
    mine.post(
        "/api/v1/billing/provision",
        json!({ "client_id": 1, "ip_address": "192.0.2.1" }),
    )
    .expect(201);
    stage.endpoint(1, "192.0.2.1");
    let clock = stage
        .anyone
        .post("/_mock/tenants/mine/clock", json!({ "advance_seconds": 2 }))
        .expect(200);
    assert_eq!(clock.at("/now"), "2026-01-01T00:00:02+00:00");
    assert_eq!(
        stage.anyone.get("/_mock/clock").at("/now"),
        "2026-01-01T00:00:00+00:00"
    );
    assert_eq!(
        mine.get("/api/v1/alerts?billing_customer_id=1")
            .at("/data/total"),
        4
    );
    assert_eq!(
        mine.get("/api/v1/alerts?billing_customer_id=1")
            .at("/meta/timestamp"),
        "2026-01-01T00:00:02+00:00"
    );
    assert_eq!(
        stage
            .acme
            .get("/api/v1/alerts?billing_customer_id=1")
            .at("/data/total"),
        0
    );
    stage.advance(10);
    assert_eq!(
        stage.anyone.get("/_mock/tenants/mine/clock").at("/now"),
        "2026-01-01T00:00:12+00:00"
    );
}

#[test]
fn accounts_take_options_and_are_listed_m4() {
    let stage = Stage::new();
    let options = json!({
        "name": "small", "portal_domain": "small.example", "sandbox": false, "suspended": false,
        "rate_limit": false, "default_endpoint_limit": 1, "account_endpoint_limit": 2, "scenario": "clean",
    });
    let made = stage.anyone.post("/_mock/tenants", options).expect(201);
    let small = stage.anyone.with_key(&text(&made.at("/api_key")));
    for _ in 0..110 {
        small.get("/api/v1/endpoints").expect(200);
    }
    let add = |client: u64, address: &str| {
        small.post(
            "/api/v1/billing/provision",
            json!({ "client_id": client, "ip_address": address }),
        )
    };
    add(1, "192.0.2.1").expect(201);
    add(1, "192.0.2.2").expect(403);
    add(2, "192.0.2.2").expect(201);
    let full = add(3, "192.0.2.3").expect(403);
    assert_eq!(
        full.at("/error/details"),
        json!({ "limit": 2, "current_usage": 2 })
    );
    stage.advance(2);
    assert_eq!(
        small
            .get("/api/v1/alerts?billing_customer_id=1")
            .at("/data/total"),
        0
    );
    let listed = stage
        .anyone
        .get("/_mock/tenants")
        .expect(200)
        .at("/tenants");
    assert_eq!(
        listed[0],
        json!({ "name": "acme", "portal_domain": "portal.acme.test", "sandbox": true, "suspended": false })
    );
    assert_eq!(listed[2]["suspended"], true);
    assert_eq!(
        listed[3],
        json!({ "name": "small", "portal_domain": "small.example", "sandbox": false, "suspended": false })
    );
}

#[test]
fn names_are_made_up_taken_or_wrong_m2_m4() {
    let stage = Stage::new();
    let first = stage.anyone.post("/_mock/tenants", json!({})).expect(201);
    let second = stage.anyone.send("POST", "/_mock/tenants", b"").expect(201);
    assert_ne!(first.at("/name"), second.at("/name"));
    assert_ne!(first.at("/api_key"), second.at("/api_key"));
    stage
        .anyone
        .post("/_mock/tenants", json!({ "name": "acme" }))
        .expect(409);
    for wrong in [
        json!({ "name": "" }),
        json!({ "name": "a/b" }),
        json!({ "sandbox": "yes" }),
        json!({ "scenario": "calm" }),
    ] {
        stage.anyone.post("/_mock/tenants", wrong).expect(400);
    }
    stage.anyone.delete("/_mock/tenants/nobody").expect(404);
    stage
        .anyone
        .post("/_mock/tenants/nobody/reset", json!({}))
        .expect(404);
}

#[test]
fn a_removed_account_has_no_key_any_more_m3() {
    let stage = Stage::new();
    stage.anyone.delete("/_mock/tenants/acme").expect(204);
    stage.acme.get("/api/v1/endpoints").expect(401);
    stage.anyone.delete("/_mock/tenants/acme").expect(404);
}

#[test]
fn keys_are_rotated_and_revoked() {
    let stage = Stage::new();
    let made = stage
        .anyone
        .post("/_mock/tenants/acme/keys", json!({}))
        .expect(201);
    let key = text(&made.at("/api_key"));
    stage
        .anyone
        .with_key(&key)
        .get("/api/v1/endpoints")
        .expect(200);
    stage
        .anyone
        .delete("/_mock/tenants/acme/keys/test_key_acme")
        .expect(204);
    stage.acme.get("/api/v1/endpoints").expect(401);
    stage
        .anyone
        .with_key(&key)
        .get("/api/v1/endpoints")
        .expect(200);
    stage
        .anyone
        .delete("/_mock/tenants/acme/keys/test_key_acme")
        .expect(404);
    stage
        .anyone
        .delete("/_mock/tenants/acme/keys/test_key_globex")
        .expect(404);
}

#[test]
fn reset_goes_back_to_the_start_with_the_same_ids_to_come_m3() {
    let stage = Stage::new();
    let first = stage.endpoint(42, "192.0.2.1");
    let made = stage.anyone.post("/_mock/tenants", json!({})).expect(201);
    stage.advance(500);
    stage
        .anyone
        .post(
            "/_mock/faults",
            json!({ "effect": { "status": 503 }, "path": "/api/v1/alerts" }),
        )
        .expect(201);
    stage.anyone.delete("/_mock/tenants/globex").expect(204);
    stage.anyone.post("/_mock/reset", json!({})).expect(204);
    assert_eq!(
        stage.anyone.get("/_mock/clock").at("/now"),
        "2026-01-01T00:00:00+00:00"
    );
    assert_eq!(
        stage.anyone.get("/_mock/faults").json(),
        json!({ "faults": [] })
    );
    assert_eq!(
        stage.anyone.get("/_mock/requests").json(),
        json!({ "dropped": 0, "requests": [] })
    );
    assert_eq!(
        stage
            .anyone
            .get("/_mock/tenants")
            .at("/tenants")
            .as_array()
            .map(Vec::len),
        Some(3)
    );
    stage
        .anyone
        .with_key(&text(&made.at("/api_key")))
        .get("/api/v1/endpoints")
        .expect(401);
    assert_eq!(
        stage
            .acme
            .get("/api/v1/endpoints")
            .expect(200)
            .at("/meta/total"),
        0
    );
    assert_eq!(stage.endpoint(42, "192.0.2.1"), first);
    let again = stage.anyone.post("/_mock/tenants", json!({})).expect(201);
    assert_eq!(again.json(), made.json());
}

#[test]
fn resetting_one_account_leaves_the_others_and_its_keys_m3() {
    let stage = Stage::new();
    let first = stage.endpoint(42, "192.0.2.1");
    let globex = stage.anyone.with_key("test_key_globex");
    let body = json!({ "client_id": 1, "ip_address": "192.0.2.1" });
    globex.post("/api/v1/billing/provision", body).expect(201);
    let key = text(
        &stage
            .anyone
            .post("/_mock/tenants/acme/keys", json!({}))
            .at("/api_key"),
    );
    stage
        .anyone
        .post(
            "/_mock/tenants/acme/clock",
            json!({ "advance_seconds": 60 }),
        )
        .expect(200);
    for tenant in ["acme", "globex"] {
        let fault = json!({ "tenant": tenant, "effect": { "status": 503 } });
        stage.anyone.post("/_mock/faults", fault).expect(201);
    }
    stage
        .anyone
        .post("/_mock/tenants/acme/reset", json!({}))
        .expect(204);
    assert_eq!(
        stage.anyone.get("/_mock/tenants/acme/clock").at("/now"),
        "2026-01-01T00:00:00+00:00"
    );
    let faults = stage.anyone.get("/_mock/faults").at("/faults");
    assert_eq!(faults.as_array().map(Vec::len), Some(1));
    assert_eq!(faults[0]["tenant"], "globex");
    assert_eq!(
        stage
            .anyone
            .get("/_mock/requests?tenant=acme")
            .at("/requests"),
        json!([])
    );
    stage
        .anyone
        .with_key(&key)
        .get("/api/v1/endpoints")
        .expect(200);
    assert_eq!(stage.acme.get("/api/v1/endpoints").at("/meta/total"), 0);
    assert_eq!(stage.endpoint(42, "192.0.2.1"), first);
    globex.unjudged().get("/api/v1/endpoints").expect(503);
    assert_eq!(globex.get("/api/v1/endpoints").at("/meta/total"), 1);
}

#[test]
fn rate_windows_start_again_after_a_reset_m3() {
    let stage = Stage::new();
    for _ in 0..101 {
        stage.acme.get("/api/v1/endpoints");
    }
    stage.acme.get("/api/v1/endpoints").expect(429);
    stage
        .anyone
        .post("/_mock/tenants/acme/reset", json!({}))
        .expect(204);
    stage.acme.get("/api/v1/endpoints").expect(200);
}

#[test]
fn the_next_scan_finds_the_ports_that_were_set() {
    let stage = Stage::new();
    let id = stage.scanned_endpoint(42, "192.0.2.1");
    let ports = format!("/_mock/endpoints/{id}/ports");
    let open =
        json!({ "open": [{ "port": 53, "protocol": "udp" }, { "port": 22, "protocol": "tcp" }] });
    stage.anyone.put(&ports, open).expect(204);
    let detail = || {
        stage
            .acme
            .get(&format!("/api/v1/endpoints/{id}/detail"))
            .expect(200)
    };
    assert_eq!(
        detail().at("/latest_scan/open_ports"),
        json!([22, 80, 443, 8080])
    );
    stage
        .anyone
        .send("POST", &format!("/_mock/endpoints/{id}/scan"), b"")
        .expect(204);
    assert_eq!(detail().at("/latest_scan/open_ports"), json!([22, 53]));
    assert_eq!(detail().at("/new_ports"), json!([53]));
    assert_eq!(detail().at("/closed_ports"), json!([80, 443, 8080]));
    for wrong in [
        json!({}),
        json!({ "open": [{ "port": 0, "protocol": "tcp" }] }),
        json!({ "open": [{ "port": 1, "protocol": "icmp" }] }),
        json!({ "open": [22] }),
    ] {
        stage.anyone.put(&ports, wrong).expect(400);
    }
    let nobody = "/_mock/endpoints/11111111-2222-4333-8444-555555555555/ports";
    stage.anyone.put(nobody, json!({ "open": [] })).expect(404);
    stage
        .anyone
        .put("/_mock/endpoints/7/ports", json!({ "open": [] }))
        .expect(404);
}

#[test]
fn a_scan_can_be_made_to_fail_and_a_paused_record_conflicts_m2() {
    let stage = Stage::new();
    let id = stage.scanned_endpoint(42, "192.0.2.1");
    let scan = format!("/_mock/endpoints/{id}/scan");
    stage
        .anyone
        .post(&scan, json!({ "outcome": "failed" }))
        .expect(204);
    let detail = stage
        .acme
        .get(&format!("/api/v1/endpoints/{id}/detail"))
        .expect(200);
    assert_eq!(detail.at("/latest_scan/status"), "failed");
    assert_eq!(detail.at("/latest_scan/open_ports"), json!([]));
    stage
        .anyone
        .post(&scan, json!({ "outcome": "lost" }))
        .expect(400);
    stage
        .acme
        .post("/api/v1/billing/suspend", json!({ "endpoint_id": id }))
        .expect(200);
    stage.anyone.post(&scan, json!({})).expect(409);
}

#[test]
fn scans_end_at_once_or_only_by_hand_as_progress_says_m6() {
    let stage = Stage::new();
    let progress = |scans: &str| {
        stage
            .anyone
            .put("/_mock/tenants/acme/progress", json!({ "scans": scans }))
    };
    let scanned = |id: &str| {
        stage
            .acme
            .get(&format!("/api/v1/endpoints/{id}"))
            .at("/data/last_scan_at")
    };
    progress("immediate").expect(204);
    assert_ne!(scanned(&stage.endpoint(42, "192.0.2.1")), Value::Null);
    progress("manual").expect(204);
    let held = stage.scanned_endpoint(42, "192.0.2.2");
    assert_eq!(scanned(&held), Value::Null);
    stage
        .anyone
        .post(&format!("/_mock/endpoints/{held}/scan"), json!({}))
        .expect(204);
    assert_ne!(scanned(&held), Value::Null);
    progress("sometimes").expect(400);
}

#[test]
fn a_portal_account_can_be_taken_away() {
    let stage = Stage::new();
    stage.endpoint(42, "192.0.2.1");
    let path = |client: &str| format!("/_mock/tenants/acme/customers/{client}/portal-account");
    stage.anyone.delete(&path("42")).expect(204);
    stage.anyone.delete(&path("43")).expect(404);
    stage.anyone.delete(&path("0")).expect(400);
    stage.anyone.delete(&path("x")).expect(400);
}

#[test]
fn same_seed_and_same_calls_give_the_same_bytes_m9() {
    let run = || {
        let stage = Stage::new();
        let made = stage.anyone.post("/_mock/tenants", json!({})).text();
        let body = json!({ "client_id": 42, "ip_address": "192.0.2.1" });
        let caller = stage.acme.with("Host", "localhost");
        let provisioned = caller.post("/api/v1/billing/provision", body).text();
        stage.advance(2);
        let alerts = caller.get("/api/v1/alerts?billing_customer_id=42").text();
        (made, provisioned, alerts)
    };
    assert_eq!(run(), run());
}

#[test]
fn a_misspelt_parameter_and_an_unknown_call_are_told_what_there_is() {
    let stage = Stage::new();
    let told = |path: &str, status: u16| text(&stage.anyone.get(path).expect(status).at("/error"));
    assert_eq!(
        told("/_mock/requests?methd=PUT", 400),
        "This call has no parameter methd; did you mean method? It takes tenant, method, path, \
         status, limit, since, body, count, wait."
    );
    assert_eq!(
        told("/_mock/clock?tenant=acme", 400),
        "This call has no parameter tenant; it takes none."
    );
    let unknown = told("/_mock/clok", 404);
    assert!(
        unknown.contains("GET /_mock/clock, POST /_mock/clock"),
        "{unknown}"
    );
}

#[test]
fn the_scenario_of_an_account_is_what_its_next_scans_find() {
    let stage = Stage::new();
    let clean = json!({ "scenario": "clean" });
    let path = "/_mock/tenants/acme/scenario";
    stage.anyone.put(path, clean).expect(204);
    let id = stage.scanned_endpoint(42, "192.0.2.1");
    let detail = format!("/api/v1/endpoints/{id}/detail?billing_customer_id=42");
    let found = stage.acme.get(&detail).expect(200).at("/alerts");
    assert_eq!(found, json!([]), "a clean server raises no alert");
    let wrong = stage
        .anyone
        .put(path, json!({ "scenario": "quiet" }))
        .expect(400);
    assert!(
        wrong.text().contains("clean, warnings, critical"),
        "{}",
        wrong.text()
    );
    let nobody = "/_mock/tenants/nobody/scenario";
    stage
        .anyone
        .put(nobody, json!({ "scenario": "clean" }))
        .expect(404);
}
