//! Scans: schedule, manual scans, cooldown, outcomes, progress.

use secmon_engine::{Progress, Protocol, Refusal, ScanOutcome, Scenario, Timestamp};
use uuid::Uuid;

use crate::bench::{Bench, client, instant};

const SERVER: &str = "203.0.113.10";
const DAY: u64 = 86_400;

fn time(text: &str) -> Option<Timestamp> {
    Some(instant(text).into())
}

fn found(bench: &mut Bench, id: Uuid) -> Option<Vec<u16>> {
    bench.detail(id).latest_scan.map(|scan| scan.open_ports)
}

#[test]
fn the_first_scan_starts_at_creation_and_the_next_a_day_after_it_ended_e1() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait_ms(1_999);
    assert_eq!(bench.endpoint(id).last_scan_at, None);
    assert_eq!(
        bench.endpoint(id).next_scan_at,
        time("2026-01-01T00:00:00Z")
    );
    bench.wait_ms(1);
    let shown = bench.endpoint(id);
    assert_eq!(shown.last_scan_at, time("2026-01-01T00:00:02Z"));
    assert_eq!(shown.next_scan_at, time("2026-01-02T00:00:02Z"));
    bench.wait(DAY);
    let shown = bench.endpoint(id);
    assert_eq!(shown.last_scan_at, time("2026-01-01T00:00:02Z"));
    assert_eq!(shown.next_scan_at, time("2026-01-02T00:00:02Z"));
    bench.wait(2);
    let shown = bench.endpoint(id);
    assert_eq!(shown.last_scan_at, time("2026-01-02T00:00:04Z"));
    assert_eq!(shown.next_scan_at, time("2026-01-03T00:00:04Z"));
}

#[test]
fn a_long_wait_runs_every_scan_that_was_due_a19() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(10 * DAY + 60);
    assert_eq!(
        bench.endpoint(id).last_scan_at,
        time("2026-01-11T00:00:22Z"),
        "each scan takes two seconds, and the next counts from its end"
    );
}

#[test]
fn a_manual_scan_is_pending_and_ends_after_the_scan_duration_e1() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(100);
    let call = bench.call();
    let scan = bench
        .account
        .at(call)
        .scan_endpoint(client(42), id)
        .expect("queued");
    assert_eq!((scan.status, scan.cooldown_seconds), ("pending", 300));
    bench.wait(1);
    assert_eq!(
        bench.endpoint(id).last_scan_at,
        time("2026-01-01T00:00:02Z")
    );
    bench.wait(1);
    let shown = bench.endpoint(id);
    assert_eq!(shown.last_scan_at, time("2026-01-01T00:01:42Z"));
    assert_eq!(shown.next_scan_at, time("2026-01-02T00:01:42Z"));
}

#[test]
fn a_manual_scan_that_ends_during_the_one_on_schedule_leaves_the_schedule_alone_e1() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(DAY + 1);
    let call = bench.call();
    let scan = bench.account.at(call).scan_endpoint(client(42), id);
    scan.expect("queued");
    bench.wait(2);
    let shown = bench.endpoint(id);
    assert_eq!(shown.last_scan_at, time("2026-01-02T00:00:03Z"));
    assert_eq!(shown.next_scan_at, time("2026-01-02T00:00:02Z"));
    bench.wait(1);
    let shown = bench.endpoint(id);
    assert_eq!(shown.last_scan_at, time("2026-01-02T00:00:04Z"));
    assert_eq!(shown.next_scan_at, time("2026-01-03T00:00:04Z"));
}

#[test]
fn the_cooldown_runs_from_the_accepted_scan_and_ends_on_time_e1_a19() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(2);
    let scan = |bench: &mut Bench| {
        let call = bench.call();
        bench.account.at(call).scan_endpoint(client(42), id)
    };
    let cooling = |retry_after_seconds| Refusal::ScanCooldown {
        retry_after_seconds,
    };
    let first = scan(&mut bench).expect("an automatic scan starts no cooldown");
    assert_eq!(scan(&mut bench).unwrap_err(), cooling(300));
    bench.wait_ms(299_001);
    assert_eq!(scan(&mut bench).unwrap_err(), cooling(1));
    bench.wait_ms(999);
    let second = scan(&mut bench).expect("the cooldown is over");
    assert_ne!(first.scan_id, second.scan_id);
}

#[test]
fn automatic_scans_do_not_wait_for_the_cooldown_e1() {
    let mut bench = Bench::with(|settings| settings.timings.scan_cooldown = 1_000_000);
    let id = bench.provision(42, SERVER);
    bench.wait(DAY);
    let call = bench.call();
    bench
        .account
        .at(call)
        .scan_endpoint(client(42), id)
        .expect("queued");
    bench.wait(4);
    let scanned = bench.endpoint(id).last_scan_at;
    bench.wait(DAY + 4);
    assert!(bench.endpoint(id).last_scan_at > scanned);
}

#[test]
fn a_paused_or_terminated_server_is_not_scanned_by_hand() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let call = bench.call();
    let scan = |bench: &mut Bench| {
        bench
            .account
            .at(call)
            .scan_endpoint(client(42), id)
            .unwrap_err()
    };
    bench.account.at(call).suspend(id).expect("suspended");
    assert_eq!(scan(&mut bench), Refusal::EndpointNotActive);
    bench.account.at(call).terminate(id).expect("terminated");
    assert_eq!(scan(&mut bench), Refusal::EndpointNotActive);
    let active = bench.provision(42, "203.0.113.11");
    let foreign = bench.account.at(call).scan_endpoint(client(43), active);
    assert_eq!(foreign, Err(Refusal::EndpointNotFound));
}

#[test]
fn a_scan_of_a_server_paused_meanwhile_is_dropped_e1() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let call = bench.call();
    bench
        .account
        .at(call)
        .scan_endpoint(client(42), id)
        .expect("queued");
    bench.wait(1);
    let call = bench.call();
    bench.account.at(call).suspend(id).expect("suspended");
    bench.wait(10);
    assert_eq!(bench.endpoint(id).last_scan_at, None);
    let call = bench.call();
    bench.account.at(call).resume(id).expect("resumed");
    assert_eq!(
        bench.endpoint(id).next_scan_at,
        time("2026-01-01T00:00:11Z"),
        "never scanned, so at once"
    );
    bench.wait(2);
    assert_eq!(
        bench.endpoint(id).last_scan_at,
        time("2026-01-01T00:00:13Z")
    );
}

#[test]
fn a_resumed_server_is_scanned_a_day_after_its_last_scan_or_now_e1() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(100);
    let call = bench.call();
    bench.account.at(call).suspend(id).expect("suspended");
    bench.account.at(call).resume(id).expect("resumed");
    assert_eq!(
        bench.endpoint(id).next_scan_at,
        time("2026-01-02T00:00:02Z")
    );
    bench.account.at(call).suspend(id).expect("suspended");
    bench.wait(2 * DAY);
    let call = bench.call();
    bench.account.at(call).resume(id).expect("resumed");
    assert_eq!(
        bench.endpoint(id).next_scan_at,
        time("2026-01-03T00:01:40Z")
    );
}

#[test]
fn a_failed_scan_is_recorded_and_what_was_known_stays_e1() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(2);
    let tcp = Protocol::Tcp;
    bench.set_ports(id, &[(22, tcp), (81, tcp)]);
    let scan = |bench: &mut Bench, outcome| {
        bench
            .account
            .at(bench.now)
            .scan_endpoint_now(id, outcome)
            .expect("an active endpoint");
    };
    scan(&mut bench, ScanOutcome::Completed);
    bench.wait(5);
    let alerts = bench.open_ports(42);
    scan(&mut bench, ScanOutcome::Failed);
    let detail = bench.detail(id);
    let latest = detail.latest_scan.expect("a scan");
    assert_eq!(latest.status, "failed");
    assert!(latest.open_ports.is_empty());
    assert_eq!(detail.data.last_scan_at, time("2026-01-01T00:00:07Z"));
    assert_eq!(detail.new_ports, [81], "of the last two completed ones");
    assert_eq!(detail.closed_ports, [80, 443, 8080]);
    assert_eq!(bench.open_ports(42), alerts);
    assert_eq!(
        detail.alerts[0].last_detected_at.to_string(),
        "2026-01-01T00:00:02+00:00",
        "a failed scan sees nothing"
    );
}

#[test]
fn an_admin_scan_leaves_the_schedule_and_the_scan_in_flight_alone_m6() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(1);
    bench
        .account
        .at(bench.now)
        .scan_endpoint_now(id, ScanOutcome::Completed)
        .expect("an active endpoint");
    let shown = bench.endpoint(id);
    assert_eq!(shown.last_scan_at, time("2026-01-01T00:00:01Z"));
    assert_eq!(shown.next_scan_at, time("2026-01-01T00:00:00Z"));
    bench.wait(1);
    let shown = bench.endpoint(id);
    assert_eq!(shown.last_scan_at, time("2026-01-01T00:00:02Z"));
    assert_eq!(shown.next_scan_at, time("2026-01-02T00:00:02Z"));
    let call = bench.call();
    bench.account.at(call).suspend(id).expect("suspended");
    assert_eq!(
        bench
            .account
            .at(bench.now)
            .scan_endpoint_now(id, ScanOutcome::Completed),
        Err(Refusal::EndpointNotActive)
    );
    assert_eq!(
        bench
            .account
            .at(bench.now)
            .scan_endpoint_now(Uuid::nil(), ScanOutcome::Completed),
        Err(Refusal::EndpointNotFound)
    );
}

#[test]
fn a_record_keeps_its_own_world_and_the_others_follow_the_scenario_e2() {
    let mut bench = Bench::with(|settings| settings.scenario = Scenario::Clean);
    let own = bench.provision(42, SERVER);
    let other = bench.provision(42, "203.0.113.11");
    bench.set_ports(own, &[(81, Protocol::Tcp)]);
    bench.wait(2);
    assert_eq!(found(&mut bench, own), Some(vec![81]));
    assert_eq!(found(&mut bench, other), Some(vec![]));
    bench.account.at(bench.now).set_scenario(Scenario::Critical);
    assert_eq!(
        found(&mut bench, other),
        Some(vec![]),
        "until the next scan"
    );
    bench.wait(DAY + 2);
    assert_eq!(found(&mut bench, own), Some(vec![81]));
    assert_eq!(
        found(&mut bench, other),
        Some(vec![22, 23, 80, 161, 443, 445, 3389, 6379, 8080])
    );
    bench
        .account
        .at(bench.now)
        .set_endpoint_scenario(own, Scenario::Warnings)
        .expect("an endpoint");
    bench.wait(DAY + 2);
    assert_eq!(found(&mut bench, own), Some(vec![22, 80, 443, 8080]));
}

#[test]
fn with_immediate_progress_a_scan_ends_in_the_call_that_starts_it_m6() {
    let mut bench = Bench::new();
    bench
        .account
        .at(bench.now)
        .set_progress(Progress::Immediate);
    let id = bench.provision(42, SERVER);
    let shown = bench.endpoint(id);
    assert_eq!(shown.last_scan_at, time("2026-01-01T00:00:00Z"));
    assert_eq!(shown.next_scan_at, time("2026-01-02T00:00:00Z"));
    bench.wait(10);
    let call = bench.call();
    let scan = bench.account.at(call).scan_endpoint(client(42), id);
    assert_eq!(scan.expect("queued").status, "pending");
    assert_eq!(
        bench.endpoint(id).last_scan_at,
        time("2026-01-01T00:00:10Z")
    );
}

#[test]
fn with_manual_progress_a_scan_ends_only_when_told_and_the_schedule_goes_on_m6() {
    let mut bench = Bench::new();
    bench.account.at(bench.now).set_progress(Progress::Manual);
    let id = bench.provision(42, SERVER);
    bench.wait(3 * DAY);
    assert_eq!(bench.endpoint(id).last_scan_at, None);
    bench
        .account
        .at(bench.now)
        .scan_endpoint_now(id, ScanOutcome::Completed)
        .expect("an active endpoint");
    let shown = bench.endpoint(id);
    assert_eq!(shown.last_scan_at, time("2026-01-04T00:00:00Z"));
    assert_eq!(shown.next_scan_at, time("2026-01-05T00:00:00Z"));
}

#[test]
fn with_manual_progress_the_end_of_a_manual_scan_moves_the_schedule_m6() {
    let mut bench = Bench::new();
    bench.account.at(bench.now).set_progress(Progress::Manual);
    let id = bench.provision(42, SERVER);
    let end = |bench: &mut Bench| {
        let ended = bench
            .account
            .at(bench.now)
            .scan_endpoint_now(id, ScanOutcome::Completed);
        ended.expect("an active endpoint");
        bench.endpoint(id).next_scan_at
    };
    assert_eq!(end(&mut bench), time("2026-01-02T00:00:00Z"));
    bench.wait(100);
    assert_eq!(
        end(&mut bench),
        time("2026-01-02T00:00:00Z"),
        "an extra one"
    );
    let call = bench.call();
    let scan = bench.account.at(call).scan_endpoint(client(42), id);
    scan.expect("queued");
    assert_eq!(end(&mut bench), time("2026-01-02T00:01:40Z"));
}

#[test]
fn a_dropped_scan_does_not_come_back_with_another_mode_m6() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(10);
    let call = bench.call();
    let scan = bench.account.at(call).scan_endpoint(client(42), id);
    scan.expect("queued");
    bench.account.at(call).suspend(id).expect("suspended");
    bench.account.at(call).resume(id).expect("resumed");
    bench
        .account
        .at(bench.now)
        .set_progress(Progress::Immediate);
    assert_eq!(
        bench.endpoint(id).last_scan_at,
        time("2026-01-01T00:00:02Z")
    );
}

#[test]
fn switching_progress_ends_what_is_overdue_then_m6() {
    let mut bench = Bench::new();
    bench.account.at(bench.now).set_progress(Progress::Manual);
    let id = bench.provision(42, SERVER);
    bench.wait(60);
    bench.account.at(bench.now).set_progress(Progress::Timed);
    assert_eq!(
        bench.endpoint(id).last_scan_at,
        time("2026-01-01T00:01:00Z")
    );
    let young = bench.provision(42, "203.0.113.11");
    bench.account.at(bench.now).set_progress(Progress::Manual);
    bench.account.at(bench.now).set_progress(Progress::Timed);
    assert_eq!(bench.endpoint(young).last_scan_at, None, "not overdue yet");
    bench
        .account
        .at(bench.now)
        .set_progress(Progress::Immediate);
    assert!(bench.endpoint(young).last_scan_at.is_some());
}

#[test]
fn time_never_moves_back() {
    let mut bench = Bench::new();
    bench.wait(100);
    let id = bench.provision(42, SERVER);
    bench.now = instant("2025-01-01T00:00:00Z");
    let later = bench.provision(42, "203.0.113.11");
    assert_eq!(
        bench.endpoint(later).created_at,
        bench.endpoint(id).created_at
    );
}

#[test]
fn the_end_of_the_calendar_is_reached_once() {
    let mut bench = Bench::new();
    bench.now = instant("9999-12-30T00:00:00Z");
    let id = bench.provision(42, SERVER);
    bench.wait(100 * DAY);
    bench.wait(100 * DAY);
    assert_eq!(
        bench.endpoint(id).last_scan_at,
        time("9999-12-31T00:00:04Z")
    );
}

#[test]
fn a_dropped_scan_leaves_nothing_to_come() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let call = bench.call();
    bench
        .account
        .at(call)
        .scan_endpoint(client(42), id)
        .expect("queued");
    bench.account.at(call).terminate(id).expect("terminated");
    bench.account.forget_changes();
    bench.wait(10 * DAY);
    assert!(bench.account.take_changes().is_empty());
}

#[test]
fn a_manual_scan_that_was_held_back_ends_at_the_switch_m6() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(10);
    bench.account.at(bench.now).set_progress(Progress::Manual);
    let call = bench.call();
    bench
        .account
        .at(call)
        .scan_endpoint(client(42), id)
        .expect("queued");
    bench.wait(60);
    bench.account.at(bench.now).set_progress(Progress::Timed);
    assert_eq!(
        bench.endpoint(id).last_scan_at,
        time("2026-01-01T00:01:10Z")
    );
}
