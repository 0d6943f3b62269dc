//! Capacity and reconciliation.

use secmon_engine::{Capacity, DesiredStatus, EndpointStatus, Refusal, UpdateEndpoint};
use uuid::Uuid;

use crate::bench::{Bench, What, client, subscription};

const PORTS: &str = "port_monitoring";

/// A customer with a plan of 25 servers, a plan of 5, and so many servers.
fn customer_with(servers: u32) -> (Bench, Vec<Uuid>) {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Plan("professional"));
    bench.subscribe(42, 2, What::Plan("starter"));
    let ids = (0..servers)
        .map(|host| bench.provision(42, &format!("203.0.113.{host}")))
        .collect();
    (bench, ids)
}

fn suspend_service(bench: &mut Bench, service: i64) {
    let call = bench.call();
    let named = subscription(42, service, PORTS);
    let done = bench.account.at(call).suspend_subscription(&named);
    assert_eq!(done.expect("suspended").note, None);
}

fn resume_service(bench: &mut Bench, service: i64) {
    let call = bench.call();
    let named = subscription(42, service, PORTS);
    let done = bench.account.at(call).resume_subscription(&named);
    assert_eq!(done.expect("resumed").note, None);
}

/// The places in `ids` of the servers that the platform paused.
fn quota_paused(bench: &mut Bench, ids: &[Uuid]) -> Vec<usize> {
    let paused = |id: &Uuid| {
        let shown = bench.endpoint(*id);
        if shown.quota_paused {
            assert_eq!(shown.status, EndpointStatus::Paused);
            assert_eq!(shown.next_scan_at, None);
        }
        shown.quota_paused
    };
    let marks: Vec<bool> = ids.iter().map(paused).collect();
    (0..ids.len()).filter(|place| marks[*place]).collect()
}

#[test]
fn capacity_is_the_sum_over_active_services_b5() {
    let (mut bench, _) = customer_with(0);
    assert_eq!(bench.list(Some(42)).endpoint_limit, 30);
    suspend_service(&mut bench, 1);
    assert_eq!(bench.list(Some(42)).endpoint_limit, 5);
    suspend_service(&mut bench, 2);
    assert_eq!(
        bench.list(Some(42)).endpoint_limit,
        0,
        "who had a service once has no default"
    );
    assert_eq!(bench.list(Some(43)).endpoint_limit, 25);
    resume_service(&mut bench, 1);
    assert_eq!(bench.list(Some(42)).endpoint_limit, 25);
}

#[test]
fn what_no_longer_fits_is_paused_newest_first_and_comes_back_oldest_first_b7() {
    let (mut bench, ids) = customer_with(8);
    suspend_service(&mut bench, 1);
    assert_eq!(quota_paused(&mut bench, &ids), [5, 6, 7]);
    suspend_service(&mut bench, 2);
    assert_eq!(quota_paused(&mut bench, &ids), (0..8).collect::<Vec<_>>());
    resume_service(&mut bench, 2);
    assert_eq!(quota_paused(&mut bench, &ids), [5, 6, 7]);
    resume_service(&mut bench, 1);
    assert!(quota_paused(&mut bench, &ids).is_empty());
}

#[test]
fn what_was_paused_by_hand_is_never_touched_but_counts_b7() {
    let (mut bench, ids) = customer_with(8);
    let call = bench.call();
    for id in [ids[0], ids[7]] {
        bench.account.at(call).suspend(id).expect("suspended");
    }
    suspend_service(&mut bench, 1);
    assert_eq!(
        quota_paused(&mut bench, &ids),
        [4, 5, 6],
        "five stay live: three active, two paused by hand"
    );
    resume_service(&mut bench, 1);
    for id in [ids[0], ids[7]] {
        let shown = bench.endpoint(id);
        assert_eq!(shown.status, EndpointStatus::Paused);
        assert!(!shown.quota_paused);
    }
}

#[test]
fn a_platform_paused_server_resumes_only_when_there_is_room_b8() {
    let (mut bench, ids) = customer_with(6);
    suspend_service(&mut bench, 1);
    assert_eq!(quota_paused(&mut bench, &ids), [5]);
    let call = bench.call();
    let full = Some(Refusal::EndpointLimitExceeded(Capacity {
        limit: 5,
        current_usage: 6,
    }));
    assert_eq!(bench.account.at(call).resume(ids[5]).err(), full);
    let activate = UpdateEndpoint {
        nickname: Some("not changed either".to_owned()),
        status: Some(DesiredStatus::Active),
    };
    let update = bench
        .account
        .at(call)
        .update_endpoint(ids[5], client(42), activate);
    assert_eq!(update.err(), full);
    assert_eq!(bench.endpoint(ids[5]).nickname, "203.0.113.5");
    bench
        .account
        .at(call)
        .terminate(ids[0])
        .expect("terminated");
    assert_eq!(
        quota_paused(&mut bench, &ids[1..]),
        [4],
        "usage that falls does not reconcile"
    );
    let resumed = bench.account.at(call).resume(ids[5]).expect("room now");
    assert_eq!(resumed.value.status, EndpointStatus::Active);
    assert!(!bench.endpoint(ids[5]).quota_paused);
}

#[test]
fn a_hand_paused_server_resumes_without_a_check_b8() {
    let (mut bench, ids) = customer_with(6);
    let call = bench.call();
    bench.account.at(call).suspend(ids[0]).expect("suspended");
    suspend_service(&mut bench, 1);
    assert_eq!(quota_paused(&mut bench, &ids), [5]);
    assert!(bench.account.at(call).resume(ids[0]).is_ok());
}

#[test]
fn suspending_a_platform_paused_server_changes_nothing_b8() {
    let (mut bench, ids) = customer_with(6);
    suspend_service(&mut bench, 1);
    let call = bench.call();
    let suspended = bench.account.at(call).suspend(ids[5]).expect("noted");
    assert!(suspended.note.is_some());
    assert!(bench.endpoint(ids[5]).quota_paused);
    let pause = UpdateEndpoint {
        nickname: None,
        status: Some(DesiredStatus::Paused),
    };
    let update = bench
        .account
        .at(call)
        .update_endpoint(ids[5], client(42), pause);
    assert!(update.expect("updated").value.quota_paused);
}

#[test]
fn platform_paused_servers_use_capacity_b6() {
    let (mut bench, _) = customer_with(6);
    suspend_service(&mut bench, 1);
    assert_eq!(
        bench.try_provision(42, "203.0.113.99"),
        Err(Refusal::EndpointLimitExceeded(Capacity {
            limit: 5,
            current_usage: 6
        }))
    );
    let list = bench.list(Some(42));
    assert_eq!(list.current_endpoint_count, 6);
    assert_eq!(
        (list.status_counts.active, list.status_counts.paused),
        (5, 1)
    );
}

#[test]
fn re_adding_clears_the_platform_pause_b7() {
    let (mut bench, ids) = customer_with(6);
    suspend_service(&mut bench, 1);
    let call = bench.call();
    bench
        .account
        .at(call)
        .terminate(ids[5])
        .expect("terminated");
    bench
        .account
        .at(call)
        .terminate(ids[4])
        .expect("terminated");
    assert_eq!(bench.provision(42, "203.0.113.5"), ids[5]);
    assert!(!bench.endpoint(ids[5]).quota_paused);
}

#[test]
fn a_smaller_plan_by_provision_pauses_without_a_check_d2() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Plan("professional"));
    let ids: Vec<Uuid> = (0..7)
        .map(|host| bench.provision(42, &format!("203.0.113.{host}")))
        .collect();
    bench.subscribe(42, 1, What::Plan("starter"));
    assert_eq!(quota_paused(&mut bench, &ids), [5, 6]);
}

#[test]
fn the_first_plan_may_be_smaller_than_the_default_b5_b7() {
    let mut bench = Bench::new();
    let ids: Vec<Uuid> = (0..7)
        .map(|host| bench.provision(42, &format!("203.0.113.{host}")))
        .collect();
    bench.subscribe(42, 1, What::Plan("starter"));
    assert_eq!(quota_paused(&mut bench, &ids), [5, 6]);
}

#[test]
fn an_un_paused_server_is_scanned_on_its_schedule_e1() {
    let (mut bench, ids) = customer_with(6);
    bench.wait(10);
    suspend_service(&mut bench, 1);
    bench.wait(86_400);
    let before = bench.endpoint(ids[5]).last_scan_at;
    resume_service(&mut bench, 1);
    bench.wait(2);
    assert!(bench.endpoint(ids[5]).last_scan_at > before);
}

#[test]
fn another_customers_servers_are_left_alone() {
    let (mut bench, ids) = customer_with(6);
    let others: Vec<Uuid> = (0..6)
        .map(|host| bench.provision(43, &format!("203.0.113.{host}")))
        .collect();
    suspend_service(&mut bench, 1);
    assert_eq!(quota_paused(&mut bench, &ids), [5]);
    assert!(quota_paused(&mut bench, &others).is_empty());
}
