//! Times: everything is told when it happened, and scans keep to their schedule.

use chrono::{DateTime, Duration, FixedOffset};
use http::Method;
use secmon::model::{DomainId, EndpointId, EndpointStatus};
use secmon::operations::UpdateEndpoint;
use secmon_contract_tests::{Account, Customer, cases};
use serde_json::{Value, json};

cases! {
    anywhere:
        what_is_made_now_says_so;
    steered:
        a_server_that_was_paused_for_long_is_scanned_at_once(Clock),
        a_port_alert_tells_when_it_was_first_seen_last_seen_and_resolved(Clock, World),
        a_domain_alert_tells_when_it_was_raised_acknowledged_and_resolved(Clock, World)
}

type Time = DateTime<FixedOffset>;

const DAY: u64 = 24 * 60 * 60;

/// The time at a place of an answer.
#[track_caller]
fn time(json: &Value, place: &str) -> Time {
    let text = json.pointer(place).and_then(Value::as_str);
    let time = text.and_then(|text| DateTime::parse_from_rfc3339(text).ok());
    time.unwrap_or_else(|| panic!("no time at {place} of {json}"))
}

async fn answer(account: &Account, method: Method, path: &str, body: &Value) -> Value {
    let call = account.raw(method, &format!("/api/v1/{path}"));
    let call = if body.is_null() {
        call
    } else {
        call.json(body)
    };
    call.send().await.expect("an answer").json
}

async fn read(account: &Account, path: &str) -> Value {
    answer(account, Method::GET, path, &Value::Null).await
}

async fn detail(account: &Account, server: EndpointId) -> Value {
    read(account, &format!("endpoints/{server}/detail")).await
}

/// The clock of the service, which needs no key.
async fn clock(account: &Account) -> Time {
    time(&read(account, "health").await, "/timestamp")
}

async fn what_is_made_now_says_so() {
    let account = Account::new().await;
    let customer = account.customer();
    let post = |path: &'static str, body: Value| {
        let account = &account;
        async move { answer(account, Method::POST, path, &body).await }
    };
    let before = clock(&account).await;
    let server = json!({"billing_customer_id": customer.id, "ip_address": "203.0.113.95"});
    let server = post("endpoints", server).await;
    let rule = json!({
        "endpoint_id": server["data"]["id"], "port_start": 52100, "protocol": "tcp", "justification": "For a test of times",
    });
    let rule = post("whitelists", rule).await;
    let service = customer.domain_slots(1).await;
    let change = json!({
        "client_id": customer.id, "service_id": service, "product_slug": "domain_monitoring", "new_quantity": 2,
    });
    let change = post("billing/change-subscription", change).await;
    let domain = customer.watched("example.net", service).await;
    let summary = format!(
        "domains/{domain}/summary?billing_customer_id={}",
        customer.id
    );
    let summary = read(&account, &summary).await;
    let unknown = post(
        "billing/suspend",
        json!({"endpoint_id": DomainId::from(uuid::Uuid::from_u128(7))}),
    )
    .await;
    let after = clock(&account).await;
    for (told, place) in [
        (&server, "/data/created_at"),
        (&server, "/data/updated_at"),
        (&server, "/data/next_scan_at"),
        (&server, "/meta/timestamp"),
        (&rule, "/data/created_at"),
        (&rule, "/data/updated_at"),
        (&rule, "/data/endpoint/created_at"),
        (&change, "/data/effective_at"),
        (&change, "/meta/timestamp"),
        (&summary, "/data/created_at"),
        (&summary, "/meta/timestamp"),
        (&unknown, "/meta/timestamp"),
    ] {
        let told = time(told, place);
        let is_now = before <= told && told <= after;
        assert!(is_now, "{place}: {before}, {told}, {after}");
    }
}

async fn a_server_that_was_paused_for_long_is_scanned_at_once() {
    let account = Account::new().await;
    let customer = account.customer();
    let server = customer.provisioned("203.0.113.97").await;
    account.advance(100).await;
    let before = detail(&account, server).await;
    let servers = account.client.servers();
    servers.suspend(server).await.expect("suspended");
    account.advance(3 * DAY).await;
    let paused = detail(&account, server).await;
    assert_eq!(paused["data"]["next_scan_at"], Value::Null);
    assert_eq!(
        paused["latest_scan"], before["latest_scan"],
        "nobody scans what is paused"
    );
    let resumed = account.now().await;
    servers.resume(server).await.expect("resumed");
    account.advance(100).await;
    let after = detail(&account, server).await;
    let scanned = time(&after, "/data/last_scan_at");
    assert!(
        whole(resumed) <= scanned && scanned <= account.now().await,
        "{scanned}"
    );
    assert_eq!(
        time(&after, "/data/next_scan_at"),
        scanned + Duration::days(1)
    );

    servers.suspend(server).await.expect("suspended");
    servers.resume(server).await.expect("resumed");
    let soon = detail(&account, server).await;
    assert_eq!(
        soon["data"]["next_scan_at"], after["data"]["next_scan_at"],
        "a short pause moves nothing"
    );
    let created = time(&before, "/data/created_at");
    let change = UpdateEndpoint::new(customer.id, server).status(EndpointStatus::Paused);
    let changing = account.now().await;
    account
        .client
        .servers()
        .update(change)
        .await
        .expect("changed");
    let changed = detail(&account, server).await;
    assert_eq!(time(&changed, "/data/created_at"), created);
    assert!(time(&changed, "/data/updated_at") >= whole(changing));
}

/// Only whole seconds are shown.
fn whole(time: Time) -> Time {
    DateTime::from_timestamp(time.timestamp(), 0)
        .expect("a time")
        .fixed_offset()
}

/// Asserts that a time is now, by a clock that may go on.
async fn assert_now(account: &Account, told: Time, before: Time) {
    let after = account.now().await;
    assert!(
        whole(before) <= told && told <= after,
        "{before}, {told}, {after}"
    );
}

async fn a_port_alert_tells_when_it_was_first_seen_last_seen_and_resolved() {
    let account = Account::new().await;
    let customer = account.customer();
    let first = account.now().await;
    let server = customer.scanned("203.0.113.98", &[(23, "tcp")]).await;
    let list = format!("alerts?billing_customer_id={}", customer.id);
    let alert = read(&account, &list).await["data"]["alerts"][0].clone();
    assert_now(&account, time(&alert, "/first_detected_at"), first).await;
    assert_eq!(alert["last_detected_at"], alert["first_detected_at"]);

    account.advance(1000).await;
    let second = account.now().await;
    account.scan(server, "completed").await;
    let seen = read(&account, &list).await["data"]["alerts"][0].clone();
    assert_eq!(seen["first_detected_at"], alert["first_detected_at"]);
    assert_now(&account, time(&seen, "/last_detected_at"), second).await;

    account.advance(1000).await;
    let third = account.now().await;
    account.open_ports(server, &[]).await;
    account.scan(server, "completed").await;
    let closed = read(&account, &list).await["data"]["alerts"][0].clone();
    assert_eq!(
        closed["last_detected_at"], seen["last_detected_at"],
        "it was not seen again"
    );
    assert_now(&account, time(&closed, "/resolved_at"), third).await;
}

/// An alert for the employees of a domain, as the only one.
async fn leaking(account: &Account, customer: Customer<'_>) -> DomainId {
    let domain = customer
        .watched("example.net", customer.domain_slots(1).await)
        .await;
    let found = json!({"employees": 1, "customers": 0, "third_parties": 0, "mentions": 1});
    account.findings(domain, found).await;
    account.scan_domain(domain).await;
    domain
}

async fn a_domain_alert_tells_when_it_was_raised_acknowledged_and_resolved() {
    let account = Account::new().await;
    let customer = account.customer();
    let owner = json!({"billing_customer_id": customer.id});
    let raised = account.now().await;
    let domain = leaking(&account, customer).await;
    let of_customer = format!("billing_customer_id={}", customer.id);
    let alerts = read(
        &account,
        &format!("domains/{domain}/alerts?{of_customer}&type=credential_leak"),
    )
    .await;
    let alert = &alerts["data"]["alerts"][0];
    assert_now(&account, time(alert, "/created_at"), raised).await;
    let path = format!(
        "domains/{domain}/alerts/{}",
        alert["id"].as_str().expect("an id")
    );

    account.advance(1000).await;
    let acknowledged = account.now().await;
    let answered = answer(
        &account,
        Method::POST,
        &format!("{path}/acknowledge"),
        &owner,
    )
    .await;
    assert_now(
        &account,
        time(&answered, "/data/alert/acknowledged_at"),
        acknowledged,
    )
    .await;
    account.advance(1000).await;
    let resolved = account.now().await;
    let ended = answer(&account, Method::POST, &format!("{path}/resolve"), &owner).await;
    assert_now(&account, time(&ended, "/data/alert/resolved_at"), resolved).await;

    let kept = read(&account, &format!("{path}?{of_customer}")).await;
    let kept = &kept["data"]["alert"];
    assert_eq!(kept["created_at"], alert["created_at"]);
    assert_eq!(
        kept["acknowledged_at"],
        answered["data"]["alert"]["acknowledged_at"]
    );
    assert_eq!(kept["resolved_at"], ended["data"]["alert"]["resolved_at"]);
    assert_last_scan_in_history(&account, domain, &of_customer).await;
}

async fn assert_last_scan_in_history(account: &Account, domain: DomainId, of_customer: &str) {
    let of_domain = |what| format!("domains/{domain}/{what}?{of_customer}");
    let history = read(account, &of_domain("scan-history")).await;
    let summary = read(account, &of_domain("summary")).await;
    assert_eq!(
        history["data"]["scans"][0]["created_at"],
        summary["data"]["last_scan_at"]
    );
    assert_eq!(
        summary["data"]["dark_web_last_scan_at"],
        summary["data"]["last_scan_at"]
    );
}
