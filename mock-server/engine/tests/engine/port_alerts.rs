//! Port alerts: raised and resolved by scans, rules and hand.

use secmon_engine::{
    ListPortAlerts, Page, PortAlertStatus, Protocol, Refusal, RuleScope, ScanOutcome, Scenario,
    Severity,
};
use uuid::Uuid;

use crate::bench::{Bench, allow, client};

const SERVER: &str = "203.0.113.10";

fn scan(bench: &mut Bench, id: Uuid) {
    bench
        .account
        .at(bench.now)
        .scan_endpoint_now(id, ScanOutcome::Completed)
        .expect("an active endpoint");
}

#[test]
fn a_scan_raises_an_alert_for_every_port_that_is_not_allowed_e3() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    assert!(bench.open_ports(42).is_empty());
    bench.rule(allow((443, 443), RuleScope::Endpoint(id), None));
    bench.wait(2);
    assert_eq!(bench.open_ports(42), [22, 80, 8080]);
    assert!(bench.open_ports(43).is_empty());
    let newest = bench.alerts(42, None).remove(0);
    let shown = serde_json::to_value(&newest).expect("json");
    let expected = serde_json::json!({
        "id": newest.summary.id,
        "port": 8080,
        "protocol": "tcp",
        "service": "http-alt",
        "severity": "medium",
        "risk_level": "medium",
        "status": "open",
        "title": "Port 8080/tcp (http-alt) is open and not allowed",
        "first_detected_at": "2026-01-01T00:00:02+00:00",
        "last_detected_at": "2026-01-01T00:00:02+00:00",
        "endpoint_id": id,
        "ip_address": SERVER,
        "resolved_at": null,
    });
    assert_eq!(shown, expected);
}

#[test]
fn one_alert_stays_open_and_moves_with_each_scan_that_sees_it_e3() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(2);
    let first = bench.alerts(42, None);
    bench.wait(60);
    scan(&mut bench, id);
    let second = bench.alerts(42, None);
    assert_eq!(second.len(), first.len());
    for (one, other) in first.iter().zip(&second) {
        assert_eq!(one.summary.id, other.summary.id);
        assert_eq!(
            one.summary.first_detected_at,
            other.summary.first_detected_at
        );
        assert!(one.summary.last_detected_at < other.summary.last_detected_at);
    }
}

#[test]
fn a_port_that_closed_resolves_and_one_that_returns_is_a_new_alert_e3() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.set_ports(id, &[(22, Protocol::Tcp)]);
    bench.wait(2);
    let first = bench.alerts(42, None).remove(0);
    bench.set_ports(id, &[(22, Protocol::Udp)]);
    bench.wait(60);
    assert_eq!(bench.open_ports(42), [22], "until the next scan");
    scan(&mut bench, id);
    let resolved = bench.alerts(42, Some(PortAlertStatus::Resolved)).remove(0);
    assert_eq!(resolved.summary.id, first.summary.id);
    assert_eq!(
        resolved.resolved_at.map(|at| at.to_string()).as_deref(),
        Some("2026-01-01T00:01:02+00:00")
    );
    assert_eq!(
        resolved.summary.last_detected_at,
        first.summary.last_detected_at
    );
    bench.set_ports(id, &[(22, Protocol::Tcp)]);
    scan(&mut bench, id);
    let open = bench.alerts(42, Some(PortAlertStatus::Open)).remove(0);
    assert_ne!(open.summary.id, first.summary.id);
    assert_eq!(open.summary.protocol, "tcp");
}

#[test]
fn a_new_rule_resolves_what_it_covers_at_once_and_only_that_e3() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let other = bench.provision(42, "203.0.113.11");
    bench.set_ports(other, &[(22, Protocol::Udp), (23, Protocol::Tcp)]);
    bench.wait(2);
    bench.rule(allow((22, 22), RuleScope::Endpoint(id), None));
    assert_eq!(bench.open_ports(42), [22, 23, 80, 443, 8080]);
    bench.rule(allow((20, 80), RuleScope::Global, Some(42)));
    assert_eq!(
        bench.open_ports(42),
        [22, 443, 8080],
        "udp is not covered by a tcp rule"
    );
}

#[test]
fn a_global_rule_covers_its_customer_or_the_whole_account_e8() {
    let mut bench = Bench::new();
    bench.provision(42, SERVER);
    bench.provision(43, SERVER);
    bench.wait(2);
    bench.rule(allow((22, 22), RuleScope::Global, Some(42)));
    assert_eq!(bench.open_ports(42), [80, 443, 8080]);
    assert_eq!(bench.open_ports(43), [22, 80, 443, 8080]);
    bench.rule(allow((80, 80), RuleScope::Global, None));
    assert_eq!(bench.open_ports(42), [443, 8080]);
    assert_eq!(bench.open_ports(43), [22, 443, 8080]);
}

#[test]
fn when_a_rule_goes_the_next_scan_raises_a_new_alert_e3() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(2);
    let before = bench.alerts(42, None);
    let old = before.iter().find(|alert| alert.summary.port == 22);
    let old = old.expect("an alert for port 22").summary.id;
    let rule = bench.rule(allow((22, 22), RuleScope::Endpoint(id), None));
    scan(&mut bench, id);
    assert_eq!(bench.open_ports(42), [80, 443, 8080]);
    let call = bench.call();
    bench
        .account
        .at(call)
        .delete_rule(rule.id, None)
        .expect("deleted");
    assert_eq!(bench.open_ports(42), [80, 443, 8080], "until the next scan");
    scan(&mut bench, id);
    assert_eq!(bench.open_ports(42), [22, 80, 443, 8080]);
    let open = bench.alerts(42, Some(PortAlertStatus::Open));
    assert!(open.iter().all(|alert| alert.summary.id != old));
}

#[test]
fn when_a_rule_expires_the_next_scan_raises_a_new_alert_e3_e9() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let mut rule = allow((22, 22), RuleScope::Endpoint(id), None);
    rule.expires_at = secmon_engine::parse_expiry("2026-01-02", bench.now).ok();
    assert!(rule.expires_at.is_some());
    bench.rule(rule);
    bench.wait_ms(2 * 86_400_000 - 1);
    scan(&mut bench, id);
    assert_eq!(bench.open_ports(42), [80, 443, 8080], "to its last second");
    bench.wait_ms(1);
    scan(&mut bench, id);
    assert_eq!(bench.open_ports(42), [22, 80, 443, 8080]);
}

#[test]
fn an_updated_rule_resolves_what_it_covers_now_e3() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(2);
    let rule = bench.rule(allow((9, 9), RuleScope::Endpoint(id), None));
    let call = bench.call();
    let wider = allow((22, 80), RuleScope::Unstated, None);
    bench
        .account
        .at(call)
        .update_rule(rule.id, wider)
        .expect("updated");
    assert_eq!(bench.open_ports(42), [443, 8080]);
}

#[test]
fn a_rule_leaves_the_alerts_of_a_terminated_server_as_they_were_b14() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(2);
    let call = bench.call();
    bench.account.at(call).terminate(id).expect("terminated");
    bench.rule(allow((1, 65_535), RuleScope::Global, Some(42)));
    assert_eq!(bench.open_ports(42), [22, 80, 443, 8080]);
    bench.provision(42, SERVER);
    scan(&mut bench, id);
    assert!(bench.open_ports(42).is_empty(), "restored and scanned");
}

#[test]
fn a_replaced_rule_of_a_terminated_server_leaves_its_alerts_too_b14() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(2);
    let rule = bench.rule(allow((9, 9), RuleScope::Endpoint(id), None)).id;
    let call = bench.call();
    bench.account.at(call).terminate(id).expect("terminated");
    let wider = allow((1, 65_535), RuleScope::Unstated, None);
    bench
        .account
        .at(call)
        .update_rule(rule, wider)
        .expect("updated");
    assert_eq!(bench.open_ports(42), [22, 80, 443, 8080]);
}

#[test]
fn the_alerts_of_a_deleted_server_are_hidden_until_it_is_restored_b14() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(2);
    let alert = bench.alerts(42, None).remove(0).summary.id;
    let call = bench.call();
    bench
        .account
        .at(call)
        .delete_endpoint(id, None)
        .expect("deleted");
    assert!(bench.alerts(42, None).is_empty());
    assert_eq!(
        bench.account.at(call).port_alert(alert, client(42)),
        Err(Refusal::PortAlertNotFound)
    );
    bench.rule(allow((22, 22), RuleScope::Global, Some(42)));
    bench.provision(42, SERVER);
    assert_eq!(bench.open_ports(42), [22, 80, 443, 8080]);
}

#[test]
fn an_alert_resolved_by_hand_keeps_its_time_and_comes_back_as_a_new_one_e6() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(2);
    let alert = bench.alerts(42, None).remove(0).summary;
    bench.wait(5);
    let call = bench.call();
    let resolve = |bench: &mut Bench, client_id| {
        let call = bench.call();
        bench
            .account
            .at(call)
            .resolve_port_alert(alert.id, client(client_id))
    };
    assert_eq!(
        resolve(&mut bench, 43).unwrap_err(),
        Refusal::PortAlertNotFound
    );
    let first = resolve(&mut bench, 42).expect("resolved");
    assert_eq!(
        first.value.resolved_at.to_string(),
        "2026-01-01T00:00:07+00:00"
    );
    bench.wait(5);
    let again = resolve(&mut bench, 42).expect("resolved");
    assert_eq!(again.value, first.value);
    scan(&mut bench, id);
    assert!(bench.open_ports(42).contains(&alert.port));
    let shown = bench.account.at(call).port_alert(alert.id, client(42));
    assert_eq!(
        shown.expect("there").summary.status,
        PortAlertStatus::Resolved
    );
}

#[test]
fn alerts_are_listed_newest_first_and_filtered_e6_a12_a18() {
    let mut bench = Bench::with(|settings| settings.scenario = Scenario::Critical);
    let id = bench.provision(42, SERVER);
    let other = bench.provision(42, "203.0.113.11");
    let foreign = bench.provision(43, SERVER);
    bench.wait(2);
    let mut list = |change: &dyn Fn(&mut ListPortAlerts)| {
        let mut request = ListPortAlerts {
            client: client(42),
            endpoint: None,
            status: None,
            severity: None,
            page: Page::new(1, 100),
        };
        change(&mut request);
        let call = bench.call();
        bench.account.at(call).list_port_alerts(request)
    };
    let all = list(&|_| {});
    assert_eq!(all.total, 18);
    assert_eq!(all.items[0].endpoint_id, other);
    assert_eq!(all.items[17].endpoint_id, id);
    let of_one = list(&|request| request.endpoint = Some(id));
    assert_eq!(of_one.total, 9);
    assert!(of_one.items.iter().all(|alert| alert.endpoint_id == id));
    for nobodys in [foreign, Uuid::nil()] {
        assert_eq!(list(&|request| request.endpoint = Some(nobodys)).total, 0);
    }
    let high = list(&|request| request.severity = Some(Severity::High));
    let ports: Vec<u16> = high.items.iter().map(|alert| alert.summary.port).collect();
    assert_eq!(ports, [161, 161]);
    assert_eq!(high.items[0].summary.protocol, "udp");
    let critical = list(&|request| request.severity = Some(Severity::Critical));
    assert_eq!(critical.total, 8);
    let page = list(&|request| request.page = Page::new(3, 8));
    assert_eq!((page.items.len(), page.last_page()), (2, 3));
    assert_eq!(list(&|request| request.client = client(99)).total, 0);
}

#[test]
fn services_have_their_registered_names_e4() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let (tcp, udp) = (Protocol::Tcp, Protocol::Udp);
    bench.set_ports(
        id,
        &[
            (514, tcp),
            (514, udp),
            (3389, tcp),
            (9200, tcp),
            (40_000, tcp),
        ],
    );
    bench.wait(2);
    let mut names: Vec<(u16, &str)> = bench
        .alerts(42, None)
        .iter()
        .map(|alert| (alert.summary.port, alert.summary.service))
        .collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            (514, "shell"),
            (514, "syslog"),
            (3389, "ms-wbt-server"),
            (9200, "wap-wsp"),
            (40_000, "unknown")
        ]
    );
}

#[test]
fn every_listed_port_has_its_severity_e4() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let listed: [(Severity, &[u16]); 4] = [
        (
            Severity::Critical,
            &[23, 445, 2375, 3389, 6379, 9200, 27_017],
        ),
        (Severity::High, &[21, 161, 1433, 3306, 5432, 5900]),
        (Severity::Medium, &[22, 8080, 8443]),
        (Severity::Low, &[80, 443, 12_345]),
    ];
    let ports = listed.iter().flat_map(|(_, ports)| ports.iter());
    let ports: Vec<(u16, Protocol)> = ports.map(|port| (*port, Protocol::Tcp)).collect();
    bench.set_ports(id, &ports);
    bench.wait(2);
    let alerts = bench.alerts(42, None);
    for (severity, ports) in listed {
        let with_it = alerts
            .iter()
            .filter(|alert| alert.summary.severity == severity);
        assert!(
            with_it
                .clone()
                .all(|alert| alert.summary.risk_level == severity)
        );
        let mut found: Vec<u16> = with_it.map(|alert| alert.summary.port).collect();
        found.sort_unstable();
        assert_eq!(found, ports);
    }
}
