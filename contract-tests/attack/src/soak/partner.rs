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
            chance,
        }
    }

    /// Works until it is over, or until the server is gone.
    pub fn work(&mut self, anyone: &Caller, is_over: &AtomicBool) -> Outcome {
        let caller = anyone.with_key(&self.key);
        let mut lost = 0;
        while !is_over.load(Ordering::Relaxed) && lost < 20 {
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
            lost = if is_answered { 0 } else { lost + 1 };
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
        let port = 1 + self.chance.below(500);
        let mut rule = json!({ "port_start": port, "protocol": "tcp", "justification": format!("Asked for by {}", self.name) });
        if !servers.is_empty() && self.chance.below(3) > 0 {
            rule["endpoint_id"] = json!(&self.chance.pick(&servers)[SERVERS.len()..]);
        }
        if let Some(answer) = answered(caller.post("/api/v1/whitelists", &rule))? {
            if answer.status == 201 {
                let place = format!("{RULES}{}", answer.text("/data/id")?);
                self.ledger.shown(
                    place,
                    json!({ "port_start": port, "justification": rule["justification"] }),
                );
            }
            return Ok(true);
        }
        Ok(false)
    }

    fn change_rule(&mut self, caller: &Caller) -> Outcome<bool> {
        let places = self.ledger.places(RULES);
        if places.is_empty() {
            return self.add_rule(caller);
        }
        let place = self.chance.pick(&places).clone();
        let port = 1 + self.chance.below(500);
        let justification = format!("Changed by {}", self.name);
        let is_deleted = self.chance.below(2) == 0;
        let sent = if is_deleted {
            caller.delete(&place)
        } else {
            caller.put(
                &place,
                &json!({ "port_start": port, "protocol": "udp", "justification": justification }),
            )
        };
        let Some(answer) = answered(sent)? else {
            self.ledger.forget(&place);
            return Ok(false);
        };
        match answer.status {
            204 => self.ledger.gone(place),
            200 => self.ledger.shown(
                place,
                json!({ "port_start": port, "justification": justification, "protocol": "udp" }),
            ),
            _ => {}
        }
        Ok(true)
    }

    /// Capacity comes and goes.
    fn change_service(&mut self, caller: &Caller) -> Outcome<bool> {
        let customer = self.customer();
        let product = *self.chance.pick(&["port_monitoring", "domain_monitoring"]);
        let plan = *self.chance.pick(&["starter", "professional"]);
        let quantity = 1 + self.chance.below(5);
        let service =
            json!({ "client_id": customer, "service_id": 100 + customer, "product_slug": product });
        let more = |mut service: Value, members: [(&str, Value); 3]| {
            members
                .into_iter()
                .for_each(|(name, value)| service[name] = value);
            service
        };
        let status = *self.chance.pick(&["active", "suspended", "cancelled"]);
        let (what, body) = match self.chance.below(6) {
            0 | 1 => (
                "provision-subscription",
                more(
                    service,
                    [
                        ("plan_slug", json!(plan)),
                        ("quantity", json!(quantity)),
                        ("mrr", json!(1)),
                    ],
                ),
            ),
            2 => (
                "change-subscription",
                more(
                    service,
                    [
                        ("new_plan_slug", json!(plan)),
                        ("new_quantity", json!(quantity)),
                        ("force", json!(true)),
                    ],
                ),
            ),
            3 => ("suspend-subscription", service),
            4 => ("resume-subscription", service),
            _ => (
                "sync-services",
                json!({ "services": [more(service, [("status", json!(status)), ("client_id", json!(customer)), ("service_id", json!(100 + customer))])] }),
            ),
        };
        Ok(answered(caller.post(&format!("/api/v1/billing/{what}"), &body))?.is_some())
    }

    fn change_domain(&mut self, caller: &Caller) -> Outcome<bool> {
        let customer = self.customer();
        let number = self.chance.below(8);
        let domain = json!({ "client_id": customer, "service_id": 100 + customer, "domain": format!("d{number}.example") });
        let Some(made) = answered(caller.post("/api/v1/billing/provision-domain", &domain))? else {
            return Ok(false);
        };
        if made.status >= 300 {
            return Ok(true);
        }
        let id = made.text("/data/monitored_domain_id")?;
        let body = json!({ "client_id": customer, "service_id": 100 + customer, "monitored_domain_id": id, "domain": format!("e{number}.example") });
        let what = *self.chance.pick(&[
            "suspend-domain",
            "resume-domain",
            "terminate-domain",
            "update-domain",
            "release-domain",
        ]);
        Ok(answered(caller.post(&format!("/api/v1/billing/{what}"), &body))?.is_some())
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
        Ok(answered(caller.get(&path))?.is_some())
    }
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
