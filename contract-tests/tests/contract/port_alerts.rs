//! Port alerts (assumed shapes).

use secmon::Response;
use secmon::model::{EndpointId, PortAlertId, PortAlertStatus, Protocol, Severity};
use secmon::operations::{CreateRule, ListPortAlerts};
use secmon_contract_tests::{Account, Customer, assert_keys, cases};
use serde_json::Value;

cases! {
    anywhere:
        a_customer_without_servers_has_no_alerts;
    steered:
        an_open_port_raises_an_alert_that_closes_with_it(World),
        an_alert_is_resolved_once_and_comes_back_at_the_next_scan(Clock, World),
        every_event_of_an_open_alert_ends_it_or_leaves_it(World)
}

const RESOURCE: [&str; 13] = [
    "id",
    "port",
    "protocol",
    "service",
    "severity",
    "risk_level",
    "status",
    "title",
    "first_detected_at",
    "last_detected_at",
    "endpoint_id",
    "ip_address",
    "resolved_at",
];

fn json_of<T>(response: &Response<T>) -> Value {
    serde_json::from_slice(response.body()).expect("JSON")
}

async fn an_open_port_raises_an_alert_that_closes_with_it() {
    let account = Account::new().await;
    let customer = account.customer();
    let endpoint = customer.scanned("203.0.113.50", &[(3389, "tcp")]).await;
    let list = ListPortAlerts::new(customer.id);
    let page = account.client.send(list).await.expect("a page");
    let raw = json_of(&page);
    assert_keys(&raw, &["success", "data", "meta"]);
    assert_keys(
        &raw["data"],
        &["alerts", "total", "current_page", "last_page", "has_more"],
    );
    assert_keys(&raw["data"]["alerts"][0], &RESOURCE);
    let alert = page.into_data().alerts.remove(0);
    assert_eq!((alert.port, alert.protocol), (3389, Protocol::Tcp));
    assert_eq!(alert.status, PortAlertStatus::Open);
    assert_eq!(alert.severity, Some(Severity::Critical));
    assert_eq!(
        (alert.endpoint_id, alert.resolved_at),
        (Some(endpoint), None)
    );

    account.open_ports(endpoint, &[]).await;
    account.scan(endpoint, "completed").await;
    let closed = account
        .client
        .port_alerts()
        .get(customer.id, alert.id)
        .await
        .expect("read");
    assert_keys(&json_of(&closed)["data"], &["alert"]);
    assert_eq!(closed.data.alert.status, PortAlertStatus::Resolved);
    assert!(closed.data.alert.resolved_at.is_some());
}

async fn an_alert_is_resolved_once_and_comes_back_at_the_next_scan() {
    let account = Account::new().await;
    let customer = account.customer();
    let endpoint = customer.scanned("203.0.113.53", &[(23, "tcp")]).await;
    let alerts = account.client.port_alerts();
    let open = || {
        let list = alerts.list(customer.id);
        list.filter(|list| list.status(PortAlertStatus::Open))
    };
    let alert = open().collect_all().await.expect("one").remove(0);
    let resolved = alerts
        .resolve(customer.id, alert.id)
        .await
        .expect("resolved");
    let raw = json_of(&resolved);
    assert_keys(&raw["data"], &["message", "alert"]);
    assert_keys(&raw["data"]["alert"], &["id", "status", "resolved_at"]);
    assert_eq!(resolved.data.alert.status, PortAlertStatus::Resolved);
    account.advance(60).await;
    let again = alerts
        .resolve(customer.id, alert.id)
        .await
        .expect("resolved already");
    assert_eq!(again.data.alert, resolved.data.alert);

    account.scan(endpoint, "completed").await;
    let new = open().collect_all().await.expect("one").remove(0);
    assert_ne!(new.id, alert.id);
    assert_eq!(new.port, 23);
}

async fn a_customer_without_servers_has_no_alerts() {
    let account = Account::new().await;
    let page = account
        .client
        .send(ListPortAlerts::new(account.customer().id))
        .await
        .expect("a page");
    let page = page.into_data();
    assert!(page.alerts.is_empty());
    assert_eq!(
        (page.total, page.current_page, page.last_page),
        (Some(0), 1, Some(1))
    );
}

/// What ends an open alert, and what does not.
#[derive(Debug, Clone, Copy)]
enum Event {
    SeenAgain,
    PortCloses,
    RuleCoversIt,
    RuleOfAnotherPort,
    ResolvedByHand,
    ScanFails,
}

async fn every_event_of_an_open_alert_ends_it_or_leaves_it() {
    use PortAlertStatus::{Open, Resolved};
    let account = Account::new().await;
    for (event, after) in [
        (Event::SeenAgain, Open),
        (Event::PortCloses, Resolved),
        (Event::RuleCoversIt, Resolved),
        (Event::RuleOfAnotherPort, Open),
        (Event::ResolvedByHand, Resolved),
        (Event::ScanFails, Open),
    ] {
        let customer = account.customer();
        let endpoint = customer.scanned("203.0.113.55", &[(23, "tcp")]).await;
        let alerts = account.client.port_alerts();
        let all = || alerts.list(customer.id).collect_all();
        let alert = all().await.expect("one").remove(0);
        happen(&account, customer, endpoint, alert.id, event).await;
        let now = alerts
            .get(customer.id, alert.id)
            .await
            .expect("read")
            .into_data()
            .alert;
        assert_eq!(now.status, after, "{event:?}");
        assert_eq!(now.resolved_at.is_some(), after == Resolved, "{event:?}");
        assert_eq!(all().await.expect("one").len(), 1, "{event:?} raises none");
        account.open_ports(endpoint, &[(23, "tcp")]).await;
        account.scan(endpoint, "completed").await;
        let later = alerts
            .get(customer.id, alert.id)
            .await
            .expect("read")
            .into_data()
            .alert;
        assert_eq!(
            later.status, after,
            "an alert never opens again, after {event:?}"
        );
    }
}

async fn happen(
    account: &Account,
    customer: Customer<'_>,
    endpoint: EndpointId,
    alert: PortAlertId,
    event: Event,
) {
    let rule = |port: &str| {
        let ports = port.parse().expect("a port");
        let why = "As the customer wishes";
        let rule = CreateRule::for_endpoint(endpoint, ports, Protocol::Any, why);
        account.client.rules().create_account_wide(rule)
    };
    match event {
        Event::SeenAgain => account.scan(endpoint, "completed").await,
        Event::ScanFails => account.scan(endpoint, "failed").await,
        Event::PortCloses => {
            account.open_ports(endpoint, &[]).await;
            account.scan(endpoint, "completed").await;
        }
        Event::RuleCoversIt => drop(rule("23").await.expect("created")),
        Event::RuleOfAnotherPort => drop(rule("24").await.expect("created")),
        Event::ResolvedByHand => drop(
            account
                .client
                .port_alerts()
                .resolve(customer.id, alert)
                .await
                .expect("resolved"),
        ),
    }
}
