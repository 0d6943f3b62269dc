//! Moving time far is the same as moving it often, and as cheap (A19, E1).

use std::num::NonZeroU32;

use secmon_engine::{PortAlertStatus, Progress, Protocol, RuleScope, parse_expiry};

use crate::bench::{Bench, What, allow, client};

const DAY: u64 = 86_400;

/// An account with much that scans can meet: rules that end in between, an alert resolved by hand,
/// a world of its own, a manual scan in flight, a paused server, a domain.
fn eventful(progress: Progress) -> Bench {
    let mut bench = Bench::new();
    bench.account.at(bench.now).set_progress(progress);
    let servers = ["203.0.113.1", "203.0.113.2", "203.0.113.3", "203.0.113.4"]
        .map(|address| bench.provision(42, address));
    let mut brief = allow((22, 80), RuleScope::Endpoint(servers[0]), None);
    brief.expires_at = parse_expiry("2026-02-11", bench.now).ok();
    bench.rule(brief);
    let mut global = allow((443, 443), RuleScope::Global, Some(42));
    global.expires_at = parse_expiry("2026-03-01T00:00:02+00:00", bench.now).ok();
    bench.rule(global);
    bench.subscribe(42, 7, What::Slots(1));
    bench.new_domain(42, "example.com");
    bench.wait(3 * DAY);
    let call = bench.call();
    bench.set_ports(servers[1], &[]);
    bench
        .account
        .at(call)
        .suspend(servers[2])
        .expect("suspended");
    let open = bench.alerts(42, Some(PortAlertStatus::Open));
    if let Some(alert) = open.first() {
        let resolved = bench
            .account
            .at(call)
            .resolve_port_alert(alert.summary.id, client(42));
        resolved.expect("resolved");
    }
    bench.wait(DAY - 1);
    let call = bench.call();
    let scan = bench.account.at(call).scan_endpoint(client(42), servers[3]);
    scan.expect("queued");
    bench
}

#[test]
fn a_far_move_of_time_ends_in_the_state_of_many_near_ones_a19() {
    for progress in [Progress::Timed, Progress::Immediate, Progress::Manual] {
        let (mut at_once, mut by_and_by) = (eventful(progress), eventful(progress));
        for days in [1, 2, 30, 60, 200] {
            at_once.wait(days * DAY + 1);
            for _ in 0..days {
                by_and_by.wait(DAY);
            }
            by_and_by.wait(1);
            assert_eq!(at_once.account.export(), by_and_by.account.export());
        }
    }
}

#[test]
fn a_port_that_opened_long_ago_is_not_new_even_if_it_is_allowed() {
    let mut bench = Bench::new();
    let id = bench.provision(42, "203.0.113.10");
    bench.rule(allow((22, 22), RuleScope::Endpoint(id), None));
    let (ssh, web) = ((22, Protocol::Tcp), (80, Protocol::Tcp));
    for (ports, days) in [(&[ssh, web][..], 1), (&[web], 1), (&[ssh, web], 10)] {
        bench.set_ports(id, ports);
        bench.wait(days * DAY + 60);
    }
    assert!(bench.detail(id).new_ports.is_empty());
}

#[test]
fn ten_years_of_a_scan_every_second_pass_in_one_call() {
    const TEN_YEARS: u64 = 3660 * DAY;
    let mut bench = Bench::with(|settings| {
        settings.timings.scan_interval = NonZeroU32::MIN;
        settings.timings.scan_duration = 0;
    });
    let id = bench.provision(42, "203.0.113.10");
    bench.subscribe(42, 7, What::Slots(1));
    bench.new_domain(42, "example.com");
    for last in ["2036-01-09T00:00:00+00:00", "2046-01-16T00:00:00+00:00"] {
        bench.wait(TEN_YEARS);
        let scanned = bench.endpoint(id).last_scan_at.map(|at| at.to_string());
        assert_eq!(scanned.as_deref(), Some(last));
    }
}
