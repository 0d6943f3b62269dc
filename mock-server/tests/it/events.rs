//! What happens, as server-sent events: `GET /_mock/events`.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Caller, PATIENCE, Stage};
use crate::program::Program;

/// An event as it came.
#[derive(Clone, Debug)]
struct Event {
    id: String,
    kind: String,
    data: Value,
}

/// Somebody who listens.
struct Ears {
    stream: BufReader<TcpStream>,
    since: Instant,
}

impl Ears {
    /// Listens with this query and these header lines.
    fn open(stage: &Stage, query: &str, headers: &str) -> Self {
        Self::at(stage.server.url(), query, headers)
    }

    fn at(url: &str, query: &str, headers: &str) -> Self {
        let address = url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        let head = format!("GET /_mock/events{query} HTTP/1.1\r\nHost: {address}\r\n{headers}\r\n");
        stream.write_all(head.as_bytes()).expect("a request");
        let mut ears = Self {
            stream: BufReader::new(stream),
            since: Instant::now(),
        };
        let status = ears.line().expect("a status");
        assert!(status.contains(" 200 "), "{status}");
        while !ears.line().expect("a header").is_empty() {}
        ears
    }

    /// One that has heard what is told at the beginning.
    fn ready(stage: &Stage, query: &str) -> Self {
        let mut ears = Self::open(stage, query, "");
        ears.until(|event| event.kind == "fault");
        ears
    }

    fn line(&mut self) -> Option<String> {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line).expect("a line in time");
        // Signs of life come for ever.
        assert!(
            self.since.elapsed() < PATIENCE,
            "what was waited for never came"
        );
        (read > 0).then(|| line.trim_end().to_owned())
    }

    /// The next event; none once the stream has ended.
    fn next(&mut self) -> Option<Event> {
        let (mut id, mut kind) = (String::new(), String::new());
        loop {
            let line = self.line()?;
            match line.split_once(": ") {
                Some(("id", text)) => id = text.to_owned(),
                Some(("event", text)) => kind = text.to_owned(),
                Some(("data", text)) => {
                    let data = serde_json::from_str(text).expect("JSON");
                    return Some(Event { id, kind, data });
                }
                // The sizes of pieces, empty lines, signs of life.
                _ => {}
            }
        }
    }

    /// All events up to the first that is like this, which is the last.
    fn until(&mut self, wanted: impl Fn(&Event) -> bool) -> Vec<Event> {
        let mut heard = Vec::new();
        while let Some(event) = self.next() {
            let found = wanted(&event);
            heard.push(event);
            if found {
                return heard;
            }
        }
        panic!("the stream ended: {heard:?}");
    }
}

fn is_request(event: &Event) -> bool {
    event.kind == "request"
}

fn provision(caller: &Caller, address: &str) {
    let body = json!({ "client_id": 42, "ip_address": address });
    caller.post("/api/v1/billing/provision", body).expect(201);
}

#[test]
fn a_call_comes_with_what_it_changed() {
    let stage = Stage::new();
    let mut ears = Ears::ready(&stage, "");
    provision(&stage.acme, "192.0.2.1");
    let heard = ears.until(is_request);
    let call = &heard.last().expect("a call").data;
    assert_eq!(
        (&call["tenant"], &call["status"]),
        (&json!("acme"), &json!(201))
    );
    let listed = stage.anyone.get("/_mock/requests").expect(200);
    assert_eq!(*call, listed.at("/requests/0"), "as the journal has it");
    let change = heard.iter().find(|event| event.data["kind"] == "endpoints");
    let change = &change.expect("the server").data;
    assert_eq!(change["request"], call["id"]);
    assert_eq!(change["id"], call["response"]["data"]["endpoint_id"]);
    assert_eq!(change["now"]["address"], "192.0.2.1");

    let id = change["id"].as_str().expect("an id");
    let path = format!("/api/v1/endpoints/{id}");
    stage.acme.delete(&path).expect(204);
    let heard = ears.until(is_request);
    let change = heard.iter().find(|event| event.data["kind"] == "endpoints");
    assert_ne!(
        change.expect("the server").data["now"]["state"],
        json!({ "active": "scanning" })
    );
}

#[test]
fn clocks_and_faults_and_accounts_are_told() {
    let stage = Stage::new();
    let mut ears = Ears::open(&stage, "", "");
    let clock = ears.next().expect("an event");
    assert_eq!(
        (clock.kind.as_str(), &clock.data["mode"]),
        ("clock", &json!("manual"))
    );
    assert_eq!(ears.next().expect("an event").data, json!({ "faults": [] }));

    let day = json!({ "advance_seconds": 86_400 });
    stage
        .anyone
        .post("/_mock/tenants/acme/clock", day)
        .expect(200);
    let clock = ears
        .until(|event| event.kind == "clock")
        .pop()
        .expect("a clock");
    assert_eq!(clock.data["tenant"], "acme");
    assert_eq!(clock.data["now"], "2026-01-02T00:00:00+00:00");

    let fault = json!({ "path": "/api/v1/health", "effect": { "status": 503 } });
    stage
        .anyone
        .post("/_mock/faults", fault.clone())
        .expect(201);
    let hits = |event: &Event| event.data["faults"][0]["hits"].clone();
    let placed = ears
        .until(|event| event.kind == "fault")
        .pop()
        .expect("a fault");
    assert_eq!(hits(&placed), 0);
    stage.anyone.unjudged().get("/api/v1/health").expect(503);
    ears.until(|event| event.kind == "fault" && hits(event) == 1);
    let id = &placed.data["faults"][0]["id"];
    for removed in [format!("/_mock/faults/{id}"), "/_mock/faults".to_owned()] {
        stage.anyone.delete(&removed).expect(204);
        ears.until(|event| event.data == json!({ "faults": [] }));
        stage
            .anyone
            .post("/_mock/faults", fault.clone())
            .expect(201);
        ears.until(|event| event.kind == "fault" && hits(event) == 0);
    }

    let mut others = Ears::ready(&stage, "");
    let made = json!({ "name": "passing" });
    stage.anyone.post("/_mock/tenants", made).expect(201);
    let is_account = |event: &Event| event.data["kind"] == "tenant";
    let came = ears.until(is_account).pop().expect("an account");
    assert_eq!(came.data["now"]["name"], "passing");
    let told = others.until(is_account).pop().expect("an account");
    assert_eq!((&told.id, &told.data), (&came.id, &came.data));
    stage.anyone.delete("/_mock/tenants/passing").expect(204);
    let went = ears.until(is_account).pop().expect("an account");
    assert_eq!(
        (&went.data["id"], &went.data["now"]),
        (&json!("passing"), &Value::Null)
    );
}

#[test]
fn a_listener_of_one_account_hears_of_no_other() {
    let stage = Stage::new();
    let globex = stage.anyone.with_key("test_key_globex");
    let mut ears = Ears::ready(&stage, "?tenant=globex");
    provision(&stage.acme, "192.0.2.1");
    provision(&globex, "192.0.2.2");
    for event in ears.until(is_request) {
        assert_eq!(event.data["tenant"], "globex", "{event:?}");
    }
    stage.anyone.get("/_mock/events?tenant=nobody").expect(404);
    stage.anyone.get("/_mock/events?tenants=acme").expect(400);
}

#[test]
fn who_comes_back_hears_what_came_meanwhile() {
    let stage = Stage::new();
    let mut ears = Ears::ready(&stage, "");
    provision(&stage.acme, "192.0.2.1");
    let last = ears.until(is_request).pop().expect("a call").id;
    drop(ears);
    provision(&stage.acme, "192.0.2.2");
    let mut ears = Ears::open(&stage, "", &format!("Last-Event-ID: {last}\r\n"));
    let heard = ears.until(is_request);
    let call = &heard.last().expect("a call").data;
    assert_eq!(call["body"]["ip_address"], "192.0.2.2");
    assert!(heard.iter().all(|event| event.kind != "gap"), "{heard:?}");
}

#[test]
fn who_comes_back_too_late_is_told_of_the_gap() {
    let stage = Stage::of(|builder| builder.rate_limit(secmon_mock::RateLimit::Off));
    let mut ears = Ears::ready(&stage, "");
    stage.anyone.get("/api/v1/health").expect(200);
    let last = ears.until(is_request).pop().expect("a call").id;
    drop(ears);
    for _ in 0..4001 {
        stage.anyone.get("/api/v1/health").expect(200);
    }
    let mut ears = Ears::open(&stage, "", &format!("Last-Event-ID: {last}\r\n"));
    assert_eq!(ears.next().expect("an event").kind, "gap");
    let mut ears = Ears::open(&stage, "", "Last-Event-ID: 9000000000000000\r\n");
    assert_eq!(ears.next().expect("an event").kind, "gap");
    let wrong = stage.anyone.with("Last-Event-ID", "latest");
    let refused = wrong.get("/_mock/events").expect(400);
    assert!(
        refused.text().contains("Last-Event-ID"),
        "{}",
        refused.text()
    );
}

#[test]
fn the_numbers_of_one_server_say_nothing_to_the_next() {
    let before = Stage::new();
    let mut ears = Ears::ready(&before, "");
    provision(&before.acme, "192.0.2.1");
    let last = ears.until(is_request).pop().expect("a call").id;
    let after = Stage::new();
    let mut ears = Ears::open(&after, "", &format!("Last-Event-ID: {last}\r\n"));
    assert_eq!(ears.next().expect("an event").kind, "gap");
}

#[test]
fn no_event_shows_a_secret() {
    let stage = Stage::of(|builder| builder.admin_key("steering"));
    stage.anyone.get("/_mock/events").expect(401);
    let mut ears = Ears::open(&stage, "", "Authorization: Bearer steering\r\n");
    let admin = stage.anyone.with_key("steering");
    admin
        .post("/_mock/tenants/acme/keys", json!({}))
        .expect(201);
    provision(&stage.acme, "192.0.2.1");
    let token = json!({ "billing_customer_id": 42 });
    let minted = stage.acme.post("/api/v1/sso/token", token).expect(200);
    let token = minted.at("/data/token");
    let named = json!({ "endpoint_id": "test_key_acme", "key": "steering" });
    stage
        .acme
        .post("/api/v1/billing/suspend", named)
        .expect(422);
    let heard = ears.until(|event| event.data["path"] == "/api/v1/billing/suspend");
    // What a key or a token was stored as is no secret, and still nobody's business.
    let kinds = heard.iter().map(|event| event.data["kind"].as_str());
    let kept_back = ["keys", "sso_tokens"].map(Some);
    assert!(
        !kinds.into_iter().any(|kind| kept_back.contains(&kind)),
        "{heard:?}"
    );
    let text = format!("{heard:?}");
    for secret in ["test_key_", "steering", token.as_str().expect("a token")] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
}

#[test]
fn listeners_that_go_away_hold_nothing_and_none_holds_the_server_up() {
    let stage = Stage::new();
    for _ in 0..1000 {
        drop(Ears::ready(&stage, ""));
    }
    let mut ears = Ears::ready(&stage, "");
    provision(&stage.acme, "192.0.2.1");
    ears.until(is_request);
    drop(stage);
    while ears.next().is_some() {}
}

#[test]
fn a_program_with_listeners_ends_at_once() {
    let mut program = Program::start(&[]);
    let mut ears = Ears::at(&program.url, "", "");
    ears.until(|event| event.kind == "fault");
    let began = Instant::now();
    assert!(program.terminate().success());
    // Requests in flight may take five seconds.
    assert!(
        began.elapsed() < Duration::from_secs(4),
        "{:?}",
        began.elapsed()
    );
    while ears.next().is_some() {}
}

#[test]
fn a_scan_that_ends_by_the_clock_is_told_without_a_call() {
    let stage = Stage::of_real_time();
    let mut ears = Ears::ready(&stage, "?tenant=acme");
    provision(&stage.acme, "192.0.2.1");
    let heard = ears.until(|event| event.data["kind"] == "port_alerts");
    let calls = heard.iter().filter(|event| is_request(event)).count();
    assert_eq!(calls, 1, "{heard:?}");
    assert_eq!(heard.last().expect("an alert").data["request"], Value::Null);
}
