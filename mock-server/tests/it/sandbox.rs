//! Sandbox scenarios (E12, A14).

use serde_json::{Value, json};

use crate::client::{NOBODY, Stage, coded};

const CHOOSE: &str = "/api/v1/sandbox/scenario";

#[test]
fn scenarios_are_listed_and_chosen_for_the_account() {
    let stage = Stage::new();
    let listed = || {
        stage
            .acme
            .get("/api/v1/sandbox/scenarios")
            .expect(200)
            .at("/data")
    };
    assert_eq!(
        listed(),
        json!({ "scenarios": ["clean", "warnings", "critical"], "current": "warnings" })
    );
    let chosen = stage
        .acme
        .post(CHOOSE, json!({ "scenario": "critical" }))
        .expect(200);
    assert_eq!(
        chosen.at("/data"),
        json!({ "scenario": "critical", "endpoint_id": null, "monitored_domain_id": null })
    );
    assert_eq!(listed()["current"], "critical");
    stage.scanned_endpoint(42, "192.0.2.1");
    assert_eq!(
        stage
            .acme
            .get("/api/v1/alerts?billing_customer_id=42")
            .at("/data/total"),
        9
    );
}

#[test]
fn a_record_can_have_a_scenario_of_its_own() {
    let stage = Stage::new();
    stage.slots(42, 1);
    let endpoint = stage.endpoint(42, "192.0.2.1");
    let domain = stage.domain(42, "a.example");
    let chosen = stage
        .acme
        .post(
            CHOOSE,
            json!({ "scenario": "clean", "endpoint_id": endpoint }),
        )
        .expect(200);
    assert_eq!(chosen.at("/data/endpoint_id"), endpoint.as_str());
    stage
        .acme
        .post(
            CHOOSE,
            json!({ "scenario": "clean", "monitored_domain_id": domain }),
        )
        .expect(200);
    stage.advance(2);
    assert_eq!(
        stage
            .acme
            .get("/api/v1/alerts?billing_customer_id=42")
            .at("/data/total"),
        0
    );
    let path = format!("/api/v1/domains/{domain}/alerts?billing_customer_id=42");
    assert_eq!(stage.acme.get(&path).at("/data/total"), 0);
}

#[test]
fn wrong_choices_are_refused() {
    let stage = Stage::new();
    let wrong = |body: Value| stage.acme.post(CHOOSE, body).expect(422).wrong_fields();
    assert_eq!(wrong(json!({})), ["scenario"]);
    assert_eq!(
        wrong(json!({ "scenario": "calm", "endpoint_id": 7 })),
        ["endpoint_id", "scenario"]
    );
    let both = json!({ "scenario": "clean", "endpoint_id": NOBODY, "monitored_domain_id": NOBODY });
    assert_eq!(wrong(both), ["endpoint_id", "monitored_domain_id"]);
    let endpoint = json!({ "scenario": "clean", "endpoint_id": NOBODY });
    coded(stage.acme.post(CHOOSE, endpoint), 404, "ENDPOINT_NOT_FOUND");
    let domain = json!({ "scenario": "clean", "monitored_domain_id": NOBODY });
    coded(stage.acme.post(CHOOSE, domain), 404, "DOMAIN_NOT_FOUND");
}

#[test]
fn without_sandbox_mode_the_operations_are_disabled_before_validation() {
    let stage = Stage::new();
    let globex = stage.anyone.with_key("test_key_globex");
    coded(
        globex.get("/api/v1/sandbox/scenarios"),
        403,
        "SANDBOX_DISABLED",
    );
    coded(globex.post(CHOOSE, json!({})), 403, "SANDBOX_DISABLED");
}

#[test]
fn sandbox_operations_are_not_limited_a10() {
    let stage = Stage::new();
    for _ in 0..150 {
        stage.acme.get("/api/v1/sandbox/scenarios").expect(200);
    }
}

/// The exported records of `acme` in this table.
fn exported(stage: &Stage, table: &str) -> Vec<Value> {
    let records = stage
        .anyone
        .get("/_mock/state")
        .expect(200)
        .at("/accounts/acme/state/records");
    let records = records.as_array().cloned().unwrap_or_default();
    records
        .into_iter()
        .filter(|record| record["table"] == table)
        .collect()
}

#[test]
fn a_simulated_call_marks_its_record_in_the_exported_state_a14() {
    let stage = Stage::new();
    let real = stage.endpoint(42, "192.0.2.1");
    let header = stage.acme.with("X-Sandbox", "true");
    let body = json!({ "client_id": 42, "ip_address": "192.0.2.2" });
    let simulated = header
        .post("/api/v1/billing/provision", body)
        .expect(201)
        .at("/data/endpoint_id");
    let marked = |id: &Value| {
        let records = exported(&stage, "endpoints");
        let record = records.into_iter().find(|record| record["id"] == *id);
        record.map(|record| record["value"]["simulated"].clone())
    };
    assert_eq!(marked(&json!(real)), Some(json!(false)));
    assert_eq!(marked(&simulated), Some(json!(true)));
}

#[test]
fn pro_rata_windows_are_in_the_exported_state_b12() {
    let stage = Stage::new();
    stage.slots(42, 1);
    stage.advance(60);
    let body = json!({ "client_id": 42, "service_id": 501, "product_slug": "domain_monitoring" });
    stage
        .acme
        .post("/api/v1/billing/suspend-subscription", body)
        .expect(200);
    let windows = exported(&stage, "subscriptions")[0]["value"]["pro_rata"].clone();
    assert_eq!(windows.as_array().map(Vec::len), Some(1), "{windows}");
    assert_eq!(windows[0]["event"], "suspend");
    for moment in ["from", "at"] {
        assert!(windows[0][moment].is_string(), "{windows}");
    }
}
