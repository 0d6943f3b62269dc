//! Endpoints CRUD and detail.

use secmon_engine::{
    Client, CreateEndpoint, DesiredStatus, EndpointStatus, ListEndpoints, Outcome, Page, Protocol,
    Refusal, RuleScope, Target, UpdateEndpoint,
};
use uuid::Uuid;

use crate::bench::{Bench, allow, client};

const SERVER: &str = "203.0.113.10";

fn set_status(
    bench: &mut Bench,
    id: Uuid,
    status: DesiredStatus,
) -> Result<EndpointStatus, Refusal> {
    let call = bench.call();
    let request = UpdateEndpoint {
        nickname: None,
        status: Some(status),
    };
    let done = bench
        .account
        .at(call)
        .update_endpoint(id, client(42), request)?;
    Ok(done.value.status)
}

#[test]
fn a_server_can_be_created_paused_with_a_display_name() {
    let mut bench = Bench::new();
    let call = bench.call();
    let request = CreateEndpoint {
        client: Client::new(client(42)),
        target: Target::parse("web.example.com").expect("a target"),
        nickname: Some("web-1".to_owned()),
        status: DesiredStatus::Paused,
    };
    let done = bench
        .account
        .at(call)
        .create_endpoint(request)
        .expect("created");
    assert_eq!(done.outcome, Outcome::Created);
    assert_eq!(done.value.nickname, "web-1");
    assert_eq!(done.value.hostname, "web.example.com");
    assert_eq!(done.value.status, EndpointStatus::Paused);
    assert_eq!(done.value.next_scan_at, None);
    bench.wait(60);
    assert_eq!(bench.endpoint(done.value.id).last_scan_at, None);
}

#[test]
fn re_adding_ignores_name_and_status_of_the_call_b9() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let call = bench.call();
    let request = CreateEndpoint {
        client: Client::new(client(42)),
        target: Target::parse(SERVER).expect("a target"),
        nickname: Some("other".to_owned()),
        status: DesiredStatus::Paused,
    };
    let live = bench.account.at(call).create_endpoint(request.clone());
    let live = live.expect("there already");
    assert!(live.note.is_some());
    assert_eq!(live.value.status, EndpointStatus::Active);
    bench
        .account
        .at(call)
        .delete_endpoint(id, None)
        .expect("deleted");
    let restored = bench.account.at(call).create_endpoint(request);
    let restored = restored.expect("restored");
    assert!(restored.note.is_some());
    assert_eq!(restored.value.id, id);
    assert_eq!(restored.value.status, EndpointStatus::Active);
    assert_eq!(restored.value.nickname, SERVER);
}

#[test]
fn an_update_changes_name_and_status_only() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    bench.wait(60);
    let call = bench.call();
    let request = UpdateEndpoint {
        nickname: Some("web-1".to_owned()),
        status: Some(DesiredStatus::Paused),
    };
    let before = bench.endpoint(id);
    let done = bench
        .account
        .at(call)
        .update_endpoint(id, client(42), request);
    let after = done.expect("updated").value;
    assert_eq!(after.nickname, "web-1");
    assert_eq!(after.status, EndpointStatus::Paused);
    assert_eq!(after.next_scan_at, None);
    assert_ne!(after.updated_at, before.updated_at);
    assert_eq!(after.ip_address, before.ip_address);
    assert_eq!(
        set_status(&mut bench, id, DesiredStatus::Active),
        Ok(EndpointStatus::Active)
    );
    assert_eq!(bench.endpoint(id).nickname, "web-1");
}

#[test]
fn another_customer_is_denied_access_a12() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let call = bench.call();
    let stranger = client(43);
    let denied = Some(Refusal::AccessDenied);
    let account = &mut bench.account;
    let update = UpdateEndpoint::default();
    assert_eq!(account.at(call).endpoint(id, Some(stranger)).err(), denied);
    assert_eq!(
        account.at(call).endpoint_detail(id, Some(stranger)).err(),
        denied
    );
    assert_eq!(
        account.at(call).update_endpoint(id, stranger, update).err(),
        denied
    );
    assert_eq!(
        account.at(call).delete_endpoint(id, Some(stranger)).err(),
        denied
    );
    assert!(account.at(call).endpoint(id, Some(client(42))).is_ok());
}

#[test]
fn a_deleted_server_is_gone_until_it_is_added_again_b9() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let call = bench.call();
    let account = &mut bench.account;
    account.at(call).delete_endpoint(id, None).expect("deleted");
    let gone = Some(Refusal::EndpointNotFound);
    assert_eq!(account.at(call).endpoint(id, None).err(), gone);
    assert_eq!(account.at(call).delete_endpoint(id, None).err(), gone);
    assert_eq!(account.at(call).terminate(id).err(), gone);
    assert_eq!(account.at(call).suspend(id).err(), gone);
    assert_eq!(account.at(call).scan_endpoint(client(42), id).err(), gone);
    assert_eq!(bench.list(None).current_endpoint_count, 0);
    assert_eq!(bench.provision(42, SERVER), id);
    assert_eq!(bench.list(None).current_endpoint_count, 1);
}

#[test]
fn a_terminated_server_can_be_deleted_but_not_updated_b9() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let call = bench.call();
    bench.account.at(call).terminate(id).expect("terminated");
    assert_eq!(
        set_status(&mut bench, id, DesiredStatus::Active),
        Err(Refusal::EndpointNotFound)
    );
    assert_eq!(bench.account.at(call).delete_endpoint(id, None), Ok(()));
    assert_eq!(
        bench.account.at(call).terminate(id).err(),
        Some(Refusal::EndpointNotFound)
    );
}

#[test]
fn the_list_is_oldest_first_by_pages_with_counts_that_ignore_the_filter_a18_b13() {
    let mut bench = Bench::new();
    let ids: Vec<Uuid> = (0..7)
        .map(|host| bench.provision(42, &format!("203.0.113.{host}")))
        .collect();
    bench.provision(43, SERVER);
    let call = bench.call();
    bench.account.at(call).suspend(ids[1]).expect("suspended");
    bench
        .account
        .at(call)
        .terminate(ids[2])
        .expect("terminated");
    let mut page = |status: Option<DesiredStatus>, number: u64| {
        let request = ListEndpoints {
            client: Some(client(42)),
            status,
            page: Page::new(number, 3),
        };
        bench.account.at(call).list_endpoints(request)
    };
    let listed = |list: &secmon_engine::EndpointList| -> Vec<Uuid> {
        list.endpoints.items.iter().map(|item| item.id).collect()
    };
    let all = page(None, 1);
    assert_eq!(listed(&all), [ids[0], ids[1], ids[3]]);
    assert_eq!((all.endpoints.total, all.endpoints.last_page()), (6, 2));
    assert!(all.endpoints.has_more());
    let last = page(None, 2);
    assert_eq!(listed(&last), [ids[4], ids[5], ids[6]]);
    assert!(!last.endpoints.has_more());
    assert!(listed(&page(None, 3)).is_empty());
    assert!(listed(&page(None, u64::MAX)).is_empty());
    let paused = page(Some(DesiredStatus::Paused), 1);
    assert_eq!(listed(&paused), [ids[1]]);
    assert_eq!(paused.endpoints.total, 1);
    let counts = paused.status_counts;
    assert_eq!((counts.active, counts.paused), (5, 1));
    assert_eq!(paused.current_endpoint_count, 6);
    let active = page(Some(DesiredStatus::Active), 1);
    assert_eq!(listed(&active), [ids[0], ids[3], ids[4]]);
}

#[test]
fn an_empty_list_has_one_page_and_both_counts_a18_b13() {
    let mut bench = Bench::new();
    let list = bench.list(Some(42));
    assert_eq!(list.endpoints.last_page(), 1);
    assert!(!list.endpoints.has_more());
    let counts = serde_json::to_value(list.status_counts).expect("json");
    assert_eq!(counts, serde_json::json!({"active": 0, "paused": 0}));
    assert_eq!(list.endpoint_limit, 25);
}

#[test]
fn the_detail_shows_what_the_last_scans_found() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let fresh = bench.detail(id);
    assert_eq!(fresh.latest_scan, None);
    assert!(fresh.alerts.is_empty() && fresh.new_ports.is_empty());
    bench.wait(2);
    let first = bench.detail(id);
    let scan = first.latest_scan.expect("a scan");
    assert_eq!(scan.open_ports, [22, 80, 443, 8080]);
    assert_eq!(scan.status, "completed");
    assert_eq!(scan.scan_duration_ms, 2000);
    assert_eq!(scan.scanned_at.to_string(), "2026-01-01T00:00:02+00:00");
    assert_eq!(first.data.platform, Some("linux"));
    assert!(first.new_ports.is_empty(), "there is one scan only");
    let tcp = Protocol::Tcp;
    bench.set_ports(id, &[(22, tcp), (3389, tcp), (3389, Protocol::Udp)]);
    bench.wait(86_402);
    let second = bench.detail(id);
    assert_eq!(second.new_ports, [3389]);
    assert_eq!(second.closed_ports, [80, 443, 8080]);
    assert_eq!(second.data.platform, Some("windows"));
    assert_eq!(second.latest_scan.expect("a scan").open_ports, [22, 3389]);
}

#[test]
fn the_detail_shows_at_most_ten_open_alerts_newest_first() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let ports: Vec<(u16, Protocol)> = (1000..1012).map(|port| (port, Protocol::Tcp)).collect();
    bench.set_ports(id, &ports);
    bench.wait(2);
    let shown: Vec<u16> = bench.detail(id).alerts.iter().map(|a| a.port).collect();
    assert_eq!(shown, (1002..1012).rev().collect::<Vec<u16>>());
}

#[test]
fn whitelisted_ports_are_sorted_and_long_ranges_are_their_ends_e5() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let other = bench.provision(43, SERVER);
    let here = RuleScope::Endpoint(id);
    let mut both = allow((443, 443), here, None);
    both.protocol = secmon_engine::RuleProtocol::Both;
    bench.rule(both);
    bench.rule(allow((22, 23), here, None));
    bench.rule(allow((22, 22), RuleScope::Global, Some(42)));
    bench.rule(allow((5000, 6024), RuleScope::Global, None));
    bench.rule(allow((9000, 9000), RuleScope::Endpoint(other), None));
    bench.rule(allow((9001, 9001), RuleScope::Global, Some(43)));
    assert_eq!(
        bench.detail(id).whitelisted_ports,
        [
            "22:tcp", "23:tcp", "443:tcp", "443:udp", "5000:tcp", "6024:tcp"
        ]
    );
    bench.rule(allow((10_000, 11_023), here, None));
    assert_eq!(bench.detail(id).whitelisted_ports.len(), 6 + 1024);
}
