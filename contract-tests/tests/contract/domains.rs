//! Provisioning of domains.

use http::{Method, StatusCode};
use secmon::model::{DomainId, DomainStatus, ProductSlug};
use secmon::operations::ProvisionDomain;
use secmon::{ErrorCode, Response};
use secmon_contract_tests::{Account, assert_api_error, assert_keys, cases, next_service};
use serde_json::{Value, json};
use uuid::Uuid;

cases! {
    anywhere:
        a_domain_goes_through_its_life,
        repeating_a_transition_succeeds_with_a_note,
        a_url_is_reduced_to_its_hostname,
        provisioning_twice_finds_the_same_domain,
        a_domain_moves_to_another_name,
        slots_bound_the_domains,
        an_unknown_domain_is_domain_not_found,
        bad_fields_come_back_by_their_names,
        a_released_domain_is_gone_with_its_slot,
        a_platform_paused_domain_needs_room_to_resume,
        a_release_names_what_is_missing;
    steered:
        another_partners_domain_is_not_found(Accounts)
}

fn unknown() -> DomainId {
    DomainId::from(Uuid::from_u128(7))
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

async fn repeating_a_transition_succeeds_with_a_note() {
    let account = Account::new().await;
    let customer = account.customer();
    let id = customer
        .watched("example.com", customer.domain_slots(1).await)
        .await;
    let domains = account.client.domains();
    assert!(
        domains
            .resume(id)
            .await
            .expect("active already")
            .note()
            .is_some()
    );
    assert!(
        domains
            .suspend(id)
            .await
            .expect("suspended")
            .note()
            .is_none()
    );
    assert!(
        domains
            .suspend(id)
            .await
            .expect("paused already")
            .note()
            .is_some()
    );
    assert!(
        domains
            .terminate(id)
            .await
            .expect("terminated")
            .note()
            .is_none()
    );
    assert!(
        domains
            .terminate(id)
            .await
            .expect("terminated already")
            .note()
            .is_some()
    );
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

async fn provisioning_twice_finds_the_same_domain() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = customer.domain_slots(2).await;
    let id = customer.watched("example.com", service).await;
    let again = ProvisionDomain::new(customer.id, "https://example.com/", service);
    let found = account
        .client
        .domains()
        .provision(again)
        .await
        .expect("found");
    assert_eq!(found.data.monitored_domain_id, id);
    assert_eq!(found.created(), Some(false));
    assert!(found.note().is_some());
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

async fn an_unknown_domain_is_domain_not_found() {
    let account = Account::new().await;
    let domains = account.client.domains();
    let not_found = || ErrorCode::DomainNotFound;
    assert_api_error(domains.suspend(unknown()).await, 404, not_found());
    assert_api_error(domains.resume(unknown()).await, 404, not_found());
    assert_api_error(domains.terminate(unknown()).await, 404, not_found());
    assert_api_error(
        domains.update(unknown(), "example.com").await,
        404,
        not_found(),
    );
}

async fn bad_fields_come_back_by_their_names() {
    let account = Account::new().await;
    let long = "x".repeat(256);
    let bad = ProvisionDomain::new(account.customer().id, long.as_str(), next_service())
        .client_name(long.as_str())
        .client_email("nobody");
    let names = ["client_email", "client_name", "domain"];
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
    for error in [local, remote] {
        let errors = error.field_errors().expect("fields");
        assert_eq!(
            errors.iter().map(|(field, _)| field).collect::<Vec<_>>(),
            names
        );
    }
    for name in [
        "localhost",
        "192.0.2.1",
        "a@example.com",
        "exa mple.com",
        "example.123",
    ] {
        let request = ProvisionDomain::new(account.customer().id, name, next_service());
        let refused = assert_api_error(account.client.send(request).await, 422, None);
        assert_eq!(
            refused
                .field_errors()
                .map(|errors| errors.get("domain").len()),
            Some(1),
            "{name}"
        );
    }
    for path in [
        "suspend-domain",
        "resume-domain",
        "terminate-domain",
        "release-domain",
    ] {
        let call = account.raw(Method::POST, &format!("/api/v1/billing/{path}"));
        let answer = call.json(&json!({})).send().await.expect("an answer");
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{path}");
        assert!(
            answer.json["errors"]["monitored_domain_id"].is_array(),
            "{path}"
        );
    }
    let update = account
        .raw(Method::POST, "/api/v1/billing/update-domain")
        .json(&json!({}));
    let answer = update.send().await.expect("an answer");
    assert_keys(&answer.json["errors"], &["domain", "monitored_domain_id"]);
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

async fn another_partners_domain_is_not_found() {
    let (account, stranger) = (Account::new().await, Account::new().await);
    let customer = account.customer();
    let id = customer
        .watched("example.com", customer.domain_slots(1).await)
        .await;
    let domains = stranger.client.domains();
    assert_api_error(domains.suspend(id).await, 404, ErrorCode::DomainNotFound);
    assert_api_error(
        domains.update(id, "example.org").await,
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

async fn a_release_names_what_is_missing() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = customer.domain_slots(1).await;
    let id = customer.watched("example.com", service).await;
    let domains = account.client.domains();
    assert_api_error(
        domains.release(customer.id, service, unknown()).await,
        404,
        ErrorCode::DomainNotFound,
    );
    let servers_only = customer.server_plan("starter").await;
    let release = domains.release(customer.id, servers_only, id).await;
    assert_api_error(release, 404, ErrorCode::SubscriptionNotFound);
    account
        .client
        .subscriptions()
        .terminate(customer.id, service, ProductSlug::DomainMonitoring)
        .await
        .expect("cancelled");
    let release = domains.release(customer.id, service, id).await;
    assert_api_error(release, 422, ErrorCode::SubscriptionNotChangeable);
}
