//! Faults, above and below HTTP (M5).

use std::io::ErrorKind;
use std::time::Duration;

use http::StatusCode;
use secmon_mock::{CloseAt, Fault};
use serde_json::{Value, json};

use crate::client::{Caller, Stage, text};

pub const PROVISION: &str = "/api/v1/billing/provision";

pub fn place(stage: &Stage, fault: Value) -> Value {
    stage
        .anyone
        .post("/_mock/faults", fault)
        .expect(201)
        .at("/id")
}

fn provision(caller: &Caller) -> std::io::Result<crate::client::Reply> {
    caller.try_send(
        "POST",
        PROVISION,
        br#"{"client_id":1,"ip_address":"192.0.2.1"}"#,
    )
}

fn endpoints(stage: &Stage) -> Value {
    stage
        .acme
        .get("/api/v1/endpoints")
        .expect(200)
        .at("/meta/total")
}

#[test]
fn a_status_with_a_code_is_the_documented_envelope_and_nothing_is_processed() {
    let stage = Stage::new().unjudged();
    place(
        &stage,
        json!({ "effect": { "status": 503, "code": "SCANNING_UNAVAILABLE" } }),
    );
    let reply = provision(&stage.acme).expect("an answer").expect(503);
    assert_eq!(reply.at("/success"), false);
    assert_eq!(reply.at("/error/code"), "SCANNING_UNAVAILABLE");
    assert_eq!(reply.header("retry-after"), Some("1"));
    assert_eq!(endpoints(&stage), 0);
}

#[test]
fn codes_with_documented_details_carry_them() {
    let stage = Stage::new().unjudged();
    for (status, code, pointer) in [
        (429, "RATE_LIMITED", "/error/details/retry_after_seconds"),
        (422, "DOWNGRADE_USAGE_EXCEEDED", "/error/details/new_limit"),
        (
            403,
            "ENDPOINT_LIMIT_EXCEEDED",
            "/error/details/current_usage",
        ),
    ] {
        place(
            &stage,
            json!({ "effect": { "status": status, "code": code } }),
        );
        assert!(
            stage
                .acme
                .get("/api/v1/endpoints")
                .expect(status)
                .at(pointer)
                .is_u64()
        );
    }
}

#[test]
fn a_status_alone_takes_the_shape_of_the_group_m5() {
    let stage = Stage::new().unjudged();
    for (path, code) in [
        (PROVISION, json!("INTERNAL_SERVER_ERROR")),
        ("/api/v1/alerts", json!(500)),
        ("/api/v1/endpoints", json!(500)),
        ("/api/v1/nothing", json!("INTERNAL_SERVER_ERROR")),
    ] {
        place(&stage, json!({ "effect": { "status": 500 } }));
        assert_eq!(
            stage.acme.get(path).expect(500).at("/error/code"),
            code,
            "{path}"
        );
    }
    for status in [401, 422, 429] {
        place(&stage, json!({ "effect": { "status": status } }));
        let reply = stage.acme.get("/api/v1/alerts").expect(status);
        assert_eq!(reply.at("/status"), "error");
        assert_eq!(reply.at("/errors"), json!({}));
        assert_eq!(reply.header("retry-after"), (status == 429).then_some("1"));
    }
}

#[test]
fn a_raw_body_is_sent_as_it_is() {
    let stage = Stage::new().unjudged();
    place(
        &stage,
        json!({ "effect": { "body": "<html>Bad Gateway</html>", "status": 502 } }),
    );
    let reply = stage.acme.get("/api/v1/endpoints").expect(502);
    assert_eq!(reply.text(), "<html>Bad Gateway</html>");
    assert_eq!(
        reply.header("content-type"),
        Some("text/html; charset=utf-8")
    );
    place(&stage, json!({ "effect": { "body": "{\"half\":" } }));
    assert_eq!(
        stage.acme.get("/api/v1/endpoints").expect(200).text(),
        "{\"half\":"
    );
}

#[test]
fn connections_close_before_or_after_the_call_was_processed() {
    let stage = Stage::new().unjudged();
    place(&stage, json!({ "effect": { "close": "before" } }));
    let before = provision(&stage.acme).expect_err("no answer");
    assert_eq!(before.kind(), ErrorKind::UnexpectedEof);
    assert_eq!(endpoints(&stage), 0);
    place(&stage, json!({ "effect": { "close": "after" } }));
    provision(&stage.acme).expect_err("no answer");
    assert_eq!(endpoints(&stage), 1);
    let calls = stage
        .anyone
        .get("/_mock/requests?method=POST")
        .at("/requests");
    assert_eq!(calls[0]["status"], Value::Null);
    assert_eq!(calls[0]["response"], Value::Null);
    assert_eq!(calls[0]["processed"], false);
    assert_eq!(calls[0]["fault"], 1);
    assert_eq!(calls[1]["status"], Value::Null);
    assert_eq!(calls[1]["processed"], true);
    assert_eq!(calls[1]["fault"], 2);
}

#[test]
fn an_answer_without_a_body_has_no_half() {
    let stage = Stage::new().unjudged();
    let id = text(
        &provision(&stage.acme)
            .expect("an answer")
            .at("/data/endpoint_id"),
    );
    place(&stage, json!({ "effect": { "close": "mid_body" } }));
    let path = format!("/api/v1/endpoints/{id}");
    let lost = stage.acme.try_send("DELETE", &path, b"");
    assert_eq!(
        lost.expect_err("no answer").kind(),
        ErrorKind::UnexpectedEof
    );
    let calls = stage.anyone.get("/_mock/requests?method=DELETE");
    assert_eq!(calls.at("/requests/0/status"), Value::Null);
    assert_eq!(calls.at("/requests/0/processed"), true);
    stage.acme.get(&path).expect(404);
}

#[test]
fn a_status_fault_says_when_to_come_again_in_any_words_or_none_m5() {
    let stage = Stage::new().unjudged();
    for (status, given, sent) in [
        (429, json!({}), Some("1")),
        (503, json!({}), Some("1")),
        (500, json!({}), None),
        (429, json!({ "retry_after": 7 }), Some("7")),
        (503, json!({ "retry_after": "soon" }), Some("soon")),
        (500, json!({ "retry_after": -1 }), Some("-1")),
        (503, json!({ "retry_after": null }), None),
    ] {
        let mut effect = given.clone();
        effect["status"] = status.into();
        place(&stage, json!({ "effect": effect }));
        let reply = provision(&stage.acme).expect("an answer").expect(status);
        assert_eq!(reply.header("retry-after"), sent, "{status} {given}");
    }
    let wrong = json!({ "effect": { "status": 503, "retry_after": "a\nb" } });
    let reply = stage.anyone.post("/_mock/faults", wrong).expect(400);
    assert!(reply.text().contains("retry_after"), "{}", reply.text());
}

#[test]
fn a_reset_is_a_tcp_reset_and_nothing_is_processed() {
    let stage = Stage::new().unjudged();
    place(&stage, json!({ "effect": { "close": "reset" } }));
    let error = provision(&stage.acme).expect_err("no answer");
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert_eq!(endpoints(&stage), 0);
}

#[test]
fn an_answer_is_cut_in_the_middle_of_its_body() {
    let stage = Stage::new().unjudged();
    place(&stage, json!({ "effect": { "close": "mid_body" } }));
    provision(&stage.acme).expect_err("half an answer");
    assert_eq!(endpoints(&stage), 1);
    let calls = stage
        .anyone
        .get("/_mock/requests?method=POST")
        .at("/requests");
    assert_eq!(calls[0]["status"], 201);
}

#[test]
fn latency_only_delays() {
    let stage = Stage::new().unjudged();
    place(&stage, json!({ "effect": { "latency_ms": 30 } }));
    provision(&stage.acme).expect("an answer").expect(201);
    let took = stage
        .anyone
        .get("/_mock/requests?method=POST")
        .at("/requests/0/duration_us");
    assert!(took.as_u64().is_some_and(|took| took >= 30_000), "{took}");
}

#[test]
fn a_call_is_processed_although_its_sender_gave_up() {
    let stage = Stage::new().unjudged();
    place(&stage, json!({ "effect": { "latency_ms": 50 } }));
    let body = r#"{"client_id":1,"ip_address":"192.0.2.1"}"#;
    let call = format!(
        "POST {PROVISION} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer test_key_acme\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len(),
    );
    let address = stage.server.url().trim_start_matches("http://");
    let mut stream = std::net::TcpStream::connect(address).expect("a connection");
    std::io::Write::write_all(&mut stream, call.as_bytes()).expect("the call is sent");
    drop(stream);
    let deadline = std::time::Instant::now() + Duration::from_secs(60);
    while stage.anyone.get("/_mock/requests").at("/requests") == json!([]) {
        assert!(
            std::time::Instant::now() < deadline,
            "the call is in the journal in time"
        );
        std::thread::yield_now();
    }
    assert_eq!(endpoints(&stage), 1);
}

#[test]
fn faults_choose_by_account_method_and_path() {
    let stage = Stage::new().unjudged();
    let fault = json!({
        "tenant": "acme", "method": "get", "path": "/api/v1/end*", "times": 0, "effect": { "status": 500 },
    });
    place(&stage, fault);
    stage.acme.get("/api/v1/endpoints").expect(500);
    stage.acme.get("/api/v1/endpoints/7/detail").expect(500);
    stage.acme.post("/api/v1/endpoints", json!({})).expect(422);
    stage.acme.get("/api/v1/whitelists").expect(200);
    stage
        .anyone
        .with_key("test_key_globex")
        .get("/api/v1/endpoints")
        .expect(200);
    stage.anyone.get("/api/v1/endpoints").expect(401);
    stage.anyone.get("/_mock/health").expect(200);
}

#[test]
fn times_and_after_count_matching_calls_and_hits_are_listed() {
    let stage = Stage::new().unjudged();
    let id = place(
        &stage,
        json!({ "times": 2, "after": 1, "effect": { "status": 500 } }),
    );
    let statuses: Vec<u16> = (0..5)
        .map(|_| stage.acme.get("/api/v1/health").status)
        .collect();
    assert_eq!(statuses, [200, 500, 500, 200, 200]);
    let listed = stage.anyone.get("/_mock/faults").expect(200).at("/faults");
    assert_eq!(
        listed,
        json!([{
            "id": id, "tenant": null, "method": null, "path": null, "times": 2, "after": 1, "hits": 2,
            "effect": { "status": 500 },
        }])
    );
}

#[test]
fn the_first_fault_made_acts_first_m5() {
    let stage = Stage::new().unjudged();
    place(&stage, json!({ "effect": { "status": 500 } }));
    place(&stage, json!({ "effect": { "status": 502 } }));
    stage.acme.get("/api/v1/health").expect(500);
    stage.acme.get("/api/v1/health").expect(502);
    stage.acme.get("/api/v1/health").expect(200);
}

#[test]
fn faults_hit_before_path_and_key_and_count_in_no_window_m5() {
    let stage = Stage::new().unjudged();
    place(&stage, json!({ "times": 0, "effect": { "status": 500 } }));
    stage.anyone.get("/api/v1/nothing").expect(500);
    for _ in 0..110 {
        stage.acme.get("/api/v1/endpoints").expect(500);
    }
    stage.anyone.delete("/_mock/faults").expect(204);
    stage.acme.get("/api/v1/endpoints").expect(200);
}

#[test]
fn faults_are_removed_one_by_one_by_account_or_all_m5() {
    let stage = Stage::new().unjudged();
    let first = place(&stage, json!({ "effect": { "status": 500 } }));
    place(
        &stage,
        json!({ "tenant": "acme", "effect": { "status": 500 } }),
    );
    place(
        &stage,
        json!({ "tenant": "globex", "effect": { "status": 500 } }),
    );
    let left = || {
        stage
            .anyone
            .get("/_mock/faults")
            .at("/faults")
            .as_array()
            .map_or(0, Vec::len)
    };
    stage
        .anyone
        .delete(&format!("/_mock/faults/{first}"))
        .expect(204);
    stage
        .anyone
        .delete(&format!("/_mock/faults/{first}"))
        .expect(404);
    assert_eq!(left(), 2);
    stage.anyone.delete("/_mock/faults?tenant=acme").expect(204);
    assert_eq!(left(), 1);
    stage
        .anyone
        .delete("/_mock/faults?tenant=nobody")
        .expect(404);
    stage.anyone.delete("/_mock/faults").expect(204);
    assert_eq!(left(), 0);
}

#[test]
fn wrong_faults_are_refused_with_a_sentence_m2() {
    let stage = Stage::new().unjudged();
    for wrong in [
        json!({}),
        json!({ "effect": {} }),
        json!({ "effect": { "status": 200 } }),
        json!({ "effect": { "status": 600 } }),
        json!({ "effect": { "close": "never" } }),
        json!({ "effect": { "close": "before", "status": 500 } }),
        json!({ "effect": { "latency_ms": -1 } }),
        json!({ "effect": { "status": 500 }, "times": -1 }),
        json!({ "effect": { "status": 500 }, "url": "/" }),
    ] {
        let reply = stage.anyone.post("/_mock/faults", wrong).expect(400);
        assert!(reply.at("/error").is_string());
    }
    let nobody = json!({ "tenant": "nobody", "effect": { "status": 500 } });
    stage.anyone.post("/_mock/faults", nobody).expect(404);
}

#[test]
fn a_tenant_orders_its_own_trouble() {
    let stage = Stage::new().unjudged();
    let tenant = stage.server.tenant();
    let caller = stage.anyone.with_key(tenant.api_key());
    tenant.fault(
        Fault::code(StatusCode::INTERNAL_SERVER_ERROR, "SCAN_DISPATCH_FAILED")
            .on("POST", "*scan-endpoint"),
    );
    tenant.fault(Fault::close(CloseAt::Before).after(1));
    let aimed = Fault::status(StatusCode::BAD_GATEWAY).operation("list_rules");
    tenant.fault(aimed.matching("per_page", 7).probability(1.0));
    tenant.fault(Fault::latency(Duration::ZERO).times(0));
    stage
        .acme
        .post("/api/v1/billing/scan-endpoint", json!({}))
        .expect(422);
    let failed = caller
        .post("/api/v1/billing/scan-endpoint", json!({}))
        .expect(500);
    assert_eq!(failed.at("/error/code"), "SCAN_DISPATCH_FAILED");
    caller.get("/api/v1/endpoints").expect(200);
    caller
        .try_send("GET", "/api/v1/endpoints", b"")
        .expect_err("no answer");
    caller.get("/api/v1/whitelists?per_page=8").expect(200);
    caller.get("/api/v1/whitelists?per_page=7").expect(502);
    tenant.clear_faults();
    caller.get("/api/v1/endpoints").expect(200);
}

#[test]
fn what_faults_answer_with_has_a_bound_m5() {
    let stage = Stage::new();
    let place = |length: usize| {
        let effect = json!({ "body": "x".repeat(length), "status": 200 });
        let fault = json!({ "path": "/api/v1/nothing", "times": 0, "effect": effect });
        stage.anyone.post("/_mock/faults", fault).status
    };
    assert_eq!(place(1024 * 1024 + 1), 400);
    let placed = (0..66).map(|_| place(1024 * 1024));
    let refused = placed.filter(|status| *status == 409).count();
    assert_eq!(refused, 1, "64 MiB, and the one that fills it");
}

#[test]
fn faults_are_listed_by_account() {
    let stage = Stage::new();
    let (one, other) = (stage.server.tenant(), stage.server.tenant());
    one.fault(Fault::close(CloseAt::Before));
    other.fault(Fault::close(CloseAt::After));
    let listed = stage
        .anyone
        .get(&format!("/_mock/faults?tenant={}", other.name()));
    let listed = listed.expect(200).at("/faults");
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    assert_eq!(listed[0]["effect"], json!({ "close": "after" }));
    stage.anyone.get("/_mock/faults?tenant=nobody").expect(404);
}
