//! Provisioning of domains.

use http::StatusCode;
use secmon::model::{DomainStatus, ProductSlug};
use secmon::operations::ProvisionDomain;
use secmon::{ErrorCode, Response};
use secmon_contract_tests::{Account, assert_api_error, assert_keys, cases, next_service};
use serde_json::Value;

cases! {
    anywhere:
        a_domain_goes_through_its_life,
        a_url_is_reduced_to_its_hostname,
        a_domain_moves_to_another_name,
        slots_bound_the_domains,
        a_released_domain_is_gone_with_its_slot,
        a_platform_paused_domain_needs_room_to_resume;
    steered:
}

fn json_of<T>(response: &Response<T>) -> Value {
    serde_json::from_slice(response.body()).expect("JSON")
}

async fn a_domain_goes_through_its_life() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = customer.domain_slots(1).await;
    let domains = account.client.domains();
    let request = ProvisionDomain::new(customer.id, "Example.COM", service)
        .client_name("Ann")
        .client_email("ann@example.com");
    let made = domains.provision(request).await.expect("provisioned");
    assert_eq!(made.created(), Some(true));
    assert_keys(
        &json_of(&made)["data"],
        &["monitored_domain_id", "domain", "status"],
    );
    assert_eq!(made.data.domain.as_deref(), Some("example.com"));
    let id = made.data.monitored_domain_id;
    let paused = domains.suspend(id).await.expect("suspended");
    assert_keys(
        &json_of(&paused)["data"],
        &["monitored_domain_id", "status"],
    );
    assert_eq!(paused.data.status, DomainStatus::Paused);
    assert_eq!(
        domains.resume(id).await.expect("resumed").data.status,
        DomainStatus::Active
    );
    let ended = domains.terminate(id).await.expect("terminated");
    assert_eq!(ended.data.status, DomainStatus::Terminated);
    let again = ProvisionDomain::new(customer.id, "example.com", service);
    let restored = domains.provision(again).await.expect("restored");
    assert_eq!(
        (restored.status(), restored.data.monitored_domain_id),
        (StatusCode::OK, id)
    );
    assert!(restored.note().is_some());
}

async fn a_url_is_reduced_to_its_hostname() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = customer.domain_slots(5).await;
    for (given, kept) in [
        (
            "https://user:pass@Shop.Example.com:8443/cart?x=1",
            "shop.example.com",
        ),
        ("example.org:443/path", "example.org"),
        ("www.example.net.", "www.example.net"),
        ("bücher.example", "xn--bcher-kva.example"),
    ] {
        let request = ProvisionDomain::new(customer.id, given, service);
        let made = account
            .client
            .domains()
            .provision(request)
            .await
            .expect("provisioned");
        assert_eq!(made.data.domain.as_deref(), Some(kept), "{given}");
    }
}

async fn a_domain_moves_to_another_name() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = customer.domain_slots(2).await;
    let first = customer.watched("example.com", service).await;
    customer.watched("example.org", service).await;
    let domains = account.client.domains();
    let taken = domains.update(first, "example.org").await;
    assert_api_error(taken, 409, ErrorCode::DomainAlreadyExists);
    let moved = domains.update(first, "example.net").await.expect("moved");
    assert_keys(
        &json_of(&moved)["data"],
        &["monitored_domain_id", "domain", "status"],
    );
    assert_eq!(moved.data.domain.as_deref(), Some("example.net"));
    let same = domains
        .update(first, "example.net")
        .await
        .expect("there already");
    assert!(same.note().is_some());
}

async fn slots_bound_the_domains() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = next_service();
    let none = ProvisionDomain::new(customer.id, "example.com", service);
    let refused = account.client.domains().provision(none).await;
    let error = assert_api_error(refused, 403, ErrorCode::DomainLimitExceeded);
    let details = error.details().expect("details");
    assert_eq!(
        (details.limit(), details.current_usage()),
        (Some(0), Some(0))
    );
    let service = customer.domain_slots(1).await;
    customer.watched("example.com", service).await;
    let second = ProvisionDomain::new(customer.id, "example.org", service);
    let refused = account.client.domains().provision(second).await;
    assert_api_error(refused, 403, ErrorCode::DomainLimitExceeded);
}

async fn a_released_domain_is_gone_with_its_slot() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = customer.domain_slots(2).await;
    let id = customer.watched("example.com", service).await;
    let domains = account.client.domains();
    assert_api_error(
        domains.release(customer.id, next_service(), id).await,
        404,
        ErrorCode::BillingClientNotFound,
    );
    let released = domains
        .release(customer.id, service, id)
        .await
        .expect("released");
    assert_keys(
        &json_of(&released)["data"],
        &[
            "monitored_domain_id",
            "released",
            "slots_total",
            "slots_used",
        ],
    );
    assert!(released.data.released);
    assert_eq!(
        (released.data.slots_total, released.data.slots_used),
        (Some(1), Some(0))
    );
    assert_api_error(
        domains.release(customer.id, service, id).await,
        404,
        ErrorCode::DomainNotFound,
    );
}

async fn a_platform_paused_domain_needs_room_to_resume() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = customer.domain_slots(1).await;
    let id = customer.watched("example.com", service).await;
    account
        .client
        .subscriptions()
        .suspend(customer.id, service, ProductSlug::DomainMonitoring)
        .await
        .expect("suspended");
    let domains = account.client.domains();
    let refused = assert_api_error(
        domains.resume(id).await,
        403,
        ErrorCode::DomainLimitExceeded,
    );
    let details = refused.details().expect("details");
    assert_eq!(
        (details.limit(), details.current_usage()),
        (Some(0), Some(1))
    );
    let paused = domains.suspend(id).await.expect("paused already");
    assert!(paused.note().is_some());
    account
        .client
        .subscriptions()
        .resume(customer.id, service, ProductSlug::DomainMonitoring)
        .await
        .expect("resumed");
    let active = domains
        .resume(id)
        .await
        .expect("the platform took its pause back");
    assert!(active.note().is_some());
}
