//! Playbooks: what a client that does right is told, one that does something near it, and one that breaks a rule (M8).

use std::collections::{BTreeMap, BTreeSet};

use secmon_mock::MockServer;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::{Caller, Stage, text};

/// A client of a playbook, as a table has it.
#[derive(Deserialize)]
struct Client {
    of: String,
    who: String,
    is: String,
    calls: String,
}

#[derive(Deserialize)]
struct Clients {
    client: Vec<Client>,
}

fn clients() -> Vec<Client> {
    let read: Result<Clients, _> = toml::from_str(include_str!("playbooks.toml"));
    read.expect("a table of clients").client
}

/// A playbook that was started, and a caller with its key.
struct Play<'a> {
    stage: &'a Stage,
    id: u64,
    tenant: String,
    client: Caller,
}

impl<'a> Play<'a> {
    fn start(stage: &'a Stage, name: &str) -> Self {
        let body = json!({ "name": name });
        let started = stage.anyone.post("/_mock/playbooks", body).expect(201);
        assert_eq!(text(&started.at("/base_url")), stage.server.url());
        assert!(started.at("/goal").is_string());
        let client = stage.anyone.with_key(&text(&started.at("/api_key")));
        let play = Self {
            stage,
            id: started.at("/id").as_u64().expect("a number"),
            tenant: text(&started.at("/tenant")),
            client: client.unjudged(),
        };
        assert_eq!(
            play.judged(""),
            json!({ "verdict": "running", "findings": [] }),
            "{name}"
        );
        play
    }

    fn judged(&self, query: &str) -> Value {
        let path = format!("/_mock/playbooks/{}{query}", self.id);
        self.stage.anyone.get(&path).expect(200).json()
    }

    /// Sends the calls of a table.
    fn send(&self, calls: &str) {
        let mut kept = BTreeMap::new();
        for line in calls.lines() {
            let line = kept.iter().fold(
                line.to_owned(),
                |line, (name, value): (&String, &String)| line.replace(&format!("${name}"), value),
            );
            let mut words = line.split(' ').peekable();
            let (method, path) = match words.next().expect("a word") {
                "wait" => {
                    let seconds = words.next().and_then(|text| text.parse().ok());
                    self.stage.advance(seconds.expect("seconds"));
                    continue;
                }
                method @ ("GET" | "POST" | "PUT" | "DELETE") => {
                    (method, format!("/api/v1{}", words.next().expect("a path")))
                }
                name => ("POST", format!("/api/v1/billing/{name}")),
            };
            let (keeps, body): (Vec<&str>, Vec<&str>) = words.partition(|word| word.contains("=/"));
            let answer = self
                .client
                .try_send(method, &path, body.join(" ").as_bytes());
            for (name, pointer) in keeps.iter().filter_map(|keep| keep.split_once('=')) {
                let answer = answer.as_ref().expect("an answer");
                kept.insert(name.to_owned(), text(&answer.at(pointer)));
            }
        }
    }
}

#[test]
fn each_client_gets_the_verdict_of_what_it_did() {
    let stage = Stage::of_real_time();
    for Client { of, who, is, calls } in clients() {
        let play = Play::start(&stage, &of);
        play.send(&calls);
        let judged = play.judged("?finished=1");
        let told = format!("{of}, one who {who}: {judged}");
        match is.as_str() {
            "passed" => assert_eq!(
                judged,
                json!({ "verdict": "passed", "findings": [] }),
                "{told}"
            ),
            finding => {
                assert_eq!(judged["verdict"], "failed", "{told}");
                let findings = judged["findings"].as_array().into_iter().flatten();
                let findings: Vec<String> = findings.map(text).collect();
                assert!(findings.iter().any(|told| told.contains(finding)), "{told}");
                // Who reads one sentence alone knows which call it is about.
                assert!(
                    findings.iter().all(|told| told.contains(" /api/v1/")),
                    "{told}"
                );
            }
        }
    }
}

#[test]
fn each_playbook_meets_one_who_does_right_four_near_it_and_one_who_breaks_a_rule() {
    let stage = Stage::of_real_time();
    let listed = stage
        .anyone
        .get("/_mock/playbooks")
        .expect(200)
        .at("/playbooks");
    let listed: BTreeSet<String> = listed
        .as_array()
        .into_iter()
        .flatten()
        .map(|book| text(&book["name"]))
        .collect();
    assert_eq!(listed.len(), 16);
    let mut met: BTreeMap<String, Vec<Client>> = BTreeMap::new();
    for client in clients() {
        met.entry(client.of.clone()).or_default().push(client);
    }
    assert_eq!(listed, met.keys().cloned().collect());
    for (name, clients) in met {
        let right = clients.iter().filter(|client| client.who == "does right");
        let right: Vec<&str> = right.map(|client| client.is.as_str()).collect();
        assert_eq!(right, ["passed"], "{name}");
        // Who comes near a rule without breaking it passes as well, and counts besides.
        let failed = clients.iter().filter(|client| client.is != "passed");
        assert!(failed.count() >= 5, "{name}");
    }
}

#[test]
fn a_client_that_does_nothing_passes_nothing() {
    let stage = Stage::of_real_time();
    let names: BTreeSet<String> = clients().into_iter().map(|client| client.of).collect();
    for name in names {
        let play = Play::start(&stage, &name);
        let failed = json!({ "verdict": "failed", "findings": ["No call came."] });
        assert_eq!(play.judged("?finished=1"), failed, "{name}");
    }
}

#[test]
fn a_failure_stays_whatever_comes_after_it() {
    let stage = Stage::of_real_time();
    let calls_of = |who: &str| {
        let found = clients()
            .into_iter()
            .find(|client| client.of == "upstream-down" && client.who == who);
        found.expect("a client").calls
    };
    let play = Play::start(&stage, "upstream-down");
    play.send(&calls_of("asks over and over and goes on"));
    let failed = play.judged("");
    // The journal holds a thousand calls, and anybody may clear it.
    for _ in 0..1001 {
        play.client.get("/api/v1/health");
    }
    let of_this = format!("/_mock/requests?tenant={}", play.tenant);
    stage.anyone.send("DELETE", &of_this, b"").expect(204);
    play.send(&calls_of("does right"));
    let later = play.judged("");
    assert_eq!(later["verdict"], failed["verdict"]);
    let first = text(&failed["findings"][0]);
    assert_eq!(
        text(&later["findings"][0]),
        format!("{first} (1 more of this kind)")
    );
    stage
        .anyone
        .send("DELETE", &format!("/_mock/tenants/{}", play.tenant), b"")
        .expect(204);
    assert_eq!(play.judged("?finished=1"), later);
}

#[test]
fn a_verdict_names_the_call_and_what_it_did() {
    let stage = Stage::of_real_time();
    let play = Play::start(&stage, "provision-lifecycle");
    play.send("provision {\"client_id\":42,\"ip_address\":\"203.0.113.99\"}");
    let entries = stage.anyone.get("/_mock/requests").at("/requests");
    let call = entries.as_array().and_then(|entries| entries.last());
    let call = call.expect("the call")["id"].clone();
    let said = format!(
        "Call {call}, POST /api/v1/billing/provision, made the server 203.0.113.99 of customer 42, which the goal leaves alone; the \
         goal has the server 203.0.113.10 of customer 42."
    );
    assert_eq!(play.judged("")["findings"], json!([said]));
    let reset = format!("/_mock/tenants/{}/reset", play.tenant);
    stage.anyone.post(&reset, json!({})).expect(204);
    assert_eq!(
        play.judged("")["findings"],
        json!([said, "The account was reset."])
    );
}

#[test]
fn calls_that_are_on_their_way_when_one_is_refused_are_nobodys_fault() {
    let stage = Stage::of_real_time();
    for (name, first) in [("throttle-storm", 11), ("key-revoked", 15)] {
        let play = Play::start(&stage, name);
        for address in [first, first + 1] {
            play.send(&format!(
                "provision {{\"client_id\":42,\"ip_address\":\"203.0.113.{address}\"}}"
            ));
        }
        let judged = play.judged("");
        assert_ne!(judged["verdict"], "failed", "{name}: {judged}");
    }
}

#[test]
fn playbooks_are_listed_and_unknown_ones_refused() {
    let stage = Stage::of_real_time();
    let play = Play::start(&stage, "paging");
    let listed = stage.anyone.get("/_mock/playbooks").expect(200);
    assert_eq!(
        listed.at("/runs"),
        json!([{ "id": play.id, "name": "paging", "tenant": play.tenant }])
    );
    let start = |body: Value| stage.anyone.post("/_mock/playbooks", body);
    start(json!({ "name": "poker" })).expect(404);
    start(json!({})).expect(400);
    stage.anyone.get("/_mock/playbooks/99").expect(404);
    stage.anyone.post("/_mock/reset", json!({})).expect(204);
    let run = format!("/_mock/playbooks/{}", play.id);
    stage.anyone.get(&run).expect(404);
}

#[test]
fn where_time_stands_nobody_can_wait() {
    let stage = Stage::new();
    let body = json!({ "name": "paging" });
    let refused = stage.anyone.post("/_mock/playbooks", body).expect(409);
    assert!(text(&refused.at("/error")).contains("clock stands"));
}

#[test]
fn a_client_is_sent_to_the_partner_api_not_to_the_admin_api() {
    let builder = MockServer::builder().admin_listen(([127, 0, 0, 1], 0).into());
    let server = builder.start().expect("a server");
    let admin = Caller::new(server.admin_url());
    let started = admin
        .post("/_mock/playbooks", json!({ "name": "paging" }))
        .expect(201);
    assert_eq!(text(&started.at("/base_url")), server.url());
}
