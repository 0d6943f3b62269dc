//! Provisioning of subscriptions, and what a change of capacity does.

use http::StatusCode;
use secmon::model::{ChangeDirection, EndpointStatus, Money, ProductSlug, SubscriptionStatus};
use secmon::operations::{
    ChangeSubscription, ListEndpoints, ProvisionSubscription, UpdateEndpoint,
};
use secmon::{ErrorCode, Response};
use secmon_contract_tests::{Account, assert_api_error, assert_keys, cases, next_service};
use serde_json::Value;

cases! {
    anywhere:
        a_subscription_is_recorded_whole,
        a_subscription_goes_through_its_life,
        provisioning_again_updates_it,
        a_change_says_what_it_changed,
        a_downgrade_below_the_usage_names_usage_and_limit,
        a_cancelled_subscription_cannot_be_changed,
        what_no_longer_fits_is_paused_and_comes_back_oldest_first,
        a_platform_paused_server_needs_room_to_resume;
    steered:

}

const PORTS: ProductSlug = ProductSlug::PortMonitoring;
const DOMAINS: ProductSlug = ProductSlug::DomainMonitoring;

fn json_of<T>(response: &Response<T>) -> Value {
    serde_json::from_slice(response.body()).expect("JSON")
}

async fn a_subscription_is_recorded_whole() {
    let account = Account::new().await;
    let (customer, service) = (account.customer().id, next_service());
    let subscriptions = account.client.subscriptions();
    let full = ProvisionSubscription::new(customer, service, PORTS)
        .plan_slug("starter")
        .mrr(Money::from_cents(950))
        .client_name("Ann")
        .client_email("ann@example.com");
    let made = subscriptions.provision(full).await.expect("provisioned");
    assert_eq!(made.created(), Some(true));
    assert_keys(
        &json_of(&made)["data"],
        &[
            "subscription_id",
            "product_slug",
            "plan_slug",
            "quantity",
            "status",
        ],
    );
    assert_eq!(
        (made.data.product_slug.clone(), made.data.plan_slug.clone()),
        (PORTS, Some("starter".into()))
    );
}

async fn a_subscription_goes_through_its_life() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = customer.server_plan("starter").await;
    let customer = customer.id;
    let subscriptions = account.client.subscriptions();
    let suspend = || subscriptions.suspend(customer, service, PORTS);
    let paused = suspend().await.expect("suspended");
    assert_keys(&json_of(&paused)["data"], &["subscription_id", "status"]);
    assert_eq!(paused.data.status, SubscriptionStatus::Suspended);
    assert!(suspend().await.expect("suspended already").note().is_some());
    let active = subscriptions
        .resume(customer, service, PORTS)
        .await
        .expect("resumed");
    assert_eq!(active.data.status, SubscriptionStatus::Active);
    assert!(
        subscriptions
            .resume(customer, service, PORTS)
            .await
            .expect("active already")
            .note()
            .is_some()
    );
    let ended = subscriptions
        .terminate(customer, service, PORTS)
        .await
        .expect("terminated");
    assert_eq!(ended.data.status, SubscriptionStatus::Cancelled);
    assert!(
        subscriptions
            .terminate(customer, service, PORTS)
            .await
            .expect("cancelled already")
            .note()
            .is_some()
    );
    assert_eq!(ended.data.subscription_id, paused.data.subscription_id);
}

async fn provisioning_again_updates_it() {
    let account = Account::new().await;
    let (customer, service) = (account.customer().id, next_service());
    let provision = |quantity| {
        let request = ProvisionSubscription::new(customer, service, DOMAINS).quantity(quantity);
        account.client.subscriptions().provision(request)
    };
    let made = provision(2).await.expect("made");
    let updated = provision(5).await.expect("updated");
    assert_eq!(updated.status(), StatusCode::OK);
    assert_eq!(updated.data.subscription_id, made.data.subscription_id);
    assert_eq!(
        (updated.data.quantity, updated.data.plan_slug),
        (Some(5), None)
    );
}

async fn a_change_says_what_it_changed() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = customer.server_plan("starter").await;
    let change = |plan: &str| {
        let request = ChangeSubscription::new(customer.id, service, PORTS).new_plan_slug(plan);
        account.client.subscriptions().change(request)
    };
    let changed = change("business").await.expect("changed");
    let raw = json_of(&changed)["data"].clone();
    for documented in [
        "changed",
        "subscription_id",
        "plan_slug",
        "direction",
        "previous_plan_slug",
        "effective_at",
    ] {
        assert!(raw.get(documented).is_some(), "{documented}");
    }
    let changed = changed.into_data();
    assert!(changed.changed && changed.effective_at.is_some());
    assert_eq!(changed.direction, Some(ChangeDirection::Upgrade));
    assert_eq!(changed.plan_slug, Some("business".into()));
    assert_eq!(changed.previous_plan_slug, Some("starter".into()));
    let same = change("business").await.expect("the same").into_data();
    assert_eq!(
        (same.changed, same.plan_slug),
        (false, Some("business".into()))
    );
    let down = change("starter").await.expect("changed").into_data();
    assert_eq!(down.direction, Some(ChangeDirection::Downgrade));
}

async fn a_downgrade_below_the_usage_names_usage_and_limit() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = customer.domain_slots(3).await;
    for domain in ["example.com", "example.org", "example.net"] {
        customer.watched(domain, service).await;
    }
    let change = ChangeSubscription::new(customer.id, service, DOMAINS).new_quantity(2);
    let refused = account.client.subscriptions().change(change.clone()).await;
    let error = assert_api_error(refused, 422, ErrorCode::DowngradeUsageExceeded);
    let details = error.details().expect("details");
    assert_eq!(
        (details.current_usage(), details.new_limit()),
        (Some(3), Some(2))
    );
    let forced = account
        .client
        .subscriptions()
        .change(change.force(true))
        .await
        .expect("forced");
    assert!(forced.data.changed);
    let overview = account
        .client
        .domains()
        .list(customer.id)
        .await
        .expect("domains")
        .into_data();
    let domains = overview.domains.expect("the domains");
    let paused: Vec<&str> = domains
        .iter()
        .filter(|domain| domain.quota_paused == Some(true))
        .map(|domain| domain.domain.as_str())
        .collect();
    assert_eq!(paused, ["example.net"]);
}

async fn a_cancelled_subscription_cannot_be_changed() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = customer.server_plan("starter").await;
    let subscriptions = account.client.subscriptions();
    subscriptions
        .terminate(customer.id, service, PORTS)
        .await
        .expect("terminated");
    let not_changeable = || ErrorCode::SubscriptionNotChangeable;
    let change = ChangeSubscription::new(customer.id, service, PORTS).new_plan_slug("business");
    assert_api_error(subscriptions.change(change).await, 422, not_changeable());
    assert_api_error(
        subscriptions.suspend(customer.id, service, PORTS).await,
        422,
        not_changeable(),
    );
    assert_api_error(
        subscriptions.resume(customer.id, service, PORTS).await,
        422,
        not_changeable(),
    );
    let again = ProvisionSubscription::new(customer.id, service, PORTS);
    let revived = subscriptions.provision(again).await.expect("revived");
    assert_eq!(
        (revived.status(), revived.data.status),
        (StatusCode::OK, SubscriptionStatus::Active)
    );
}

async fn what_no_longer_fits_is_paused_and_comes_back_oldest_first() {
    let account = Account::new().await;
    let customer = account.customer();
    let kept = customer.server_plan("starter").await;
    let fitting = customer.server_limit().await;
    let extra = customer.server_plan("starter").await;
    let mut servers = Vec::new();
    for last in 1..=fitting + 2 {
        servers.push(customer.provisioned(&format!("2001:db8:2::{last}")).await);
    }
    let beyond = &servers[servers.len() - 2..];
    account
        .client
        .subscriptions()
        .suspend(customer.id, extra, PORTS)
        .await
        .expect("suspended");
    let states = || async {
        let list = ListEndpoints::new(customer.id);
        let all = account
            .client
            .pages(list)
            .collect_all()
            .await
            .expect("a list");
        all.iter()
            .filter(|server| {
                server.status == EndpointStatus::Paused && server.quota_paused == Some(true)
            })
            .map(|server| server.id)
            .collect::<Vec<_>>()
    };
    assert_eq!(states().await, beyond);
    account
        .client
        .subscriptions()
        .resume(customer.id, extra, PORTS)
        .await
        .expect("resumed");
    assert!(states().await.is_empty());
    account
        .client
        .subscriptions()
        .terminate(customer.id, kept, PORTS)
        .await
        .expect("terminated");
    assert_eq!(states().await, beyond);
}

async fn a_platform_paused_server_needs_room_to_resume() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = customer.server_plan("starter").await;
    let server = customer.provisioned("192.0.2.50").await;
    account
        .client
        .subscriptions()
        .suspend(customer.id, service, PORTS)
        .await
        .expect("suspended");
    let resumed = account.client.servers().resume(server).await;
    assert_api_error(resumed, 403, ErrorCode::EndpointLimitExceeded);
    let active = UpdateEndpoint::new(customer.id, server).status(EndpointStatus::Active);
    assert_api_error(
        account.client.send(active).await,
        403,
        ErrorCode::EndpointLimitExceeded,
    );
}
