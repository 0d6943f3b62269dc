//! provision, suspend, resume, terminate.

use std::collections::BTreeSet;

use secmon_engine::{
    Capacity, Client, EndpointStatus, Outcome, ProvisionEndpoint, Refusal, SandboxHeader,
    ServiceId, Target,
};
use uuid::Uuid;

use crate::bench::{Bench, client};

const SERVER: &str = "203.0.113.10";

#[test]
fn a_provisioned_server_is_active_and_shown_with_defaults_b3() {
    let mut bench = Bench::new();
    let done = bench.try_provision(42, SERVER).expect("provisioned");
    assert_eq!(done.outcome, Outcome::Created);
    assert_eq!(done.note, None);
    assert_eq!(done.value.status, EndpointStatus::Active);
    let shown = serde_json::to_value(bench.endpoint(done.value.endpoint_id)).expect("json");
    let expected = serde_json::json!({
        "id": done.value.endpoint_id,
        "ip_address": SERVER,
        "hostname": SERVER,
        "nickname": SERVER,
        "platform": null,
        "status": "active",
        "nmap_cooldown_seconds": 300,
        "last_scan_at": null,
        "next_scan_at": "2026-01-01T00:00:00+00:00",
        "created_at": "2026-01-01T00:00:00+00:00",
        "updated_at": "2026-01-01T00:00:00+00:00",
        "billing_customer_id": 42,
        "quota_paused": false,
    });
    assert_eq!(shown, expected);
}

#[test]
fn provisioning_the_same_address_again_gives_the_record_as_it_is_b9() {
    let mut bench = Bench::new();
    let id = bench.provision(42, "2001:db8::1");
    bench
        .account
        .at(bench.call())
        .suspend(id)
        .expect("suspended");
    let again = bench.try_provision(42, "2001:DB8:0::1").expect("noted");
    assert_eq!(again.outcome, Outcome::Existing);
    assert!(again.note.is_some());
    assert_eq!(again.value.endpoint_id, id);
    assert_eq!(again.value.status, EndpointStatus::Paused);
}

#[test]
fn the_same_address_for_two_customers_is_two_servers_b10() {
    let mut bench = Bench::new();
    assert_ne!(bench.provision(1, SERVER), bench.provision(2, SERVER));
}

#[test]
fn suspend_and_resume_move_a_server_and_repeat_with_a_note() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let call = bench.call();
    let suspended = bench.account.at(call).suspend(id).expect("suspended");
    assert_eq!(suspended.note, None);
    assert_eq!(suspended.value.status, EndpointStatus::Paused);
    assert_eq!(bench.endpoint(id).next_scan_at, None);
    let again = bench.account.at(call).suspend(id).expect("suspended");
    assert!(again.note.is_some());
    let resumed = bench.account.at(call).resume(id).expect("resumed");
    assert_eq!(resumed.note, None);
    assert_eq!(resumed.value.status, EndpointStatus::Active);
    let again = bench.account.at(call).resume(id).expect("resumed");
    assert!(again.note.is_some());
}

#[test]
fn a_terminated_server_is_gone_from_reads_but_terminates_again_b9() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let call = bench.call();
    let done = bench.account.at(call).terminate(id).expect("terminated");
    assert_eq!(done.value.status, EndpointStatus::Terminated);
    assert_eq!(done.note, None);
    let again = bench.account.at(call).terminate(id).expect("terminated");
    assert!(again.note.is_some());
    let not_found = Err(Refusal::EndpointNotFound);
    assert_eq!(
        bench
            .account
            .at(call)
            .suspend(id)
            .map(|done| done.value.status),
        not_found
    );
    assert_eq!(
        bench
            .account
            .at(call)
            .resume(id)
            .map(|done| done.value.status),
        not_found
    );
    assert!(bench.account.at(call).endpoint(id, None).is_err());
    assert!(bench.account.at(call).endpoint_detail(id, None).is_err());
    assert!(bench.list(Some(42)).endpoints.items.is_empty());
}

#[test]
fn a_paused_server_can_be_terminated() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let call = bench.call();
    bench.account.at(call).suspend(id).expect("suspended");
    let done = bench.account.at(call).terminate(id).expect("terminated");
    assert_eq!(done.value.status, EndpointStatus::Terminated);
}

#[test]
fn re_adding_a_terminated_server_restores_it_with_its_creation_time_b9() {
    let mut bench = Bench::new();
    let id = bench.provision(42, SERVER);
    let created = bench.endpoint(id).created_at;
    bench.wait(10);
    bench
        .account
        .at(bench.call())
        .terminate(id)
        .expect("terminated");
    bench.wait(10);
    let restored = bench.try_provision(42, SERVER).expect("restored");
    assert_eq!(restored.outcome, Outcome::Existing);
    assert!(restored.note.is_some());
    assert_eq!(restored.value.endpoint_id, id);
    assert_eq!(restored.value.status, EndpointStatus::Active);
    assert_eq!(bench.endpoint(id).created_at, created);
}

#[test]
fn unknown_and_foreign_ids_are_not_found() {
    let mut bench = Bench::new();
    let mut other = Bench::with(|settings| settings.name = "globex".to_owned());
    let foreign = other.provision(42, SERVER);
    bench.provision(42, SERVER);
    let call = bench.call();
    for id in [foreign, Uuid::nil(), Uuid::max()] {
        let mut session = bench.account.at(call);
        for refused in [
            session.suspend(id),
            session.resume(id),
            session.terminate(id),
        ] {
            assert_eq!(refused.unwrap_err(), Refusal::EndpointNotFound);
        }
    }
}

#[test]
fn a_customer_may_have_25_servers_unless_configured_otherwise_b5() {
    let mut bench = Bench::new();
    for host in 0..25 {
        bench.provision(42, &format!("203.0.113.{host}"));
    }
    let full = Refusal::EndpointLimitExceeded(Capacity {
        limit: 25,
        current_usage: 25,
    });
    assert_eq!(bench.try_provision(42, "203.0.113.99"), Err(full.clone()));
    assert!(bench.try_provision(43, "203.0.113.99").is_ok());
    assert!(bench.try_provision(42, "203.0.113.0").is_ok(), "a note");
    let list = bench.list(Some(42));
    assert_eq!((list.endpoint_limit, list.current_endpoint_count), (25, 25));
    assert_eq!(bench.create(42, "203.0.113.99").unwrap_err(), full);
}

#[test]
fn the_account_bounds_its_servers_over_all_customers_b5() {
    let mut bench = Bench::with(|settings| settings.limits.account_endpoint_limit = 2);
    bench.provision(1, SERVER);
    bench.provision(2, SERVER);
    let full = Refusal::EndpointLimitExceeded(Capacity {
        limit: 2,
        current_usage: 2,
    });
    assert_eq!(bench.try_provision(3, SERVER), Err(full));
    let list = bench.list(None);
    assert_eq!((list.endpoint_limit, list.current_endpoint_count), (2, 2));
}

#[test]
fn paused_servers_count_and_terminated_ones_do_not_b6() {
    let mut bench = Bench::with(|settings| settings.limits.default_endpoint_limit = 1);
    let id = bench.provision(42, SERVER);
    let call = bench.call();
    bench.account.at(call).suspend(id).expect("suspended");
    assert!(bench.try_provision(42, "203.0.113.11").is_err());
    bench.account.at(call).terminate(id).expect("terminated");
    bench.provision(42, "203.0.113.11");
    assert!(
        bench.try_provision(42, SERVER).is_err(),
        "a restore needs room as well"
    );
}

#[test]
fn a_refused_call_changes_nothing_a5() {
    let mut bench = Bench::with(|settings| settings.limits.default_endpoint_limit = 0);
    let before = bench.account.export();
    assert!(bench.try_provision(42, SERVER).is_err());
    assert!(bench.try_provision(42, "web.invalid").is_err());
    assert_eq!(bench.account.export(), before);
}

#[test]
fn names_resolve_without_a_network_b2() {
    let mut bench = Bench::with(|settings| {
        let address = "203.0.113.7".parse().expect("an address");
        settings.dns.insert("web.example.com".to_owned(), address);
    });
    let id = bench.provision(42, "Web.Example.com");
    let shown = bench.endpoint(id);
    assert_eq!(shown.ip_address.to_string(), "203.0.113.7");
    assert_eq!(shown.hostname, "Web.Example.com");
    assert_eq!(shown.nickname, "Web.Example.com");
    assert_eq!(
        bench.try_provision(42, "a.INVALID"),
        Err(Refusal::DnsResolutionFailed("a.INVALID".to_owned()))
    );
    let derived = bench.provision(42, "db");
    let address = bench.endpoint(derived).ip_address.to_string();
    assert!(address.starts_with("198.18.") || address.starts_with("198.19."));
    let spread: BTreeSet<String> = (0..20)
        .map(|number| bench.provision(43, &format!("db{number}.example.com")))
        .collect::<Vec<Uuid>>()
        .into_iter()
        .map(|id| bench.endpoint(id).ip_address.to_string())
        .collect();
    assert_eq!(spread.len(), 20, "each name has an address of its own");
    let mut other = Bench::with(|settings| settings.seed = 99);
    let elsewhere = other.provision(1, "DB");
    assert_eq!(other.endpoint(elsewhere).ip_address.to_string(), address);
}

#[test]
fn a_hostname_next_to_an_address_is_a_label_b1() {
    let mut bench = Bench::new();
    let request = |hostname: &str| ProvisionEndpoint {
        client: Client::new(client(42)),
        target: Target::Address {
            address: SERVER.parse().expect("an address"),
            hostname: Some(hostname.to_owned()),
        },
        service: None,
    };
    let call = bench.call();
    let done = bench
        .account
        .at(call)
        .provision(request("not resolved.invalid"))
        .expect("provisioned");
    let shown = bench.endpoint(done.value.endpoint_id);
    assert_eq!(shown.hostname, "not resolved.invalid");
    assert_eq!(shown.nickname, "not resolved.invalid");
}

#[test]
fn a_service_maps_to_the_server_it_was_provisioned_with_last_b11() {
    let mut bench = Bench::new();
    let service = ServiceId::new(9);
    let mut provision = |target: &str| {
        let request = ProvisionEndpoint {
            client: Client::new(client(42)),
            target: Target::parse(target).expect("a target"),
            service,
        };
        let call = bench.call();
        let done = bench.account.at(call).provision(request).expect("done");
        let export = bench.account.export().to_string();
        (done.note, export)
    };
    let link =
        |number: u32| format!(r#"{{"key":"42/9","table":"service_links","value":{number}}}"#);
    assert!(provision(SERVER).1.contains(&link(0)));
    assert!(provision("203.0.113.11").1.contains(&link(1)));
    let (note, export) = provision(SERVER);
    assert!(note.is_some());
    assert!(
        export.contains(&link(0)),
        "moved back by a call with a note"
    );
}

#[test]
fn the_sandbox_header_marks_the_record_where_sandbox_is_on_a14() {
    use SandboxHeader::{Absent, Simulate};
    let marked = |sandbox: bool, headers: &[SandboxHeader]| {
        let mut bench = Bench::with(|settings| settings.sandbox = sandbox.into());
        for header in headers {
            let mut call = bench.call();
            call.sandbox = *header;
            let request = ProvisionEndpoint {
                client: Client::new(client(42)),
                target: Target::parse(SERVER).expect("a target"),
                service: None,
            };
            let done = bench.account.at(call).provision(request);
            assert!(done.is_ok());
        }
        let export = bench.account.export().to_string();
        export.contains(r#""simulated":true"#)
    };
    assert!(marked(true, &[Simulate]));
    assert!(!marked(true, &[Absent]));
    assert!(!marked(false, &[Simulate]));
    assert!(!marked(true, &[Absent, Simulate]), "found as it is");
}

#[test]
fn a_customer_account_is_made_once_and_given_back_by_a_later_call_c11() {
    let mut bench = Bench::new();
    let provision = |bench: &mut Bench, name: &str| {
        let request = ProvisionEndpoint {
            client: Client {
                id: client(42),
                name: Some(name.to_owned()),
                email: Some("ops@example.com".to_owned()),
            },
            target: Target::parse(SERVER).expect("a target"),
            service: None,
        };
        let call = bench.call();
        bench.account.at(call).provision(request).expect("done");
    };
    assert_eq!(
        bench
            .account
            .at(bench.now)
            .remove_portal_account(client(42)),
        Err(Refusal::UserNotFound)
    );
    provision(&mut bench, "First name");
    assert_eq!(
        bench
            .account
            .at(bench.now)
            .remove_portal_account(client(42)),
        Ok(())
    );
    assert_eq!(
        bench
            .account
            .at(bench.now)
            .remove_portal_account(client(42)),
        Err(Refusal::UserNotFound)
    );
    provision(&mut bench, "Second name");
    let export = bench.account.export().to_string();
    assert!(export.contains("First name") && !export.contains("Second name"));
    assert_eq!(
        bench
            .account
            .at(bench.now)
            .remove_portal_account(client(42)),
        Ok(()),
        "given back by a call that answered with a note"
    );
}
