//! Provisioning of domains, and the slots they take.

use secmon_engine::{
    Capacity, DomainProvisioned, DomainStatus, Done, Outcome, Refusal, ReleaseDomain, ServiceId,
    Session,
};
use serde_json::json;
use uuid::Uuid;

use crate::bench::{Bench, What, client, domain_name, subscription};

type Move = fn(&mut Session<'_>, Uuid) -> Result<Done<DomainProvisioned>, Refusal>;

const SUSPEND: Move = |session, id| session.suspend_domain(id);
const RESUME: Move = |session, id| session.resume_domain(id);
const TERMINATE: Move = |session, id| session.terminate_domain(id);

fn with_slots(slots: u32) -> Bench {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Slots(slots));
    bench
}

fn go(bench: &mut Bench, operation: Move, id: Uuid) -> Result<(DomainStatus, bool), Refusal> {
    let call = bench.call();
    let done = operation(&mut bench.account.at(call), id)?;
    Ok((done.value.status, done.note.is_some()))
}

fn release(bench: &mut Bench, service: i64, domain: Uuid) -> Result<serde_json::Value, Refusal> {
    let call = bench.call();
    let request = ReleaseDomain {
        client: client(42),
        service: ServiceId::new(service).expect("a service"),
        domain,
    };
    let released = bench.account.at(call).release_domain(request)?;
    Ok(serde_json::to_value(released).expect("json"))
}

#[test]
fn a_domain_needs_a_free_slot_b5_b6() {
    let mut bench = Bench::new();
    let full = |limit, current_usage| {
        Refusal::DomainLimitExceeded(Capacity {
            limit,
            current_usage,
        })
    };
    assert_eq!(bench.domain(42, "a.example"), Err(full(0, 0)));
    bench.subscribe(42, 1, What::Slots(1));
    let done = bench.domain(42, "A.Example.").expect("provisioned");
    assert_eq!(done.outcome, Outcome::Created);
    assert_eq!(done.value.domain, "a.example");
    assert_eq!(done.value.status, DomainStatus::Active);
    assert_eq!(bench.domain(42, "b.example"), Err(full(1, 1)));
    let again = bench.domain(42, "a.example").expect("noted");
    assert_eq!(again.outcome, Outcome::Existing);
    assert!(again.note.is_some());
}

#[test]
fn a_domain_moves_and_repeats_with_a_note_c4() {
    use DomainStatus::{Active, Paused, Terminated};
    let mut bench = with_slots(1);
    let id = bench.new_domain(42, "a.example");
    assert_eq!(go(&mut bench, RESUME, id), Ok((Active, true)));
    assert_eq!(go(&mut bench, SUSPEND, id), Ok((Paused, false)));
    assert_eq!(go(&mut bench, SUSPEND, id), Ok((Paused, true)));
    assert_eq!(go(&mut bench, RESUME, id), Ok((Active, false)));
    assert_eq!(go(&mut bench, SUSPEND, id), Ok((Paused, false)));
    assert_eq!(go(&mut bench, TERMINATE, id), Ok((Terminated, false)));
    assert_eq!(go(&mut bench, TERMINATE, id), Ok((Terminated, true)));
    let not_found = Err(Refusal::DomainNotFound);
    assert_eq!(go(&mut bench, SUSPEND, id), not_found);
    assert_eq!(go(&mut bench, RESUME, id), not_found);
    for operation in [SUSPEND, RESUME, TERMINATE] {
        assert_eq!(go(&mut bench, operation, Uuid::nil()), not_found);
    }
}

#[test]
fn a_paused_domain_is_found_as_it_is_and_a_terminated_one_restored_c2() {
    let mut bench = with_slots(1);
    let id = bench.new_domain(42, "a.example");
    go(&mut bench, SUSPEND, id).expect("suspended");
    let paused = bench.domain(42, "a.example").expect("noted");
    assert_eq!(paused.value.status, DomainStatus::Paused);
    go(&mut bench, TERMINATE, id).expect("terminated");
    let restored = bench.domain(42, "a.example").expect("restored");
    assert!(restored.note.is_some());
    assert_eq!(restored.value.monitored_domain_id, id);
    assert_eq!(restored.value.status, DomainStatus::Active);
    go(&mut bench, TERMINATE, id).expect("terminated");
    bench.new_domain(42, "b.example");
    assert!(bench.domain(42, "a.example").is_err(), "no slot is free");
}

#[test]
fn the_same_domain_for_two_customers_is_two_domains_b10() {
    let mut bench = with_slots(1);
    bench.subscribe(43, 1, What::Slots(1));
    let one = bench.new_domain(42, "a.example");
    assert_ne!(one, bench.new_domain(43, "a.example"));
    assert_eq!(bench.summary(43, one).err(), Some(Refusal::DomainNotFound));
}

#[test]
fn a_domain_can_be_renamed_unless_the_name_is_taken_c3() {
    let mut bench = with_slots(3);
    let id = bench.new_domain(42, "a.example");
    bench.new_domain(42, "b.example");
    let call = bench.call();
    let rename = |bench: &mut Bench, name: &str| {
        let done = bench
            .account
            .at(call)
            .update_domain(id, &domain_name(name))?;
        Ok((done.value.domain, done.value.status, done.note.is_some()))
    };
    use DomainStatus::{Active, Paused};
    let named = |name: &str, status, noted| Ok((name.to_owned(), status, noted));
    assert_eq!(
        rename(&mut bench, "a.example"),
        named("a.example", Active, true)
    );
    assert_eq!(
        rename(&mut bench, "b.example"),
        Err(Refusal::DomainAlreadyExists)
    );
    go(&mut bench, SUSPEND, id).expect("suspended");
    assert_eq!(
        rename(&mut bench, "c.example"),
        named("c.example", Paused, false)
    );
    assert_ne!(
        bench.new_domain(42, "a.example"),
        id,
        "the old name is free"
    );
    go(&mut bench, TERMINATE, id).expect("terminated");
    assert_eq!(
        rename(&mut bench, "d.example"),
        Err(Refusal::DomainNotFound)
    );
}

#[test]
fn a_terminated_record_does_not_hold_its_name_and_the_live_or_newest_is_found_c3() {
    let mut bench = with_slots(3);
    let old = bench.new_domain(42, "a.example");
    go(&mut bench, TERMINATE, old).expect("terminated");
    let other = bench.new_domain(42, "b.example");
    let call = bench.call();
    let renamed = bench
        .account
        .at(call)
        .update_domain(other, &domain_name("a.example"));
    assert!(renamed.is_ok(), "only live records count");
    assert_eq!(bench.new_domain(42, "a.example"), other, "the live one");
    go(&mut bench, TERMINATE, other).expect("terminated");
    assert_eq!(bench.new_domain(42, "a.example"), other, "the newest one");
}

#[test]
fn an_update_starts_no_scan_and_keeps_history_c3() {
    let mut bench = with_slots(1);
    let id = bench.new_domain(42, "a.example");
    bench.wait(2);
    let before = bench.summary(42, id).expect("there");
    let call = bench.call();
    bench
        .account
        .at(call)
        .update_domain(id, &domain_name("b.example"))
        .expect("renamed");
    bench.wait(60);
    let after = bench.summary(42, id).expect("there");
    assert_eq!(after.item.domain, "b.example");
    assert_eq!(after.item.last_scan_at, before.item.last_scan_at);
    assert_eq!(after.item.employees_compromised, 2);
}

#[test]
fn domains_beyond_capacity_are_paused_and_come_back_b7_b8() {
    let mut bench = with_slots(2);
    bench.subscribe(42, 2, What::Slots(1));
    let ids = ["a.example", "b.example", "c.example"].map(|name| bench.new_domain(42, name));
    let call = bench.call();
    let named = subscription(42, 1, "domain_monitoring");
    bench
        .account
        .at(call)
        .suspend_subscription(&named)
        .expect("suspended");
    let list = bench.domains(42);
    let paused: Vec<bool> = list.domains.iter().map(|item| item.quota_paused).collect();
    assert_eq!(paused, [false, true, true]);
    assert!(list.domains[1].status == DomainStatus::Paused);
    assert_eq!((list.slots_used, list.slots_total), (3, 1));
    let full = Refusal::DomainLimitExceeded(Capacity {
        limit: 1,
        current_usage: 3,
    });
    assert_eq!(go(&mut bench, RESUME, ids[2]), Err(full));
    let noted = go(&mut bench, SUSPEND, ids[2]);
    assert_eq!(noted, Ok((DomainStatus::Paused, true)));
    assert!(bench.summary(42, ids[2]).expect("there").item.quota_paused);
    bench
        .account
        .at(call)
        .resume_subscription(&named)
        .expect("resumed");
    let list = bench.domains(42);
    assert!(list.domains.iter().all(|item| !item.quota_paused));
}

#[test]
fn the_list_says_whether_the_customer_is_subscribed_c5_c6() {
    let mut bench = Bench::new();
    let shown = serde_json::to_value(bench.domains(42)).expect("json");
    assert_eq!(shown["subscribed"], false);
    assert_eq!(shown["domains"], json!([]));
    assert_eq!(
        (&shown["slots_used"], &shown["slots_total"]),
        (&json!(0), &json!(0))
    );
    assert_eq!(shown["portal_add_path"], "/domains");
    assert_eq!(shown["product"]["slug"], "domain_monitoring");
    bench.subscribe(42, 1, What::Slots(2));
    let id = bench.new_domain(42, "a.example");
    let gone = bench.new_domain(42, "b.example");
    go(&mut bench, TERMINATE, gone).expect("terminated");
    let shown = serde_json::to_value(bench.domains(42)).expect("json");
    let expected = json!({
        "subscribed": true,
        "domains": [{
            "id": id,
            "domain": "a.example",
            "status": "active",
            "scan_status": "pending",
            "last_scan_at": null,
            "employees_compromised": 0,
            "customers_compromised": 0,
            "third_parties_compromised": 0,
            "dark_web_mentions_count": 0,
            "portal_detail_path": format!("/domains/{id}"),
            "quota_paused": false,
        }],
        "slots_used": 1,
        "slots_total": 2,
        "portal_add_path": "/domains",
    });
    assert_eq!(shown, expected);
    let summary = bench.summary(42, gone).expect("still answers");
    assert_eq!(summary.item.status, DomainStatus::Terminated);
    let call = bench.call();
    let named = subscription(42, 1, "domain_monitoring");
    bench
        .account
        .at(call)
        .suspend_subscription(&named)
        .expect("suspended");
    assert!(bench.domains(42).subscribed);
    bench
        .account
        .at(call)
        .terminate_subscription(&named)
        .expect("cancelled");
    let list = bench.domains(42);
    assert!(!list.subscribed && list.product.is_some());
    assert_eq!(
        (list.domains.len(), list.slots_used, list.slots_total),
        (1, 1, 0)
    );
}

#[test]
fn a_released_domain_is_gone_with_its_slot_c7() {
    let mut bench = with_slots(2);
    let id = bench.new_domain(42, "a.example");
    let other = bench.new_domain(42, "b.example");
    bench.wait(2);
    let released = release(&mut bench, 1, id);
    let expected = json!({
        "monitored_domain_id": id,
        "released": true,
        "slots_total": 1,
        "slots_used": 1,
    });
    assert_eq!(released, Ok(expected));
    assert_eq!(release(&mut bench, 1, id), Err(Refusal::DomainNotFound));
    assert_eq!(bench.summary(42, id).err(), Some(Refusal::DomainNotFound));
    go(&mut bench, TERMINATE, other).expect("terminated");
    let last = release(&mut bench, 1, other).expect("a terminated one too");
    assert_eq!(last["slots_total"], 0);
    assert!(!bench.domains(42).subscribed, "the last slot cancels");
    bench.subscribe(42, 1, What::Slots(1));
    assert_ne!(bench.new_domain(42, "a.example"), id, "a new record");
}

#[test]
fn a_release_is_refused_in_order_c7() {
    let mut bench = with_slots(1);
    bench.subscribe(43, 1, What::Slots(1));
    let foreign = bench.new_domain(43, "a.example");
    assert_eq!(
        release(&mut bench, 99, foreign),
        Err(Refusal::DomainNotFound)
    );
    let id = bench.new_domain(42, "a.example");
    assert_eq!(
        release(&mut bench, 99, id),
        Err(Refusal::BillingClientNotFound)
    );
    bench.subscribe(42, 2, What::Plan("starter"));
    assert_eq!(
        release(&mut bench, 2, id),
        Err(Refusal::SubscriptionNotFound)
    );
    let call = bench.call();
    let named = subscription(42, 1, "domain_monitoring");
    bench
        .account
        .at(call)
        .terminate_subscription(&named)
        .expect("cancelled");
    assert_eq!(
        release(&mut bench, 1, id),
        Err(Refusal::SubscriptionNotChangeable)
    );
    assert!(
        bench.summary(42, id).is_ok(),
        "a refused release does nothing"
    );
}

#[test]
fn a_release_reconciles_c7_b7() {
    let mut bench = with_slots(2);
    bench.subscribe(42, 2, What::Slots(1));
    let ids = ["a.example", "b.example", "c.example"].map(|name| bench.new_domain(42, name));
    let call = bench.call();
    let named = subscription(42, 2, "domain_monitoring");
    bench
        .account
        .at(call)
        .suspend_subscription(&named)
        .expect("suspended");
    assert!(bench.summary(42, ids[2]).expect("there").item.quota_paused);
    release(&mut bench, 2, ids[0]).expect("released from the suspended service");
    assert!(!bench.summary(42, ids[2]).expect("there").item.quota_paused);
}
