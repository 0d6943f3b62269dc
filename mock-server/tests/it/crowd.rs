//! A hundred accounts on one server, each with its own time, faults, limits and records.

use serde_json::{Value, json};

use crate::client::{Caller, NOBODY, START, Stage, text};
use crate::program::Program;

/// Everything that a partner does, on an account of its own; its name.
fn work(anyone: &Caller) -> String {
    let made = anyone
        .post("/_mock/tenants", json!({ "default_endpoint_limit": 2 }))
        .expect(201);
    let name = text(&made.at("/name"));
    let caller = anyone.with_key(&text(&made.at("/api_key")));
    let clock = |seconds: u64| {
        let path = format!("/_mock/tenants/{name}/clock");
        anyone
            .post(&path, json!({ "advance_seconds": seconds }))
            .expect(200);
    };
    let bill =
        |operation: &str, body: Value| caller.post(&format!("/api/v1/billing/{operation}"), body);
    let fault = json!({ "tenant": name, "method": "POST", "effect": { "status": 503, "code": "SCANNING_UNAVAILABLE" } });
    anyone.post("/_mock/faults", fault).expect(201);
    caller
        .unjudged()
        .post("/api/v1/billing/suspend", json!({}))
        .expect(503);
    let add = |address: &str| {
        bill(
            "provision",
            json!({ "client_id": 1, "service_id": 9, "ip_address": address }),
        )
    };
    let first = text(&add("192.0.2.1").expect(201).at("/data/endpoint_id"));
    let second = text(&add("192.0.2.2").expect(201).at("/data/endpoint_id"));
    add("192.0.2.3").expect(403);
    clock(2);
    bill(
        "scan-endpoint",
        json!({ "client_id": 1, "endpoint_id": first }),
    )
    .expect(202);
    bill(
        "scan-endpoint",
        json!({ "client_id": 1, "endpoint_id": first }),
    )
    .expect(429);
    anyone
        .put(
            &format!("/_mock/endpoints/{second}/ports"),
            json!({ "open": [] }),
        )
        .expect(204);
    clock(300);
    let rule = json!({ "port_start": 22, "protocol": "tcp", "justification": "SSH for operations", "endpoint_id": first });
    caller.post("/api/v1/whitelists", rule.clone()).expect(201);
    caller.post("/api/v1/whitelists", rule).expect(422);
    let alerts = caller
        .get("/api/v1/alerts?billing_customer_id=1&status=open")
        .expect(200);
    let alert = text(&alerts.at("/data/alerts/0/id"));
    caller
        .post(
            &format!("/api/v1/alerts/{alert}/resolve"),
            json!({ "billing_customer_id": 1 }),
        )
        .expect(200);
    bill("suspend", json!({ "endpoint_id": second })).expect(200);
    bill("resume", json!({ "endpoint_id": NOBODY })).expect(404);
    let service = json!({ "client_id": 1, "service_id": 5, "product_slug": "domain_monitoring", "quantity": 2 });
    bill("provision-subscription", service).expect(201);
    for domain in ["a.example", "b.example"] {
        bill(
            "provision-domain",
            json!({ "client_id": 1, "service_id": 5, "domain": domain }),
        )
        .expect(201);
    }
    clock(2);
    let domains = caller
        .get("/api/v1/domains?billing_customer_id=1")
        .expect(200);
    let domain = text(&domains.at("/data/domains/0/id"));
    let alerts = format!("/api/v1/domains/{domain}/alerts");
    let found = caller
        .get(&format!("{alerts}?billing_customer_id=1"))
        .expect(200);
    let alert = text(&found.at("/data/alerts/0/id"));
    caller
        .post(
            &format!("{alerts}/{alert}/acknowledge"),
            json!({ "billing_customer_id": 1 }),
        )
        .expect(200);
    caller
        .get(&format!(
            "/api/v1/domains/{domain}/dark-web-mentions?billing_customer_id=1"
        ))
        .expect(200);
    let change = json!({ "client_id": 1, "service_id": 5, "product_slug": "domain_monitoring", "new_quantity": 1, "force": true });
    bill("change-subscription", change).expect(200);
    let report = json!({ "client_id": 1, "service_id": 9, "product_slug": "endpoint", "status": "cancelled" });
    bill("sync-services", json!({ "services": [report] })).expect(200);
    bill(
        "pricing",
        json!({ "product_slug": "domain_monitoring", "price": 3, "currency": "EUR" }),
    )
    .expect(200);
    caller
        .post("/api/v1/sso/token", json!({ "billing_customer_id": 1 }))
        .expect(200);
    caller
        .post(
            "/api/v1/sandbox/scenario",
            json!({ "scenario": "critical" }),
        )
        .expect(200);
    for read in [
        "/api/v1/endpoints".to_owned(),
        "/api/v1/whitelists".to_owned(),
        "/api/v1/sandbox/scenarios".to_owned(),
        format!("/api/v1/endpoints/{first}/detail"),
        format!("/api/v1/domains/{domain}/summary?billing_customer_id=1"),
        format!("/api/v1/domains/{domain}/scan-history?billing_customer_id=1"),
    ] {
        caller.get(&read).expect(200);
    }
    let calls = anyone
        .get(&format!("/_mock/requests?tenant={name}"))
        .at("/requests");
    assert!(
        calls.as_array().is_some_and(|calls| calls.len() >= 30),
        "{name}"
    );
    name
}

/// The records of an account in the exported state, without what differs by its name: ids and keys.
fn exported(state: &Value, name: &str) -> Vec<Value> {
    let records = state["accounts"][name]["state"]["records"].as_array();
    let mut records = records.cloned().unwrap_or_default();
    records.retain(|record| record["table"] != "settings" && record["table"] != "keys");
    assert!(records.len() > 20, "{name}");
    for record in &mut records {
        record["id"].take();
        if record["table"] == "rules" {
            record["value"]["created_by"].take();
        }
    }
    records
}

#[test]
fn a_hundred_accounts_at_once_end_like_one_alone() {
    let alone = Stage::new();
    let name = work(&alone.anyone);
    let expected = exported(&alone.anyone.get("/_mock/state").json(), &name);
    let stage = Stage::new();
    let workers: Vec<_> = (0..100)
        .map(|_| {
            let anyone = stage.anyone.clone();
            std::thread::spawn(move || work(&anyone))
        })
        .collect();
    let names: Vec<String> = workers
        .into_iter()
        .map(|worker| worker.join().expect("its work is done"))
        .collect();
    let state = stage.anyone.get("/_mock/state").json();
    for name in names {
        assert!(
            exported(&state, &name) == expected,
            "{name} ended in another state"
        );
    }
}

/// What a server in a process of its own answered to all of it, and its state in the end.
fn told_by_a_process() -> (Value, String) {
    let program = Program::start(&["--seed", "1", "--clock", "manual", "--now", START]);
    let anyone = program.caller().with("Host", "localhost");
    work(&anyone);
    let mut calls = anyone.get("/_mock/requests").expect(200).at("/requests");
    for call in calls.as_array_mut().into_iter().flatten() {
        // The one thing that real time decides.
        call["duration_us"].take();
    }
    (calls, anyone.get("/_mock/state").expect(200).text())
}

#[test]
fn same_seed_and_same_calls_are_the_same_bytes_in_another_process_m9() {
    let ((calls, state), (others, its_state)) = (told_by_a_process(), told_by_a_process());
    assert!(calls.as_array().is_some_and(|calls| calls.len() >= 30));
    assert!(calls == others, "other answers");
    assert!(state == its_state, "another state");
}
