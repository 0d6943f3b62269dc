//! What must hold after every round.

use serde_json::{Value, json};

use super::partner::{CUSTOMERS, Partner};
use crate::client::Caller;
use crate::mock::Mock;
use crate::table::{Outcome, hold};

/// Holds the server against what the partners were told, against itself, and against its export; how many calls that took.
pub fn hold_all(mock: &Mock, partners: &mut [Partner]) -> Outcome<usize> {
    let anyone = mock.anyone();
    anyone.delete("/_mock/faults")?.expect(204)?;
    let mut calls = 0;
    for partner in partners.iter() {
        let caller = anyone.with_key(&partner.key);
        let at = |lost: crate::table::Lost| lost.at(&partner.name);
        calls += partner.ledger.hold_all(&caller).map_err(at)?;
        for customer in CUSTOMERS {
            counts_agree(&caller, customer).map_err(at)?;
            calls += 4;
        }
    }
    let exported = anyone.get("/_mock/state")?.expect(200)?.body;
    anyone.send("PUT", "/_mock/state", &exported)?.expect(204)?;
    let again = anyone.get("/_mock/state")?.expect(200)?.body;
    hold(exported == again, || {
        "an export is not the same after its import".to_owned()
    })?;
    Ok(calls + 3)
}

/// Lists, counts and capacity of a customer say the same.
fn counts_agree(caller: &Caller, customer: u64) -> Outcome {
    let servers = Servers::of(caller, customer)?;
    servers.agree(customer)?;
    if servers.active > servers.capacity {
        // What was paused by hand may be resumed whatever the capacity (B8); the next change of the service pauses it.
        reconcile(caller, customer, "port_monitoring")?;
        Servers::of(caller, customer)?.fit(customer)?;
    }
    let domains = Domains::of(caller, customer)?;
    hold(domains.used == domains.listed, || {
        format!(
            "slots_used of customer {customer} is {}, and {} domains are listed",
            domains.used, domains.listed
        )
    })?;
    if domains.active > domains.slots {
        reconcile(caller, customer, "domain_monitoring")?;
        Domains::of(caller, customer)?.fit(customer)?;
    }
    Ok(())
}

fn reconcile(caller: &Caller, customer: u64, product: &str) -> Outcome {
    let service = json!({ "client_id": customer, "service_id": 100 + customer, "product_slug": product, "plan_slug": "starter" });
    let answer = caller.post("/api/v1/billing/provision-subscription", &service)?;
    hold(answer.status < 300, || {
        format!("{}: {}", answer.status, answer.beginning())
    })
}

struct Servers {
    listed: Vec<Value>,
    meta: Value,
    active: u64,
    capacity: u64,
}

impl Servers {
    fn of(caller: &Caller, customer: u64) -> Outcome<Self> {
        let path = format!("/api/v1/endpoints?billing_customer_id={customer}&per_page=100");
        let mut list = caller.get(&path)?.expect(200)?.json()?;
        let listed = list["data"].as_array().cloned().unwrap_or_default();
        let meta = list["meta"].take();
        Ok(Self {
            active: having(&listed, "active"),
            capacity: number(&meta["endpoint_limit"]),
            listed,
            meta,
        })
    }

    fn agree(&self, customer: u64) -> Outcome {
        let (meta, all) = (&self.meta, self.listed.len() as u64);
        for (name, shown, counted) in [
            ("total", &meta["total"], all),
            (
                "current_endpoint_count",
                &meta["current_endpoint_count"],
                all,
            ),
            (
                "status_counts.active",
                &meta["status_counts"]["active"],
                self.active,
            ),
            (
                "status_counts.paused",
                &meta["status_counts"]["paused"],
                having(&self.listed, "paused"),
            ),
        ] {
            hold(number(shown) == counted, || {
                format!("{name} of customer {customer} is {shown}, and {counted} are listed")
            })?;
        }
        let wrong = self
            .listed
            .iter()
            .find(|server| server["status"] == "active" && server["quota_paused"] == true);
        hold(wrong.is_none(), || {
            format!("a server of customer {customer} is active and paused by the platform")
        })
    }

    fn fit(&self, customer: u64) -> Outcome {
        let Self {
            active, capacity, ..
        } = self;
        hold(active <= capacity, || {
            format!("{active} servers of customer {customer} are active, and {capacity} may be")
        })
    }
}

struct Domains {
    listed: u64,
    active: u64,
    used: u64,
    slots: u64,
}

impl Domains {
    fn of(caller: &Caller, customer: u64) -> Outcome<Self> {
        let path = format!("/api/v1/domains?billing_customer_id={customer}");
        let data = caller.get(&path)?.expect(200)?.json()?["data"].take();
        let listed = data["domains"].as_array().cloned().unwrap_or_default();
        Ok(Self {
            listed: listed.len() as u64,
            active: having(&listed, "active"),
            used: number(&data["slots_used"]),
            slots: number(&data["slots_total"]),
        })
    }

    fn fit(&self, customer: u64) -> Outcome {
        let Self { active, slots, .. } = self;
        hold(active <= slots, || {
            format!("{active} domains of customer {customer} are active, and {slots} may be")
        })
    }
}

fn having(records: &[Value], status: &str) -> u64 {
    records
        .iter()
        .filter(|record| record["status"] == status)
        .count() as u64
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(u64::MAX)
}
