//! Allowed Ports rules (E7 to E11).

use serde_json::{Value, json};

use crate::client::{Reply, Stage, text};

const RULES: &str = "/api/v1/whitelists";

fn rule(more: Value) -> Value {
    let mut body =
        json!({ "port_start": 22, "protocol": "tcp", "justification": "SSH for operations" });
    if let (Some(body), Some(more)) = (body.as_object_mut(), more.as_object()) {
        body.extend(more.clone());
    }
    body
}

fn numbered(reply: Reply, status: u16) {
    assert_eq!(reply.expect(status).at("/error/code"), status);
}

#[test]
fn a_created_rule_has_every_field() {
    let stage = Stage::new();
    let endpoint = stage.endpoint(42, "192.0.2.1");
    let body = rule(
        json!({ "port_end": 25, "endpoint_id": endpoint, "expires_at": "2026-02-01", "service": "ssh" }),
    );
    let made = stage.acme.post(RULES, body).expect(201);
    let data = made.at("/data");
    for (field, value) in [
        ("endpoint_id", json!(endpoint)),
        ("port", json!(22)),
        ("port_start", json!(22)),
        ("port_end", json!(25)),
        ("range_label", json!("22-25")),
        ("protocol", json!("tcp")),
        ("service", json!("ssh")),
        ("justification", json!("SSH for operations")),
        ("auto_suggested", json!(false)),
        ("expires_at", json!("2026-02-01T23:59:59+00:00")),
        ("is_active", json!(true)),
        ("scope_label", json!("Endpoint-Specific")),
        ("created_at", json!("2026-01-01T00:00:00+00:00")),
    ] {
        assert_eq!(data[field], value, "{field}");
    }
    for id in ["id", "tenant_id", "created_by"] {
        assert_eq!(text(&data[id]).len(), 36, "{id}");
    }
    assert_eq!(data["endpoint"]["id"], json!(endpoint));
    assert_eq!(made.at("/meta/version"), "v1");
    let shown = stage
        .acme
        .get(&format!("{RULES}/{}", text(&data["id"])))
        .expect(200);
    assert_eq!(shown.at("/data"), data);
}

#[test]
fn every_failing_field_of_a_rule_is_reported_at_once() {
    let stage = Stage::new();
    let reply = stage.acme.post(RULES, json!({
        "port_start": 0, "port_end": 65_536, "protocol": "icmp", "service": "x".repeat(101),
        "justification": "short", "scope": "galaxy", "expires_at": "2026-01-01", "billing_customer_id": 0,
    }));
    assert_eq!(
        reply.expect(422).wrong_fields(),
        [
            "billing_customer_id",
            "expires_at",
            "justification",
            "port_end",
            "port_start",
            "protocol",
            "scope",
            "service",
        ]
    );
    let missing = stage.acme.post(RULES, json!({})).expect(422).wrong_fields();
    assert_eq!(missing, ["justification", "port_start", "protocol"]);
    let backwards = stage.acme.post(RULES, rule(json!({ "port_end": 21 })));
    assert_eq!(backwards.expect(422).wrong_fields(), ["port_end"]);
}

#[test]
fn scope_is_derived_and_global_wins_over_an_endpoint_id_e8() {
    let stage = Stage::new();
    let endpoint = stage.endpoint(42, "192.0.2.1");
    let alone = stage
        .acme
        .post(RULES, rule(json!({ "scope": "endpoint" })))
        .expect(422);
    assert_eq!(alone.wrong_fields(), ["endpoint_id"]);
    let global = stage.acme.post(
        RULES,
        rule(json!({ "scope": "global", "endpoint_id": "nonsense" })),
    );
    let global = global.expect(201);
    assert_eq!(global.at("/data/scope_label"), "Global");
    assert_eq!(global.at("/data/endpoint_id"), Value::Null);
    assert_eq!(global.json().pointer("/data/endpoint"), None);
    let derived = stage
        .acme
        .post(RULES, rule(json!({ "endpoint_id": endpoint })))
        .expect(201);
    assert_eq!(derived.at("/data/scope_label"), "Endpoint-Specific");
}

#[test]
fn an_overlap_is_a_validation_failure_on_port_start_e7() {
    let stage = Stage::new();
    stage
        .acme
        .post(RULES, rule(json!({ "port_end": 30 })))
        .expect(201);
    let overlap = stage
        .acme
        .post(RULES, rule(json!({ "port_start": 30, "protocol": "*" })))
        .expect(422);
    assert_eq!(overlap.at("/status"), "error");
    assert_eq!(overlap.wrong_fields(), ["port_start"]);
    stage
        .acme
        .post(RULES, rule(json!({ "port_start": 30, "protocol": "udp" })))
        .expect(201);
    stage
        .acme
        .post(RULES, rule(json!({ "port_start": 31 })))
        .expect(201);
}

#[test]
fn an_endpoint_of_nobody_is_a_validation_failure_and_a_foreign_one_is_denied_a12() {
    let stage = Stage::new();
    let endpoint = stage.endpoint(42, "192.0.2.1");
    let strange = "11111111-2222-4333-8444-555555555555";
    for unknown in [strange, "nonsense"] {
        let reply = stage
            .acme
            .post(RULES, rule(json!({ "endpoint_id": unknown })))
            .expect(422);
        assert_eq!(reply.wrong_fields(), ["endpoint_id"]);
    }
    let foreign = rule(json!({ "endpoint_id": endpoint, "billing_customer_id": 43 }));
    numbered(stage.acme.post(RULES, foreign), 403);
}

#[test]
fn rules_of_another_customer_are_not_found_a12() {
    let stage = Stage::new();
    let made = stage
        .acme
        .post(RULES, rule(json!({ "billing_customer_id": 42 })))
        .expect(201);
    let path = format!("{RULES}/{}", text(&made.at("/data/id")));
    let foreign = format!("{path}?billing_customer_id=43");
    numbered(stage.acme.get(&foreign), 404);
    numbered(stage.acme.delete(&foreign), 404);
    numbered(
        stage
            .acme
            .put(&path, rule(json!({ "billing_customer_id": 43 }))),
        404,
    );
    stage
        .acme
        .delete(&format!("{path}?billing_customer_id=42"))
        .expect(204);
    numbered(stage.acme.get(&path), 404);
}

#[test]
fn an_update_replaces_the_rule_e10() {
    let stage = Stage::new();
    let body = rule(json!({ "port_end": 25, "service": "ssh", "expires_at": "2026-02-01" }));
    let made = stage.acme.post(RULES, body).expect(201);
    let path = format!("{RULES}/{}", text(&made.at("/data/id")));
    let updated = stage
        .acme
        .put(&path, rule(json!({ "port_start": 23 })))
        .expect(200);
    assert_eq!(updated.at("/data/id"), made.at("/data/id"));
    assert_eq!(updated.at("/data/range_label"), "23");
    assert_eq!(updated.at("/data/service"), Value::Null);
    assert_eq!(updated.at("/data/expires_at"), Value::Null);
}

#[test]
fn lists_filter_by_customer_endpoint_scope_and_status() {
    let stage = Stage::new();
    let endpoint = stage.endpoint(42, "192.0.2.1");
    let add = |more: Value| stage.acme.post(RULES, rule(more)).expect(201);
    add(json!({ "endpoint_id": endpoint }));
    add(json!({ "billing_customer_id": 43 }));
    add(json!({ "port_start": 80, "expires_at": "2026-01-02" }));
    let total = |query: &str| {
        stage
            .acme
            .get(&format!("{RULES}?{query}"))
            .expect(200)
            .at("/meta/total")
    };
    assert_eq!(total(""), 3);
    assert_eq!(total("billing_customer_id=42"), 2);
    assert_eq!(total("billing_customer_id=44"), 1);
    assert_eq!(total(&format!("endpoint_id={endpoint}")), 1);
    assert_eq!(total("scope=endpoint"), 1);
    assert_eq!(total("scope=global"), 2);
    assert_eq!(total("status=expired"), 0);
    stage.advance(2 * 86_400);
    assert_eq!(total("status=expired"), 1);
    assert_eq!(total("status=active"), 2);
    let wrong = stage
        .acme
        .get(&format!("{RULES}?scope=all&status=old&endpoint_id=7"))
        .expect(422);
    assert_eq!(wrong.wrong_fields(), ["endpoint_id", "scope", "status"]);
}

#[test]
fn the_summary_lists_every_live_endpoint_and_doubles_its_counts_e11() {
    let stage = Stage::new();
    let endpoint = stage.endpoint(42, "192.0.2.1");
    stage.endpoint(42, "192.0.2.2");
    stage
        .acme
        .post(RULES, rule(json!({ "endpoint_id": endpoint })))
        .expect(201);
    stage.acme.post(RULES, rule(json!({}))).expect(201);
    let path = format!("{RULES}/endpoint-summary");
    let summary = stage
        .acme
        .get(&format!("{path}?billing_customer_id=42"))
        .expect(200);
    assert_eq!(
        summary.at("/data/endpoints/0"),
        json!({
            "endpoint_id": endpoint, "ip_address": "192.0.2.1", "nickname": "192.0.2.1", "rule_count": 1,
        })
    );
    assert_eq!(summary.at("/data/endpoints/1/rule_count"), 0);
    assert_eq!(summary.at("/data/global_count"), 1);
    assert_eq!(summary.at("/endpoints"), summary.at("/data/endpoints"));
    assert_eq!(summary.at("/global_count"), 1);
    assert_eq!(
        stage.acme.get(&path).expect(422).wrong_fields(),
        ["billing_customer_id"]
    );
}

#[test]
fn a_new_rule_resolves_the_alerts_that_it_covers() {
    let stage = Stage::new();
    let endpoint = stage.scanned_endpoint(42, "192.0.2.1");
    stage
        .acme
        .post(RULES, rule(json!({ "endpoint_id": endpoint })))
        .expect(201);
    let open = stage
        .acme
        .get("/api/v1/alerts?billing_customer_id=42&status=open")
        .expect(200);
    let alerts = open.at("/data/alerts");
    let ports: Vec<&Value> = alerts
        .as_array()
        .into_iter()
        .flatten()
        .map(|alert| &alert["port"])
        .collect();
    assert_eq!(ports, [&json!(8080), &json!(443), &json!(80)]);
    let detail = stage
        .acme
        .get(&format!("/api/v1/endpoints/{endpoint}/detail"))
        .expect(200);
    assert_eq!(detail.at("/whitelisted_ports"), json!(["22:tcp"]));
}
