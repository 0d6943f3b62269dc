//! A hundred accounts on one server, each with its own time, faults, limits and records.

use serde_json::{Value, json};

use crate::client::{Caller, NOBODY, Reply, START, Stage, text};
use crate::program::Program;

/// A partner with an account of its own.
struct Partner<'a> {
    anyone: &'a Caller,
    caller: Caller,
    name: String,
}

impl<'a> Partner<'a> {
    fn new(anyone: &'a Caller) -> Self {
        let made = anyone
            .post("/_mock/tenants", json!({ "default_endpoint_limit": 2 }))
            .expect(201);
        Self {
            anyone,
            caller: anyone.with_key(&text(&made.at("/api_key"))),
            name: text(&made.at("/name")),
        }
    }

    fn advance(&self, seconds: u64) {
        let path = format!("/_mock/tenants/{}/clock", self.name);
        let body = json!({ "advance_seconds": seconds });
        self.anyone.post(&path, body).expect(200);
    }

    fn bill(&self, operation: &str, body: Value) -> Reply {
        let path = format!("/api/v1/billing/{operation}");
        self.caller.post(&path, body)
    }

    fn get(&self, path: &str) -> Reply {
        self.caller.get(&format!("/api/v1/{path}")).expect(200)
    }

    fn meets_a_fault(&self) {
        let effect = json!({ "status": 503, "code": "SCANNING_UNAVAILABLE" });
        let fault = json!({ "tenant": self.name, "method": "POST", "effect": effect });
        self.anyone.post("/_mock/faults", fault).expect(201);
        self.caller
            .unjudged()
            .post("/api/v1/billing/suspend", json!({}))
            .expect(503);
    }

    fn add_server(&self, address: &str) -> Reply {
        let server = json!({ "client_id": 1, "service_id": 9, "ip_address": address });
        self.bill("provision", server)
    }

    /// As many servers as there is room for, scanned; the first of them.
    fn adds_servers(&self) -> String {
        let [first, second] = ["192.0.2.1", "192.0.2.2"].map(|address| {
            let added = self.add_server(address).expect(201);
            text(&added.at("/data/endpoint_id"))
        });
        self.add_server("192.0.2.3").expect(403);
        self.advance(2);
        let scan = json!({ "client_id": 1, "endpoint_id": first });
        self.bill("scan-endpoint", scan.clone()).expect(202);
        self.bill("scan-endpoint", scan).expect(429);
        let path = format!("/_mock/endpoints/{second}/ports");
        self.anyone.put(&path, json!({ "open": [] })).expect(204);
        self.advance(300);
        self.bill("suspend", json!({ "endpoint_id": second }))
            .expect(200);
        self.bill("resume", json!({ "endpoint_id": NOBODY }))
            .expect(404);
        first
    }

    fn allows_and_resolves(&self, server: &str) {
        let rule = json!({ "port_start": 22, "protocol": "tcp", "justification": "SSH for operations", "endpoint_id": server });
        let rules = "/api/v1/whitelists";
        self.caller.post(rules, rule.clone()).expect(201);
        self.caller.post(rules, rule).expect(422);
        let alerts = self.get("alerts?billing_customer_id=1&status=open");
        let alert = text(&alerts.at("/data/alerts/0/id"));
        let path = format!("/api/v1/alerts/{alert}/resolve");
        let owner = json!({ "billing_customer_id": 1 });
        self.caller.post(&path, owner).expect(200);
    }

    /// Two domains; one of them.
    fn watches_domains(&self) -> String {
        let service = json!({ "client_id": 1, "service_id": 5, "product_slug": "domain_monitoring", "quantity": 2 });
        self.bill("provision-subscription", service).expect(201);
        for domain in ["a.example", "b.example"] {
            let domain = json!({ "client_id": 1, "service_id": 5, "domain": domain });
            self.bill("provision-domain", domain).expect(201);
        }
        self.advance(2);
        let domains = self.get("domains?billing_customer_id=1");
        text(&domains.at("/data/domains/0/id"))
    }

    fn acknowledges(&self, domain: &str) {
        let alerts = self.get(&format!("domains/{domain}/alerts?billing_customer_id=1"));
        let alert = text(&alerts.at("/data/alerts/0/id"));
        let path = format!("/api/v1/domains/{domain}/alerts/{alert}/acknowledge");
        let owner = json!({ "billing_customer_id": 1 });
        self.caller.post(&path, owner).expect(200);
    }

    fn settles_accounts(&self) {
        let change = json!({ "client_id": 1, "service_id": 5, "product_slug": "domain_monitoring", "new_quantity": 1, "force": true });
        self.bill("change-subscription", change).expect(200);
        let report = json!({ "client_id": 1, "service_id": 9, "product_slug": "endpoint", "status": "cancelled" });
        let reports = json!({ "services": [report] });
        self.bill("sync-services", reports).expect(200);
        let price = json!({ "product_slug": "domain_monitoring", "price": 3, "currency": "EUR" });
        self.bill("pricing", price).expect(200);
        let (owner, scenario) = (
            json!({ "billing_customer_id": 1 }),
            json!({ "scenario": "critical" }),
        );
        self.caller.post("/api/v1/sso/token", owner).expect(200);
        self.caller
            .post("/api/v1/sandbox/scenario", scenario)
            .expect(200);
    }

    fn reads(&self, server: &str, domain: &str) {
        for path in [
            "endpoints".to_owned(),
            "whitelists".to_owned(),
            "sandbox/scenarios".to_owned(),
            format!("endpoints/{server}/detail"),
            format!("domains/{domain}/summary?billing_customer_id=1"),
            format!("domains/{domain}/scan-history?billing_customer_id=1"),
            format!("domains/{domain}/dark-web-mentions?billing_customer_id=1"),
        ] {
            self.get(&path);
        }
    }
}

/// Everything that a partner does, on an account of its own; its name.
fn work(anyone: &Caller) -> String {
    let partner = Partner::new(anyone);
    partner.meets_a_fault();
    let server = partner.adds_servers();
    partner.allows_and_resolves(&server);
    let domain = partner.watches_domains();
    partner.acknowledges(&domain);
    partner.settles_accounts();
    partner.reads(&server, &domain);
    let name = partner.name;
    let calls = anyone.get(&format!("/_mock/requests?tenant={name}"));
    let calls = calls.at("/requests");
    assert!(
        calls.as_array().is_some_and(|calls| calls.len() >= 30),
        "{name}"
    );
    name
}

/// The records of an account in the exported state, without what differs by its name: ids and keys.
fn exported(state: &Value, name: &str) -> Vec<Value> {
    let records = state["accounts"][name]["state"]["records"].as_array();
    let mut records = records.cloned().unwrap_or_default();
    records.retain(|record| record["table"] != "settings" && record["table"] != "keys");
    assert!(records.len() > 20, "{name}");
    for record in &mut records {
        record["id"].take();
        if record["table"] == "rules" {
            record["value"]["created_by"].take();
        }
    }
    records
}

#[test]
fn a_hundred_accounts_at_once_end_like_one_alone() {
    let alone = Stage::new();
    let name = work(&alone.anyone);
    let expected = exported(&alone.anyone.get("/_mock/state").json(), &name);
    let stage = Stage::new();
    let workers: Vec<_> = (0..100)
        .map(|_| {
            let anyone = stage.anyone.clone();
            std::thread::spawn(move || work(&anyone))
        })
        .collect();
    let names: Vec<String> = workers
        .into_iter()
        .map(|worker| worker.join().expect("its work is done"))
        .collect();
    let state = stage.anyone.get("/_mock/state").json();
    for name in names {
        assert!(
            exported(&state, &name) == expected,
            "{name} ended in another state"
        );
    }
}

/// What a server in a process of its own answered to all of it, and its state in the end.
fn told_by_a_process() -> (Value, String) {
    let program = Program::start(&["--seed", "1", "--clock", "manual", "--now", START]);
    let anyone = program.caller().with("Host", "localhost");
    work(&anyone);
    let mut calls = anyone.get("/_mock/requests").expect(200).at("/requests");
    for call in calls.as_array_mut().into_iter().flatten() {
        // The one thing that real time decides.
        call["duration_us"].take();
    }
    (calls, anyone.get("/_mock/state").expect(200).text())
}

#[test]
fn same_seed_and_same_calls_are_the_same_bytes_in_another_process_m9() {
    let ((calls, state), (others, its_state)) = (told_by_a_process(), told_by_a_process());
    assert!(calls.as_array().is_some_and(|calls| calls.len() >= 30));
    assert!(calls == others, "other answers");
    assert!(state == its_state, "another state");
}
