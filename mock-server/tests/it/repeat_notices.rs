//! Notices about calls that come again: after a lost answer, before another is over, before they may (M10).

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::Stage;
use crate::notices::{RULES, last, no_codes, noticed};

fn rule(endpoint: &str) -> Value {
    json!({
        "billing_customer_id": 42, "endpoint_id": endpoint, "scope": "endpoint",
        "port_start": 22, "protocol": "tcp", "justification": "The office needs it.",
    })
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
fn a_repeat_after_an_answer_that_tells_nothing_is_noticed_m10() {
    let stage = Stage::new().unjudged();
    stage.slots(42, 1);
    let answer = |effect: Value| {
        let fault = json!({ "operation": "change_subscription", "effect": effect });
        stage.anyone.post("/_mock/faults", fault).expect(201);
    };
    let mut quantity = 1;
    let mut codes = |effect: Value| {
        quantity += 1;
        let body = json!({
            "client_id": 42, "service_id": 501, "product_slug": "domain_monitoring",
            "new_quantity": quantity,
        });
        let change = || {
            stage
                .acme
                .post("/api/v1/billing/change-subscription", body.clone())
        };
        answer(effect.clone());
        change();
        assert_eq!(last(&stage), no_codes(), "{effect}");
        // A bare 503 asks for a second.
        stage.advance(2);
        change();
        (last(&stage), noticed(&stage))
    };
    for status in [500, 502, 503, 504] {
        let (codes, told) = codes(json!({ "status": status }));
        assert_eq!(codes, ["unsafe_repeat"], "{status}");
        let said =
            format!(", which was answered {status} and which may have acted; read back first");
        assert!(told[0].1.ends_with(&said), "{told:?}");
    }
    let html = json!({ "status": 502, "body": "<h1>Bad gateway</h1>" });
    assert_eq!(codes(html).0, ["unsafe_repeat"]);
    let unknown = json!({ "status": 503, "code": "SCANING_UNAVAILABLE" });
    assert_eq!(codes(unknown).0, ["unsafe_repeat"]);
    for (status, code) in [
        (503, "SCANNING_UNAVAILABLE"),
        (500, "SCAN_DISPATCH_FAILED"),
        (500, "USER_NOT_FOUND"),
        (422, "SUBSCRIPTION_NOT_CHANGEABLE"),
    ] {
        let (codes, _) = codes(json!({ "status": status, "code": code }));
        assert_eq!(codes, no_codes(), "{code}");
    }
}

#[test]
fn an_answer_that_tells_nothing_is_no_matter_after_a_read_or_of_a_call_that_may_come_twice_m10() {
    let stage = Stage::new().unjudged();
    let endpoint = stage.endpoint(42, "192.0.2.1");
    let answer = |operation: &str| {
        let fault = json!({ "operation": operation, "effect": { "status": 500 } });
        stage.anyone.post("/_mock/faults", fault).expect(201);
    };
    answer("create_rule");
    stage.acme.post(RULES, rule(&endpoint)).expect(500);
    let rules = format!("{RULES}?billing_customer_id=42");
    stage.acme.get(&rules).expect(200);
    stage.acme.post(RULES, rule(&endpoint)).expect(201);
    assert_eq!(last(&stage), no_codes(), "it was read back");

    answer("provision_endpoint");
    let provision = |customer: u64| {
        let body = json!({ "client_id": customer, "ip_address": "192.0.2.2" });
        stage.acme.post("/api/v1/billing/provision", body)
    };
    provision(42).expect(500);
    provision(42).expect(201);
    assert_eq!(last(&stage), no_codes(), "provisioning may be repeated");
    answer("provision_endpoint");
    provision(43).expect(500);
    provision(44).expect(201);
    assert_eq!(last(&stage), no_codes(), "no answer was lost");
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
    assert!(
        noticed(&stage)[0]
            .1
            .contains("the account's clock stands still"),
        "waiting does not help"
    );
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
fn who_waits_in_real_time_is_not_told_that_a_clock_stands_m10() {
    let stage = Stage::new().unjudged();
    let refuse = |seconds: u64| {
        let effect = json!({ "status": 429, "retry_after": seconds });
        let fault = json!({ "operation": "list_domains", "effect": effect });
        stage.anyone.post("/_mock/faults", fault).expect(201);
    };
    let read = || {
        stage.acme.get("/api/v1/domains?billing_customer_id=42");
        last(&stage)
    };
    refuse(1);
    assert_eq!(read(), no_codes());
    assert_eq!(read(), ["too_early"], "it did not wait");
    let asked = Instant::now();
    while read() == ["too_early"] {
        assert!(
            asked.elapsed() < Duration::from_secs(60),
            "it waits for good"
        );
        // So few reads fill no window meanwhile.
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(
        last(&stage),
        no_codes(),
        "it waited as long as it was asked to"
    );
    refuse(60);
    assert_eq!(read(), no_codes());
    assert_eq!(read(), ["too_early"], "it did not wait for the other one");
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
fn a_call_before_retry_after_is_told_to_wait_while_time_passes_m10() {
    let stage = Stage::of_real_time();
    let scanned = stage.scanned_endpoint(42, "192.0.2.1");
    let scan = || {
        let body = json!({ "client_id": 42, "endpoint_id": scanned });
        stage.acme.post("/api/v1/billing/scan-endpoint", body);
        noticed(&stage)
    };
    scan();
    scan();
    let [(code, sentence)] = &scan()[..] else {
        panic!("one notice");
    };
    assert_eq!(code, "too_early");
    assert!(
        sentence.ends_with("is over; wait until it is"),
        "{sentence}"
    );
}

#[test]
fn a_repeat_for_another_customer_is_noticed_after_a_lost_answer_m10() {
    let stage = Stage::new();
    let lose_next = |operation: &str| {
        let fault = json!({ "operation": operation, "effect": { "close": "after" } });
        stage.anyone.post("/_mock/faults", fault).expect(201);
    };
    let provision = |customer: u64, address: &str| {
        let body = json!({ "client_id": customer, "ip_address": address }).to_string();
        let path = "/api/v1/billing/provision";
        stage.acme.try_send("POST", path, body.as_bytes())
    };
    lose_next("provision_endpoint");
    provision(42, "192.0.2.1").expect_err("no answer");
    provision(42, "192.0.2.1").expect("an answer");
    assert_eq!(last(&stage), no_codes(), "the same customer");
    provision(43, "192.0.2.2").expect("an answer");
    assert_eq!(last(&stage), no_codes(), "another address");
    provision(43, "192.0.2.1").expect("an answer");
    assert_eq!(last(&stage), ["changed_repeat"]);
    assert!(noticed(&stage)[0].1.contains("customer 42"));

    lose_next("provision_endpoint");
    provision(42, "192.0.2.3").expect_err("no answer");
    let read = "/api/v1/endpoints?billing_customer_id=42";
    stage.acme.get(read).expect(200);
    provision(43, "192.0.2.3").expect("an answer");
    assert_eq!(last(&stage), no_codes(), "it was read back");
}

#[test]
fn half_an_answer_is_lost_and_health_is_no_reading_back_m10() {
    let stage = Stage::new();
    let endpoint = stage.endpoint(42, "192.0.2.1");
    let body = rule(&endpoint).to_string();
    let create = || stage.acme.try_send("POST", RULES, body.as_bytes());
    let fault = json!({ "operation": "create_rule", "effect": { "close": "mid_body" } });
    stage.anyone.post("/_mock/faults", fault).expect(201);
    create().expect_err("half an answer");
    stage.acme.get("/api/v1/health").expect(200);
    create().expect("an answer");
    assert_eq!(last(&stage), ["unsafe_repeat"]);
    create().expect("an answer");
    assert_eq!(last(&stage), no_codes(), "the answer before tells all");
}

#[test]
fn a_repeat_while_the_first_call_is_worked_on_is_noticed_m10() {
    let stage = Stage::of_real_time();
    let one = stage.endpoint(42, "192.0.2.1");
    let other = stage.endpoint(42, "192.0.2.2");
    let slow = json!({
        "operation": "create_rule", "match": { "port_start": 22 }, "effect": { "latency_ms": 3000 },
    });
    stage.anyone.post("/_mock/faults", slow).expect(201);
    let create = |endpoint: &str| {
        stage.acme.post(RULES, rule(endpoint));
        last(&stage)
    };
    let codes = std::thread::scope(|scope| {
        let first = scope.spawn(|| create(&one));
        let arrived = Instant::now() + Duration::from_secs(60);
        let hits = || stage.anyone.get("/_mock/faults").at("/faults/0/hits");
        while hits() == 0 {
            assert!(Instant::now() < arrived, "it does not arrive");
        }
        // Only the first is slow.
        let repeated = create(&one);
        let another = create(&other);
        first.join().expect("an answer");
        let journal = stage
            .anyone
            .get("/_mock/requests?method=POST&path=*whitelists");
        let noticed = journal.at("/requests");
        let noticed = noticed.as_array().expect("a list").iter();
        let noticed = noticed.filter(|call| call["notices"][0]["code"] == "unsafe_repeat");
        (repeated, another, noticed.count())
    });
    assert_eq!(codes, (vec![], vec![], 1), "the one that ends last");
}

#[test]
fn a_sign_in_token_is_left_to_the_customers_next_click_m10() {
    let stage = Stage::new();
    stage.endpoint(42, "192.0.2.1");
    let fault = json!({ "operation": "create_sso_token", "effect": { "close": "after" } });
    stage.anyone.post("/_mock/faults", fault).expect(201);
    let token = || {
        let body = br#"{"billing_customer_id":42}"#;
        stage.acme.try_send("POST", "/api/v1/sso/token", body)
    };
    token().expect_err("no answer");
    token().expect("an answer");
    let sentence = "account acme: create_sso_token repeats call 2, whose answer was lost and which may have acted; let the customer open the portal again: a second token is as good as the first";
    assert_eq!(
        noticed(&stage),
        [("unsafe_repeat".to_owned(), sentence.to_owned())]
    );
}
