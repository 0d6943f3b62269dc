//! Notices: an offender and a near miss of each (M10).

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Caller, Stage};

const RULES: &str = "/api/v1/whitelists";

/// The codes of the notices of the last call.
fn last(stage: &Stage) -> Vec<String> {
    let codes = noticed(stage);
    codes.into_iter().map(|notice| notice.0).collect()
}

/// Code and sentence of the notices of the last call.
fn noticed(stage: &Stage) -> Vec<(String, String)> {
    let listed = stage.anyone.get("/_mock/requests?limit=1").expect(200);
    let call = listed.at("/requests/0");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let notices = call["notices"].as_array().into_iter().flatten();
    notices
        .map(|notice| (text(&notice["code"]), text(&notice["sentence"])))
        .collect()
}

fn no_codes() -> [String; 0] {
    []
}

fn provision(caller: &Caller, body: Value) {
    caller.post("/api/v1/billing/provision", body).expect(201);
}

fn rule(endpoint: &str) -> Value {
    json!({
        "billing_customer_id": 42, "endpoint_id": endpoint, "scope": "endpoint",
        "port_start": 22, "protocol": "tcp", "justification": "The office needs it.",
    })
}

#[test]
fn a_misspelt_field_is_noticed_with_the_name_that_was_meant_m10() {
    let stage = Stage::new();
    let misspelt = json!({ "client_id": 42, "ip_address": "192.0.2.1", "hostnme": "web" });
    provision(&stage.acme, misspelt);
    let sentence = "provision_endpoint has no field hostnme; did you mean hostname?";
    assert_eq!(
        noticed(&stage),
        [("unknown_field".to_owned(), sentence.to_owned())]
    );
    let right = json!({ "client_id": 42, "ip_address": "192.0.2.2", "hostname": "web" });
    provision(&stage.acme, right);
    assert_eq!(last(&stage), no_codes());
}

#[test]
fn a_misspelt_field_of_an_inner_object_is_noticed_once_m10() {
    let stage = Stage::new();
    let sync = |name: &str| {
        let service = json!({
            "service_id": 1, "client_id": 42, "product_slug": "endpoint", "status": "active", name: 1,
        });
        let body = json!({ "services": [service, service] });
        stage.acme.post("/api/v1/billing/sync-services", body);
    };
    sync("clientid");
    assert_eq!(last(&stage), ["unknown_field"]);
    assert!(noticed(&stage)[0].1.contains("services.clientid"));
    sync("client_id");
    assert_eq!(last(&stage), no_codes());
}

#[test]
fn a_misspelt_parameter_is_noticed_m10() {
    let stage = Stage::new();
    let query = |query: &str| {
        stage
            .acme
            .get(&format!("/api/v1/endpoints?billing_customer_id=42{query}"));
        last(&stage)
    };
    assert_eq!(query("&perpage=5"), ["unknown_parameter"]);
    assert!(noticed(&stage)[0].1.contains("did you mean per_page?"));
    assert_eq!(query("&per_page=5"), no_codes());
}

#[test]
fn a_read_without_the_customer_is_noticed_m10() {
    let stage = Stage::new();
    let endpoint = stage.endpoint(42, "192.0.2.1");
    for path in [
        "/api/v1/endpoints",
        RULES,
        &format!("/api/v1/endpoints/{endpoint}/detail"),
    ] {
        stage.acme.get(path).expect(200);
        assert_eq!(last(&stage), ["no_customer"], "{path}");
        stage
            .acme
            .get(&format!("{path}?billing_customer_id=42"))
            .expect(200);
        assert_eq!(last(&stage), no_codes(), "{path}");
    }
    // Staff see every customer.
    let staff = stage.acme.and("user-agent", "secmon-cli/1.0");
    staff.get("/api/v1/endpoints").expect(200);
    assert_eq!(last(&stage), no_codes());
    // The answer itself says what is missing.
    stage.acme.get("/api/v1/domains").expect(422);
    assert_eq!(last(&stage), no_codes());
}

#[test]
fn a_repeat_that_is_not_safe_is_noticed_after_a_lost_answer_m10() {
    let stage = Stage::new();
    let endpoint = stage.endpoint(42, "192.0.2.1");
    let lose_next = || {
        let fault = json!({ "operation": "create_rule", "effect": { "close": "after" } });
        stage.anyone.post("/_mock/faults", fault).expect(201);
    };
    let body = rule(&endpoint).to_string();
    let create = || stage.acme.try_send("POST", RULES, body.as_bytes());
    lose_next();
    create().expect_err("no answer");
    create().expect("an answer");
    assert_eq!(last(&stage), ["unsafe_repeat"]);

    let other = stage.endpoint(42, "192.0.2.2");
    let body = rule(&other).to_string();
    let create = || stage.acme.try_send("POST", RULES, body.as_bytes());
    lose_next();
    create().expect_err("no answer");
    stage
        .acme
        .get(&format!("{RULES}?billing_customer_id=42"))
        .expect(200);
    create().expect("an answer");
    assert_eq!(last(&stage), no_codes(), "it was read back");

    let fault = json!({ "operation": "provision_endpoint", "effect": { "close": "after" } });
    stage.anyone.post("/_mock/faults", fault).expect(201);
    let body = br#"{"client_id":42,"ip_address":"192.0.2.3"}"#;
    let provision = || {
        stage
            .acme
            .try_send("POST", "/api/v1/billing/provision", body)
    };
    provision().expect_err("no answer");
    provision().expect("an answer");
    assert_eq!(last(&stage), no_codes(), "provisioning may be repeated");
}

#[test]
fn a_call_before_retry_after_is_noticed_in_the_window_that_is_full_m10() {
    let stage = Stage::new();
    for _ in 0..60 {
        stage.acme.post("/api/v1/billing/suspend", json!({}));
    }
    let domains = "/api/v1/domains?billing_customer_id=42";
    let full = stage.acme.get(domains).expect(429);
    assert_eq!(last(&stage), no_codes(), "nobody told it before");
    let wait = full
        .header("retry-after")
        .and_then(|wait| wait.parse().ok());
    stage.acme.get(domains).expect(429);
    assert_eq!(last(&stage), ["too_early"]);
    stage
        .acme
        .get("/api/v1/endpoints?billing_customer_id=42")
        .expect(200);
    assert_eq!(last(&stage), no_codes(), "the other window is not full");
    stage.advance(wait.expect("a number of seconds"));
    stage.acme.get(domains).expect(200);
    assert_eq!(last(&stage), no_codes());
}

#[test]
fn another_call_of_a_full_window_is_noticed_once_it_cannot_have_been_on_its_way_m10() {
    let stage = Stage::new();
    for _ in 0..61 {
        stage.acme.post("/api/v1/billing/suspend", json!({}));
    }
    let began = Instant::now();
    for customer in 1.. {
        // Each a call of its own: whoever sends the same one again has read its refusal.
        let domains = format!("/api/v1/domains?billing_customer_id={customer}");
        stage.acme.get(&domains).expect(429);
        if last(&stage) == ["too_early"] {
            break;
        }
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "none was noticed"
        );
    }
    assert!(
        began.elapsed() > Duration::from_millis(400),
        "it may have been on its way"
    );
}

#[test]
fn a_cooldown_pauses_the_same_call_alone_m10() {
    let stage = Stage::new();
    let one = stage.scanned_endpoint(42, "192.0.2.1");
    let other = stage.scanned_endpoint(42, "192.0.2.2");
    let scan = |endpoint: &str| {
        let body = json!({ "client_id": 42, "endpoint_id": endpoint });
        stage.acme.post("/api/v1/billing/scan-endpoint", body);
        last(&stage)
    };
    assert_eq!(scan(&one), no_codes());
    assert_eq!(scan(&one), no_codes(), "its cooldown was not known");
    assert_eq!(scan(&other), no_codes(), "another server's");
    assert_eq!(scan(&one), ["too_early"]);
}

#[test]
fn no_answer_shows_a_notice_and_no_notice_a_key_m10() {
    let stage = Stage::new();
    let plain = stage
        .acme
        .get("/api/v1/endpoints?billing_customer_id=42")
        .text();
    let noticed_call = stage
        .acme
        .get("/api/v1/endpoints?billing_customer_id=42&test_key_acme=1");
    let without_time = |text: &str| text.split("\"timestamp\"").next().map(str::to_owned);
    let without_link = |text: String| text.replace("&test_key_acme=1", "");
    assert_eq!(
        without_time(&without_link(noticed_call.text())),
        without_time(&plain)
    );
    let [(_, sentence)] = &noticed(&stage)[..] else {
        panic!("one notice");
    };
    assert!(sentence.contains("no parameter ****"), "{sentence}");
}
