//! Firewall ingest (E13).

use serde_json::{Value, json};

use crate::client::{NOBODY, Reply, Stage, coded};

const IPTABLES: &str = "*filter\n\
    :INPUT DROP [0:0]\n\
    -A INPUT -p tcp -m tcp --dport 22 -j ACCEPT\n\
    -A INPUT -p udp -m udp --dport 53 -j ACCEPT\n\
    COMMIT\n";

fn ingest(stage: &Stage, endpoint: &str, more: Value) -> Reply {
    let mut body =
        json!({ "endpoint_id": endpoint, "billing_customer_id": 42, "content": IPTABLES });
    if let (Some(body), Some(more)) = (body.as_object_mut(), more.as_object()) {
        body.extend(more.clone());
    }
    stage.acme.post("/api/v1/firewall/ingest", body)
}

#[test]
fn a_dump_becomes_rules_that_resolve_alerts() {
    let stage = Stage::new();
    let endpoint = stage.scanned_endpoint(42, "192.0.2.1");
    let ingested = ingest(&stage, &endpoint, json!({})).expect(200);
    assert_eq!(ingested.at("/data/format"), "iptables");
    assert_eq!(ingested.at("/data/parsed_rules"), 2);
    assert_eq!(ingested.at("/data/skipped"), json!([]));
    let rule = ingested.at("/data/suggested/0");
    assert_eq!(rule["port"], 22);
    assert_eq!(rule["auto_suggested"], true);
    assert_eq!(rule["endpoint_id"], endpoint.as_str());
    let resolved = stage
        .acme
        .get("/api/v1/alerts?billing_customer_id=42&status=resolved");
    assert_eq!(resolved.at("/data/alerts/0/port"), 22);
    let again = ingest(&stage, &endpoint, json!({})).expect(200);
    assert_eq!(again.at("/data/suggested"), json!([]));
    assert_eq!(again.at("/data/skipped/0/line"), 3);
}

#[test]
fn a_dump_needs_its_endpoint_and_something_to_read() {
    let stage = Stage::new();
    let endpoint = stage.endpoint(42, "192.0.2.1");
    coded(ingest(&stage, NOBODY, json!({})), 404, "ENDPOINT_NOT_FOUND");
    coded(
        ingest(&stage, &endpoint, json!({ "billing_customer_id": 43 })),
        404,
        "ENDPOINT_NOT_FOUND",
    );
    let wrong = |more: Value| ingest(&stage, &endpoint, more).expect(422).wrong_fields();
    assert_eq!(wrong(json!({ "content": "hello" })), ["content"]);
    assert_eq!(wrong(json!({ "format": "ufw" })), ["content"]);
    assert_eq!(
        wrong(json!({ "content": "é".repeat(128 * 1024 + 1) })),
        ["content"]
    );
    assert_eq!(
        wrong(
            json!({ "content": 7, "format": "pf", "endpoint_id": "x", "billing_customer_id": null })
        ),
        ["billing_customer_id", "content", "endpoint_id", "format"],
    );
}

/// A set that every rule names again: what is read grows with the square of what is sent.
fn sets_in_every_rule(elements: usize, rules: usize) -> String {
    let ports: Vec<String> = (1..=elements)
        .map(|number| (number * 2).to_string())
        .collect();
    let rule = "  tcp dport @doors accept\n".repeat(rules);
    let ports = ports.join(",");
    format!(
        "table inet filter {{\n set doors {{\n elements = {{ {ports} }}\n }}\n chain input {{\n  \
         type filter hook input priority 0;\n{rule} }}\n}}\n"
    )
}

#[test]
fn a_dump_names_and_accepts_only_so_much() {
    let stage = Stage::new();
    let endpoint = stage.endpoint(42, "192.0.2.1");
    let send = |content: &str| ingest(&stage, &endpoint, json!({ "content": content }));
    for (what, dump) in [
        ("20,001 ranges by way of a set", sets_in_every_rule(2858, 7)),
        (
            "many rules with a large set",
            sets_in_every_rule(20_000, 4_000),
        ),
        ("2,001 accepted ranges", sets_in_every_rule(2001, 1)),
    ] {
        let refused = send(&dump);
        assert_eq!((refused.status, what), (422, what));
        assert_eq!(refused.wrong_fields(), ["content"]);
    }
    let fits = send(&sets_in_every_rule(2000, 1)).expect(200);
    assert_eq!(
        fits.at("/data/suggested").as_array().map(Vec::len),
        Some(2000)
    );
    assert_eq!(fits.at("/data/parsed_rules"), 2000);
}
