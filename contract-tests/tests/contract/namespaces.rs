//! Provisioning stands in two namespaces, which are identical; four operations stand in one of them alone.

use http::{Method, StatusCode};
use secmon::model::{DomainStatus, EndpointStatus, ProductSlug, SubscriptionStatus};
use secmon::operations::ProvisionSubscription;
use secmon_contract_tests::table::TABLE;
use secmon_contract_tests::{Account, Case, Namespace, cases, next_service};
use serde_json::json;

use crate::{domains, servers, subscriptions};

cases! {
    anywhere:
        both_namespaces_reach_the_same_records,
        what_stands_in_billing_alone_is_nowhere_else;
    steered:
}

/// Cases of an operation that stands in `billing` alone.
const OF_BILLING: [&str; 2] = [
    "servers::a_scan_asked_for_twice_is_in_its_cooldown",
    "domains::a_released_domain_is_gone_with_its_slot",
];

/// The cases of what both namespaces have, once more in the other one; what they saw must be the same to the letter.
pub fn twins() -> impl Iterator<Item = Case> {
    let mut cases = [servers::CASES, domains::CASES, subscriptions::CASES].concat();
    cases.retain(|case| case.needs.is_empty() && !OF_BILLING.contains(&case.name().as_str()));
    cases.into_iter().map(|case| Case {
        namespace: Namespace::Provisioning,
        ..case
    })
}

async fn both_namespaces_reach_the_same_records() {
    let account = Account::new().await;
    let customer = account.customer();
    let other = account.builder().namespace(Namespace::Provisioning);
    let other = other.build().expect("a client");
    let id = customer.provisioned("203.0.113.12").await;
    let found = other.servers().provision(customer.server("203.0.113.12"));
    assert_eq!(found.await.expect("found").data.endpoint_id, id);
    let paused = other.servers().suspend(id).await.expect("suspended");
    assert_eq!(paused.data.status, EndpointStatus::Paused);
    let again = account.client.servers().suspend(id).await;
    assert!(again.expect("paused already").note().is_some());

    let service = next_service();
    let slots = ProvisionSubscription::new(customer.id, service, ProductSlug::DomainMonitoring);
    let bought = other.subscriptions().provision(slots).await;
    assert_eq!(bought.expect("bought").created(), Some(true));
    let domain = customer.watched("example.com", service).await;
    let paused = other.domains().suspend(domain).await.expect("suspended");
    assert_eq!(paused.data.status, DomainStatus::Paused);
    let suspended = account
        .client
        .subscriptions()
        .suspend(customer.id, service, ProductSlug::DomainMonitoring)
        .await;
    let suspended = suspended.expect("suspended").into_data();
    assert_eq!(suspended.status, SubscriptionStatus::Suspended);
}

async fn what_stands_in_billing_alone_is_nowhere_else() {
    let account = Account::new().await;
    let alone = TABLE
        .operations()
        .filter(|row| row.path.starts_with("/api/v1/billing/"));
    let mut names = Vec::new();
    for row in alone {
        let path = row.path.replace("/billing/", "/provisioning/");
        for method in [row.http_method(), Method::GET] {
            let call = account.raw(method, &path).json(&json!({}));
            let refused = call.send().await.expect("an answer");
            assert_eq!(refused.status, StatusCode::NOT_FOUND, "{path}");
            assert_eq!(refused.json["error"]["code"], "NOT_FOUND", "{path}");
        }
        names.push(row.operation.as_str());
    }
    let expected = [
        "scan_endpoint",
        "release_domain",
        "sync_services",
        "set_price",
        "remove_price",
    ];
    assert_eq!(names, expected);
}
