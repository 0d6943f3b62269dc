//! Playbooks: what a good client and a careless one are told (M8).

use serde_json::{Value, json};

use crate::client::{Caller, Stage, text};

/// A playbook that was started, and a caller with its key.
struct Play {
    stage: Stage,
    id: u64,
    client: Caller,
}

impl Play {
    fn start(name: &str) -> Self {
        let stage = Stage::new();
        let started = stage
            .anyone
            .post("/_mock/playbooks", json!({ "name": name }))
            .expect(201);
        assert_eq!(text(&started.at("/base_url")), stage.server.url());
        assert!(started.at("/goal").is_string());
        let client = stage
            .anyone
            .with_key(&text(&started.at("/api_key")))
            .unjudged();
        let id = started.at("/id").as_u64().expect("a number");
        let play = Self { stage, id, client };
        assert_eq!(
            play.judged(""),
            json!({ "verdict": "running", "findings": [] }),
            "{name}"
        );
        play
    }

    fn judged(&self, query: &str) -> Value {
        self.stage
            .anyone
            .get(&format!("/_mock/playbooks/{}{query}", self.id))
            .expect(200)
            .json()
    }

    #[track_caller]
    fn passes(&self) {
        assert_eq!(
            self.judged(""),
            json!({ "verdict": "passed", "findings": [] })
        );
    }

    #[track_caller]
    fn fails(&self, finding: &str) {
        let judged = self.judged("");
        assert_eq!(judged["verdict"], "failed", "{judged}");
        assert!(text(&judged["findings"][0]).contains(finding), "{judged}");
    }

    fn provision(&self, last: u8) -> Option<(u16, String)> {
        let body =
            json!({ "client_id": 42, "ip_address": format!("203.0.113.{last}") }).to_string();
        let reply = self
            .client
            .try_send("POST", "/api/v1/billing/provision", body.as_bytes())
            .ok()?;
        let id = reply.json().pointer("/data/endpoint_id").map(text);
        Some((reply.status, id.unwrap_or_default()))
    }

    fn bill(&self, operation: &str, body: Value) -> u16 {
        self.client
            .post(&format!("/api/v1/billing/{operation}"), body)
            .status
    }

    fn rule(&self) -> std::io::Result<crate::client::Reply> {
        let body = json!({ "port_start": 22, "protocol": "tcp", "justification": "SSH for operations", "billing_customer_id": 42 });
        self.client
            .try_send("POST", "/api/v1/whitelists", body.to_string().as_bytes())
    }

    fn domains(&self) -> Vec<String> {
        let list = self
            .client
            .get("/api/v1/domains?billing_customer_id=42")
            .at("/data/domains");
        list.as_array()
            .into_iter()
            .flatten()
            .map(|domain| text(&domain["id"]))
            .collect()
    }
}

#[test]
fn provision_lifecycle_wants_every_step_and_no_refusal() {
    let play = Play::start("provision-lifecycle");
    let (_, id) = play.provision(10).expect("an answer");
    for operation in ["suspend", "resume"] {
        play.bill(operation, json!({ "endpoint_id": id }));
    }
    let open = play.judged("?finished=1");
    assert_eq!(open["verdict"], "failed");
    assert!(text(&open["findings"][0]).contains("terminated"));
    play.bill("terminate", json!({ "endpoint_id": id }));
    play.passes();
    play.bill("suspend", json!({ "endpoint_id": id }));
    play.fails("refused");
}

#[test]
fn capacity_drop_wants_domains_given_up_and_no_force() {
    let downgrade = |play: &Play, force: bool| {
        let body = json!({
            "client_id": 42, "service_id": 501, "product_slug": "domain_monitoring", "new_quantity": 1, "force": force,
        });
        play.bill("change-subscription", body)
    };
    let play = Play::start("capacity-drop");
    assert_eq!(downgrade(&play, false), 422);
    for id in &play.domains()[1..] {
        play.bill("terminate-domain", json!({ "monitored_domain_id": id }));
    }
    assert_eq!(downgrade(&play, false), 200);
    play.passes();
    let careless = Play::start("capacity-drop");
    downgrade(&careless, true);
    careless.fails("forced");
}

#[test]
fn throttle_storm_wants_retry_after_obeyed() {
    let play = Play::start("throttle-storm");
    for last in [11, 12, 13] {
        while play.provision(last).is_none_or(|(status, _)| status == 429) {
            play.stage.advance(1);
        }
    }
    play.passes();
    let careless = Play::start("throttle-storm");
    careless.provision(11);
    careless.provision(11);
    careless.fails("Retry-After");
}

#[test]
fn calls_that_are_on_their_way_when_one_is_refused_are_nobodys_fault() {
    for name in ["throttle-storm", "key-revoked"] {
        let play = Play::start(name);
        for last in [11, 12, 13] {
            play.provision(last);
        }
        let judged = play.judged("");
        assert_ne!(judged["verdict"], "failed", "{name}: {judged}");
    }
}

#[test]
fn lost_answer_wants_a_look_instead_of_a_second_rule() {
    let play = Play::start("lost-answer");
    play.rule().expect_err("the answer is lost");
    let rules = play.client.get("/api/v1/whitelists").expect(200);
    assert_eq!(rules.at("/meta/total"), 1);
    play.passes();
    play.rule().expect("an answer");
    play.fails("twice");
}

#[test]
fn scan_cooldown_wants_patience() {
    let scan = |play: &Play| {
        let id = play.client.get("/api/v1/endpoints").at("/data/0/id");
        play.bill(
            "scan-endpoint",
            json!({ "client_id": 42, "endpoint_id": id }),
        )
    };
    let play = Play::start("scan-cooldown");
    assert_eq!(scan(&play), 429);
    play.stage.advance(3);
    assert_eq!(scan(&play), 202);
    play.passes();
    let careless = Play::start("scan-cooldown");
    scan(&careless);
    scan(&careless);
    careless.fails("retry_after_seconds");
}

#[test]
fn paging_wants_every_page_once() {
    let play = Play::start("paging");
    for page in 1..=5 {
        play.client
            .get(&format!(
                "/api/v1/endpoints?billing_customer_id=42&page={page}"
            ))
            .expect(200);
    }
    play.passes();
    play.client
        .get("/api/v1/endpoints?billing_customer_id=42&page=5")
        .expect(200);
    play.fails("twice");
}

#[test]
fn drift_sync_wants_one_report() {
    let report = |play: &Play| {
        let service = json!({ "service_id": 501, "client_id": 42, "product_slug": "domain_monitoring", "status": "suspended" });
        play.bill("sync-services", json!({ "services": [service] }))
    };
    let play = Play::start("drift-sync");
    assert_eq!(report(&play), 200);
    play.passes();
    report(&play);
    play.fails("more than once");
    let careless = Play::start("drift-sync");
    let body = json!({ "service_id": 501, "client_id": 42, "product_slug": "domain_monitoring" });
    careless.bill("suspend-subscription", body);
    careless.fails("another operation");
}

#[test]
fn unknown_values_wants_the_work_to_go_on() {
    let play = Play::start("unknown-values");
    let alerts = play
        .client
        .get("/api/v1/alerts?billing_customer_id=42")
        .expect(200);
    assert_eq!(alerts.at("/data/alerts/0/severity"), "galactic");
    play.rule().expect("an answer").expect(201);
    play.passes();
    let careless = Play::start("unknown-values");
    for _ in 0..4 {
        careless.client.get("/api/v1/alerts?billing_customer_id=42");
    }
    careless.fails("over and over");
}

#[test]
fn key_revoked_wants_a_stop_at_the_first_401() {
    let play = Play::start("key-revoked");
    assert_eq!(play.provision(15).map(|(status, _)| status), Some(201));
    assert_eq!(play.provision(16).map(|(status, _)| status), Some(401));
    play.passes();
    play.provision(16);
    play.fails("again");
    let stubborn = Play::start("key-revoked");
    stubborn.provision(15);
    stubborn.provision(16);
    stubborn.stage.advance(1);
    stubborn.provision(17);
    stubborn.fails("again");
}

#[test]
fn upstream_down_wants_the_summary_all_the_same() {
    let play = Play::start("upstream-down");
    let id = play.domains().remove(0);
    let read = |what: &str| {
        play.client.get(&format!(
            "/api/v1/domains/{id}/{what}?billing_customer_id=42"
        ))
    };
    read("credential-leaks").expect(503);
    read("summary").expect(200);
    play.passes();
    for _ in 0..3 {
        read("credential-leaks");
    }
    play.fails("over and over");
}

#[test]
fn playbooks_are_listed_and_unknown_ones_refused() {
    let play = Play::start("paging");
    let listed = play.stage.anyone.get("/_mock/playbooks").expect(200);
    assert_eq!(listed.at("/playbooks").as_array().map(Vec::len), Some(10));
    let tenants = play.stage.anyone.get("/_mock/tenants").expect(200);
    let tenants = tenants.at("/tenants");
    let made = tenants.as_array().and_then(|tenants| tenants.last());
    let account = &made.expect("the playbook's account")["name"];
    assert_eq!(
        listed.at("/runs"),
        json!([{ "id": play.id, "name": "paging", "tenant": account }])
    );
    play.stage
        .anyone
        .post("/_mock/playbooks", json!({ "name": "poker" }))
        .expect(404);
    play.stage
        .anyone
        .post("/_mock/playbooks", json!({}))
        .expect(400);
    play.stage.anyone.get("/_mock/playbooks/99").expect(404);
    play.stage
        .anyone
        .post("/_mock/reset", json!({}))
        .expect(204);
    play.stage
        .anyone
        .get(&format!("/_mock/playbooks/{}", play.id))
        .expect(404);
}
