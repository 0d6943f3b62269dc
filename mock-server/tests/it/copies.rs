//! One account's state out and in, copies of an account, and accounts that expire (M11).

use std::time::Instant;

use serde_json::{Value, json};

use crate::client::{Caller, PATIENCE, Stage, text};
use crate::durable::Folder;

fn make(stage: &Stage, body: Value) -> (String, Caller) {
    let made = stage.anyone.post("/_mock/tenants", body).expect(201);
    let caller = stage.anyone.with_key(&text(&made.at("/api_key")));
    (text(&made.at("/name")), caller)
}

/// What an account answers, without the moment and the address of the answer.
fn seen(caller: &Caller) -> Vec<String> {
    ["endpoints", "whitelists", "domains", "alerts"]
        .map(|what| {
            let answer = caller.get(&format!("/api/v1/{what}?billing_customer_id=42"));
            let mut body = answer.expect(200).json();
            body["meta"]["timestamp"] = Value::Null;
            body["links"] = Value::Null;
            body.to_string()
        })
        .into()
}

fn filled(stage: &Stage) -> String {
    let id = stage.scanned_endpoint(42, "192.0.2.1");
    stage.slots(42, 2);
    stage.domain(42, "hoster.example");
    let rule = json!({
        "billing_customer_id": 42, "endpoint_id": id, "scope": "endpoint", "port_start": 22,
        "protocol": "tcp", "justification": "The office needs it.",
    });
    stage.acme.post("/api/v1/whitelists", rule).expect(201);
    id
}

#[test]
fn an_accounts_state_goes_out_and_in_m11() {
    let stage = Stage::new();
    filled(&stage);
    let path = "/_mock/tenants/acme/state";
    let document = stage.anyone.get(path).expect(200).json();
    let before = seen(&stage.acme);

    stage.endpoint(42, "192.0.2.2");
    stage
        .anyone
        .post(
            "/_mock/tenants/acme/clock",
            json!({ "advance_seconds": 90_000 }),
        )
        .expect(200);
    assert_ne!(seen(&stage.acme), before);
    stage.anyone.put(path, document.clone()).expect(204);
    assert_eq!(seen(&stage.acme), before);
    assert_eq!(stage.anyone.get(path).expect(200).json(), document);
    let journal = stage.anyone.get("/_mock/requests?tenant=acme").expect(200);
    assert!(
        journal
            .at("/requests")
            .as_array()
            .is_some_and(|calls| calls.len() > 8)
    );

    stage
        .anyone
        .post("/_mock/tenants/acme/reset", json!({}))
        .expect(204);
    stage.anyone.put(path, document).expect(204);
    assert_eq!(seen(&stage.acme), before);
}

#[test]
fn a_changed_document_is_what_the_account_then_holds_m11() {
    let stage = Stage::new();
    filled(&stage);
    let path = "/_mock/tenants/acme/state";
    let document = stage.anyone.get(path).expect(200).text();
    let changed = document.replace("The office needs it.", "The branch needs it.");
    stage
        .anyone
        .send("PUT", path, changed.as_bytes())
        .expect(204);
    let rules = stage
        .acme
        .get("/api/v1/whitelists?billing_customer_id=42")
        .text();
    assert!(rules.contains("The branch needs it."), "{rules}");
}

#[test]
fn a_document_that_does_not_fit_changes_nothing_m11() {
    let stage = Stage::new();
    filled(&stage);
    let before = seen(&stage.acme);
    let document = stage
        .anyone
        .get("/_mock/tenants/acme/state")
        .expect(200)
        .json();
    let mut foreign_key = document.clone();
    for record in foreign_key["account"]["state"]["records"]
        .as_array_mut()
        .into_iter()
        .flatten()
    {
        if record["table"] == "keys" {
            record["value"] = json!("test_key_globex");
        }
    }
    for (name, document, status, sentence) in [
        ("acme", json!({}), 400, "has no format"),
        (
            "acme",
            json!({ "format": 1 }),
            400,
            "not an exported account",
        ),
        ("globex", document.clone(), 400, "of the account `acme`"),
        ("nobody", document, 400, "of the account `acme`"),
        ("acme", foreign_key, 400, "`globex` has one of its keys"),
    ] {
        let path = format!("/_mock/tenants/{name}/state");
        let refused = stage.anyone.put(&path, document).expect(status).text();
        assert!(refused.contains(sentence), "{name}: {refused}");
    }
    assert_eq!(seen(&stage.acme), before);
}

#[test]
fn a_hundred_copies_begin_alike_and_never_meet_m11() {
    let stage = Stage::new();
    let id = filled(&stage);
    let before = seen(&stage.acme);
    let copies: Vec<_> = (0..100)
        .map(|_| make(&stage, json!({ "like": "acme" })))
        .collect();
    std::thread::scope(|scope| {
        for (number, (name, caller)) in (1000..).zip(&copies) {
            let (before, id, anyone) = (&before, &id, &stage.anyone);
            scope.spawn(move || {
                assert!(&seen(caller) == before, "{name}");
                let rename =
                    json!({ "billing_customer_id": 42, "nickname": format!("mine-{number}") });
                caller
                    .put(&format!("/api/v1/endpoints/{id}"), rename)
                    .expect(200);
                let ports = json!({ "open": [{ "port": number, "protocol": "tcp" }] });
                let of = |what: &str| format!("/_mock/endpoints/{id}/{what}?tenant={name}");
                anyone.put(&of("ports"), ports).expect(204);
                anyone.post(&of("scan"), json!({})).expect(204);
            });
        }
    });
    for (number, (name, caller)) in (1000..).zip(&copies) {
        let detail = caller.get(&format!(
            "/api/v1/endpoints/{id}/detail?billing_customer_id=42"
        ));
        let shown = detail.expect(200).json();
        assert_eq!(
            shown["data"]["nickname"],
            format!("mine-{number}"),
            "{name}"
        );
        let alerts = shown["alerts"].as_array().into_iter().flatten();
        let ports: Vec<&Value> = alerts.map(|alert| &alert["port"]).collect();
        assert_eq!(ports, [number], "{name}");
    }
    assert_eq!(seen(&stage.acme), before);
}

#[test]
fn a_copy_survives_a_restart_under_the_same_ids_m11() {
    let folder = Folder::new();
    let start = || Stage::of(|builder| builder.state(folder.state()));
    let stage = start();
    filled(&stage);
    let made = json!({ "like": "acme", "name": "copy" });
    let made = stage.anyone.post("/_mock/tenants", made).expect(201);
    let key = text(&made.at("/api_key"));
    let before = seen(&stage.anyone.with_key(&key));
    drop(stage);
    assert_eq!(seen(&start().anyone.with_key(&key)), before);
}

#[test]
fn a_copy_of_nobody_is_refused_m11() {
    let stage = Stage::new();
    let refused = stage
        .anyone
        .post("/_mock/tenants", json!({ "like": "nobody" }));
    assert!(refused.expect(404).text().contains("no account `nobody`"));
}

#[test]
fn an_account_is_gone_when_its_time_is_over_m11() {
    let stage = Stage::new();
    let (_, short) = make(&stage, json!({ "name": "short", "expires_in": 1 }));
    let (_, long) = make(&stage, json!({ "name": "long", "expires_in": 3600 }));
    let path = "/api/v1/endpoints?billing_customer_id=42";
    let end = Instant::now() + PATIENCE;
    while short.get(path).status != 401 {
        assert!(Instant::now() < end, "it never expires");
        std::thread::yield_now();
    }
    long.get(path).expect(200);
    stage.acme.get(path).expect(200);
}
