//! The tests of docs/testing-rust.md, which shows this file.

use secmon::model::CustomerId;
use secmon::operations::{GetEndpointDetail, ProvisionEndpoint};
use secmon::{ApiKey, Client};
use secmon_mock::{CloseAt, Fault, MockServer, Tenant};
use std::sync::OnceLock;
use std::time::Duration;

/// An account for one test, on a server that all tests of this process share.
fn account() -> Tenant {
    static SERVER: OnceLock<MockServer> = OnceLock::new();
    SERVER
        .get_or_init(|| MockServer::start().expect("a mock"))
        .tenant()
}

/// Stands for your billing module.
fn module(account: &Tenant) -> (Client, CustomerId) {
    let key = ApiKey::new(account.api_key()).expect("a key");
    let client = Client::builder(account.url(), key)
        .build()
        .expect("a client");
    (client, "42".parse().expect("a number"))
}

#[tokio::test]
async fn an_order_outlives_a_lost_answer() {
    let account = account();
    account.fault(Fault::close(CloseAt::After).operation("provision_endpoint"));
    let (client, customer) = module(&account);
    let order = ProvisionEndpoint::new(customer).ip_address("203.0.113.10");
    client.send(order).await.expect("a server");
    account
        .verify("POST", "*/provision", 2)
        .expect("one call and its repeat");
}

#[tokio::test]
async fn the_first_scan_takes_two_seconds() {
    let account = account();
    let (client, customer) = module(&account);
    let order = ProvisionEndpoint::new(customer).ip_address("203.0.113.10");
    let server = client.send(order).await.expect("a server").data.endpoint_id;

    let read = || client.send(GetEndpointDetail::new(customer, server));
    assert!(read().await.expect("a detail").data.latest_scan.is_none());
    account.advance(Duration::from_secs(2)).expect("time moves");
    let scan = read().await.expect("a detail").data.latest_scan;
    assert_eq!(
        scan.and_then(|scan| scan.open_ports),
        Some(vec![22, 80, 443, 8080])
    );
}

#[tokio::test]
async fn a_worker_in_the_background_sends_every_order() {
    let account = account();
    let (client, customer) = module(&account);
    let worker = tokio::spawn(async move {
        for number in 20..25 {
            let order =
                ProvisionEndpoint::new(customer).ip_address(format!("203.0.113.{number}").as_str());
            client.send(order).await.expect("a server");
        }
    });
    account
        .wait_for("POST", "*/provision", 5, Duration::from_secs(60))
        .await
        .expect("five orders");
    worker.await.expect("the worker ends");
}

#[tokio::test]
async fn nothing_careless_was_sent() {
    let account = account();
    let (client, customer) = module(&account);
    let order = ProvisionEndpoint::new(customer).ip_address("203.0.113.10");
    client.send(order).await.expect("a server");
    account.verify_no_notices().expect("no notices");
}
