//! Reads of monitored domains, and the transitions of their alerts.

use std::collections::BTreeSet;

use http::StatusCode;
use secmon::model::{
    DomainAlertId, DomainAlertStatus, DomainAlertType, DomainId, LeakCategory, Severity, Timestamp,
};
use secmon::operations::{ListCredentialLeaks, ListDomainAlerts, ListMentions};
use secmon::{ErrorCode, Response};
use secmon_contract_tests::{Account, Customer, assert_api_error, assert_keys, cases};
use serde_json::{Value, json};
use uuid::Uuid;

cases! {
    anywhere:
        a_customer_without_a_subscription_sees_the_product,
        the_list_and_the_summary_show_a_domain,
        the_reads_of_a_new_domain_answer;
    steered:
        a_scan_raises_alerts_for_what_grew(World),
        an_alert_counts_what_was_found_now_and_before(World),
        an_alert_is_acknowledged_and_then_resolved(World),
        a_customer_without_a_portal_account_is_user_not_found(World, Switches),
        mentions_are_new_until_they_were_read(World),
        leaks_are_listed_unconfigured_or_unreachable(World, Switches),
}

const IN_LIST: [&str; 11] = [
    "id",
    "domain",
    "status",
    "scan_status",
    "last_scan_at",
    "employees_compromised",
    "customers_compromised",
    "third_parties_compromised",
    "dark_web_mentions_count",
    "portal_detail_path",
    "quota_paused",
];

const ALERT: [&str; 13] = [
    "id",
    "monitored_domain_id",
    "domain",
    "type",
    "category",
    "severity",
    "new_count",
    "previous_count",
    "status",
    "details",
    "created_at",
    "acknowledged_at",
    "resolved_at",
];

fn json_of<T>(response: &Response<T>) -> Value {
    serde_json::from_slice(response.body()).expect("JSON")
}

fn unknown_alert() -> DomainAlertId {
    DomainAlertId::from(Uuid::from_u128(7))
}

/// A domain whose scan found something of every kind.
async fn leaking(account: &Account, customer: Customer<'_>) -> DomainId {
    let domain = customer
        .watched("example.com", customer.domain_slots(1).await)
        .await;
    let findings = json!({"employees": 2, "customers": 5, "third_parties": 1, "mentions": 3});
    account.findings(domain, findings).await;
    account.scan_domain(domain).await;
    domain
}

async fn a_customer_without_a_subscription_sees_the_product() {
    let account = Account::new().await;
    let overview = account
        .client
        .domains()
        .list(account.customer().id)
        .await
        .expect("an overview");
    assert_eq!(json_of(&overview)["data"]["subscribed"], false);
    let overview = overview.into_data();
    assert!(!overview.subscribed);
    assert_eq!(overview.domains, Some(Vec::new()));
    assert_eq!(
        overview.product.and_then(|product| product.slug).as_deref(),
        Some("domain_monitoring")
    );
}

async fn the_list_and_the_summary_show_a_domain() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = customer.domain_slots(2).await;
    let first = customer.watched("example.com", service).await;
    let second = customer.watched("example.org", service).await;
    let reads = account.client.domains();
    let overview = reads.list(customer.id).await.expect("an overview");
    let raw = json_of(&overview);
    assert_keys(
        &raw["data"],
        &[
            "subscribed",
            "domains",
            "slots_used",
            "slots_total",
            "portal_add_path",
        ],
    );
    assert_keys(&raw["data"]["domains"][0], &IN_LIST);
    let overview = overview.into_data();
    assert!(overview.subscribed);
    assert_eq!(
        (overview.slots_used, overview.slots_total),
        (Some(2), Some(2))
    );
    assert_eq!(overview.portal_add_path.as_deref(), Some("/domains"));
    let domains = overview.domains.expect("the domains");
    assert_eq!(
        domains.iter().map(|domain| domain.id).collect::<Vec<_>>(),
        [first, second]
    );
    assert_eq!(
        domains[0].portal_detail_path,
        Some(format!("/domains/{first}"))
    );

    let summary = reads.summary(customer.id, first).await.expect("a summary");
    let raw = json_of(&summary);
    for documented in [
        "dark_web_last_scan_at",
        "password_strength",
        "slots_used",
        "slots_total",
        "created_at",
    ] {
        assert!(raw["data"].get(documented).is_some(), "{documented}");
    }
    assert_eq!(
        (summary.data.id, summary.data.domain.as_str()),
        (first, "example.com")
    );
}

async fn a_scan_raises_alerts_for_what_grew() {
    let account = Account::new().await;
    let customer = account.customer();
    let domain = leaking(&account, customer).await;
    let list = ListDomainAlerts::new(customer.id, domain);
    let page = account.client.send(list.clone()).await.expect("a page");
    let raw = json_of(&page);
    assert_keys(
        &raw["data"],
        &["alerts", "total", "current_page", "last_page", "has_more"],
    );
    assert_keys(&raw["data"]["alerts"][0], &ALERT);
    assert_eq!(page.data.total, Some(4));
    let leak = page
        .data
        .alerts
        .iter()
        .find(|alert| {
            alert.kind == DomainAlertType::CredentialLeak
                && alert.category == Some(LeakCategory::Customers)
        })
        .expect("an alert for the customers");
    assert_eq!((leak.new_count, leak.previous_count), (Some(5), Some(0)));
    assert_eq!(
        (leak.severity.as_ref(), &leak.status),
        (Some(&Severity::High), &DomainAlertStatus::Open)
    );

    let one = account
        .client
        .domains()
        .alert(customer.id, domain, leak.id)
        .await
        .expect("read");
    assert_keys(&json_of(&one)["data"], &["alert"]);
    let explained = one.data.alert.explanation;
    assert!(explained.is_some_and(|text| !text.is_empty()));
    account.scan_domain(domain).await;
    assert_eq!(
        account.client.send(list).await.expect("a page").data.total,
        Some(4)
    );
}

async fn an_alert_counts_what_was_found_now_and_before() {
    let account = Account::new().await;
    let customer = account.customer();
    let domain = leaking(&account, customer).await;
    let more = json!({"employees": 2, "customers": 9, "third_parties": 0, "mentions": 4});
    account.findings(domain, more).await;
    account.scan_domain(domain).await;
    let back = json!({"employees": 2, "customers": 9, "third_parties": 1, "mentions": 4});
    account.findings(domain, back).await;
    account.scan_domain(domain).await;
    let list = ListDomainAlerts::new(customer.id, domain);
    let alerts = account
        .client
        .pages(list)
        .collect_all()
        .await
        .expect("a list");
    let counts = alerts.iter().map(|alert| {
        let category = alert.category.as_ref().map_or("", LeakCategory::as_str);
        (
            alert.kind.as_str(),
            category,
            alert.previous_count,
            alert.new_count,
        )
    });
    // Newest first; what fell and grew again is new again.
    let leak = "credential_leak";
    let newest = [(leak, "third_parties", Some(0), Some(1))];
    let counts: Vec<_> = counts.collect();
    assert_eq!(counts[..1], newest);
    let second: BTreeSet<_> = counts[1..3].iter().copied().collect();
    let grew = [
        (leak, "customers", Some(5), Some(9)),
        ("dark_web_mention", "employees", Some(3), Some(4)),
    ];
    assert_eq!(second, BTreeSet::from(grew));
    assert!(
        counts[3..]
            .iter()
            .all(|(_, _, before, _)| *before == Some(0))
    );
    assert_eq!(counts.len(), 7);
}

async fn an_alert_is_acknowledged_and_then_resolved() {
    let account = Account::new().await;
    let customer = account.customer();
    let domain = leaking(&account, customer).await;
    let reads = account.client.domains();
    let alert = reads.alerts(customer.id, domain).collect_all().await;
    let alert = alert.expect("alerts").remove(0);
    let raised = alert.created_at.as_ref().map(Timestamp::date_time);
    let alert = alert.id;
    assert_api_error(
        reads.resolve(customer.id, domain, alert).await,
        422,
        ErrorCode::AlertNotAcknowledged,
    );
    let seen = reads
        .acknowledge(customer.id, domain, alert)
        .await
        .expect("acknowledged");
    let raw = json_of(&seen);
    assert_keys(&raw["data"], &["message", "alert"]);
    assert_keys(&raw["data"]["alert"], &["id", "status", "acknowledged_at"]);
    assert_eq!(seen.data.alert.status, DomainAlertStatus::Acknowledged);
    let at = seen.data.alert.acknowledged_at.as_ref();
    let at = at.map(Timestamp::date_time);
    assert!(at >= raised, "{at:?}, {raised:?}");
    let done = reads
        .resolve(customer.id, domain, alert)
        .await
        .expect("resolved");
    assert_keys(
        &json_of(&done)["data"]["alert"],
        &["id", "status", "resolved_at"],
    );
    assert_eq!(done.data.alert.status, DomainAlertStatus::Resolved);
    assert_api_error(
        reads.acknowledge(customer.id, domain, alert).await,
        422,
        ErrorCode::AlertAlreadyResolved,
    );
    assert_api_error(
        reads.resolve(customer.id, domain, alert).await,
        422,
        ErrorCode::AlertNotAcknowledged,
    );
}

async fn a_customer_without_a_portal_account_is_user_not_found() {
    let account = Account::new().await;
    let customer = account.customer();
    let domain = leaking(&account, customer).await;
    let reads = account.client.domains();
    let alert = reads.alerts(customer.id, domain).collect_all().await;
    let alert = alert.expect("alerts").remove(0).id;
    account.remove_portal_account(customer.id).await;
    assert_api_error(
        reads.acknowledge(customer.id, domain, alert).await,
        500,
        ErrorCode::UserNotFound,
    );
    assert_api_error(
        reads.resolve(customer.id, domain, alert).await,
        500,
        ErrorCode::UserNotFound,
    );
}

async fn mentions_are_new_until_they_were_read() {
    let account = Account::new().await;
    let customer = account.customer();
    let domain = leaking(&account, customer).await;
    let list = ListMentions::new(customer.id, domain);
    let count = |list: ListMentions| async {
        account
            .client
            .pages(list)
            .collect_all()
            .await
            .expect("a list")
            .len()
    };
    assert_eq!(count(list.clone().is_new(true)).await, 3);
    let page = account
        .client
        .send(list.clone().per_page(50))
        .await
        .expect("a page");
    let raw = json_of(&page);
    assert_keys(
        &raw["data"],
        &["mentions", "total", "current_page", "last_page", "has_more"],
    );
    assert_keys(
        &raw["data"]["mentions"][0],
        &[
            "id",
            "title",
            "content_preview",
            "source_name",
            "author",
            "published_at",
            "is_new",
            "created_at",
        ],
    );
    let mut mentions = page.data.mentions.iter();
    assert!(mentions.all(|mention| mention.is_new == Some(true)));
    assert_eq!(count(list.clone().is_new(true)).await, 0);
    assert_eq!(count(list.is_new(false).per_page(1)).await, 3);
}

async fn leaks_are_listed_unconfigured_or_unreachable() {
    let account = Account::new().await;
    let customer = account.customer();
    let domain = leaking(&account, customer).await;
    let list = ListCredentialLeaks::new(customer.id, domain);
    let page = account.client.send(list.clone()).await.expect("a page");
    let raw = json_of(&page);
    assert_keys(
        &raw["data"],
        &["enabled", "items", "total", "page", "page_size"],
    );
    assert_eq!(
        (page.data.enabled, page.data.total, page.data.page_size),
        (true, Some(8), Some(50))
    );
    let employees = account
        .client
        .pages(list.clone().category(LeakCategory::Employees));
    assert_eq!(employees.collect_all().await.expect("a list").len(), 2);

    account.leak_data_set("unconfigured").await;
    let page = account
        .client
        .send(list.clone())
        .await
        .expect("a page")
        .into_data();
    assert!(!page.enabled && page.items.is_empty());
    account.leak_data_set("unreachable").await;
    let page = account
        .client
        .send(list)
        .await
        .expect("a result all the same");
    assert_eq!(page.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(json_of(&page)["success"], true);
    assert!(page.data.enabled && page.data.items.is_empty());
    assert!(
        page.data
            .unavailable()
            .is_some_and(|sentence| !sentence.is_empty())
    );
}

async fn the_reads_of_a_new_domain_answer() {
    let account = Account::new().await;
    let customer = account.customer();
    let domain = customer
        .watched("example.com", customer.domain_slots(1).await)
        .await;
    let client = &account.client;
    let alerts = client
        .send(ListDomainAlerts::new(customer.id, domain))
        .await
        .expect("a page");
    assert_eq!(alerts.data.current_page, 1);
    let mentions = client
        .send(ListMentions::new(customer.id, domain))
        .await
        .expect("a page");
    assert_eq!(mentions.data.current_page, 1);
    let leaks = client
        .send(ListCredentialLeaks::new(customer.id, domain))
        .await
        .expect("a page");
    assert_eq!((leaks.data.page, leaks.data.page_size), (1, Some(50)));
    let reads = client.domains();
    reads
        .scan_history(customer.id, domain)
        .await
        .expect("a history");
    let not_found = || ErrorCode::AlertNotFound;
    assert_api_error(
        reads.alert(customer.id, domain, unknown_alert()).await,
        404,
        not_found(),
    );
    assert_api_error(
        reads
            .acknowledge(customer.id, domain, unknown_alert())
            .await,
        404,
        not_found(),
    );
    assert_api_error(
        reads.resolve(customer.id, domain, unknown_alert()).await,
        404,
        not_found(),
    );
}
