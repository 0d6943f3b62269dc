//! Bodies and fields (A7 to A9, A20).

use std::io::{Read, Write};

use serde_json::{Value, json};

use crate::client::{PATIENCE, Reply, Stage};

const PROVISION: &str = "/api/v1/billing/provision";

fn errors_of(reply: Reply) -> Vec<String> {
    let reply = reply.expect(422);
    assert_eq!(reply.at("/status"), "error");
    assert!(reply.at("/message").is_string());
    reply.wrong_fields()
}

#[test]
fn a_body_that_is_no_object_is_refused_on_body_a7() {
    let stage = Stage::new();
    for body in [
        "",
        "{",
        "[]",
        "[{\"client_id\":1}]",
        "\"text\"",
        "null",
        "7",
        "{\"a\":\"\u{1}\"}",
        "{\"a\":1e999",
        "{\"a\":1e999}}",
    ] {
        let reply = stage.acme.send("POST", PROVISION, body.as_bytes());
        assert_eq!(errors_of(reply), ["body"], "{body:.40}");
    }
    let invalid_utf8 = stage
        .acme
        .send("POST", PROVISION, b"{\"hostname\":\"\xFF\"}");
    assert_eq!(errors_of(invalid_utf8), ["body"]);
}

/// Valid JSON that few can hold in memory.
fn odd_values() -> [String; 4] {
    let nested = format!("{}1{}", "[".repeat(200_000), "]".repeat(200_000));
    let digits = "9".repeat(400);
    ["1e999".to_owned(), digits, "\"\\ud800\"".to_owned(), nested]
}

#[test]
fn what_nobody_looks_at_may_be_any_json_a9() {
    let stage = Stage::new();
    for (last, odd) in (1..).zip(odd_values()) {
        let body =
            format!(r#"{{"client_id":1,"x":{odd},"\ud800":0,"ip_address":"192.0.2.{last}"}}"#);
        stage
            .acme
            .send("POST", PROVISION, body.as_bytes())
            .expect(201);
    }
}

#[test]
fn a_value_that_no_field_can_hold_is_wrong_in_its_field_a8() {
    let stage = Stage::new();
    for odd in odd_values() {
        for field in ["client_id", "mrr", "hostname"] {
            let sent = json!({ "client_id": 1, "mrr": 1, "hostname": "h", "ip_address": "::1" });
            let good = format!("\"{field}\":{}", sent[field]);
            let body = sent.to_string();
            let body = body.replace(&good, &format!("\"{field}\":{odd}"));
            let reply = stage.acme.send("POST", PROVISION, body.as_bytes());
            assert_eq!(errors_of(reply), [field], "{odd:.20}");
        }
        let service = format!(
            r#"{{"service_id":{odd},"client_id":1,"product_slug":"endpoint","status":"active"}}"#
        );
        let reply = stage.acme.send(
            "POST",
            "/api/v1/billing/sync-services",
            format!(r#"{{"services":[{service}]}}"#).as_bytes(),
        );
        assert_eq!(errors_of(reply), ["services.0.service_id"], "{odd:.20}");
        let price =
            format!(r#"{{"product_slug":"domain_monitoring","price":{odd},"currency":"EUR"}}"#);
        let reply = stage
            .acme
            .send("POST", "/api/v1/billing/pricing", price.as_bytes());
        assert_eq!(errors_of(reply), ["price"], "{odd:.20}");
    }
}

#[test]
fn a_body_over_one_mebibyte_is_too_large_in_the_place_of_validation_a7() {
    let stage = Stage::new();
    let sized = |size: usize| {
        let frame = r#"{"client_id":1,"ip_address":"192.0.2.1","x":""}"#;
        frame.replace("\"\"", &format!("\"{}\"", "x".repeat(size - frame.len())))
    };
    stage
        .acme
        .send("POST", PROVISION, sized(1 << 20).as_bytes())
        .expect(201);
    let over = sized((1 << 20) + 1);
    let reply = stage
        .acme
        .send("POST", PROVISION, over.as_bytes())
        .expect(413);
    assert_eq!(reply.at("/status"), "error");
    assert_eq!(reply.wrong_fields(), ["body"]);
    stage
        .anyone
        .send("POST", PROVISION, over.as_bytes())
        .expect(401);
    stage
        .acme
        .send("POST", "/api/v1/nothing", over.as_bytes())
        .expect(404);
}

#[test]
fn a_body_has_ten_thousand_values_at_most_a7() {
    let stage = Stage::new();
    let send = |path: &str, body: &str| stage.acme.send("POST", path, body.as_bytes());
    let with =
        |items: &str| format!(r#"{{"client_id":1,"ip_address":"192.0.2.1","x":[{items}0]}}"#);
    // The object, its list, and two members more.
    send(PROVISION, &with(&"0,".repeat(9_996))).expect(201);
    for (path, body) in [
        (PROVISION, with(&"0,".repeat(9_997))),
        (PROVISION, with(&r#"{"a":0},"#.repeat(100_000))),
        ("/api/v1/billing/sync-services", {
            let surplus: String = (0..90_000).map(|name| format!(r#""{name}":0,"#)).collect();
            format!(r#"{{"services":[{{{surplus}"status":"active"}}]}}"#)
        }),
    ] {
        let refused = send(path, &body).expect(422);
        assert_eq!(refused.wrong_fields(), ["body"]);
        let sentence = refused.at("/errors/body/0").to_string();
        assert!(sentence.contains("10000 values"), "{sentence}");
    }
    let text = r#",[{"\"#.repeat(20_000);
    let body = json!({ "client_id": 1, "ip_address": "192.0.2.1", "x": text });
    send(PROVISION, &body.to_string()).expect(200);
}

#[test]
fn an_admin_body_has_fifty_thousand_values_at_most_but_for_states_and_ports_m2() {
    let stage = Stage::new();
    let send = |method: &str, path: &str, body: &str| {
        let refused = stage.anyone.send(method, path, body.as_bytes()).expect(400);
        refused.at("/error").to_string()
    };
    let customers = |count: usize| {
        let customers = r#"{"a":1},"#.repeat(count);
        format!(r#"{{"name":"x","fixtures":{{"customers":[{customers}{{}}]}}}}"#)
    };
    let told = send("POST", "/_mock/tenants", &customers(24_000));
    assert!(
        told.contains("customers.49.") && told.contains("more."),
        "{told}"
    );
    for (method, path) in [
        ("POST", "/_mock/tenants"),
        ("PUT", "/_mock/tenants/acme/progress"),
    ] {
        let told = send(method, path, &customers(26_000));
        assert!(told.contains("50000 values"), "{told}");
    }
    let told = send("PUT", "/_mock/state", &customers(26_000));
    assert!(told.contains("no format"), "{told}");
    let told = send("PUT", "/_mock/tenants/acme/state", &customers(26_000));
    assert!(told.contains("no format"), "{told}");
    let open = (1..=20_000).map(|port| format!(r#"{{"port":{port},"protocol":"tcp"}}"#));
    let ports = format!(r#"{{"open":[{}]}}"#, open.collect::<Vec<_>>().join(","));
    let made = json!({ "client_id": 1, "ip_address": "192.0.2.1" });
    let made = stage.acme.post(PROVISION, made).expect(201);
    let id = made
        .at("/data/endpoint_id")
        .as_str()
        .expect("an id")
        .to_owned();
    let path = format!("/_mock/endpoints/{id}/ports");
    stage
        .anyone
        .send("PUT", &path, ports.as_bytes())
        .expect(204);
}

#[test]
fn content_type_is_not_looked_at_and_the_last_of_doubled_keys_counts_a7() {
    let stage = Stage::new();
    let caller = stage.acme.with("Content-Type", "text/plain");
    let body = br#"{"client_id":"no","client_id":9,"ip_address":"192.0.2.1"}"#;
    caller.send("POST", PROVISION, body).expect(201);
    let list = stage.acme.get("/api/v1/endpoints?billing_customer_id=9");
    assert_eq!(list.at("/meta/total"), 1);
}

#[test]
fn a_body_on_get_is_ignored_a7() {
    let stage = Stage::new();
    stage
        .acme
        .send("GET", "/api/v1/endpoints", b"not json")
        .expect(200);
    let large = vec![b'x'; (1 << 20) + 1];
    stage
        .acme
        .send("GET", "/api/v1/endpoints", &large)
        .expect(200);
}

#[test]
fn a_get_is_answered_before_its_body_came_a7() {
    let stage = Stage::new();
    let address = stage.server.url().trim_start_matches("http://");
    for promised in [10, u64::from(u32::MAX)] {
        let mut stream = std::net::TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
        let head = format!(
            "GET /api/v1/health HTTP/1.1\r\nHost: {address}\r\nContent-Length: {promised}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("sent");
        let mut status = [0; 15];
        stream.read_exact(&mut status).expect("an answer");
        assert_eq!(&status, b"HTTP/1.1 200 OK");
    }
}

#[test]
fn every_failing_field_is_reported_at_once_a8() {
    let stage = Stage::new();
    let reply = stage.acme.post(
        PROVISION,
        json!({
            "client_id": 0,
            "ip_address": "203.0.113.300",
            "service_id": "7",
            "hostname": "x".repeat(256),
            "client_name": 7,
            "client_email": "nobody",
            "product_slug": "p".repeat(51),
            "plan_slug": true,
            "mrr": 0,
        }),
    );
    assert_eq!(
        errors_of(reply),
        [
            "client_email",
            "client_id",
            "client_name",
            "hostname",
            "ip_address",
            "mrr",
            "plan_slug",
            "product_slug",
            "service_id",
        ]
    );
}

#[test]
fn a_host_name_may_have_underscores_and_its_sentence_says_so_a20() {
    let stage = Stage::new();
    let send = |hostname: &str| {
        let body = json!({ "client_id": 1, "hostname": hostname });
        stage.acme.post(PROVISION, body)
    };
    send("_dmarc.my_host").expect(201);
    let refused = send("my host").expect(422);
    let sentence = refused.at("/errors/hostname/0").to_string();
    assert!(sentence.contains("underscores"), "{sentence}");
}

#[test]
fn sentences_name_the_field_and_what_it_must_be_a8() {
    let stage = Stage::new();
    let reply = stage
        .acme
        .post(PROVISION, json!({ "ip_address": "203.0.113.10" }))
        .expect(422);
    assert_eq!(
        reply.at("/errors/client_id"),
        json!(["The client_id field is required."])
    );
    let reply = stage
        .acme
        .post(PROVISION, json!({ "client_id": 0 }))
        .expect(422);
    assert_eq!(
        reply.at("/errors/client_id"),
        json!(["The client_id must be an integer of at least 1."])
    );
}

#[test]
fn types_are_strict_a8() {
    let stage = Stage::new();
    for client in [
        "\"42\"",
        "1.0",
        "1e2",
        "9223372036854775808",
        "-1",
        "0",
        "true",
        "[]",
        "{}",
    ] {
        let body = format!(r#"{{"client_id":{client},"ip_address":"192.0.2.1"}}"#);
        let reply = stage.acme.send("POST", PROVISION, body.as_bytes());
        assert_eq!(errors_of(reply), ["client_id"], "{client}");
    }
    let body = br#"{"client_id":9223372036854775807,"ip_address":"192.0.2.1"}"#;
    stage.acme.send("POST", PROVISION, body).expect(201);
}

#[test]
fn null_is_absent_where_optional_and_missing_where_required_a8() {
    let stage = Stage::new();
    let body = json!({
        "client_id": 1, "ip_address": "192.0.2.1", "service_id": null, "hostname": null,
        "client_name": null, "client_email": null, "product_slug": null, "plan_slug": null, "mrr": null,
    });
    stage.acme.post(PROVISION, body).expect(201);
    let reply = stage.acme.post(
        PROVISION,
        json!({ "client_id": null, "ip_address": "192.0.2.1" }),
    );
    assert_eq!(errors_of(reply), ["client_id"]);
}

#[test]
fn query_values_are_read_from_text_and_the_last_of_repeated_ones_counts_a8() {
    let stage = Stage::new();
    stage.endpoint(42, "192.0.2.1");
    let total = |query: &str| {
        stage
            .acme
            .get(&format!("/api/v1/endpoints?{query}"))
            .expect(200)
            .at("/meta/total")
    };
    assert_eq!(total("billing_customer_id=42"), 1);
    assert_eq!(total("billing_customer_id=1&billing_customer_id=42"), 1);
    assert_eq!(total("billing_customer_id=42&billing_customer_id=1"), 0);
    assert_eq!(total("unknown=&status=active"), 1);
    for query in [
        "billing_customer_id=",
        "billing_customer_id=0",
        "billing_customer_id=4x",
        "billing_customer_id=1.0",
        "status=",
        "status=Active",
        "status=terminated",
        "page=0",
        "page=",
        "per_page=0",
        "per_page=101",
    ] {
        let reply = stage.acme.get(&format!("/api/v1/endpoints?{query}"));
        let name = query.split('=').next().unwrap_or_default().to_owned();
        assert_eq!(errors_of(reply), [name], "{query}");
    }
}

#[test]
fn lengths_count_unicode_scalar_values_a8() {
    let stage = Stage::new();
    let nickname = |length: usize| json!({ "billing_customer_id": 1, "ip_address": "192.0.2.1", "nickname": "😀".repeat(length) });
    assert_eq!(
        errors_of(stage.acme.post("/api/v1/endpoints", nickname(256))),
        ["nickname"]
    );
    stage
        .acme
        .post("/api/v1/endpoints", nickname(255))
        .expect(201);
}

#[test]
fn unknown_body_fields_are_ignored_a9() {
    let stage = Stage::new();
    let body = json!({ "client_id": 1, "ip_address": "192.0.2.1", "whatever": { "deep": [1] } });
    stage.acme.post(PROVISION, body).expect(201);
}

#[test]
fn numbers_have_their_documented_bounds() {
    let stage = Stage::new();
    let mrr = |mrr: Value| {
        stage.acme.post(
            PROVISION,
            json!({ "client_id": 1, "ip_address": "192.0.2.1", "mrr": mrr }),
        )
    };
    for outside in [json!(0.0099), json!(9999.991), json!(-1), json!(10000)] {
        assert_eq!(errors_of(mrr(outside)), ["mrr"]);
    }
    mrr(json!(0.01)).expect(201);
    mrr(json!(9999.99)).expect(200);
    mrr(json!(5)).expect(200);
}

#[test]
fn an_email_address_needs_a_user_and_a_host_a20() {
    let stage = Stage::new();
    let call = |email: &str| {
        stage.acme.post(
            PROVISION,
            json!({ "client_id": 1, "ip_address": "192.0.2.1", "client_email": email }),
        )
    };
    for wrong in ["", "a", "a@", "@b", "a@b@c", "a b@c", "a@b c"] {
        assert_eq!(errors_of(call(wrong)), ["client_email"], "{wrong}");
    }
    call("root@localhost").expect(201);
}

#[test]
fn an_operation_that_takes_no_body_looks_at_none_however_long_a7() {
    let stage = Stage::new();
    let id = stage.endpoint(42, "192.0.2.1");
    let long = vec![b'x'; 2 * 1024 * 1024];
    let path = format!("/api/v1/endpoints/{id}");
    stage.acme.send("GET", &path, &long).expect(200);
    stage.acme.send("DELETE", &path, &long).expect(204);
}

#[test]
fn a_client_that_asks_first_is_not_let_send_a_body_that_is_too_long() {
    let stage = Stage::new();
    let address = stage.server.url().trim_start_matches("http://").to_owned();
    let mut stream = std::net::TcpStream::connect(&address).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    let head = format!(
        "POST {PROVISION} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer test_key_acme\r\n\
         Expect: 100-continue\r\nContent-Length: 2000000\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("a head");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
}

/// A call whose body has begun and has not ended.
fn begun(stage: &Stage, key: &str, begun: &[u8]) -> std::net::TcpStream {
    let address = stage.server.url().trim_start_matches("http://").to_owned();
    let mut stream = std::net::TcpStream::connect(&address).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a time-out");
    let head = format!(
        "POST {PROVISION} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\
         Content-Length: 1048576\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("a head");
    stream.write_all(begun).expect("a part of a body");
    stream
}

#[test]
fn the_key_is_looked_at_before_the_body_is_there_a5() {
    let stage = Stage::new();
    for key in ["wrong", "test_key_orphan"] {
        let mut stream = begun(&stage, key, b"{\"client_id\":");
        let mut status = [0; 12];
        stream.read_exact(&mut status).expect("an answer");
        assert_eq!(&status, b"HTTP/1.1 401");
    }
    let calls = stage.anyone.get("/_mock/requests").expect(200);
    assert_eq!(calls.at("/requests/0/status"), 401);
    assert_eq!(calls.at("/requests/0/body"), Value::Null);
}

#[test]
fn a_fault_for_everybody_still_looks_into_bodies_m11() {
    let stage = Stage::new().unjudged();
    let fault = json!({ "match": { "client_id": 7 }, "effect": { "status": 503 } });
    stage.anyone.post("/_mock/faults", fault).expect(201);
    stage
        .anyone
        .post(PROVISION, json!({ "client_id": 7 }))
        .expect(503);
    stage
        .anyone
        .post(PROVISION, json!({ "client_id": 8 }))
        .expect(401);
}

#[test]
fn large_bodies_have_room_up_to_a_bound_and_small_ones_always_a7() {
    let stage = Stage::of(|builder| builder.rate_limit(secmon_mock::RateLimit::Off)).unjudged();
    let frame = r#"{"client_id":1,"ip_address":"192.0.2.1","x":""}"#;
    let large = frame.replace(
        "\"\"",
        &format!("\"{}\"", "x".repeat((1 << 20) - frame.len())),
    );
    let send_large = || stage.acme.send("POST", PROVISION, large.as_bytes());
    send_large().expect(201);
    let hold = || begun(&stage, "test_key_acme", &large.as_bytes()[1..]);
    let mut held: Vec<_> = (0..120).map(|_| hold()).collect();
    let refused = answer_in_time(503, || {
        held.push(hold());
        send_large()
    });
    assert_eq!(refused.header("retry-after"), Some("1"));
    stage.endpoint(1, "192.0.2.2");
    drop(held);
    answer_in_time(200, send_large);
}

/// The first answer with this status, of a call that is made again and again.
fn answer_in_time(status: u16, mut call: impl FnMut() -> Reply) -> Reply {
    let end = std::time::Instant::now() + PATIENCE;
    loop {
        let reply = call();
        if reply.status == status {
            return reply;
        }
        assert!(std::time::Instant::now() < end, "still {}", reply.status);
    }
}

#[test]
fn a_head_is_shorter_where_there_are_many_connections() {
    // In a process of its own: each connection takes a descriptor at both ends.
    let program = crate::program::Program::start(&[]);
    let with_head = |length: usize| {
        let caller = program
            .caller()
            .unjudged()
            .with("X-Long", &"x".repeat(length));
        caller.get("/api/v1/health")
    };
    with_head(380_000).expect(200);
    let open = || {
        std::net::TcpStream::connect(program.url.trim_start_matches("http://"))
            .expect("a connection")
    };
    let crowd: Vec<_> = (0..300).map(|_| open()).collect();
    answer_in_time(431, || with_head(380_000));
    with_head(60_000).expect(200);
    drop(crowd);
    answer_in_time(200, || with_head(380_000));
}
