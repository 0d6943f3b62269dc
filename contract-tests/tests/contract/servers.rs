//! Provisioning of servers: provision, suspend, resume, terminate, scan.

use std::time::Duration;

use http::{Method, StatusCode};
use secmon::model::{EndpointStatus, Money, ScanStatus, ServiceId};
use secmon::operations::{EndpointState, ProvisionEndpoint, ScanEndpoint};
use secmon::{Error, ErrorCode};
use secmon_contract_tests::{Account, assert_api_error, assert_keys, cases, code_of};
use serde_json::{Value, json};

cases! {
    anywhere:
        a_server_goes_through_its_life,
        provisioning_twice_finds_the_same_server,
        all_bad_fields_come_back_at_once,
        a_hostname_alone_is_resolved_or_refused,
        a_plan_bounds_the_servers_of_a_customer,
        a_scan_asked_for_twice_is_in_its_cooldown;
    steered:
        a_server_beyond_the_limit_is_refused_with_limit_and_usage(Accounts),
        a_manual_scan_runs_to_its_end(Clock, World),
        scan_failures_of_the_service_come_by_their_names(Faults)
}

async fn a_server_goes_through_its_life() {
    let account = Account::new().await;
    let customer = account.customer();
    let servers = account.client.servers();
    let full = customer
        .server("203.0.113.10")
        .hostname("web-1.example.com")
        .service_id(ServiceId::try_from(501).expect("a service"))
        .client_name("Ann")
        .client_email("ann@example.com")
        .product_slug("port_monitoring")
        .plan_slug("starter")
        .mrr(Money::from_cents(950));
    let made = servers.provision(full).await.expect("provisioned");
    assert_eq!(made.created(), Some(true));
    assert_eq!(made.note(), None);
    assert_eq!(made.data.status, EndpointStatus::Active);
    let raw: Value = serde_json::from_slice(made.body()).expect("JSON");
    assert_keys(&raw, &["success", "data", "meta"]);
    assert_keys(&raw["data"], &["endpoint_id", "status"]);
    assert_keys(&raw["meta"], &["version", "timestamp"]);

    let id = made.data.endpoint_id;
    let status_of = |state: EndpointState| (state.endpoint_id, state.status);
    let paused = servers.suspend(id).await.expect("suspended");
    assert_eq!(paused.status(), StatusCode::OK);
    assert_eq!(status_of(paused.into_data()), (id, EndpointStatus::Paused));
    let active = servers.resume(id).await.expect("resumed");
    assert_eq!(status_of(active.into_data()), (id, EndpointStatus::Active));
    let ended = servers.terminate(id).await.expect("terminated");
    assert_eq!(
        status_of(ended.into_data()),
        (id, EndpointStatus::Terminated)
    );
    assert_api_error(servers.suspend(id).await, 404, ErrorCode::EndpointNotFound);
    assert_api_error(servers.resume(id).await, 404, ErrorCode::EndpointNotFound);
}

async fn provisioning_twice_finds_the_same_server() {
    let account = Account::new().await;
    let customer = account.customer();
    let servers = account.client.servers();
    let made = servers
        .provision(customer.server("2001:db8::1"))
        .await
        .expect("made");
    let long = customer.server("2001:0DB8:0:0:0:0:0:1");
    let found = servers.provision(long).await.expect("found");
    assert_eq!(found.status(), StatusCode::OK);
    assert!(found.note().is_some());
    assert_eq!(found.data.endpoint_id, made.data.endpoint_id);

    let other = account.customer();
    let same_address = servers
        .provision(other.server("2001:db8::1"))
        .await
        .expect("made");
    assert_eq!(same_address.created(), Some(true));
    assert_ne!(same_address.data.endpoint_id, made.data.endpoint_id);

    servers
        .terminate(made.data.endpoint_id)
        .await
        .expect("terminated");
    let restored = servers
        .provision(customer.server("2001:db8::1"))
        .await
        .expect("restored");
    assert_eq!(restored.data, made.data);
    assert!(restored.note().is_some());
    assert_eq!(restored.created(), Some(false));
}

/// The fields of a validation error, by their names.
fn fields(error: &Error) -> Vec<&str> {
    error
        .field_errors()
        .map(|errors| errors.iter().map(|(field, _)| field).collect())
        .unwrap_or_default()
}

async fn all_bad_fields_come_back_at_once() {
    let account = Account::new().await;
    let long = "x".repeat(256);
    let bad = ProvisionEndpoint::new(account.customer().id)
        .ip_address("203.0.113.0/24")
        .hostname(long.as_str())
        .client_name(long.as_str())
        .client_email("nobody")
        .product_slug(long.as_str())
        .plan_slug(long.as_str())
        .mrr(Money::ZERO);
    let local = account
        .client
        .send(bad.clone())
        .await
        .expect_err("refused here");
    let remote = account
        .client
        .call(bad)
        .with(|call| call.validation(false))
        .send()
        .await;
    let remote = assert_api_error(remote, 422, None);
    let names = [
        "client_email",
        "client_name",
        "hostname",
        "ip_address",
        "mrr",
        "plan_slug",
        "product_slug",
    ];
    assert_eq!(fields(&local), names);
    assert_eq!(fields(&remote), names);

    let nothing = account
        .client
        .call(ProvisionEndpoint::new(account.customer().id));
    let nothing = assert_api_error(
        nothing.with(|call| call.validation(false)).send().await,
        422,
        None,
    );
    assert_eq!(fields(&nothing), ["ip_address"]);
}

async fn a_server_beyond_the_limit_is_refused_with_limit_and_usage() {
    let account = Account::with(json!({"default_endpoint_limit": 2})).await;
    let customer = account.customer();
    let first = customer.provisioned("203.0.113.1").await;
    customer.provisioned("203.0.113.2").await;
    let third = || {
        account
            .client
            .servers()
            .provision(customer.server("203.0.113.3"))
    };
    let error = assert_api_error(third().await, 403, ErrorCode::EndpointLimitExceeded);
    let details = error.details().expect("details");
    assert_eq!(
        (details.limit(), details.current_usage()),
        (Some(2), Some(2))
    );

    account
        .client
        .servers()
        .suspend(first)
        .await
        .expect("suspended");
    assert_api_error(third().await, 403, ErrorCode::EndpointLimitExceeded);
    account
        .client
        .servers()
        .terminate(first)
        .await
        .expect("terminated");
    let made = third().await.expect("there is room");
    assert_eq!(made.created(), Some(true));
    let restored = account
        .client
        .servers()
        .provision(customer.server("203.0.113.1"))
        .await;
    assert_api_error(restored, 403, ErrorCode::EndpointLimitExceeded);
}

async fn a_hostname_alone_is_resolved_or_refused() {
    let account = Account::new().await;
    let customer = account.customer();
    let named = |name: &str| ProvisionEndpoint::new(customer.id).hostname(name);
    let made = account
        .client
        .servers()
        .provision(named("web.example.com"))
        .await
        .expect("made");
    assert_eq!(made.created(), Some(true));
    let lost = account
        .client
        .servers()
        .provision(named("nowhere.invalid"))
        .await;
    assert_api_error(lost, 422, ErrorCode::DnsResolutionFailed);
}

async fn a_manual_scan_runs_to_its_end() {
    let account = Account::new().await;
    let customer = account.customer();
    let id = customer.provisioned("203.0.113.14").await;
    account.advance(10).await;
    account.open_ports(id, &[(22, "tcp"), (53, "udp")]).await;
    let queued = account
        .client
        .servers()
        .scan(customer.id, id)
        .await
        .expect("queued");
    assert_eq!(queued.status(), StatusCode::ACCEPTED);
    assert_eq!(queued.data.status, ScanStatus::Pending);
    assert!(queued.data.cooldown_seconds.is_some());
    let raw: Value = serde_json::from_slice(queued.body()).expect("JSON");
    assert_keys(&raw["data"], &["scan_id", "status", "cooldown_seconds"]);
    // How long it takes is the service's to say: this looks for a minute.
    for _ in 0..30 {
        account.advance(2).await;
        let detail = account.client.servers().detail_account_wide(id).await;
        let scan = detail.expect("detail").into_data().latest_scan;
        let scan = scan.map(|scan| (scan.open_ports, scan.status));
        if scan == Some((Some(vec![22, 53]), ScanStatus::Completed)) {
            return;
        }
    }
    panic!("the scan does not end");
}

async fn scan_failures_of_the_service_come_by_their_names() {
    let account = Account::new().await;
    let customer = account.customer();
    let id = customer.provisioned("203.0.113.18").await;
    for (status, code) in [
        (500, ErrorCode::ScanDispatchFailed),
        (503, ErrorCode::ScanningUnavailable),
    ] {
        let effect = json!({"status": status, "code": code.to_str()});
        account
            .fault(&Method::POST, "/api/v1/billing/scan-endpoint", effect)
            .await;
        let refused = account
            .client
            .send(ScanEndpoint::new(customer.id, id))
            .await;
        let error = assert_api_error(refused, status, code.clone());
        assert_eq!(code_of(&error), code.to_str());
    }
    account
        .client
        .servers()
        .scan(customer.id, id)
        .await
        .expect("neither failure queued a scan");
}

async fn a_plan_bounds_the_servers_of_a_customer() {
    let account = Account::new().await;
    let customer = account.customer();
    customer.server_plan("starter").await;
    let limit = customer.server_limit().await;
    for last in 1..=limit {
        customer.provisioned(&format!("2001:db8:1::{last}")).await;
    }
    let one_more = account
        .client
        .servers()
        .provision(customer.server("203.0.113.6"))
        .await;
    let error = assert_api_error(one_more, 403, ErrorCode::EndpointLimitExceeded);
    let details = error.details().expect("details");
    assert_eq!(
        (details.limit(), details.current_usage()),
        (Some(limit), Some(limit))
    );
    let one_more = account
        .client
        .servers()
        .create(customer.endpoint("203.0.113.6"))
        .await;
    assert_api_error(one_more, 403, ErrorCode::EndpointLimitExceeded);
}

async fn a_scan_asked_for_twice_is_in_its_cooldown() {
    let account = Account::new().await;
    let customer = account.customer();
    let id = customer.provisioned("203.0.113.19").await;
    let servers = account.client.servers();
    let queued = servers.scan(customer.id, id).await.expect("queued");
    assert_eq!(
        (queued.status(), queued.data.status.clone()),
        (StatusCode::ACCEPTED, ScanStatus::Pending)
    );
    let cooldown = queued.data.cooldown_seconds.expect("a cooldown");
    let again = servers.scan(customer.id, id).await;
    let error = assert_api_error(again, 429, ErrorCode::RateLimited);
    let wait = error.retry_after().expect("a wait");
    assert!(
        wait > Duration::ZERO && wait.as_secs() <= cooldown,
        "{wait:?} of {cooldown}"
    );
    let other = customer.provisioned("203.0.113.20").await;
    servers
        .scan(customer.id, other)
        .await
        .expect("each server has a cooldown of its own");
}
