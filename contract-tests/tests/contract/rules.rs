//! Allowed Ports rules.

use http::StatusCode;
use secmon::model::{
    EndpointId, EndpointStatus, Expiry, PortAlertStatus, PortRange, Protocol, Rule, RuleId,
};
use secmon::operations::{CreateRule, ListPortAlerts, ListRules, UpdateRule};
use secmon::{ErrorCode, Operation, OperationInfo, Response};
use secmon_contract_tests::{Account, Customer, assert_api_error, assert_keys, cases};
use serde::Serialize;
use serde_json::{Value, json};

cases! {
    anywhere:
        a_rule_of_one_server_is_created_read_changed_and_deleted,
        a_global_rule_has_no_server,
        overlapping_rules_of_one_scope_are_refused,
        the_summary_counts_the_rules_of_every_server,
        a_rule_moves_to_no_other_customers_server,
        the_rules_of_an_ended_server_stay_listed_with_it;
    steered:
        a_rule_resolves_the_alerts_it_covers_and_a_deleted_one_raises_them_again(World),
}

const WHY: &str = "SSH for the operations team";

const RESOURCE: [&str; 18] = [
    "id",
    "tenant_id",
    "endpoint_id",
    "port",
    "port_start",
    "port_end",
    "range_label",
    "protocol",
    "service",
    "justification",
    "auto_suggested",
    "expires_at",
    "created_by",
    "created_at",
    "updated_at",
    "is_active",
    "scope_label",
    "endpoint",
];

fn ports(text: &str) -> PortRange {
    text.parse().expect("a range")
}

fn until(text: &str) -> Expiry {
    text.parse().expect("an expiry")
}

fn rule(text: &str, endpoint: EndpointId) -> CreateRule {
    CreateRule::for_endpoint(endpoint, ports(text), Protocol::Tcp, WHY)
}

/// A rule as a case writes it, with what the client's own type leaves out or cannot hold.
#[derive(Serialize)]
#[serde(transparent)]
struct WrittenRule(Value);

impl Operation for WrittenRule {
    type Output = Rule;

    const INFO: &'static OperationInfo = CreateRule::INFO;
}

fn not_found() -> ErrorCode {
    ErrorCode::Number(404)
}

fn json_of<T>(response: &Response<T>) -> Value {
    serde_json::from_slice(response.body()).expect("JSON")
}

/// A rule for one port of a new server of the customer. That it is for this server alone goes without saying.
async fn created(account: &Account, customer: Customer<'_>) -> (EndpointId, RuleId) {
    let endpoint = customer.provisioned("192.0.2.1").await;
    let rule = json!({
        "port_start": 22, "protocol": "tcp", "justification": WHY, "endpoint_id": endpoint,
    });
    let rule = account.client.send(WrittenRule(rule)).await;
    let rule = rule.expect("created").into_data();
    assert_eq!(rule.endpoint_id, Some(endpoint));
    (endpoint, rule.id)
}

async fn a_rule_of_one_server_is_created_read_changed_and_deleted() {
    let account = Account::new().await;
    let customer = account.customer();
    let rules = account.client.rules();
    let endpoint = customer.provisioned("192.0.2.1").await;
    let full = rule("8000-8100", endpoint)
        .service("app")
        .expires_at(until("2199-12-31"));
    let made = rules.create(customer.id, full).await.expect("created");
    assert_eq!(made.status(), StatusCode::CREATED);
    let raw = json_of(&made);
    assert_keys(&raw, &["data", "meta"]);
    assert_keys(&raw["data"], &RESOURCE);
    let made = made.into_data();
    assert_eq!(made.ports(), Some(ports("8000-8100")));
    assert_eq!(made.range_label.as_deref(), Some("8000-8100"));
    assert_eq!(
        (made.protocol, made.service.as_deref()),
        (Protocol::Tcp, Some("app"))
    );
    assert_eq!(made.scope_label.as_deref(), Some("Endpoint-Specific"));
    assert_eq!(made.endpoint.map(|endpoint| endpoint.id), Some(endpoint));
    assert_eq!(
        (made.is_active, made.auto_suggested),
        (Some(true), Some(false))
    );
    assert!(
        made.expires_at
            .is_some_and(|at| at.as_str().starts_with("2199-12-31T23:59:59"))
    );

    let read = rules
        .get_account_wide(made.id)
        .await
        .expect("read")
        .into_data();
    assert_eq!(read.justification.as_deref(), Some(WHY));
    let change = UpdateRule::new(made.id, ports("9000"), Protocol::Any, "Another good reason");
    let changed = rules
        .update_account_wide(change)
        .await
        .expect("changed")
        .into_data();
    assert_eq!(
        (changed.ports(), changed.protocol),
        (Some(ports("9000")), Protocol::Any)
    );
    assert_eq!((changed.service, changed.expires_at), (None, None));
    assert_eq!(changed.endpoint_id, Some(endpoint));

    let gone = rules.delete_account_wide(made.id).await.expect("deleted");
    assert_eq!(gone.status(), StatusCode::NO_CONTENT);
    assert_api_error(rules.get_account_wide(made.id).await, 404, not_found());
    assert_api_error(rules.delete_account_wide(made.id).await, 404, not_found());
}

async fn a_global_rule_has_no_server() {
    let account = Account::new().await;
    let customer = account.customer();
    // Without a server it is global.
    let global = json!({
        "port_start": 443, "protocol": "*", "justification": WHY, "billing_customer_id": customer.id,
    });
    let made = account.client.send(WrittenRule(global)).await;
    let made = made.expect("created").into_data();
    assert_eq!((made.endpoint_id, made.endpoint), (None, None));
    assert_eq!(made.scope_label.as_deref(), Some("Global"));
}

async fn overlapping_rules_of_one_scope_are_refused() {
    let account = Account::new().await;
    let customer = account.customer();
    let rules = account.client.rules();
    let endpoint = customer.provisioned("192.0.2.2").await;
    rules
        .create_account_wide(rule("8000-8100", endpoint))
        .await
        .expect("created");
    let other = rules
        .create_account_wide(rule("9000", endpoint))
        .await
        .expect("created")
        .into_data();
    for overlapping in ["8000", "8050-8060", "8100-9000", "1-65535"] {
        let error = assert_api_error(
            rules.create_account_wide(rule(overlapping, endpoint)).await,
            422,
            None,
        );
        assert_eq!(
            error
                .field_errors()
                .map(|errors| errors.get("port_start").len()),
            Some(1)
        );
    }
    let change = UpdateRule::new(other.id, ports("8100"), Protocol::Any, WHY);
    assert_api_error(rules.update_account_wide(change).await, 422, None);
    let same = UpdateRule::new(other.id, ports("9000-9001"), Protocol::Tcp, WHY);
    rules
        .update_account_wide(same)
        .await
        .expect("a rule does not overlap itself");

    let udp = CreateRule::for_endpoint(endpoint, ports("8000"), Protocol::Udp, WHY);
    rules
        .create_account_wide(udp)
        .await
        .expect("another protocol");
    let global = CreateRule::account_wide(ports("8000"), Protocol::Tcp, WHY);
    rules
        .create(customer.id, global)
        .await
        .expect("another scope");
    let elsewhere = customer.provisioned("192.0.2.3").await;
    rules
        .create_account_wide(rule("8000", elsewhere))
        .await
        .expect("another server");
}

/// Rules of the whole account, which every customer is shown.
async fn account_wide(account: &Account) -> Vec<RuleId> {
    let rules = account.account_wide_rules().await;
    rules.into_iter().map(|rule| rule.id).collect()
}

async fn the_summary_counts_the_rules_of_every_server() {
    let account = Account::new().await;
    let others = account_wide(&account).await;
    let customer = account.customer();
    let (first, _) = created(&account, customer).await;
    let second = customer.provisioned("192.0.2.9").await;
    let global = CreateRule::account_wide(ports("443"), Protocol::Tcp, WHY);
    account
        .client
        .rules()
        .create(customer.id, global)
        .await
        .expect("created");
    let summary = account
        .client
        .rules()
        .summary(customer.id)
        .await
        .expect("a summary");
    let raw = json_of(&summary);
    assert_keys(&raw["data"], &["endpoints", "global_count"]);
    assert_eq!(raw["endpoints"], raw["data"]["endpoints"]);
    assert_eq!(raw["global_count"], raw["data"]["global_count"]);
    let summary = summary.into_data();
    assert_eq!(summary.global_count, Some(1 + others.len() as u64));
    let counts: Vec<_> = summary
        .endpoints
        .iter()
        .map(|server| (server.endpoint_id, server.rule_count))
        .collect();
    assert_eq!(counts, [(first, Some(1)), (second, Some(0))]);
    assert_eq!(summary.endpoints[0].ip_address, Some("192.0.2.1".into()));
}

/// The ports of the open alerts in a list, sorted.
pub async fn open_ports(account: &Account, list: ListPortAlerts) -> Vec<u16> {
    let list = list.status(PortAlertStatus::Open);
    let alerts = account.client.pages(list);
    let alerts = alerts.collect_all().await.expect("alerts");
    let mut ports: Vec<u16> = alerts.iter().map(|alert| alert.port).collect();
    ports.sort_unstable();
    ports
}

/// The ports of a server's open alerts, sorted.
async fn open_alerts(account: &Account, customer: Customer<'_>, endpoint: EndpointId) -> Vec<u16> {
    open_ports(
        account,
        ListPortAlerts::new(customer.id).endpoint_id(endpoint),
    )
    .await
}

async fn a_rule_resolves_the_alerts_it_covers_and_a_deleted_one_raises_them_again() {
    let account = Account::new().await;
    let customer = account.customer();
    let endpoint = customer
        .scanned("192.0.2.4", &[(22, "tcp"), (80, "tcp"), (161, "udp")])
        .await;
    assert_eq!(
        open_alerts(&account, customer, endpoint).await,
        [22, 80, 161]
    );
    let wide = CreateRule::for_endpoint(endpoint, ports("1-100"), Protocol::Tcp, WHY);
    let rule = account
        .client
        .rules()
        .create_account_wide(wide)
        .await
        .expect("created")
        .into_data();
    assert_eq!(open_alerts(&account, customer, endpoint).await, [161]);
    let detail = account
        .client
        .servers()
        .detail_account_wide(endpoint)
        .await
        .expect("detail")
        .into_data();
    assert_eq!(
        detail.whitelisted_ports.first().map(String::as_str),
        Some("1:tcp")
    );

    account
        .client
        .rules()
        .delete_account_wide(rule.id)
        .await
        .expect("deleted");
    assert_eq!(open_alerts(&account, customer, endpoint).await, [161]);
    account.scan(endpoint, "completed").await;
    assert_eq!(
        open_alerts(&account, customer, endpoint).await,
        [22, 80, 161]
    );
}

async fn a_rule_moves_to_no_other_customers_server() {
    let account = Account::new().await;
    let rules = account.client.rules();
    let owner = account.customer();
    let (endpoint, id) = created(&account, owner).await;
    let elsewhere = account.customer().provisioned("192.0.2.20").await;
    let change = UpdateRule::new(id, ports("22"), Protocol::Tcp, WHY).endpoint_id(elsewhere);
    let refused = rules.update(owner.id, change).await;
    assert_api_error(refused, 403, ErrorCode::Number(403));
    let kept = rules.get_account_wide(id).await.expect("still there");
    assert_eq!(kept.data.endpoint_id, Some(endpoint));
}

async fn the_rules_of_an_ended_server_stay_listed_with_it() {
    let account = Account::new().await;
    let customer = account.customer();
    let (endpoint, id) = created(&account, customer).await;
    let server_of_the_rule = || async {
        let list = ListRules::new(customer.id);
        let rules = account.client.pages(list).collect_all().await.expect("one");
        let rule = rules
            .into_iter()
            .find(|rule| rule.id == id)
            .expect("the rule");
        let server = rule.endpoint.expect("its server");
        (server.id, server.status)
    };
    account
        .client
        .servers()
        .suspend(endpoint)
        .await
        .expect("suspended");
    assert_eq!(
        server_of_the_rule().await,
        (endpoint, EndpointStatus::Paused)
    );
    account
        .client
        .servers()
        .terminate(endpoint)
        .await
        .expect("terminated");
    assert_eq!(
        server_of_the_rule().await,
        (endpoint, EndpointStatus::Terminated)
    );
    account
        .client
        .servers()
        .delete_account_wide(endpoint)
        .await
        .expect("deleted");
    assert_eq!(
        server_of_the_rule().await,
        (endpoint, EndpointStatus::Terminated)
    );
    let more = assert_api_error(account.client.send(rule("80", endpoint)).await, 422, None);
    assert!(
        more.field_errors()
            .is_some_and(|errors| !errors.get("endpoint_id").is_empty())
    );
}
