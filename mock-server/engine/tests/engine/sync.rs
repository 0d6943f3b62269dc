//! sync-services.

use secmon_engine::{
    Client, EndpointStatus, Product, ProvisionEndpoint, ReportedService, ServiceId,
    SubscriptionStatus, SyncReport, Target,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::bench::{Bench, What, client, subscription};

use SubscriptionStatus::{Active, Cancelled, Suspended};

fn report(service: i64, product: Product, status: SubscriptionStatus) -> ReportedService {
    ReportedService {
        service: ServiceId::new(service).expect("a service"),
        client: client(42),
        product,
        status,
    }
}

fn sync(bench: &mut Bench, services: &[ReportedService]) -> SyncReport {
    let call = bench.call();
    bench.account.at(call).sync_services(services)
}

fn counts(report: &SyncReport) -> (u64, u64, usize) {
    (
        report.changed,
        report.unchanged,
        report.unknown_services.len(),
    )
}

/// A server that service `service` stands for.
fn mapped(bench: &mut Bench, service: i64, address: &str) -> Uuid {
    let call = bench.call();
    let request = ProvisionEndpoint {
        client: Client::new(client(42)),
        target: Target::parse(address).expect("a target"),
        service: ServiceId::new(service),
    };
    let done = bench
        .account
        .at(call)
        .provision(request)
        .expect("provisioned");
    done.value.endpoint_id
}

fn reports_of(report: &SyncReport) -> Value {
    serde_json::to_value(&report.enforcement).expect("json")
}

#[test]
fn the_current_status_changes_nothing_and_enforces_nothing_d7() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Slots(1));
    let report = sync(&mut bench, &[report(1, Product::DomainMonitoring, Active)]);
    assert_eq!(counts(&report), (0, 1, 0));
    assert_eq!(reports_of(&report), json!([]));
}

#[test]
fn unknown_services_are_listed_as_they_were_reported_d6() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Slots(1));
    let services = [
        report(1, Product::PortMonitoring, Active),
        report(2, Product::DomainMonitoring, Active),
        report(3, Product::Endpoint, Active),
        ReportedService {
            client: client(43),
            ..report(1, Product::DomainMonitoring, Suspended)
        },
    ];
    let report = sync(&mut bench, &services);
    assert_eq!(counts(&report), (0, 0, 4));
    let shown = serde_json::to_value(&report).expect("json");
    assert_eq!(
        shown["unknown_services"][3],
        json!({"service_id": 1, "client_id": 43, "product_slug": "domain_monitoring"})
    );
}

#[test]
fn a_service_that_moved_is_enforced_for_both_products_d6_d7() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Plan("starter"));
    bench.subscribe(42, 2, What::Slots(3));
    for host in 0..3 {
        bench.provision(42, &format!("203.0.113.{host}"));
        bench.new_domain(42, &format!("site{host}.example"));
    }
    let down = sync(
        &mut bench,
        &[
            report(1, Product::PortMonitoring, Cancelled),
            report(2, Product::DomainMonitoring, Suspended),
        ],
    );
    assert_eq!(counts(&down), (2, 0, 0));
    let expected = json!({"42": {
        "domain_monitoring": {
            "product_type": "domain_monitoring",
            "capacity": 0,
            "usage": 3,
            "over_quota": true,
            "newly_paused": ["site2.example", "site1.example", "site0.example"],
            "unpaused": [],
        },
        "port_monitoring": {
            "product_type": "port_monitoring",
            "capacity": 0,
            "usage": 3,
            "over_quota": true,
            "newly_paused": ["203.0.113.2", "203.0.113.1", "203.0.113.0"],
            "unpaused": [],
        },
    }});
    assert_eq!(reports_of(&down), expected);
    let up = sync(&mut bench, &[report(1, Product::PortMonitoring, Active)]);
    let revived = &reports_of(&up)["42"]["port_monitoring"];
    assert_eq!(
        revived["unpaused"],
        json!(["203.0.113.0", "203.0.113.1", "203.0.113.2"])
    );
    assert_eq!(revived["over_quota"], json!(false));
    assert_eq!(revived["capacity"], json!(5));
}

#[test]
fn entries_apply_in_order_and_each_customer_is_reconciled_once_d6() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Plan("starter"));
    let id = bench.provision(42, "203.0.113.0");
    let updated = bench.endpoint(id).updated_at;
    bench.wait(5);
    let report = sync(
        &mut bench,
        &[
            report(1, Product::PortMonitoring, Cancelled),
            report(1, Product::PortMonitoring, Active),
        ],
    );
    assert_eq!(counts(&report), (2, 0, 0));
    let ports = &reports_of(&report)["42"]["port_monitoring"];
    assert_eq!(ports["newly_paused"], json!([]));
    assert_eq!(bench.endpoint(id).updated_at, updated, "never touched");
}

#[test]
fn an_endpoint_service_moves_its_server_d6() {
    let mut bench = Bench::new();
    let id = mapped(&mut bench, 9, "203.0.113.10");
    let entry = |status| [report(9, Product::Endpoint, status)];
    let moved = sync(&mut bench, &entry(Suspended));
    assert_eq!(counts(&moved), (1, 0, 0));
    let shown = bench.endpoint(id);
    assert_eq!(shown.status, EndpointStatus::Paused);
    assert!(!shown.quota_paused, "paused by hand");
    assert_eq!(counts(&sync(&mut bench, &entry(Suspended))), (0, 1, 0));
    assert_eq!(counts(&sync(&mut bench, &entry(Active))), (1, 0, 0));
    assert_eq!(bench.endpoint(id).status, EndpointStatus::Active);
    assert_eq!(counts(&sync(&mut bench, &entry(Cancelled))), (1, 0, 0));
    let call = bench.call();
    assert!(bench.account.at(call).endpoint(id, None).is_err());
    for status in [Active, Suspended, Cancelled] {
        let report = sync(&mut bench, &entry(status));
        assert_eq!(counts(&report), (0, 1, 0), "terminated stays terminated");
    }
}

#[test]
fn a_platform_paused_server_is_resumed_by_its_service_when_there_is_room_d6() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Plan("starter"));
    bench.subscribe(42, 2, What::Plan("starter"));
    let ids: Vec<Uuid> = (0..6)
        .map(|host| mapped(&mut bench, 100 + host, &format!("203.0.113.{host}")))
        .collect();
    let call = bench.call();
    let named = subscription(42, 2, "port_monitoring");
    let suspended = bench.account.at(call).suspend_subscription(&named);
    assert!(suspended.is_ok() && bench.endpoint(ids[5]).quota_paused);
    let active = report(105, Product::Endpoint, Active);
    assert_eq!(counts(&sync(&mut bench, &[active])), (0, 1, 0), "no room");
    let both = [report(100, Product::Endpoint, Cancelled), active];
    let answer = sync(&mut bench, &both);
    assert_eq!(counts(&answer), (2, 0, 0));
    let ports = &reports_of(&answer)["42"]["port_monitoring"];
    assert_eq!(ports["unpaused"], json!(["203.0.113.5"]));
    assert_eq!(ports["newly_paused"], json!([]));
    assert_eq!(ports["usage"], json!(5));
}

#[test]
fn what_is_resumed_and_paused_again_in_one_sync_is_no_news_d6() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Plan("starter"));
    bench.subscribe(42, 2, What::Plan("starter"));
    let ids: Vec<Uuid> = (0..6)
        .map(|host| mapped(&mut bench, 100 + host, &format!("203.0.113.{host}")))
        .collect();
    sync(&mut bench, &[report(2, Product::PortMonitoring, Suspended)]);
    assert!(bench.endpoint(ids[5]).quota_paused);
    let answer = sync(
        &mut bench,
        &[
            report(2, Product::PortMonitoring, Active),
            report(105, Product::Endpoint, Active),
            report(2, Product::PortMonitoring, Suspended),
        ],
    );
    assert!(bench.endpoint(ids[5]).quota_paused);
    let ports = &reports_of(&answer)["42"]["port_monitoring"];
    assert_eq!(ports["newly_paused"], json!([]));
    assert_eq!(ports["unpaused"], json!([]));
}

#[test]
fn a_cancelled_service_is_revived_and_its_move_recorded_d6() {
    let mut bench = Bench::new();
    bench.subscribe(42, 1, What::Slots(2));
    sync(
        &mut bench,
        &[report(1, Product::DomainMonitoring, Cancelled)],
    );
    assert!(!bench.domains(42).subscribed);
    sync(
        &mut bench,
        &[report(1, Product::DomainMonitoring, Suspended)],
    );
    assert!(bench.domains(42).subscribed);
    assert_eq!(bench.domains(42).slots_total, 0);
    sync(&mut bench, &[report(1, Product::DomainMonitoring, Active)]);
    assert_eq!(bench.domains(42).slots_total, 2);
    let export = bench.account.export().to_string();
    assert_eq!(export.matches(r#""event":"#).count(), 3);
}
