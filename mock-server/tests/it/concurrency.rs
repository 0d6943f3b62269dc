//! Many threads on one server: what must never break, and the same state when their calls are
//! made again one by one.

use std::collections::BTreeSet;

use secmon_mock::RateLimit;
use serde_json::{Value, json};

use crate::client::{Caller, Stage, text};
use crate::durable::Folder;

const THREADS: u64 = 16;
const ROUNDS: u64 = 4;
/// Few enough that the journal of an account holds the calls of all threads.
const CALLS: u64 = 10;
const CUSTOMERS: [u64; 3] = [1, 2, 3];
const ACCOUNTS: [&str; 2] = ["acme", "globex"];

fn stage() -> Stage {
    Stage::of(|builder| builder.rate_limit(RateLimit::Off))
}

/// A caller of an account. The host is a part of some answers, so it is the same on every server.
fn caller(stage: &Stage, account: &str) -> Caller {
    let key = format!("test_key_{account}");
    stage.anyone.with_key(&key).with("Host", "localhost")
}

/// Knuth's generator: the same choices of each thread in every run.
struct Choices(u64);

impl Choices {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn one_of<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        let place = self.below(items.len().max(1) as u64);
        items.get(place as usize)
    }
}

/// The ids in a list that the account shows.
fn ids(caller: &Caller, path: &str, list: &str) -> Vec<String> {
    let found = caller.get(path).expect(200).at(list);
    let records = found.as_array().into_iter().flatten();
    records.map(|record| text(&record["id"])).collect()
}

/// One call that changes something, or is refused for what others changed meanwhile.
fn change(caller: &Caller, choices: &mut Choices) {
    let client = CUSTOMERS[choices.below(3) as usize];
    let number = choices.below(4);
    let bill = |operation: &str, body: Value| {
        caller.post(&format!("/api/v1/billing/{operation}"), body);
    };
    let slots =
        json!({ "client_id": client, "service_id": 50, "product_slug": "domain_monitoring" });
    let with = |name: &str, value: Value| {
        let mut body = slots.clone();
        body[name] = value;
        body
    };
    match choices.below(9) {
        0 => bill(
            "provision",
            json!({ "client_id": client, "ip_address": format!("192.0.2.{number}") }),
        ),
        1 => bill(
            "provision-subscription",
            with("quantity", json!(number + 1)),
        ),
        2 => bill(
            "change-subscription",
            with("new_quantity", json!(number + 1)),
        ),
        3 => bill(
            ["suspend-subscription", "resume-subscription"][number as usize % 2],
            slots,
        ),
        4 | 5 => {
            let domain = json!(format!("{number}.example"));
            let mut body = json!({ "client_id": client, "service_id": 50 });
            body["domain"] = domain;
            bill("provision-domain", body);
        }
        6 => {
            let path = format!("/api/v1/domains?billing_customer_id={client}");
            if let Some(id) = choices.one_of(&ids(caller, &path, "/data/domains")) {
                bill("terminate-domain", json!({ "monitored_domain_id": id }));
            }
        }
        7 => {
            if let Some(id) = choices.one_of(&ids(caller, "/api/v1/endpoints", "/data")) {
                let rule = json!({ "port_start": 20 + number, "port_end": 22 + number, "protocol": "tcp", "justification": "Asked for by many at once", "endpoint_id": id });
                caller.post("/api/v1/whitelists", rule);
            }
        }
        _ => {
            if let Some(id) = choices.one_of(&ids(caller, "/api/v1/whitelists", "/data")) {
                caller.delete(&format!("/api/v1/whitelists/{id}"));
            }
        }
    }
}

/// All threads at once, half of them on each account.
fn rush(stage: &Stage, round: u64) {
    let threads: Vec<_> = (0..THREADS)
        .map(|thread| {
            let caller = caller(stage, ACCOUNTS[thread as usize % 2]);
            let mut choices = Choices(round * THREADS + thread);
            std::thread::spawn(move || (0..CALLS).for_each(|_| change(&caller, &mut choices)))
        })
        .collect();
    for thread in threads {
        thread.join().expect("every call is answered");
    }
}

/// The items of a list, all of them.
fn all(caller: &Caller, path: &str, list: &str) -> Vec<Value> {
    let found = caller.get(path).expect(200).at(list);
    found.as_array().cloned().unwrap_or_default()
}

fn distinct<'a>(values: impl Iterator<Item = &'a Value>) -> usize {
    values.map(Value::to_string).collect::<BTreeSet<_>>().len()
}

fn capacity_is_given_once(caller: &Caller, client: u64) {
    let domains = caller
        .get(&format!("/api/v1/domains?billing_customer_id={client}"))
        .expect(200);
    let listed = domains.at("/data/domains");
    let listed = listed.as_array().expect("a list");
    let active = listed.iter().filter(|domain| domain["status"] == "active");
    let active = active.count() as u64;
    assert!(active <= domains.at("/data/slots_total").as_u64().unwrap_or(0));
    assert_eq!(domains.at("/data/slots_used"), listed.len());
    assert_eq!(
        distinct(listed.iter().map(|domain| &domain["domain"])),
        listed.len()
    );
    let path = format!("/api/v1/endpoints?billing_customer_id={client}&per_page=100");
    let servers = all(caller, &path, "/data");
    assert_eq!(
        distinct(servers.iter().map(|server| &server["ip_address"])),
        servers.len()
    );
}

fn rules_do_not_overlap(caller: &Caller) {
    let rules = all(caller, "/api/v1/whitelists?per_page=100", "/data");
    for (place, rule) in rules.iter().enumerate() {
        for other in &rules[place + 1..] {
            let port = |rule: &Value, name: &str| rule[name].as_u64();
            let apart = port(rule, "port_end") < port(other, "port_start")
                || port(other, "port_end") < port(rule, "port_start");
            assert!(
                apart || rule["endpoint_id"] != other["endpoint_id"],
                "{rule} {other}"
            );
        }
    }
}

fn no_allowed_port_has_an_open_alert(caller: &Caller) {
    for id in ids(caller, "/api/v1/endpoints?per_page=100", "/data") {
        let detail = caller
            .get(&format!("/api/v1/endpoints/{id}/detail"))
            .expect(200);
        let allowed = detail.at("/whitelisted_ports");
        let allowed = allowed.as_array().expect("a list");
        let alerts = detail.at("/alerts");
        let alerts = alerts.as_array().expect("a list").iter();
        let ports: Vec<Value> = alerts
            .map(|alert| format!("{}:{}", alert["port"], text(&alert["protocol"])).into())
            .collect();
        assert_eq!(distinct(ports.iter()), ports.len(), "{id}: {ports:?}");
        assert!(
            ports.iter().all(|port| !allowed.contains(port)),
            "{id}: {ports:?} {allowed:?}"
        );
    }
}

fn check(stage: &Stage) {
    for account in ACCOUNTS {
        let caller = caller(stage, account);
        for client in CUSTOMERS {
            capacity_is_given_once(&caller, client);
        }
        rules_do_not_overlap(&caller);
        no_allowed_port_has_an_open_alert(&caller);
    }
}

/// Makes the calls of a journal again, one by one, each at its time, with the same answers.
fn replay(journal: &[Value]) -> Stage {
    let stage = stage();
    for call in journal {
        stage
            .anyone
            .post("/_mock/clock", json!({ "set": call["at"] }))
            .expect(200);
        let query = call["query"].as_str().map(|query| format!("?{query}"));
        let path = format!("{}{}", text(&call["path"]), query.unwrap_or_default());
        let body = match &call["body"] {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let caller = caller(&stage, &text(&call["tenant"]));
        let reply = caller.send(&text(&call["method"]), &path, body.as_bytes());
        assert_eq!(call["status"], reply.status, "{call}");
        if !reply.body.is_empty() {
            assert_eq!(call["response"], reply.json(), "{call}");
        }
    }
    stage
}

#[test]
fn what_many_threads_did_at_once_is_what_their_journal_does_one_by_one() {
    rush_and_replay(&stage());
}

/// Answers wait for their commit, and may overtake each other; the journal does not.
#[test]
fn the_journal_of_a_server_with_a_state_file_stands_in_the_order_of_effects() {
    let folder = Folder::new();
    rush_and_replay(&Stage::of(|builder| {
        builder.rate_limit(RateLimit::Off).state(folder.state())
    }));
}

fn rush_and_replay(stage: &Stage) {
    for round in 0..ROUNDS {
        rush(stage, round);
        check(stage);
        stage.advance(2);
    }
    check(stage);
    let journal = stage.anyone.get("/_mock/requests").expect(200);
    assert_eq!(journal.at("/dropped"), 0);
    let calls = journal.at("/requests");
    let calls = calls.as_array().expect("a list");
    assert!(calls.len() as u64 >= THREADS * ROUNDS * CALLS / 2);
    let again = replay(calls);
    let exported = |stage: &Stage| stage.anyone.get("/_mock/state").expect(200).body;
    assert!(exported(&again) == exported(stage), "another state");
}
