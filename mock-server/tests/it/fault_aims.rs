//! Which calls a fault is for, and what is said of one that is for none (M11).

use serde_json::{Value, json};

use crate::client::{Stage, text};
use crate::faults::{PROVISION, place};

#[test]
fn a_fault_that_can_hit_nothing_says_so() {
    let stage = Stage::new();
    let warned = |fault: Value| {
        let mut fault = fault;
        fault["effect"] = json!({ "status": 503 });
        let placed = stage.anyone.post("/_mock/faults", fault).expect(201);
        placed.json().get("warnings").cloned().unwrap_or_default()
    };
    for (fault, warnings) in [
        (json!({}), Value::Null),
        (
            json!({ "method": "POST", "path": "*/provision" }),
            Value::Null,
        ),
        (
            json!({ "path": "/api/v1/endpoints/0c6f7a52-6d0c-4b50-9a5e-3f4d8f5d1c11" }),
            Value::Null,
        ),
        (
            json!({ "method": "GET", "path": "/api/v1/domains/x/*" }),
            Value::Null,
        ),
        (
            json!({ "path": "*/provison" }),
            json!(["No operation has a path like */provison."]),
        ),
        (json!({ "path": "*/domains/0c6f7a52/summary" }), Value::Null),
        (
            json!({ "method": "PSOT", "path": "/provison" }),
            json!([
                "No operation has a path like /provison.",
                "No operation has the method PSOT."
            ]),
        ),
        (
            json!({ "method": "GET", "path": "/api/v1/billing/provision" }),
            json!(["No operation has this method on this path."]),
        ),
        (
            json!({ "operation": "provision_endpoint", "match": { "client_id": 42 } }),
            Value::Null,
        ),
        (
            json!({ "operation": "get_endpoint", "match": { "endpoint": "x", "billing_customer_id": 42 } }),
            Value::Null,
        ),
        (
            json!({ "operation": "provision_endpoint", "match": { "customer_id": 42 } }),
            json!(["No operation that this fault is for has customer_id; did you mean client_id?"]),
        ),
        (
            json!({ "operation": "sync_services", "match": { "services": [{ "status": "active" }] } }),
            Value::Null,
        ),
        (
            json!({ "operation": "sync_services", "match": { "services": [{ "statsu": "active" }] } }),
            json!([
                "No operation that this fault is for has services.statsu; did you mean services.status?"
            ]),
        ),
        (
            json!({ "operation": "get_health", "match": { "foo": 1 } }),
            json!(["No operation that this fault is for has foo; it has none"]),
        ),
        (
            json!({ "operation": "provision_endpoint", "match": { "foo": 42 } }),
            json!(["No operation that this fault is for has foo; so no call meets it."]),
        ),
        (
            json!({ "match": { "per_pag": 42 } }),
            json!(["No operation that this fault is for has per_pag; did you mean per_page?"]),
        ),
    ] {
        assert_eq!(warned(fault.clone()), warnings, "{fault}");
    }
}

#[test]
fn a_match_that_no_call_can_have_is_refused_m11() {
    let stage = Stage::new();
    let place = |part: &str| {
        let fault = format!(r#"{{"match":{{"services":{part}}},"effect":{{"status":503}}}}"#);
        stage.anyone.send("POST", "/_mock/faults", fault.as_bytes())
    };
    let nested = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
    for part in [nested(1000), "1e999".to_owned()] {
        let refused = place(&part).expect(400);
        assert!(refused.text().contains("No call can say services"));
    }
    place(&nested(20)).expect(201);
}

/// Who got what: the statuses of calls that provision for these customers.
fn provisioned(stage: &Stage, customers: std::ops::RangeInclusive<u64>) -> Vec<(u64, u16)> {
    let call = |customer: u64| {
        let body = json!({ "client_id": customer, "ip_address": format!("192.0.2.{customer}") });
        (customer, stage.acme.post(PROVISION, body).status)
    };
    customers.map(call).collect()
}

#[test]
fn a_fault_hits_the_call_that_says_what_it_is_aimed_at_m11() {
    let stage = Stage::new().unjudged();
    let made = json!({
        "operation": "provision_endpoint",
        "match": { "client_id": 17 },
        "times": 0,
        "effect": { "status": 503 },
    });
    let id = place(&stage, made.clone());
    for (customer, status) in provisioned(&stage, 1..=30) {
        let expected = if customer == 17 { 503 } else { 201 };
        assert_eq!(status, expected, "customer {customer}");
    }
    let other_namespace = json!({ "client_id": 17, "ip_address": "192.0.2.99" });
    let other = stage
        .acme
        .post("/api/v1/provisioning/provision", other_namespace);
    other.expect(503);
    let listed = stage
        .anyone
        .get("/_mock/faults")
        .expect(200)
        .at("/faults/0");
    assert_eq!(listed["id"], id);
    assert_eq!(listed["hits"], 2);
    for field in ["operation", "match"] {
        assert_eq!(listed[field], made[field], "{field}");
    }
}

#[test]
fn a_fault_is_aimed_by_parameters_of_path_and_query_too_m11() {
    let stage = Stage::new().unjudged();
    let one = stage.endpoint(1, "192.0.2.1");
    let other = stage.endpoint(1, "192.0.2.2");
    let statuses = || {
        let get = |path: String| stage.acme.get(&path).status;
        let by_id = [&one, &other].map(|id| get(format!("/api/v1/endpoints/{id}")));
        let by_page = [1, 2].map(|page| get(format!("/api/v1/endpoints?page={page}")));
        (by_id, by_page)
    };
    assert_eq!(statuses(), ([200, 200], [200, 200]));
    for said in [json!({ "endpoint": other }), json!({ "page": 2 })] {
        let effect = json!({ "status": 500 });
        place(
            &stage,
            json!({ "match": said, "times": 0, "effect": effect }),
        );
    }
    assert_eq!(statuses(), ([200, 500], [200, 500]));
}

#[test]
fn a_fault_by_chance_hits_the_same_calls_under_the_same_seed_m11() {
    let hit_under = |seed: u64| {
        let stage = Stage::of(|builder| builder.seed(seed)).unjudged();
        let fault = json!({ "times": 0, "probability": 0.3, "effect": { "status": 500 } });
        place(&stage, fault);
        let calls = (0..100).map(|_| stage.anyone.get("/api/v1/health").status == 500);
        calls.collect::<Vec<_>>()
    };
    let hits = hit_under(1);
    assert_eq!(hits, hit_under(1));
    assert_ne!(hits, hit_under(2));
    let count = hits.into_iter().filter(|hit| *hit).count();
    assert!((15..=45).contains(&count), "{count} of 100");
}

#[test]
fn a_fault_without_a_chance_and_a_misspelt_operation_are_told_m11() {
    let stage = Stage::new().unjudged();
    for (fault, status, sentence) in [
        (
            json!({ "probability": 1.5 }),
            400,
            "The probability must be a number from 0 to 1.",
        ),
        (json!({ "match": 5 }), 400, "The match must be an object."),
        (
            json!({ "operation": "provision_endpont" }),
            201,
            "There is no operation provision_endpont; did you mean provision_endpoint?",
        ),
        (
            json!({ "operation": "get_health", "method": "POST" }),
            201,
            "The operation has another method or path.",
        ),
    ] {
        let mut fault = fault;
        fault["effect"] = json!({ "status": 500 });
        let reply = stage.anyone.post("/_mock/faults", fault).expect(status);
        assert!(reply.text().contains(sentence), "{}", reply.text());
    }
}

#[test]
fn the_end_of_a_path_is_taken_for_its_operation_m13() {
    let stage = Stage::new();
    let warned = |operation: &str| {
        let fault = json!({ "operation": operation, "effect": { "status": 503 } });
        let placed = stage.anyone.post("/_mock/faults", fault).expect(201);
        text(&placed.at("/warnings/0"))
    };
    for (operation, instead) in [
        ("provision", "did you mean provision_endpoint?"),
        ("pricing", "did you mean set_price or remove_price?"),
        ("scan-endpoint", "did you mean scan_endpoint?"),
        ("provison_domain", "did you mean provision_domain?"),
        ("nope", "secmon-mock routes prints them."),
    ] {
        let sentence = format!("There is no operation {operation}; {instead}");
        assert_eq!(warned(operation), sentence);
    }
}

#[test]
fn a_code_that_is_not_documented_for_its_status_is_warned_of_m13() {
    let stage = Stage::new();
    let placed = |status: u16, code: &str| {
        let fault = json!({ "effect": { "status": status, "code": code } });
        let placed = stage.anyone.post("/_mock/faults", fault).expect(201);
        placed.json()["warnings"].clone()
    };
    for (status, code, instead) in [
        (
            503,
            "SCANING_UNAVAILABLE",
            "did you mean SCANNING_UNAVAILABLE?",
        ),
        (
            503,
            "SCAN_DISPATCH_FAILED",
            "there are SCANNING_UNAVAILABLE.",
        ),
        (502, "SCANNING_UNAVAILABLE", "no code is."),
    ] {
        let sentence =
            format!("The code {code} is not documented for the status {status}; {instead}");
        assert_eq!(placed(status, code), json!([sentence]));
    }
    for (status, code) in [
        (503, "SCANNING_UNAVAILABLE"),
        (500, "SCAN_DISPATCH_FAILED"),
        (429, "RATE_LIMITED"),
    ] {
        assert_eq!(placed(status, code), Value::Null, "{code}");
    }
}

#[test]
fn an_effect_without_a_member_is_told_which_it_can_have() {
    let stage = Stage::new();
    let refused = |effect: Value| {
        let fault = json!({ "effect": effect });
        stage.anyone.post("/_mock/faults", fault).expect(400).text()
    };
    let all = "The effect needs one of status, latency_ms, close, tls, body.";
    assert!(refused(json!({})).contains(all));
    assert!(refused(json!({ "code": "RATE_LIMITED" })).contains("The status field is required."));
}

#[test]
fn a_match_of_another_type_than_the_member_is_warned_of_m13() {
    let stage = Stage::new();
    let placed = |operation: &str, matching: Value| {
        let fault = json!({
            "operation": operation, "match": matching, "effect": { "status": 503 },
        });
        let placed = stage.anyone.post("/_mock/faults", fault).expect(201);
        placed.json()["warnings"].clone()
    };
    let warned = json!(["No call meets client_id \"42\": the operation takes integer there."]);
    assert_eq!(
        placed("provision_endpoint", json!({ "client_id": "42" })),
        warned
    );
    let warned = json!(["No call meets domain 5: the operation takes string there."]);
    assert_eq!(placed("provision_domain", json!({ "domain": 5 })), warned);
    for (operation, matching) in [
        (
            "provision_endpoint",
            json!({ "client_id": 42, "ip_address": "192.0.2.1" }),
        ),
        (
            "list_endpoints",
            json!({ "billing_customer_id": 42, "page": "2" }),
        ),
        (
            "list_endpoints",
            json!({ "billing_customer_id": "42", "page": 2 }),
        ),
        ("get_endpoint", json!({ "endpoint": "x" })),
        ("create_rule", json!({ "expires_at": null })),
        ("change_subscription", json!({ "force": true })),
        (
            "sync_services",
            json!({ "services": [{ "service_id": 1 }] }),
        ),
    ] {
        assert_eq!(
            placed(operation, matching.clone()),
            Value::Null,
            "{matching}"
        );
    }
}
