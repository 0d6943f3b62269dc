//! Notices: an offender and a near miss of each (M10).

use serde_json::{Value, json};

use crate::client::{Caller, Stage};

pub(crate) const RULES: &str = "/api/v1/whitelists";

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
fn only_a_name_that_is_near_and_was_not_sent_is_suggested_m10() {
    let stage = Stage::new();
    let told = |name: &str, instead: &str| {
        let mut body = json!({ "client_id": 42, "ip_address": "192.0.2.1" });
        body[name] = json!("x");
        stage.acme.post("/api/v1/billing/provision", body);
        let sentence = format!("account acme: provision_endpoint has no field {name}; {instead}");
        assert_eq!(noticed(&stage), [("unknown_field".to_owned(), sentence)]);
    };
    for name in ["clientid", "clientId", "customer_id"] {
        told(name, "client_id was sent already, leave this one out");
    }
    for name in ["ip", "ipAddress"] {
        told(name, "ip_address was sent already, leave this one out");
    }
    told("email", "did you mean client_email?");
    told("name", "did you mean client_name?");
    told("plan", "did you mean plan_slug?");
    told("hsotname", "did you mean hostname?");
    for name in ["notes", "userId", "foo", "tenant"] {
        told(name, "leave it out");
    }
    let told = |query: &str, instead: &str| {
        let list = format!("/api/v1/endpoints?billing_customer_id=42&{query}=1");
        stage.acme.get(&list).expect(200);
        let sentence = format!("account acme: list_endpoints has no parameter {query}; {instead}");
        assert_eq!(
            noticed(&stage),
            [("unknown_parameter".to_owned(), sentence)]
        );
    };
    for name in ["page_size", "limit", "perPage"] {
        told(name, "did you mean per_page?");
    }
    told(
        "customer_id",
        "billing_customer_id was sent already, leave this one out",
    );
    for name in ["cursor", "sort", "q", "search", "offset"] {
        told(name, "leave it out");
    }
}

#[test]
fn an_inner_name_is_held_against_those_of_its_object_m10() {
    let stage = Stage::new();
    let told = |name: &str, instead: &str| {
        let mut service = json!({
            "service_id": 1, "client_id": 42, "product_slug": "endpoint", "status": "active",
        });
        service[name] = json!(1);
        let body = json!({ "services": [service] });
        stage.acme.post("/api/v1/billing/sync-services", body);
        let sentence =
            format!("account acme: sync_services has no field services.{name}; {instead}");
        assert_eq!(noticed(&stage), [("unknown_field".to_owned(), sentence)]);
    };
    told(
        "clientid",
        "services.client_id was sent already, leave this one out",
    );
    told("extra", "leave it out");
    told("module_versio", "leave it out");
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
    let server = stage.endpoint(42, "192.0.2.1");
    stage.endpoint(42, "192.0.2.2");
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
    let one = format!("/api/v1/endpoints/{server}?per_page=1");
    stage.acme.get(&one).expect(200);
    assert!(
        last(&stage).contains(&"no_customer".to_owned()),
        "a record is no list"
    );
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

#[test]
fn a_path_or_method_that_does_not_exist_is_noticed_with_the_nearest_operation_m10() {
    let stage = Stage::new();
    let key_in_path = "/api/v1/test_key_acme/endpoints";
    let told = [
        (
            "POST",
            "/api/v1/provisioning/scan-endpoint",
            "POST /api/v1/provisioning/scan-endpoint; did you mean scan_endpoint, which is POST /api/v1/billing/scan-endpoint?",
        ),
        (
            "POST",
            "/api/v1/billing/provison",
            "POST /api/v1/billing/provison; did you mean provision_endpoint, which is POST /api/v1/billing/provision?",
        ),
        (
            "GET",
            "/api/v1/endpoints/7/details",
            "GET /api/v1/endpoints/7/details; did you mean get_endpoint_detail, which is GET /api/v1/endpoints/{endpoint}/detail?",
        ),
        (
            "DELETE",
            "/api/v1/endpoints",
            "DELETE /api/v1/endpoints; did you mean delete_endpoint, which is DELETE /api/v1/endpoints/{endpoint}?",
        ),
        (
            "GET",
            key_in_path,
            "GET /api/v1/****/endpoints; did you mean list_endpoints, which is GET /api/v1/endpoints?",
        ),
    ];
    for (method, path, sentence) in told {
        let status = stage.acme.send(method, path, b"").status;
        assert!([404, 405].contains(&status), "{path}");
        let sentence = format!("account acme: there is no {sentence}");
        assert_eq!(noticed(&stage), [("no_such_path".to_owned(), sentence)]);
    }
    let unknown = format!(
        "/api/v1/endpoints/{}?billing_customer_id=42",
        crate::client::NOBODY
    );
    stage.acme.get(&unknown).expect(404);
    assert_eq!(
        last(&stage),
        no_codes(),
        "the record is missing, not the path"
    );
    let nowhere = "/api/v1/provisioning/scan-endpoint";
    stage
        .acme
        .with_key("wrong")
        .post(nowhere, json!({}))
        .expect(404);
    assert_eq!(last(&stage), no_codes(), "the key is nobody's");
    let staff = stage.acme.and("user-agent", "secmon-cli/1.0");
    staff.post(nowhere, json!({})).expect(404);
    assert_eq!(last(&stage), no_codes(), "staff");
}

#[test]
fn a_rule_that_loses_its_end_is_noticed_m10() {
    let stage = Stage::new();
    let ends = json!({ "billing_customer_id": 42, "expires_at": "2030-01-01" });
    stage.endpoint(42, "192.0.2.1");
    let made = stage.acme.post(RULES, rule_with(ends.clone())).expect(201);
    let path = format!("{RULES}/{}", crate::client::text(&made.at("/data/id")));
    let change = |members: Value| {
        stage.acme.put(&path, rule_with(members)).expect(200);
        noticed(&stage)
    };
    let of_customer = json!({ "billing_customer_id": 42 });
    let sentence = "account acme: update_rule was not sent expires_at, and the rule, which had an end, has none now; send expires_at with each change, or null where the rule is to have no end";
    let told = [("rule_lost_its_end".to_owned(), sentence.to_owned())];
    assert_eq!(change(ends.clone()), [], "it was sent again");
    assert_eq!(change(of_customer.clone()), told);
    assert_eq!(change(of_customer), [], "it had none any more");
    assert_eq!(change(ends), []);
    let without = json!({ "billing_customer_id": 42, "expires_at": null });
    assert_eq!(change(without), [], "no end is meant");
}
