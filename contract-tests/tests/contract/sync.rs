//! Telling the service the state of many services at once.

use http::{Method, StatusCode};
use secmon::model::{
    CapacityReport, CustomerId, EndpointStatus, ProductSlug, ServiceId, SubscriptionStatus,
};
use secmon::operations::{ServiceReport, SyncResult, SyncServices};
use secmon_contract_tests::{Account, assert_api_error, assert_keys, cases, next_service};
use serde_json::{Value, json};

cases! {
    anywhere:
        drift_is_corrected_and_reported_by_customer,
        nothing_changed_is_an_empty_list,
        services_nobody_knows_are_named,
        an_endpoint_service_follows_its_server,
        bad_entries_reject_the_whole_report_by_their_place;
    steered:
}

fn report(
    customer: CustomerId,
    service: ServiceId,
    product: ProductSlug,
    status: SubscriptionStatus,
) -> ServiceReport {
    ServiceReport::new(customer, service, product, status)
}

/// What a report did to the domains of a customer.
fn domains_of(done: &SyncResult, customer: CustomerId) -> &CapacityReport {
    let enforcement = done.enforcement.as_ref().expect("an enforcement");
    let report = enforcement[&customer].get(&ProductSlug::DomainMonitoring);
    report.expect("a report")
}

async fn drift_is_corrected_and_reported_by_customer() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = customer.domain_slots(1).await;
    customer.watched("example.com", service).await;
    let cancelled = report(
        customer.id,
        service,
        ProductSlug::DomainMonitoring,
        SubscriptionStatus::Cancelled,
    );
    let sync = SyncServices::new(vec![cancelled.clone()]).module_version("1.2.3");
    let done = account.client.send(sync).await.expect("synced");
    let raw: Value = serde_json::from_slice(done.body()).expect("JSON");
    assert_keys(
        &raw["data"],
        &["changed", "unchanged", "unknown_services", "enforcement"],
    );
    let mine = raw["data"]["enforcement"][customer.id.to_string()].clone();
    assert_keys(&mine, &["domain_monitoring", "port_monitoring"]);
    assert_keys(
        &mine["domain_monitoring"],
        &[
            "product_type",
            "capacity",
            "usage",
            "over_quota",
            "newly_paused",
            "unpaused",
        ],
    );
    let done = done.into_data();
    assert_eq!((done.changed, done.unchanged), (Some(1), Some(0)));
    let domains = domains_of(&done, customer.id);
    assert_eq!(
        (domains.capacity, domains.usage, domains.over_quota),
        (Some(0), Some(1), Some(true))
    );
    let example = || Some(vec!["example.com".to_owned()]);
    assert_eq!(domains.newly_paused, example());

    let mut active = cancelled;
    active.status = SubscriptionStatus::Active;
    let back = account
        .client
        .send(SyncServices::new(vec![active]))
        .await
        .expect("synced");
    let domains = domains_of(&back.data, customer.id);
    assert_eq!(
        (domains.capacity, domains.unpaused.clone()),
        (Some(1), example())
    );
}

async fn nothing_changed_is_an_empty_list() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = customer.server_plan("starter").await;
    let same = report(
        customer.id,
        service,
        ProductSlug::PortMonitoring,
        SubscriptionStatus::Active,
    );
    let done = account
        .client
        .send(SyncServices::new(vec![same]))
        .await
        .expect("synced");
    let raw: Value = serde_json::from_slice(done.body()).expect("JSON");
    assert_eq!(raw["data"]["enforcement"], json!([]));
    assert_eq!((done.data.changed, done.data.unchanged), (Some(0), Some(1)));
    let enforcement = done.data.enforcement;
    assert!(enforcement.is_some_and(|enforcement| enforcement.is_empty()));
}

async fn services_nobody_knows_are_named() {
    let account = Account::new().await;
    let (customer, service) = (account.customer().id, next_service());
    let unknown = report(
        customer,
        service,
        ProductSlug::PortMonitoring,
        SubscriptionStatus::Active,
    );
    let done = account
        .client
        .send(SyncServices::new(vec![unknown]))
        .await
        .expect("synced")
        .into_data();
    assert_eq!((done.changed, done.unchanged), (Some(0), Some(0)));
    let unknown = done.unknown_services.expect("the services");
    assert_eq!(unknown.len(), 1);
    assert_eq!(unknown[0].service_id(), Some(service));
    assert_eq!(unknown[0].client_id(), Some(customer));
}

async fn an_endpoint_service_follows_its_server() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = next_service();
    let server = customer.server("192.0.2.60").service_id(service);
    let server = account
        .client
        .servers()
        .provision(server)
        .await
        .expect("provisioned")
        .into_data();
    let moved = |status| {
        let report = report(customer.id, service, ProductSlug::Endpoint, status);
        account.client.send(SyncServices::new(vec![report]))
    };
    assert_eq!(
        moved(SubscriptionStatus::Suspended)
            .await
            .expect("synced")
            .data
            .changed,
        Some(1)
    );
    let paused = account
        .client
        .servers()
        .get_account_wide(server.endpoint_id)
        .await
        .expect("read");
    assert_eq!(paused.data.status, EndpointStatus::Paused);
    assert_eq!(
        moved(SubscriptionStatus::Cancelled)
            .await
            .expect("synced")
            .data
            .changed,
        Some(1)
    );
    let ended = account
        .client
        .servers()
        .terminate(server.endpoint_id)
        .await
        .expect("terminated already");
    assert!(ended.note().is_some());
    assert_eq!(
        moved(SubscriptionStatus::Active)
            .await
            .expect("synced")
            .data
            .unchanged,
        Some(1)
    );
}

async fn bad_entries_reject_the_whole_report_by_their_place() {
    let account = Account::new().await;
    let customer = account.customer();
    let service = customer.server_plan("starter").await;
    let good = report(
        customer.id,
        service,
        ProductSlug::PortMonitoring,
        SubscriptionStatus::Cancelled,
    );
    let bad = report(customer.id, service, "voip".into(), "asleep".into());
    let call = account
        .client
        .call(SyncServices::new(vec![good.clone(), bad]).module_version("x".repeat(21)));
    let error = assert_api_error(
        call.with(|call| call.validation(false)).send().await,
        422,
        None,
    );
    let fields = error.field_errors().expect("fields");
    let names: Vec<&str> = fields.iter().map(|(field, _)| field).collect();
    assert_eq!(
        names,
        [
            "module_version",
            "services.1.product_slug",
            "services.1.status"
        ]
    );

    let mut extra = serde_json::to_value(&good).expect("JSON");
    extra["comment"] = json!("no");
    for (services, field) in [
        (json!([]), "services"),
        (json!(vec![&good; 501]), "services"),
        (json!([extra]), "services.0.comment"),
        (
            json!([{"client_id": 1, "product_slug": "endpoint", "status": "active"}]),
            "services.0.service_id",
        ),
    ] {
        let sync = account.raw(Method::POST, "/api/v1/billing/sync-services");
        let answer = sync
            .json(&json!({"services": services}))
            .send()
            .await
            .expect("an answer");
        assert_eq!(answer.status, StatusCode::UNPROCESSABLE_ENTITY, "{field}");
        assert_keys(&answer.json["errors"], &[field]);
    }
    let mut active = good;
    active.status = SubscriptionStatus::Active;
    let untouched = account.client.send(SyncServices::new(vec![active])).await;
    assert_eq!(untouched.expect("synced").data.unchanged, Some(1));
}
