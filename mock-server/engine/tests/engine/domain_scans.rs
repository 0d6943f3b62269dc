//! When domains are scanned.

use secmon_engine::{Progress, ScanOutcome};

use crate::bench::{Bench, What, client};
use crate::domain_monitoring::{scan, scanned};

#[test]
fn a_resumed_domain_waits_for_a_day_after_its_last_scan_e1_c12() {
    let (mut bench, id) = scanned();
    let call = bench.call();
    bench
        .account
        .at(call)
        .suspend_domain(id)
        .expect("suspended");
    bench.account.at(call).resume_domain(id).expect("resumed");
    let before = bench.summary(42, id).expect("there").item.last_scan_at;
    bench.wait(86_401);
    let item = bench.summary(42, id).expect("there").item;
    assert_eq!(item.last_scan_at, before);
    bench.wait(1);
    let item = bench.summary(42, id).expect("there").item;
    assert!(item.last_scan_at > before);
}

#[test]
fn domain_scans_follow_the_progress_mode_m6() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Slots(2));
    bench
        .account
        .at(bench.now)
        .set_progress(Progress::Immediate);
    let id = bench.new_domain(42, "a.example");
    assert_eq!(bench.domains(42).domains[0].scan_status, "completed");
    bench.account.at(bench.now).set_progress(Progress::Manual);
    let other = bench.new_domain(42, "b.example");
    bench.wait(200_000);
    assert_eq!(
        bench.summary(42, other).expect("there").item.scan_status,
        "pending"
    );
    scan(&mut bench, other, ScanOutcome::Completed);
    assert_eq!(
        bench.summary(42, other).expect("there").item.scan_status,
        "completed"
    );
    assert!(bench.summary(42, id).is_ok());
}

#[test]
fn a_domain_scan_that_was_told_to_end_is_not_overdue_later_m6() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Slots(1));
    bench.account.at(bench.now).set_progress(Progress::Manual);
    let id = bench.new_domain(42, "a.example");
    scan(&mut bench, id, ScanOutcome::Completed);
    bench.wait(60);
    bench.account.at(bench.now).set_progress(Progress::Timed);
    let call = bench.call();
    let history = bench.account.at(call).domain_scan_history(id, client(42));
    assert_eq!(history.expect("a domain").len(), 1);
}

#[test]
fn a_scan_outside_the_schedule_leaves_the_one_in_flight_to_its_end_m6() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Slots(1));
    let id = bench.new_domain(42, "a.example");
    scan(&mut bench, id, ScanOutcome::Completed);
    bench.wait(2);
    let call = bench.call();
    let history = bench.account.at(call).domain_scan_history(id, client(42));
    assert_eq!(history.expect("a domain").len(), 2);
}
