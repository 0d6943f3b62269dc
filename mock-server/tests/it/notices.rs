//! Notices: an offender and a near miss of each (M10).

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Caller, Stage};

const RULES: &str = "/api/v1/whitelists";

/// The codes of the notices of the last call.
pub(crate) fn last(stage: &Stage) -> Vec<String> {
    let codes = noticed(stage);
    codes.into_iter().map(|notice| notice.0).collect()
}

/// Code and sentence of the notices of the last call.
pub(crate) fn noticed(stage: &Stage) -> Vec<(String, String)> {
    let listed = stage.anyone.get("/_mock/requests?limit=1").expect(200);
    let call = listed.at("/requests/0");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let notices = call["notices"].as_array().into_iter().flatten();
    notices
        .map(|notice| (text(&notice["code"]), text(&notice["sentence"])))
        .collect()
}

pub(crate) fn no_codes() -> [String; 0] {
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
    let sentence = "account acme: provision_endpoint has no field hostnme; did you mean hostname?";
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
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!(read(), no_codes(), "it waited as long as it was asked to");
    refuse(60);
    assert_eq!(read(), no_codes());
    std::thread::sleep(Duration::from_millis(1100));
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

/// A rule that no call made before.
fn rule_with(members: Value) -> Value {
    let mut rule = json!({
        "port_start": 22, "protocol": "tcp", "justification": "The office needs it.",
    });
    for (name, value) in members.as_object().into_iter().flatten() {
        rule[name] = value.clone();
    }
    rule
}

#[test]
fn a_removal_without_the_customer_is_noticed_m10() {
    let stage = Stage::new();
    let one = stage.endpoint(42, "192.0.2.1");
    let other = stage.endpoint(42, "192.0.2.2");
    stage
        .acme
        .delete(&format!("/api/v1/endpoints/{one}"))
        .expect(204);
    assert_eq!(last(&stage), ["no_customer"]);
    assert!(noticed(&stage)[0].1.contains("account acme"));
    assert!(noticed(&stage)[0].1.ends_with("send billing_customer_id"));
    let in_its_body = json!({ "billing_customer_id": 42 }).to_string();
    let path = format!("/api/v1/endpoints/{one}");
    stage
        .acme
        .send("DELETE", &path, in_its_body.as_bytes())
        .expect(404);
    assert!(
        noticed(&stage)[0]
            .1
            .ends_with("billing_customer_id; send it in the query")
    );
    let named = format!("/api/v1/endpoints/{other}?billing_customer_id=42");
    stage.acme.delete(&named).expect(204);
    assert_eq!(last(&stage), no_codes());
}

#[test]
fn a_rule_of_the_whole_account_is_removed_without_a_customer_m10() {
    let stage = Stage::new();
    stage.endpoint(42, "192.0.2.1");
    let made = |members: Value| {
        let made = stage.acme.post(RULES, rule_with(members)).expect(201);
        format!("{RULES}/{}", crate::client::text(&made.at("/data/id")))
    };
    let of_account = made(json!({}));
    let of_customer = made(json!({ "port_start": 23, "billing_customer_id": 42 }));
    let named = format!("{of_account}?billing_customer_id=42");
    stage.acme.delete(&named).expect(404);
    stage.acme.delete(&of_account).expect(204);
    assert_eq!(last(&stage), no_codes(), "it is nobody's");
    stage.acme.delete(&of_customer).expect(204);
    assert_eq!(last(&stage), ["no_customer"]);
}

#[test]
fn a_read_of_one_record_is_no_list_of_every_customer_m10() {
    let stage = Stage::new();
    for number in 1..=3 {
        stage.endpoint(42, &format!("192.0.2.{number}"));
    }
    let read = |query: &str| {
        let list = format!("/api/v1/endpoints?{query}");
        stage.acme.get(&list).expect(200);
        noticed(&stage)
    };
    assert_eq!(read("per_page=1"), [], "a test of the key");
    assert_eq!(read("per_page=1&page=1"), []);
    let sentence = "account acme: list_endpoints without billing_customer_id shows every customer's records; send billing_customer_id where it is for a customer";
    let told = [("no_customer".to_owned(), sentence.to_owned())];
    for query in ["per_page=2", "per_page=1&page=2", ""] {
        assert_eq!(read(query), told, "{query}");
    }
}

#[test]
fn a_rule_for_every_customer_is_noticed_when_it_is_made_and_changed_m10() {
    let stage = Stage::new();
    stage.endpoint(42, "192.0.2.1");
    let made = stage.acme.post(RULES, rule_with(json!({}))).expect(201);
    assert_eq!(last(&stage), ["account_wide_rule"]);
    let advice = "account acme: create_rule allows the port for every customer; send billing_customer_id for one customer, or scope: endpoint with endpoint_id for one server";
    assert_eq!(noticed(&stage)[0].1, advice);
    let id = crate::client::text(&made.at("/data/id"));
    let changed = rule_with(json!({ "port_start": 23, "scope": "global" }));
    stage
        .acme
        .put(&format!("{RULES}/{id}"), changed)
        .expect(200);
    let advice = "account acme: update_rule allows the port for every customer; for one customer, create a rule with billing_customer_id in its place, and delete this one";
    assert_eq!(
        noticed(&stage),
        [("account_wide_rule".to_owned(), advice.to_owned())]
    );

    let of_a_customer = rule_with(json!({ "port_start": 24, "billing_customer_id": 42 }));
    let made = stage.acme.post(RULES, of_a_customer).expect(201);
    assert_eq!(last(&stage), no_codes(), "it is one customer's");
    let id = crate::client::text(&made.at("/data/id"));
    let changed = rule_with(json!({ "port_start": 25, "scope": "global" }));
    stage
        .acme
        .put(&format!("{RULES}/{id}"), changed)
        .expect(200);
    assert_eq!(last(&stage), no_codes(), "it stays that customer's");
}

#[test]
fn a_rule_for_more_than_1024_ports_is_noticed_m10() {
    let stage = Stage::new();
    let endpoint = stage.endpoint(42, "192.0.2.1");
    let ports = |first: u64, last: u64| {
        let ports = json!({
            "billing_customer_id": 42, "endpoint_id": endpoint,
            "port_start": first, "port_end": last,
        });
        stage.acme.post(RULES, rule_with(ports)).expect(201);
    };
    ports(1, 1024);
    assert_eq!(last(&stage), no_codes());
    ports(2000, 3024);
    assert_eq!(last(&stage), ["wide_rule"]);
    assert!(noticed(&stage)[0].1.contains("1025 ports"));
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
fn a_key_that_is_used_although_it_was_refused_five_times_is_noticed_m10() {
    let stage = Stage::new();
    let wrong = stage.acme.with_key("wrong");
    let refused = || {
        wrong.get("/api/v1/endpoints").expect(401);
        last(&stage)
    };
    for _ in 0..4 {
        assert_eq!(refused(), no_codes());
    }
    stage
        .acme
        .get("/api/v1/endpoints?billing_customer_id=42")
        .expect(200);
    assert_eq!(
        refused(),
        ["rejected_key"],
        "another key was answered meanwhile"
    );
    stage.acme.with_key("another").get("/api/v1/endpoints");
    assert_eq!(last(&stage), no_codes(), "another key");
    assert_eq!(refused(), ["rejected_key"]);
}

#[test]
fn a_key_that_is_answered_in_between_is_not_refused_in_a_row_m10() {
    let stage = Stage::new().unjudged();
    let list = "/api/v1/endpoints?billing_customer_id=42";
    for _ in 0..2 {
        let fault =
            json!({ "operation": "list_endpoints", "times": 4, "effect": { "status": 401 } });
        stage.anyone.post("/_mock/faults", fault).expect(201);
        for _ in 0..4 {
            stage.acme.get(list).expect(401);
            assert_eq!(last(&stage), no_codes());
        }
        stage.acme.get(list).expect(200);
    }
}

#[test]
fn keys_that_are_guessed_push_each_other_out_of_what_is_counted_m10() {
    let stage = Stage::new();
    let refused = |key: &str| {
        stage
            .acme
            .with_key(key)
            .get("/api/v1/endpoints")
            .expect(401);
        last(&stage)
    };
    for _ in 0..4 {
        refused("wrong");
    }
    for number in 0..300 {
        refused(&format!("guess {number}"));
    }
    assert_eq!(refused("wrong"), no_codes(), "it was pushed out");
}

#[test]
fn simulation_that_is_ignored_is_noticed_m10() {
    let stage = Stage::new();
    let made = |sandbox: bool| {
        let made = json!({ "sandbox": sandbox });
        let made = stage.anyone.post("/_mock/tenants", made).expect(201);
        let key = crate::client::text(&made.at("/api_key"));
        stage.anyone.with_key(&key).and("x-sandbox", "true")
    };
    for (sandbox, codes) in [(false, vec!["ignored_sandbox"]), (true, vec![])] {
        let body = json!({ "client_id": 42, "ip_address": "192.0.2.1" });
        made(sandbox).post("/api/v1/billing/provision", body);
        assert_eq!(last(&stage), codes);
    }
}

#[test]
fn a_forced_change_is_noticed_m10() {
    let stage = Stage::new();
    stage.slots(42, 3);
    let change = |force: bool| {
        let body = json!({
            "client_id": 42, "service_id": 501, "product_slug": "domain_monitoring",
            "new_quantity": 2, "force": force,
        });
        stage.acme.post("/api/v1/billing/change-subscription", body);
        last(&stage)
    };
    assert_eq!(change(true), ["forced_change"]);
    assert!(
        noticed(&stage)[0]
            .1
            .contains("change_subscription was sent force, which is for administrative overrides")
    );
    assert_eq!(change(false), no_codes());
}

#[test]
fn a_sign_in_token_that_is_used_twice_or_late_is_noticed_m10() {
    let stage = Stage::new();
    stage.endpoint(42, "192.0.2.1");
    let token = || {
        let body = json!({ "billing_customer_id": 42 });
        let made = stage.acme.post("/api/v1/sso/token", body).expect(200);
        crate::client::text(&made.at("/data/token"))
    };
    let sign_in = |token: &str| {
        stage.anyone.get(&format!("/sso?token={token}"));
        last(&stage)
    };
    let says = |why: &str| {
        noticed(&stage)[0]
            .1
            .contains(&format!("sign_in was sent a token that {why}"))
    };
    let first = token();
    assert_eq!(sign_in(&first), no_codes());
    assert_eq!(sign_in(&first), ["stale_token"]);
    assert!(says("was used before"));
    let late = token();
    stage.advance(61);
    assert_eq!(sign_in(&late), ["stale_token"]);
    assert!(says("has expired"));
    let forgotten = token();
    stage.advance(61);
    token();
    assert_eq!(sign_in(&forgotten), ["stale_token"]);
    assert!(says("has expired"));
    assert_eq!(sign_in("unknown"), no_codes(), "it is nobody's");
}

#[test]
fn staff_may_do_what_a_customers_area_must_not_m10() {
    let stage = Stage::new();
    let staff = stage.acme.and("user-agent", "secmon-cli/1.0");
    staff.post(RULES, rule_with(json!({}))).expect(201);
    assert_eq!(last(&stage), no_codes());
    for number in 1..=7 {
        stage.endpoint(42, &format!("192.0.2.{number}"));
    }
    for _ in 0..2 {
        staff.get("/api/v1/endpoints?per_page=6").expect(200);
        assert_eq!(last(&stage), no_codes());
    }
    stage
        .acme
        .post(RULES, rule_with(json!({ "port_start": 23 })))
        .expect(201);
    assert_eq!(last(&stage), ["account_wide_rule"]);
}

#[test]
fn staff_get_no_notices_but_the_tests_of_their_program_do_m10() {
    let stage = Stage::new();
    let tenant = stage.server.tenant();
    let customer = stage.anyone.with_key(tenant.api_key());
    let staff = customer.and("user-agent", "secmon-cli/1.0");
    let list = "/api/v1/endpoints?billing_customer_id=42&perpage=1";
    staff.get("/api/v1/endpoints").expect(200);
    tenant
        .verify_no_notices()
        .expect("staff see every customer");
    staff.get(list).expect(200);
    assert_eq!(last(&stage), no_codes());
    assert!(tenant.journal().iter().all(|call| call.notices.is_empty()));
    let told = tenant.verify_no_notices().expect_err("a misspelt name");
    assert!(told.contains("perpage"), "{told}");
    customer.get(list).expect(200);
    assert_eq!(last(&stage), ["unknown_parameter"]);
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
