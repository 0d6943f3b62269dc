//! The journal and the admin API tell the truth: each call once, in order, as it came in and was answered (M1 to M7).

use std::sync::Arc;

use crate::race::at_once;
use crate::table::Row;
use crate::{Account, Case, Need, SampleAccount, Snapshot, Stage, rate_limits};
use chrono::{DateTime, Duration};
use http::Method;
use serde_json::{Value, json};

use super::each_operation::of_each;

cases! {
    spec_ref: "M1, M3, M6";
    anywhere: ;
    steered:
        what_is_refused_is_kept_like_the_rest(Accounts, Faults, Journal),
        entries_are_found_by_what_they_are(Accounts, Journal),
        keys_and_tokens_are_not_kept(Accounts, Journal),
        entries_follow_the_clock_of_the_account(Accounts, Clock, Journal),
        a_reset_takes_what_is_the_accounts_alone(Accounts, Clock, Faults, Journal),
        a_race_is_kept_call_by_call(Accounts, Journal),
        the_last_thousand_are_kept(Accounts, Journal)
}

pub fn cases() -> Vec<Case> {
    let faults = of_each(
        SPEC_REF,
        concat!(
            module_path!(),
            "::a_call_that_a_fault_hit_is_kept_as_it_was"
        ),
        |stage, row| Box::pin(a_call_that_a_fault_hit_is_kept_as_it_was(stage, row)),
        |row| {
            let writes = row.method != "GET" && row.recipe.is_some();
            writes.then_some(
                &[
                    Need::Accounts,
                    Need::Faults,
                    Need::Journal,
                    Need::World,
                    Need::Sandbox,
                ][..],
            )
        },
    );
    [faults, CASES.to_vec()].concat()
}

/// What a fault makes of a call: whether it was processed, where nothing was answered.
const EFFECTS: [(&str, Option<bool>); 10] = [
    (r#"{"status": 503}"#, None),
    (r#"{"status": 500}"#, None),
    (r#"{"status": 429}"#, None),
    (r#"{"status": 503, "code": "SCANNING_UNAVAILABLE"}"#, None),
    (r#"{"body": "<html>", "status": 200}"#, None),
    (r#"{"latency_ms": 1}"#, None),
    (r#"{"close": "before"}"#, Some(false)),
    (r#"{"close": "reset"}"#, Some(false)),
    (r#"{"close": "mid_body"}"#, Some(true)),
    (r#"{"close": "after"}"#, Some(true)),
];

/// What a case sent, to be held against the journal.
struct Sent<'a> {
    account: &'a Account,
    entries: Vec<Value>,
}

impl<'a> Sent<'a> {
    /// Forgets what came before.
    async fn from_now(account: &'a Account) -> Self {
        account.unpinned();
        let path = format!("/_mock/requests?tenant={}", account.name);
        account
            .steer(Need::Journal, Method::DELETE, &path, &Value::Null)
            .await;
        Self {
            account,
            entries: Vec::new(),
        }
    }

    async fn get(&mut self, target: &str) {
        self.call(Method::GET, target, &Value::Null).await;
    }

    /// Sends a call and writes it down; gives the status and what was answered.
    async fn call(&mut self, method: Method, target: &str, body: &Value) -> Value {
        let mut call = self.account.raw(method.clone(), target);
        if !body.is_null() {
            call = call.json(body);
        }
        let (status, response) = match call.send().await {
            Ok(answer) => (json!(answer.status.as_u16()), answer.json),
            Err(_) => (Value::Null, Value::Null),
        };
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, json!(query)),
            None => (target, Value::Null),
        };
        self.entries.push(json!({
            "method": method.as_str(), "path": path, "query": query, "body": body, "status": status,
            "response": response, "tenant": self.account.name,
        }));
        response
    }

    /// Whether the last answer was cut halfway.
    fn cut(&mut self, cut: bool) {
        if let Some(last) = self.entries.last_mut() {
            last["cut"] = json!(cut);
        }
    }

    /// The journal has these entries and no other; gives them.
    async fn assert_kept(&self, what: &str) -> Vec<Value> {
        let kept = journal(self.account, &format!("tenant={}", self.account.name)).await;
        assert_eq!(
            kept.len(),
            self.entries.len(),
            "{what}: calls in the journal"
        );
        for (entry, sent) in kept.iter().zip(&self.entries) {
            for member in ["method", "path", "query", "body", "status", "tenant"] {
                // Of half an answer the status came, and nobody can read it.
                let is_half = sent["cut"] == true && member == "status";
                assert!(
                    is_half || entry[member] == sent[member],
                    "{what}: `{member}` is not {}: {entry}",
                    sent[member]
                );
            }
            // Of a token the journal shows less, of no answer nothing is known here, and a body that is no JSON is no null.
            let is_known = sent["response"].is_object() && sent["path"] != "/api/v1/sso/token";
            if is_known {
                assert_eq!(
                    entry["response"], sent["response"],
                    "{what}: what was answered"
                );
            }
        }
        rising(&kept);
        kept
    }
}

fn rising(entries: &[Value]) {
    let ids: Vec<u64> = entries
        .iter()
        .filter_map(|entry| entry["id"].as_u64())
        .collect();
    let rise = ids.len() == entries.len() && ids.windows(2).all(|pair| pair[0] < pair[1]);
    assert!(rise, "the ids of the journal rise: {ids:?}");
}

async fn journal(account: &Account, query: &str) -> Vec<Value> {
    let path = format!("/_mock/requests?{query}");
    let mut journal = account
        .steer(Need::Journal, Method::GET, &path, &Value::Null)
        .await;
    match journal["requests"].take() {
        Value::Array(requests) => requests,
        _ => panic!("the journal is a list: {journal}"),
    }
}

async fn a_call_that_a_fault_hit_is_kept_as_it_was(stage: Arc<Stage>, row: &'static Row) {
    let sample = SampleAccount::new(&stage).await;
    let account = &sample.account;
    let recipe = row.recipe.as_ref().expect("an operation that is called");
    let request = sample.request(row, &recipe.send).await;
    let (target, body) = (request.target(), request.body.clone().unwrap_or_default());
    let mut sent = Sent::from_now(account).await;
    let mut faults = Vec::new();
    for (effect, processed) in EFFECTS {
        let fault: Value = serde_json::from_str(effect).expect("an effect");
        // Reading everything one by one would fill the journal.
        let before = match account.is_the_mocks() {
            true => Some(Snapshot::in_short(&sample).await),
            false => None,
        };
        let is_delay = fault.get("latency_ms").is_some();
        let cut = fault["close"] == "mid_body";
        let id = account
            .place(&request.method, &request.path, fault, 2)
            .await;
        for _ in 0..2 {
            sent.call(request.method.clone(), &target, &body).await;
            sent.cut(cut);
            faults.push((id.clone(), processed));
        }
        if let Some(before) = before.filter(|_| processed != Some(true) && !is_delay) {
            let what = format!("{} under {effect}", row.name);
            before.assert_same(&Snapshot::in_short(&sample).await, &what);
        }
        sent.call(request.method.clone(), &target, &body).await;
        faults.push((Value::Null, None));
        hit_twice(account, &id).await;
    }
    let kept = sent.assert_kept(&row.name).await;
    for (entry, (fault, processed)) in kept.iter().zip(faults) {
        // Members of the second edition of this API.
        for (member, expected) in [("fault", fault), ("processed", json!(processed))] {
            if entry.get(member).is_some() {
                assert_eq!(
                    entry[member], expected,
                    "{}: `{member}` of {entry}",
                    row.name
                );
            }
        }
    }
}

async fn faults(account: &Account) -> Vec<Value> {
    let path = "/_mock/faults";
    let shown = account.steer(Need::Faults, Method::GET, path, &Value::Null);
    let mut shown = shown.await;
    shown["faults"]
        .as_array_mut()
        .map(std::mem::take)
        .unwrap_or_default()
}

async fn hit_twice(account: &Account, id: &Value) {
    let faults = faults(account).await;
    let fault = faults.iter().find(|fault| fault["id"] == *id);
    let fault = fault.unwrap_or_else(|| panic!("no fault {id} in {faults:?}"));
    assert_eq!(
        [&fault["hits"], &fault["times"]],
        [2, 2],
        "hits and times of {fault}"
    );
}

async fn what_is_refused_is_kept_like_the_rest(stage: Arc<Stage>) {
    let account = Account::with(&stage, json!({"rate_limit": true})).await;
    let mut sent = Sent::from_now(&account).await;
    let (strict, _) = rate_limits();
    let suspend = "/api/v1/billing/suspend";
    for _ in 0..strict + 2 {
        sent.call(Method::POST, suspend, &json!({"endpoint_id": "no-uuid"}))
            .await;
    }
    sent.call(Method::DELETE, suspend, &json!({"endpoint_id": 1}))
        .await;
    sent.get("/api/v1/nothing?at=all").await;
    sent.get("/api/v1/whitelists?per_page=x").await;
    sent.get("/api/v1/endpoints").await;
    // Neighbours on one path in one second, of which each has its own answer.
    account
        .place(
            &Method::GET,
            "/api/v1/whitelists",
            json!({"status": 503}),
            1,
        )
        .await;
    for _ in 0..3 {
        sent.get("/api/v1/whitelists").await;
    }
    let kept = sent.assert_kept("refused").await;
    let full = kept.iter().filter(|entry| entry["status"] == 429).count();
    assert_eq!(full, 2, "calls that the window refused");
}

async fn entries_are_found_by_what_they_are(stage: Arc<Stage>) {
    let (account, other) = (
        Account::with(&stage, json!({})).await,
        Account::with(&stage, json!({})).await,
    );
    let mut sent = Sent::from_now(&account).await;
    sent.get("/api/v1/endpoints?status=%61ctive&nickname=a%20b%2Fc%3Fd")
        .await;
    let mut others = Sent::from_now(&other).await;
    others.get("/api/v1/endpoints").await;
    sent.get("/api/v1/whitelists/endpoint-summary?billing_customer_id=1")
        .await;
    sent.get("/api/v1/whitelists").await;
    sent.call(Method::POST, "/api/v1/endpoints", &json!({}))
        .await;
    sent.get("/api/v1/endpoints/x/detail").await;
    let all = sent.assert_kept("five calls").await;
    let own = others.assert_kept("one call").await;
    assert!(
        all[0]["id"].as_u64() < own[0]["id"].as_u64()
            && own[0]["id"].as_u64() < all[1]["id"].as_u64(),
        "the ids of two accounts: {all:?} {own:?}"
    );
    let of = format!("tenant={}", account.name);
    for (query, places) in [
        ("method=POST", &[3][..]),
        ("method=GET&status=200", &[0, 1, 2]),
        ("status=404", &[4]),
        ("path=/api/v1/whitelists", &[2]),
        ("path=/api/v1/whitelists*", &[1, 2]),
        ("path=*", &[0, 1, 2, 3, 4]),
        ("path=/api/*/detail", &[4]),
        ("path=/api/v1/*s&limit=2", &[2, 3]),
        ("limit=2", &[3, 4]),
        ("limit=0", &[]),
        ("limit=9", &[0, 1, 2, 3, 4]),
    ] {
        let found = journal(&account, &format!("{of}&{query}")).await;
        let expected: Vec<&Value> = places.iter().map(|place| &all[*place]).collect();
        assert_eq!(
            found.iter().collect::<Vec<_>>(),
            expected,
            "the journal by {query}"
        );
    }
    let cleared = Sent::from_now(&account).await;
    cleared.assert_kept("cleared").await;
    others.assert_kept("the other's, when one is cleared").await;
}

async fn keys_and_tokens_are_not_kept(stage: Arc<Stage>) {
    let account = Account::with(&stage, json!({})).await;
    let (key, name) = (account.key.clone(), account.name.clone());
    let customer = json!({"billing_customer_id": account.customer().id, "ip_address": "192.0.2.1", "nickname": key});
    let mut sent = Sent::from_now(&account).await;
    sent.call(Method::POST, "/api/v1/endpoints", &customer)
        .await;
    sent.get(&format!("/api/v1/endpoints?nickname={key}")).await;
    sent.get(&format!("/api/v1/endpoints/{key}")).await;
    let minted = sent
        .call(Method::POST, "/api/v1/sso/token", &customer)
        .await;
    let token = minted["data"]["token"]
        .as_str()
        .expect("a token")
        .to_owned();
    for token in [&*token, &*token, "unknown"] {
        let page = account.call(Method::GET, &format!("/sso?token={token}"));
        page.send().await.expect("a page");
    }
    let kept = journal(&account, &format!("tenant={name}")).await;
    let everywhere = journal(&account, "path=/sso&limit=3").await;
    let signed_in: Vec<_> = everywhere
        .iter()
        .map(|entry| entry["status"].as_u64())
        .collect();
    assert_eq!(
        signed_in,
        [Some(200), Some(401), Some(401)],
        "sign-ins in the journal"
    );
    for (what, entries) in [("the account", &kept), ("everybody", &everywhere)] {
        let text = json!(entries).to_string();
        assert!(
            !text.contains(&key) && !text.contains(&token),
            "the journal of {what} shows a key or a token: {text}"
        );
    }
}

async fn entries_follow_the_clock_of_the_account(stage: Arc<Stage>) {
    let account = Account::with(&stage, json!({})).await;
    let mut sent = Sent::from_now(&account).await;
    for seconds in [0, 12_345, 7, 86_400] {
        account.advance(seconds).await;
        let before = account.shown_now().await;
        sent.entries.push(json!({}));
        let at =
            journal(&account, &format!("tenant={}&limit=1", account.name)).await[0]["at"].clone();
        let at = DateTime::parse_from_rfc3339(at.as_str().unwrap_or_default()).expect("a time");
        let slack = if account.is_the_mocks() { 0 } else { 5 };
        assert!(
            (at - before).abs() <= Duration::seconds(slack),
            "a call at {before} is kept as one at {at}"
        );
    }
}

async fn a_reset_takes_what_is_the_accounts_alone(stage: Arc<Stage>) {
    let (account, other) = (
        Account::with(&stage, json!({})).await,
        Account::with(&stage, json!({})).await,
    );
    let start = account.now().await;
    account.advance(5000).await;
    other.advance(300).await;
    let mut others = Sent::from_now(&other).await;
    others.get("/api/v1/endpoints").await;
    let mut sent = Sent::from_now(&account).await;
    sent.get("/api/v1/endpoints").await;
    let own = account
        .place(&Method::GET, "/nowhere", json!({"status": 500}), 1)
        .await;
    let foreign = other
        .place(&Method::GET, "/nowhere", json!({"status": 500}), 1)
        .await;
    let anybodys = json!({"method": "GET", "path": "/nowhere", "effect": {"status": 500}});
    let anybodys = account
        .steer(Need::Faults, Method::POST, "/_mock/faults", &anybodys)
        .await["id"]
        .clone();
    let reset = format!("/_mock/tenants/{}/reset", account.name);
    account
        .steer(Need::Clock, Method::POST, &reset, &Value::Null)
        .await;
    let slack = Duration::seconds(if account.is_the_mocks() { 0 } else { 60 });
    let is = account.now().await;
    assert!(
        is - start <= slack,
        "the clock of an account that was reset: {is}, {start} at the start"
    );
    let is = other.now().await;
    assert!(
        (is - start - Duration::seconds(300)).abs() <= slack,
        "the clock of the other: {is}, {start} at the start"
    );
    let faults = faults(&account).await;
    let left = |id: &Value| faults.iter().any(|fault| fault["id"] == *id);
    assert_eq!(
        [left(&own), left(&foreign), left(&anybodys)],
        [false, true, true],
        "faults of the account, of another, of nobody"
    );
    let path = format!("/_mock/faults/{anybodys}");
    account
        .steer(Need::Faults, Method::DELETE, &path, &Value::Null)
        .await;
    assert_eq!(
        journal(&account, &format!("tenant={}", account.name))
            .await
            .len(),
        0,
        "entries of the account"
    );
    others.assert_kept("the other's, when one is reset").await;
}

async fn a_race_is_kept_call_by_call(stage: Arc<Stage>) {
    let account = Account::with(&stage, json!({"rate_limit": false})).await;
    account.unpinned();
    let customer = account.customer().id;
    Sent::from_now(&account).await;
    let bodies = (1..=8).map(
        |last| json!({"billing_customer_id": customer, "ip_address": format!("192.0.2.{last}")}),
    );
    let bodies: Vec<Value> = bodies.collect();
    let calls = bodies
        .iter()
        .map(|body| account.raw(Method::POST, "/api/v1/endpoints").json(body));
    let answers = at_once(calls.collect()).await;
    let kept = journal(&account, &format!("tenant={}", account.name)).await;
    assert_eq!(kept.len(), 8, "calls of a race in the journal");
    rising(&kept);
    for (body, answer) in bodies.iter().zip(answers) {
        let found: Vec<_> = kept.iter().filter(|entry| entry["body"] == *body).collect();
        assert_eq!(found.len(), 1, "entries of {body}");
        assert_eq!(
            found[0]["response"], answer.json,
            "what {body} was answered"
        );
    }
}

async fn the_last_thousand_are_kept(stage: Arc<Stage>) {
    let account = Account::with(&stage, json!({"rate_limit": false})).await;
    account.unpinned();
    let mut sent = Sent::from_now(&account).await;
    for number in 1..=1003 {
        sent.get(&format!("/api/v1/nothing/{number}")).await;
    }
    let path = format!("/_mock/requests?tenant={}", account.name);
    let shown = account
        .steer(Need::Journal, Method::GET, &path, &Value::Null)
        .await;
    assert_eq!(shown["dropped"], 3, "calls that are no longer kept");
    sent.entries.drain(..3);
    sent.assert_kept("the last thousand").await;
}
