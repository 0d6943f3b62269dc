//! A partner with an account of its own, who does what comes to mind and notes what was acknowledged.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};

use super::ledger::Ledger;
use crate::chance::Chance;
use crate::client::{Answer, Caller};
use crate::table::{Lost, Outcome, hold};

pub struct Partner {
    pub name: String,
    pub key: String,
    pub ledger: Ledger,
    pub calls: usize,
    /// Calls of the last round whose answer was lost, or a fault's.
    pub lost: u64,
    chance: Chance,
}

/// The customers of every partner.
pub const CUSTOMERS: std::ops::RangeInclusive<u64> = 1..=4;

/// Below which paths records are read.
const SERVERS: &str = "/api/v1/endpoints/";
const RULES: &str = "/api/v1/whitelists/";

impl Partner {
    pub fn new(name: String, key: String, chance: Chance) -> Self {
        Self {
            name,
            key,
            ledger: Ledger::default(),
            calls: 0,
            lost: 0,
            chance,
        }
    }

    /// Works until it is over, or until the server is gone.
    pub fn work(&mut self, anyone: &Caller, is_over: &AtomicBool) -> Outcome {
        let caller = anyone.with_key(&self.key);
        let mut in_a_row = 0;
        self.lost = 0;
        while !is_over.load(Ordering::Relaxed) && in_a_row < 20 {
            self.calls += 1;
            let is_answered = match self.chance.below(12) {
                0..=3 => self.add_server(&caller)?,
                4..=6 => self.change_server(&caller)?,
                7 => self.add_rule(&caller)?,
                8 => self.change_rule(&caller)?,
                9 => self.change_service(&caller)?,
                10 => self.change_domain(&caller)?,
                _ => self.look_around(&caller)?,
            };
            // A fault loses an answer now and then; a server that is gone loses all.
            in_a_row = if is_answered { 0 } else { in_a_row + 1 };
            self.lost += u64::from(!is_answered);
        }
        Ok(())
    }

    fn customer(&mut self) -> u64 {
        CUSTOMERS.start() + self.chance.below(*CUSTOMERS.end())
    }

    fn add_server(&mut self, caller: &Caller) -> Outcome<bool> {
        let (customer, last) = (self.customer(), self.chance.below(30));
        let address = format!("192.0.2.{last}");
        let (path, body, id) = match self.chance.below(2) {
            0 => (
                "/api/v1/billing/provision",
                json!({ "client_id": customer, "ip_address": address, "service_id": last + 1 }),
                "/data/endpoint_id",
            ),
            _ => (
                "/api/v1/endpoints",
                json!({ "billing_customer_id": customer, "ip_address": address }),
                "/data/id",
            ),
        };
        let Some(answer) = answered(caller.post(path, &body))? else {
            // A server that is gone may be back.
            self.ledger.forget_gone();
            return Ok(false);
        };
        if answer.status < 300 {
            let place = format!("{SERVERS}{}", answer.text(id)?);
            self.ledger.shown(
                place,
                json!({ "ip_address": address, "billing_customer_id": customer }),
            );
        }
        Ok(true)
    }

    fn change_server(&mut self, caller: &Caller) -> Outcome<bool> {
        let places = self.ledger.places(SERVERS);
        if places.is_empty() {
            return self.add_server(caller);
        }
        let place = self.chance.pick(&places).clone();
        let id = json!({ "endpoint_id": &place[SERVERS.len()..] });
        let bill = |what: &str| caller.post(&format!("/api/v1/billing/{what}"), &id);
        let nickname = format!("n{}", self.chance.below(1000));
        let what = self.chance.below(6);
        let sent = match what {
            0 => bill("suspend"),
            1 => bill("resume"),
            2 => bill("terminate"),
            3 => caller.delete(&place),
            4 => self.rename(caller, &place, &nickname),
            _ => self.scan(caller, &place),
        };
        let Some(answer) = answered(sent)? else {
            self.ledger.forget(&place);
            return Ok(false);
        };
        if answer.status >= 300 {
            return Ok(true);
        }
        // A note says that it was so before; whether by hand or by the platform it does not say.
        let is_noted = answer.status != 204 && !answer.json()?["data"]["note"].is_null();
        match what {
            0 if !is_noted => self
                .ledger
                .shown(place, json!({ "status": "paused", "quota_paused": false })),
            1 => {
                self.ledger.leave_open(&place, "status");
                self.ledger.leave_open(&place, "quota_paused");
            }
            2 | 3 => self.ledger.gone(place),
            4 => self.ledger.shown(place, json!({ "nickname": nickname })),
            _ => {}
        }
        Ok(true)
    }

    fn rename(&mut self, caller: &Caller, place: &str, nickname: &str) -> Outcome<Answer> {
        let owner = caller.get(place)?;
        if owner.status != 200 {
            return Ok(owner);
        }
        let owner = owner.number("/data/billing_customer_id")?;
        caller.put(
            place,
            &json!({ "billing_customer_id": owner, "nickname": nickname }),
        )
    }

    fn scan(&mut self, caller: &Caller, place: &str) -> Outcome<Answer> {
        let customer = self.customer();
        let scan = json!({ "client_id": customer, "endpoint_id": &place[SERVERS.len()..] });
        caller.post("/api/v1/billing/scan-endpoint", &scan)
    }

    fn add_rule(&mut self, caller: &Caller) -> Outcome<bool> {
        let servers = self.ledger.places(SERVERS);
        let mut rule = self.rule();
        if !servers.is_empty() && self.chance.below(3) > 0 {
            rule["endpoint_id"] = json!(&self.chance.pick(&servers)[SERVERS.len()..]);
        }
        let Some(answer) = answered(caller.post("/api/v1/whitelists", &rule))? else {
            return Ok(false);
        };
        if answer.status == 201 {
            let place = format!("{RULES}{}", answer.text("/data/id")?);
            self.ledger.shown(place, rule);
        }
        Ok(true)
    }

    fn change_rule(&mut self, caller: &Caller) -> Outcome<bool> {
        let places = self.ledger.places(RULES);
        if places.is_empty() {
            return self.add_rule(caller);
        }
        let place = self.chance.pick(&places).clone();
        let rule = self.rule();
        let sent = match self.chance.below(2) {
            0 => caller.delete(&place),
            _ => caller.put(&place, &rule),
        };
        let Some(answer) = answered(sent)? else {
            self.ledger.forget(&place);
            return Ok(false);
        };
        match answer.status {
            204 => self.ledger.gone(place),
            200 => self.ledger.shown(place, rule),
            _ => {}
        }
        Ok(true)
    }

    fn rule(&mut self) -> Value {
        let (port, number) = (1 + self.chance.below(500), self.chance.below(1000));
        let protocol = *self.chance.pick(&["tcp", "udp", "*"]);
        json!({ "port_start": port, "protocol": protocol, "justification": format!("Asked for {number} times") })
    }

    /// Capacity comes and goes.
    fn change_service(&mut self, caller: &Caller) -> Outcome<bool> {
        let customer = self.customer();
        let product = *self.chance.pick(&["port_monitoring", "domain_monitoring"]);
        let plan = *self.chance.pick(&["starter", "professional"]);
        let quantity = 1 + self.chance.below(5);
        let status = *self.chance.pick(&["active", "suspended", "cancelled"]);
        let mut service =
            json!({ "client_id": customer, "service_id": 100 + customer, "product_slug": product });
        let what = *self.chance.pick(&[
            "provision",
            "provision",
            "change",
            "suspend",
            "resume",
            "sync",
        ]);
        if what == "sync" {
            service["status"] = json!(status);
            let services = json!({ "services": [service] });
            return is_answered(caller.post("/api/v1/billing/sync-services", &services));
        }
        // What a call has no use for, it ignores.
        for (name, value) in [
            ("plan_slug", json!(plan)),
            ("quantity", json!(quantity)),
            ("force", json!(true)),
        ] {
            service[format!("new_{name}")] = value.clone();
            service[name] = value;
        }
        is_answered(caller.post(&format!("/api/v1/billing/{what}-subscription"), &service))
    }

    fn change_domain(&mut self, caller: &Caller) -> Outcome<bool> {
        let (customer, number) = (self.customer(), self.chance.below(8));
        let mut domain = json!({ "client_id": customer, "service_id": 100 + customer, "domain": format!("d{number}.example") });
        let Some(made) = answered(caller.post("/api/v1/billing/provision-domain", &domain))? else {
            return Ok(false);
        };
        if made.status >= 300 {
            return Ok(true);
        }
        domain["monitored_domain_id"] = json!(made.text("/data/monitored_domain_id")?);
        domain["domain"] = json!(format!("e{number}.example"));
        let what = *self
            .chance
            .pick(&["suspend", "resume", "terminate", "update", "release"]);
        is_answered(caller.post(&format!("/api/v1/billing/{what}-domain"), &domain))
    }

    fn look_around(&mut self, caller: &Caller) -> Outcome<bool> {
        let customer = self.customer();
        let lists = [
            format!("alerts?billing_customer_id={customer}"),
            format!("domains?billing_customer_id={customer}"),
            format!("endpoints?billing_customer_id={customer}"),
            format!("whitelists/endpoint-summary?billing_customer_id={customer}"),
            "whitelists?status=active".to_owned(),
        ];
        let path = format!("/api/v1/{}", self.chance.pick(&lists));
        is_answered(caller.get(&path))
    }
}

fn is_answered(sent: Outcome<Answer>) -> Outcome<bool> {
    Ok(answered(sent)?.is_some())
}

/// The answer, unless it was lost or a fault's; no other answer is above 499.
fn answered(sent: Outcome<Answer>) -> Outcome<Option<Answer>> {
    let Ok(answer) = sent else {
        return Ok(None);
    };
    let is_injected = answer.status == 503
        && answer
            .text("/error/code")
            .is_ok_and(|code| code == "SCANNING_UNAVAILABLE");
    if is_injected {
        return Ok(None);
    }
    hold(answer.status < 500, || {
        format!("{}: {}", answer.status, answer.beginning())
    })?;
    if answer.status == 401 {
        return Err(Lost::new("a key that was issued is refused"));
    }
    Ok(Some(answer))
}
