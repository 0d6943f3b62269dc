//! The journal (M1, M6).

use secmon_mock::RateLimit;
use serde_json::{Value, json};

use std::io::Read;
use std::time::{Duration, Instant};

use crate::client::{self, Stage, text};

#[test]
fn the_journal_shows_calls_as_they_came_and_were_answered_m1() {
    let stage = Stage::new();
    stage.endpoint(42, "192.0.2.1");
    stage
        .acme
        .send("POST", "/api/v1/endpoints?page=1&x=%20", b"not json");
    stage.anyone.get("/api/v1/health");
    stage.anyone.get("/elsewhere");
    let journal = stage.anyone.get("/_mock/requests").expect(200);
    assert_eq!(journal.at("/dropped"), 0);
    let calls = journal.at("/requests");
    assert_eq!(calls.as_array().map(Vec::len), Some(3));
    assert_eq!(calls[0]["id"], 1);
    assert_eq!(calls[0]["at"], "2026-01-01T00:00:00+00:00");
    assert_eq!(calls[0]["tenant"], "acme");
    assert_eq!(calls[0]["method"], "POST");
    assert_eq!(calls[0]["path"], "/api/v1/billing/provision");
    assert_eq!(calls[0]["query"], Value::Null);
    assert_eq!(
        calls[0]["body"],
        json!({ "client_id": 42, "ip_address": "192.0.2.1" })
    );
    assert_eq!(calls[0]["status"], 201);
    assert_eq!(calls[0]["response"]["success"], true);
    assert!(calls[0]["duration_us"].is_u64());
    assert_eq!(calls[1]["query"], "page=1&x=%20");
    assert_eq!(calls[1]["body"], "not json");
    assert_eq!(calls[2]["tenant"], Value::Null);
    assert_eq!(calls[2]["body"], Value::Null);
}

#[test]
fn the_journal_shows_headers_without_credentials_m13() {
    // It meets a status that is not documented.
    let stage = Stage::new().unjudged();
    let call = |caller: &crate::client::Caller| {
        caller.get("/api/v1/endpoints?billing_customer_id=42");
        let listed = stage.anyone.get("/_mock/requests?limit=1").expect(200);
        listed.at("/requests/0")
    };
    let caller = stage
        .acme
        .and("x-order", "7")
        .and("x-order", "8")
        .and("cookie", "session=secret")
        .and("x-copy", "of test_key_acme");
    let shown = call(&caller);
    let sent = &shown["request_headers"];
    assert_eq!(sent["x-order"], json!(["7", "8"]));
    assert_eq!(sent["authorization"], json!(["****"]));
    assert_eq!(sent["cookie"], json!(["****"]));
    assert_eq!(sent["x-copy"], json!(["of ****"]));
    assert_eq!(
        shown["response_headers"],
        json!({ "content-type": ["application/json"] })
    );
    let shown = call(&stage.acme.with_key("unknown-key"));
    assert!(!shown.to_string().contains("unknown-key"), "{shown}");

    let fault = json!({ "effect": { "status": 503, "retry_after": "soon" } });
    stage.anyone.post("/_mock/faults", fault).expect(201);
    assert_eq!(
        call(&stage.acme)["response_headers"]["retry-after"],
        json!(["soon"])
    );
    let fault = json!({ "effect": { "close": "before" } });
    stage.anyone.post("/_mock/faults", fault).expect(201);
    let path = "/api/v1/endpoints";
    stage
        .acme
        .try_send("GET", path, b"")
        .expect_err("no answer");
    let listed = stage.anyone.get("/_mock/requests?limit=1").expect(200);
    assert_eq!(listed.at("/requests/0/response_headers"), json!({}));
}

#[test]
fn the_journal_filters_and_forgets_m1() {
    let stage = Stage::new();
    stage.endpoint(42, "192.0.2.1");
    stage.acme.get("/api/v1/endpoints");
    stage
        .anyone
        .with_key("test_key_globex")
        .get("/api/v1/endpoints");
    stage.anyone.get("/api/v1/endpoints");
    let ids = |query: &str| -> Vec<u64> {
        let calls = stage
            .anyone
            .get(&format!("/_mock/requests{query}"))
            .expect(200)
            .at("/requests");
        calls
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|call| call["id"].as_u64())
            .collect()
    };
    assert_eq!(ids(""), [1, 2, 3, 4]);
    assert_eq!(ids("?tenant=acme"), [1, 2]);
    assert_eq!(ids("?method=POST"), [1]);
    assert_eq!(ids("?path=/api/*/endpoints"), [2, 3, 4]);
    assert_eq!(ids("?status=401"), [4]);
    assert_eq!(ids("?limit=2"), [3, 4]);
    assert_eq!(ids("?tenant=acme&limit=1"), [2]);
    stage
        .anyone
        .get("/_mock/requests?tenant=nobody")
        .expect(404);
    stage.anyone.get("/_mock/requests?status=x").expect(400);
    stage
        .anyone
        .delete("/_mock/requests?tenant=acme")
        .expect(204);
    assert_eq!(ids(""), [3, 4]);
    stage.anyone.delete("/_mock/requests").expect(204);
    assert!(ids("").is_empty());
}

#[test]
fn the_journal_holds_the_last_thousand_and_counts_the_rest_m6() {
    let stage = Stage::of(|builder| builder.rate_limit(secmon_mock::RateLimit::Off));
    for _ in 0..1010 {
        stage.acme.get("/api/v1/health");
    }
    stage.anyone.get("/api/v1/health");
    let journal = stage.anyone.get("/_mock/requests").expect(200);
    assert_eq!(journal.at("/dropped"), 10);
    assert_eq!(journal.at("/requests").as_array().map(Vec::len), Some(1001));
    assert_eq!(journal.at("/requests/0/id"), 11);
}

#[test]
fn keys_never_stand_in_the_journal_m6() {
    let stage = Stage::new();
    let canary = "canary_key_0123456789";
    let leaky = stage.anyone.with_key(canary);
    leaky.send(
        "POST",
        &format!("/api/v1/{canary}?key={canary}"),
        format!("{{\"k\":\"{canary}\"}}").as_bytes(),
    );
    stage.acme.get("/api/v1/endpoints?k=test_key_acme");
    let journal = stage.anyone.get("/_mock/requests").expect(200);
    assert!(!journal.text().contains(canary));
    assert!(!journal.text().contains("test_key_acme"));
    assert_eq!(journal.at("/requests/0/query"), "key=****");
}

#[test]
fn every_known_key_is_kept_out_of_the_journal_however_it_is_written_m6() {
    let stage = Stage::of(|builder| builder.admin_key("opensesame")).unjudged();
    let admin = stage.anyone.with_key("opensesame");
    let made = stage.server.tenant();
    let revoked = made.issue_key().expect("a key");
    made.revoke_key(&revoked).expect("revoked");
    admin
        .delete("/_mock/tenants/globex/keys/test_key_globex")
        .expect(204);
    let secrets = [
        "test_key_acme",
        "test_key_globex",
        "test_key_orphan",
        "opensesame",
        made.api_key(),
        &revoked,
    ];
    let percent =
        |secret: &str| -> String { secret.bytes().map(|b| format!("%{b:02X}")).collect() };
    let escaped =
        |secret: &str| -> String { secret.bytes().map(|b| format!("\\u{b:04x}")).collect() };
    for secret in secrets {
        let (percent, escaped) = (percent(secret), escaped(secret));
        let path = format!("/api/v1/{secret}/{percent}?k={secret}&{percent}=1");
        let body = format!(r#"{{"{secret}":["{escaped}x{secret}","%{percent}"],"n":7}}"#);
        stage.acme.send("POST", &path, body.as_bytes());
        stage.acme.send("POST", &path, secret.as_bytes());
        stage
            .acme
            .get(&format!("/api/v1/endpoints?per_page=1&x={percent}"));
    }
    let journal = admin.get("/_mock/requests").expect(200).text();
    for secret in secrets {
        assert!(!journal.contains(secret), "{secret}");
        assert!(!journal.contains(&percent(secret)), "{secret}");
    }
    let calls = admin.get("/_mock/requests").at("/requests");
    assert_eq!(calls[0]["path"], "/api/v1/****/****");
    assert_eq!(calls[0]["query"], "k=****&****=1");
    assert_eq!(
        calls[0]["body"],
        json!({ "****": ["****x****", "%****"], "n": 7 })
    );
    assert_eq!(calls[1]["body"], "****");
}

#[test]
fn a_body_up_to_64_kib_stays_json_in_the_journal_m1() {
    let stage = Stage::new();
    let caller = stage.anyone.with_key("1");
    // Without it, nobody looks into the bodies of those who have no key.
    let fault = json!({ "match": { "n": 2 }, "effect": { "latency_ms": 1 } });
    stage.anyone.post("/_mock/faults", fault).expect(201);
    let long = format!("{{\"n\":1,\"x\":\"{}\"}}", "1 ".repeat(32_000));
    assert!(long.len() <= 65_536);
    caller.send("POST", "/api/v1/billing/provision", long.as_bytes());
    let body = stage.anyone.get("/_mock/requests").at("/requests/0/body");
    assert_eq!(body["n"], 1);
    assert_eq!(body["x"], "**** ".repeat(32_000));
}

#[test]
fn a_body_in_the_journal_is_cut_at_64_kib_m1() {
    let stage = Stage::new();
    let long = "x".repeat(100_000);
    stage
        .acme
        .send("POST", "/api/v1/billing/provision", long.as_bytes());
    let body = stage.anyone.get("/_mock/requests").at("/requests/0/body");
    assert_eq!(body.as_str().map(str::len), Some(65_536));
}

#[test]
fn admin_calls_are_neither_limited_nor_journalled() {
    let stage = Stage::new();
    for _ in 0..150 {
        stage
            .anyone
            .with_key("test_key_acme")
            .get("/_mock/clock")
            .expect(200);
    }
    assert_eq!(
        stage.anyone.get("/_mock/requests").at("/requests"),
        json!([])
    );
}

#[test]
fn a_secret_that_is_escaped_stands_in_no_long_body_either_m6() {
    let stage = Stage::new();
    let escaped = "\\u0074est_key_acme";
    // Behind what stays is cut, and across the cut.
    for before in [10, 64 * 1024 - 19, 65 * 1024] {
        let body = format!(
            "{{\"note\":\"{}{escaped} %74est_key_acme\"}}",
            "x".repeat(before)
        );
        stage
            .acme
            .send("POST", "/api/v1/billing/provision", body.as_bytes());
        let entries = stage.anyone.get("/_mock/requests?limit=1").at("/requests");
        let kept = entries[0]["body"].to_string();
        assert!(
            !kept.contains("est_key") && !kept.contains("u0074"),
            "{before}: {}",
            &kept[kept.len() - 60..]
        );
    }
}

#[test]
fn a_journal_holds_64_mib_at_most_m6() {
    let stage = Stage::new();
    let body = format!("{{\"note\":\"{}\"}}", "x".repeat(128 * 1024));
    let path = format!("/api/v1/billing/provision?{}", "y".repeat(60_000));
    for _ in 0..1000 {
        stage.acme.send("POST", &path, body.as_bytes());
    }
    let kept = stage.anyone.get("/_mock/requests?tenant=acme");
    let held = kept.at("/requests").as_array().map_or(0, Vec::len);
    assert!(
        (460..=473).contains(&held),
        "{held} of some 142,000 bytes each"
    );
    assert_eq!(kept.at("/dropped"), 1000 - held);
}

#[test]
fn long_methods_and_keys_that_nobody_knows_count_in_the_journal_m6() {
    let long = "X".repeat(300_000);
    for (key, method) in [("test_key_acme", long.as_str()), (long.as_str(), "GET")] {
        let stage = Stage::new().unjudged();
        let caller = stage.anyone.with_key(key);
        for _ in 0..300 {
            caller.send(method, "/api/v1/endpoints", b"");
        }
        let kept = stage.anyone.get("/_mock/requests").expect(200);
        let held = kept.at("/requests").as_array().map_or(0, Vec::len);
        assert!((220..=223).contains(&held), "{held} of 300,000 bytes each");
    }
}

#[test]
fn the_journal_says_which_calls_asked_for_simulation_m1() {
    let stage = Stage::new();
    stage.acme.get("/api/v1/endpoints");
    stage
        .acme
        .with("X-Sandbox", "true")
        .get("/api/v1/endpoints");
    let calls = stage.anyone.get("/_mock/requests").at("/requests");
    assert_eq!(calls[0].get("sandbox"), None);
    assert_eq!(calls[0].get("fault"), None);
    assert_eq!(calls[0].get("processed"), None);
    assert_eq!(calls[1]["sandbox"], true);
}

#[test]
fn the_journal_names_the_records_that_a_call_changed_m1() {
    let stage = Stage::new();
    stage.endpoint(42, "192.0.2.1");
    stage.acme.get("/api/v1/endpoints?billing_customer_id=42");
    let refused = json!({ "client_id": 42, "ip_address": "no address" });
    stage
        .acme
        .post("/api/v1/billing/provision", refused)
        .expect(422);
    let calls = stage.anyone.get("/_mock/requests").at("/requests");
    let changed = calls[0]["changed"].as_array().expect("records");
    assert!(
        changed.contains(&json!({ "kind": "endpoints", "key": "0" })),
        "{changed:?}"
    );
    assert!(
        changed.contains(&json!({ "kind": "customers", "key": "0" })),
        "{changed:?}"
    );
    let kinds = changed.iter().filter_map(|one| one["kind"].as_str());
    let untold = ["controls", "keys", "sso_tokens"];
    assert!(
        kinds.clone().all(|kind| !untold.contains(&kind)),
        "{changed:?}"
    );
    for unchanged in [&calls[1], &calls[2]] {
        assert_eq!(unchanged.get("changed"), None, "{unchanged}");
    }
}

/// By the clock, and not by the admin API: that lets happen what is due, and nothing is left for who calls next.
#[test]
fn what_falls_due_is_no_doing_of_who_reads_m1() {
    let stage = Stage::of_real_time_with(|builder| builder.rate_limit(RateLimit::Off));
    let id = stage.endpoint(42, "192.0.2.1");
    let deadline = Instant::now() + Duration::from_secs(60);
    let scanned = |stage: &Stage| {
        let shown = stage.acme.get(&format!("/api/v1/endpoints/{id}"));
        !shown.at("/data/last_scan_at").is_null()
    };
    while !scanned(&stage) {
        assert!(Instant::now() < deadline, "its first scan never ends");
        std::thread::sleep(Duration::from_millis(100));
    }
    let calls = stage.anyone.get("/_mock/requests").at("/requests");
    let calls = calls.as_array().expect("calls");
    let reads = calls.iter().filter(|call| call["method"] == "GET");
    let changing: Vec<&Value> = reads.filter(|call| call.get("changed").is_some()).collect();
    assert!(changing.is_empty(), "{changing:?}");
}

/// Secrets are taken out where something is shown, so every place that shows calls is looked at.
#[test]
fn no_way_out_of_the_journal_shows_a_secret_m6() {
    let stage = Stage::of_real_time_with(|builder| builder.admin_key("opensesame")).unjudged();
    let admin = stage.anyone.with_key("opensesame");
    let playbook = json!({ "name": "provision-lifecycle" });
    let run = admin.post("/_mock/playbooks", playbook).expect(201);
    let key = text(&run.at("/api_key"));
    let client = stage.anyone.with_key(&key);
    let path = format!("/api/v1/billing/suspend?key={key}&k=opensesame");
    client.post(&path, json!({ "note": [key, "test_key_globex"] }));
    client.get(&format!("/api/v1/endpoints/{key}"));
    let tenant = stage.server.tenant();
    let caller = stage.anyone.with_key(tenant.api_key());
    caller.get(&format!("/api/v1/endpoints/{}", tenant.api_key()));
    let id = run.at("/id");
    let shown = [
        admin.get("/_mock/requests").expect(200).text(),
        admin
            .get(&format!("/_mock/playbooks/{id}?finished=1"))
            .expect(200)
            .text(),
        format!("{:?}", tenant.journal()),
        tenant.verify("GET", "/nothing", 1).unwrap_err(),
    ];
    for text in shown {
        for secret in [
            key.as_str(),
            tenant.api_key(),
            "test_key_globex",
            "opensesame",
        ] {
            assert!(!text.contains(secret), "{text}");
        }
    }
    let found = admin
        .get(&format!("/_mock/requests?path=*{key}*"))
        .expect(200);
    assert_eq!(found.at("/requests"), json!([]));
}

/// `{"client_id":42}`, as a query has it.
const ONE: &str = "%7B%22client_id%22:42%7D";

/// The ids of the calls that a query of the journal lists.
fn listed(stage: &Stage, query: &str) -> Vec<u64> {
    let answer = stage.anyone.get(&format!("/_mock/requests?{query}"));
    let calls = answer.expect(200).at("/requests");
    let calls = calls.as_array().into_iter().flatten();
    calls.filter_map(|call| call["id"].as_u64()).collect()
}

#[test]
fn the_journal_is_asked_by_number_and_by_what_was_said_m11() {
    let stage = Stage::new();
    stage.endpoint(42, "192.0.2.1");
    stage.endpoint(43, "192.0.2.2");
    stage.endpoint(42, "192.0.2.3");
    assert_eq!(listed(&stage, "since=1"), [2, 3]);
    assert_eq!(listed(&stage, "since=3"), [0; 0]);
    assert_eq!(listed(&stage, &format!("body={ONE}")), [1, 3]);
    assert_eq!(listed(&stage, &format!("body={ONE}&since=1")), [3]);
    assert_eq!(listed(&stage, "body=%7B%7D"), [1, 2, 3]);
    for (query, sentence) in [
        ("body=%7B", "The body must be JSON"),
        ("wait=61", "from 0 to 60"),
        ("count=0&wait=1", "from 1 to 1000"),
    ] {
        let refused = stage.anyone.get(&format!("/_mock/requests?{query}"));
        let refused = refused.expect(400).text();
        assert!(refused.contains(sentence), "{refused}");
    }
}

#[test]
fn the_journal_answers_once_the_calls_that_are_waited_for_came_m11() {
    let stage = Stage::new();
    stage.endpoint(42, "192.0.2.1");
    let began = Instant::now();
    for (number, tenant) in [(2, ""), (3, "&tenant=acme")] {
        let query = format!("path=*/provision&body={ONE}&count={number}&wait=60{tenant}");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| listed(&stage, &query).len());
            stage.endpoint(43, &format!("198.51.100.{number}"));
            stage.endpoint(42, &format!("192.0.2.{number}"));
            assert_eq!(waiting.join().expect("an answer"), number);
        });
    }
    told_before_the_wait_was_over(began);
}

/// At its end a wait of 60 s lists the calls as well.
fn told_before_the_wait_was_over(began: Instant) {
    assert!(began.elapsed() < Duration::from_secs(50));
}

#[test]
fn the_journal_answers_with_what_there_is_when_the_wait_is_over_m11() {
    let stage = Stage::new();
    stage.endpoint(42, "192.0.2.1");
    assert_eq!(listed(&stage, "count=2&wait=0.05"), [1]);
    assert_eq!(listed(&stage, "count=2&wait=0"), [1]);
    let gone = stage.anyone.get("/_mock/requests?tenant=nobody&wait=20");
    gone.expect(404);
}

#[test]
fn five_hundred_wait_at_once_and_others_are_served_m11() {
    let stage = Stage::of(|builder| builder);
    let began = Instant::now();
    std::thread::scope(|scope| {
        let waiters: Vec<_> = (0..500)
            .map(|_| scope.spawn(|| listed(&stage, "tenant=acme&count=1&wait=60")))
            .collect();
        stage.anyone.get("/api/v1/health").expect(200);
        let came = listed(&stage, "tenant=acme&wait=0");
        assert_eq!(came, [0; 0]);
        stage.endpoint(42, "192.0.2.1");
        for waiter in waiters {
            assert_eq!(waiter.join().expect("an answer"), [2]);
        }
    });
    told_before_the_wait_was_over(began);
}

#[test]
fn who_reads_a_long_journal_slowly_holds_none_of_it_m1() {
    const CALLS: usize = 400;
    let stage = Stage::of(|builder| builder.rate_limit(secmon_mock::RateLimit::Off));
    let body = json!({ "client_id": 1, "ip_address": "192.0.2.1", "x": "y".repeat(60_000) });
    for _ in 0..CALLS {
        stage.acme.post("/api/v1/billing/provision", body.clone());
    }
    let all = stage.anyone.get("/_mock/requests").expect(200);
    assert_eq!(all.at("/requests").as_array().map(Vec::len), Some(CALLS));

    let slow = stage.anyone.open("GET", "/_mock/requests", b"");
    let mut slow = slow.expect("a connection");
    let mut bytes = vec![0; 1024];
    slow.read_exact(&mut bytes).expect("the beginning");
    stage.anyone.delete("/_mock/requests").expect(204);
    slow.read_to_end(&mut bytes).expect("the rest");
    let read = client::parse(&bytes, "GET").expect("a whole answer");
    let listed = read.at("/requests").as_array().map(Vec::len);
    assert!(
        listed < Some(CALLS),
        "what was forgotten is left out: {listed:?}"
    );
}
