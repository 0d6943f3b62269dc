//! What goes over the wire for domains, subscriptions and the assumed operations, and which result comes back.

use http::{Method, StatusCode};
use secmon::model::*;
use secmon::operations::*;
use secmon::{Delivery, ErrorKind, Operation, Response};
use serde_json::{Value, json};

use crate::support::*;

/// Sends an operation against a scripted answer; gives what was sent (method, path, query, body) and the result.
async fn exchanged<O: Operation>(
    operation: O,
    data: Value,
) -> ((Method, String, String, Value), Response<O::Output>) {
    let (client, script) = scripted();
    script.answer(StatusCode::OK, success(data));
    let response = match client.send(operation).await {
        Ok(response) => response,
        Err(error) => panic!("{} failed: {error}", O::INFO.name),
    };
    let request = script.requests().remove(0);
    (
        (request.method, request.path, request.query, request.body),
        response,
    )
}

fn post(path: &str, body: Value) -> (Method, String, String, Value) {
    (Method::POST, path.to_owned(), String::new(), body)
}

fn get(path: &str, query: &str) -> (Method, String, String, Value) {
    (Method::GET, path.to_owned(), query.to_owned(), Value::Null)
}

fn domain_id() -> DomainId {
    ID.parse().expect("an id")
}

fn alert_of_domain() -> DomainAlertId {
    OTHER_ID.parse().expect("an id")
}

fn service() -> ServiceId {
    ServiceId::try_from(501).expect("a service")
}

#[tokio::test]
async fn domain_calls_carry_their_fields_under_the_names_of_the_api() {
    let state = || json!({"monitored_domain_id": ID, "domain": "example.com", "status": "active"});
    let full = ProvisionDomain::new(customer(), "https://example.com/", service())
        .client_name("Ann")
        .client_email("ann@example.com");
    let (sent, got) = exchanged(full, state()).await;
    let body = json!({"client_id": 42, "domain": "https://example.com/", "service_id": 501,
                      "client_name": "Ann", "client_email": "ann@example.com"});
    assert_eq!(sent, post("/api/v1/billing/provision-domain", body));
    assert_eq!(got.data.domain.as_deref(), Some("example.com"));

    let id = json!({"monitored_domain_id": ID});
    let paused = json!({"monitored_domain_id": ID, "status": "paused"});
    let (sent, _) = exchanged(SuspendDomain::new(domain_id()), paused).await;
    assert_eq!(sent, post("/api/v1/billing/suspend-domain", id.clone()));
    let (sent, _) = exchanged(ResumeDomain::new(domain_id()), state()).await;
    assert_eq!(sent, post("/api/v1/billing/resume-domain", id.clone()));
    let ended = json!({"monitored_domain_id": ID, "status": "terminated"});
    let (sent, got) = exchanged(TerminateDomain::new(domain_id()), ended).await;
    assert_eq!(sent, post("/api/v1/billing/terminate-domain", id));
    assert_eq!(
        (got.data.domain, got.data.status),
        (None, DomainStatus::Terminated)
    );
    let (sent, _) = exchanged(UpdateDomain::new(domain_id(), "example.org"), state()).await;
    let body = json!({"monitored_domain_id": ID, "domain": "example.org"});
    assert_eq!(sent, post("/api/v1/billing/update-domain", body));
    let released =
        json!({"monitored_domain_id": ID, "released": true, "slots_total": 2, "slots_used": 1});
    let (sent, got) = exchanged(
        ReleaseDomain::new(customer(), service(), domain_id()),
        released,
    )
    .await;
    let body = json!({"client_id": 42, "service_id": 501, "monitored_domain_id": ID});
    assert_eq!(sent, post("/api/v1/billing/release-domain", body));
    assert_eq!((got.data.released, got.data.slots_total), (true, Some(2)));
}

#[tokio::test]
async fn subscription_calls_carry_their_fields_under_the_names_of_the_api() {
    let subscription = json!({"subscription_id": ID, "product_slug": "port_monitoring", "plan_slug": "starter",
                              "quantity": 1, "status": "active"});
    let full = ProvisionSubscription::new(customer(), service(), ProductSlug::PortMonitoring)
        .plan_slug("starter")
        .quantity(1)
        .mrr(money("9.5"))
        .client_name("Ann")
        .client_email("ann@example.com");
    let (sent, got) = exchanged(full, subscription.clone()).await;
    let body = json!({"client_id": 42, "service_id": 501, "product_slug": "port_monitoring", "plan_slug": "starter",
                      "quantity": 1, "mrr": 9.5, "client_name": "Ann", "client_email": "ann@example.com"});
    assert_eq!(sent, post("/api/v1/billing/provision-subscription", body));
    assert_eq!(serde_json::to_value(&got.data).expect("JSON"), subscription);

    let body = json!({"client_id": 42, "service_id": 501, "product_slug": "voip"});
    let state = json!({"subscription_id": ID, "status": "suspended"});
    let (sent, got) = exchanged(
        SuspendSubscription::new(customer(), service(), "voip"),
        state,
    )
    .await;
    assert_eq!(
        sent,
        post("/api/v1/billing/suspend-subscription", body.clone())
    );
    assert_eq!(got.data.status, SubscriptionStatus::Suspended);
    let (sent, _) = exchanged(
        ResumeSubscription::new(customer(), service(), "voip"),
        json!({"subscription_id": ID, "status": "active"}),
    )
    .await;
    assert_eq!(
        sent,
        post("/api/v1/billing/resume-subscription", body.clone())
    );
    let (sent, _) = exchanged(
        TerminateSubscription::new(customer(), service(), "voip"),
        json!({"subscription_id": ID, "status": "terminated"}),
    )
    .await;
    assert_eq!(sent, post("/api/v1/billing/terminate-subscription", body));

    let change = ChangeSubscription::new(customer(), service(), "port_monitoring")
        .new_plan_slug("business")
        .new_quantity(3)
        .force(true);
    let changed = json!({"changed": true, "subscription_id": ID, "plan_slug": "business", "direction": "upgrade",
                         "previous_plan_slug": "starter", "effective_at": "2026-01-01T00:00:00+00:00"});
    let (sent, got) = exchanged(change, changed.clone()).await;
    let body = json!({"client_id": 42, "service_id": 501, "product_slug": "port_monitoring",
                      "new_plan_slug": "business", "new_quantity": 3, "force": true});
    assert_eq!(sent, post("/api/v1/billing/change-subscription", body));
    assert_eq!(got.data.direction, Some(ChangeDirection::Upgrade));
    assert_eq!(serde_json::to_value(&got.data).expect("JSON"), changed);
}

fn reports(enforcement: Value) -> Value {
    json!({"changed": 1, "unchanged": 0, "unknown_services": [], "enforcement": enforcement})
}

fn sync() -> SyncServices {
    let product = ProductSlug::DomainMonitoring;
    let cancelled = SubscriptionStatus::Cancelled;
    SyncServices::new([ServiceReport::new(
        customer(),
        service(),
        product,
        cancelled,
    )])
}

#[tokio::test]
async fn a_sync_is_sent_whole_and_its_reports_are_read_in_every_form() {
    let report = json!({"product_type": "domain_monitoring", "capacity": 1, "usage": 2, "over_quota": true,
                        "newly_paused": ["example.org"], "unpaused": []});
    let by_product = reports(json!({"42": {"domain_monitoring": report}}));
    let (sent, got) = exchanged(sync().module_version("1.2.3"), by_product.clone()).await;
    let body = json!({"services": [{"service_id": 501, "client_id": 42, "product_slug": "domain_monitoring",
                                    "status": "cancelled"}], "module_version": "1.2.3"});
    assert_eq!(sent, post("/api/v1/billing/sync-services", body));
    assert_eq!(serde_json::to_value(&got.data).expect("JSON"), by_product);
    let read = &got.data.enforcement.as_ref().expect("reports")[&customer()];
    let read = read.get(&ProductSlug::DomainMonitoring).expect("a report");
    assert_eq!(
        (read.over_quota, read.newly_paused.as_deref()),
        (Some(true), Some(["example.org".to_owned()].as_slice()))
    );

    let (_, listed) = exchanged(sync(), reports(json!({"42": [report]}))).await;
    assert_eq!(listed.data.enforcement, got.data.enforcement);
    let mut unnamed = report;
    unnamed
        .as_object_mut()
        .expect("an object")
        .remove("product_type");
    let (_, keyed) = exchanged(
        sync(),
        reports(json!({"42": {"domain_monitoring": unnamed}})),
    )
    .await;
    assert_eq!(keyed.data.enforcement, got.data.enforcement);
    let (_, empty) = exchanged(sync(), reports(json!([]))).await;
    assert!(
        empty
            .data
            .enforcement
            .is_some_and(|reports| reports.is_empty())
    );
}

#[tokio::test]
async fn what_a_report_tells_besides_does_not_fail_a_sync_that_was_applied() {
    let product = json!({"product_type": "port_monitoring", "capacity": "5", "usage": 6.0});
    let enforcement = json!({
        "42": {"port_monitoring": product, "reconciled": true, "hint": "Ask for more.", "took_ms": 12},
        "total": {"port_monitoring": product},
        "note": "All are done.",
    });
    let (_, got) = exchanged(sync(), reports(enforcement)).await;
    let enforcement = got.data.enforcement.expect("reports");
    let customers: Vec<u64> = enforcement.keys().map(|customer| customer.get()).collect();
    assert_eq!(customers, [42]);
    let mut reports = enforcement[&customer()].iter();
    let report = reports.next().expect("a report");
    assert_eq!((report.capacity, report.usage), (Some(5), Some(6)));
    assert!(reports.next().is_none());
}

#[tokio::test]
async fn a_sync_that_reports_on_somebody_else_is_no_answer_to_this_one() {
    let product = json!({"product_type": "port_monitoring"});
    let foreign = json!({"43": {"port_monitoring": product}});
    let mut unknown = reports(json!([]));
    unknown["unknown_services"] = json!([{"service_id": 999, "client_id": 42}]);
    let mut of_another = reports(json!([]));
    of_another["unknown_services"] = json!([{"service_id": 501, "client_id": 999}]);
    for data in [reports(foreign), unknown, of_another] {
        let (client, script) = scripted();
        script.answer(StatusCode::OK, success(data));
        let error = client.send(sync()).await.expect_err("another answer");
        assert_eq!(
            (error.kind(), error.delivery()),
            (ErrorKind::Decode, Delivery::Maybe)
        );
    }
}

#[tokio::test]
async fn services_nobody_knows_come_back_in_whatever_form_they_are_told() {
    let mut answer = reports(json!([]));
    answer["unknown_services"] = json!([{"service_id": 501, "client_id": "42", "product_slug": "endpoint"}, 502, "503", {"id": "x"}]);
    let reported = [501, 502, 503].map(|number: u64| {
        let service = ServiceId::try_from(number).expect("a service");
        ServiceReport::new(customer(), service, "endpoint", "active")
    });
    let sync = SyncServices::new(reported.to_vec());
    let (_, got) = exchanged(sync, answer.clone()).await;
    let unknown = got.data.unknown_services.as_deref().expect("a list");
    let numbers: Vec<Option<u64>> = unknown
        .iter()
        .map(|unknown| unknown.service_id().map(ServiceId::get))
        .collect();
    assert_eq!(numbers, [Some(501), Some(502), Some(503), None]);
    assert_eq!(unknown[0].client_id(), Some(customer()));
    assert_eq!(unknown[3].as_value(), &json!({"id": "x"}));
    answer["enforcement"] = json!({});
    assert_eq!(serde_json::to_value(&got.data).expect("JSON"), answer);
}

#[tokio::test]
async fn prices_are_set_and_removed_with_a_body() {
    let price = json!({"product_slug": "port_monitoring", "plan_slug": "starter", "price": 4.5, "currency": "EUR"});
    let (sent, got) = exchanged(
        SetPrice::new("port_monitoring", money("4.5"), "EUR").plan_slug("starter"),
        price.clone(),
    )
    .await;
    assert_eq!(sent, post("/api/v1/billing/pricing", price.clone()));
    assert_eq!(serde_json::to_value(&got.data).expect("JSON"), price);
    let (sent, got) = exchanged(
        RemovePrice::new("port_monitoring").plan_slug("starter"),
        json!({"deleted": true}),
    )
    .await;
    let body = json!({"product_slug": "port_monitoring", "plan_slug": "starter"});
    assert_eq!(
        sent,
        (
            Method::DELETE,
            "/api/v1/billing/pricing".to_owned(),
            String::new(),
            body
        )
    );
    assert!(got.data.deleted);
}

fn domain() -> Value {
    json!({"id": ID, "domain": "example.com", "status": "active", "scan_status": "completed",
           "last_scan_at": "2026-01-01T00:00:00+00:00", "employees_compromised": 2, "customers_compromised": 5,
           "third_parties_compromised": 1, "dark_web_mentions_count": 1, "portal_detail_path": format!("/domains/{ID}")})
}

#[tokio::test]
async fn domain_reads_carry_the_customer_and_their_filters() {
    let path = format!("/api/v1/domains/{ID}");
    let overview = json!({"subscribed": true, "domains": [domain()], "slots_used": 1, "slots_total": 2,
                          "portal_add_path": "/domains"});
    let (sent, got) = exchanged(ListDomains::new(customer()), overview.clone()).await;
    assert_eq!(sent, get("/api/v1/domains", "billing_customer_id=42"));
    assert_eq!(serde_json::to_value(&got.data).expect("JSON"), overview);

    for domains in [json!(null), json!("none"), json!(7)] {
        let (client, script) = scripted_once();
        let overview = json!({"subscribed": false, "domains": domains, "slots_used": 2});
        script.answer(StatusCode::OK, success(overview));
        let untold = client.send(ListDomains::new(customer())).await;
        assert_eq!(untold.expect_err("not told").kind(), ErrorKind::Decode);
    }

    let product =
        json!({"slug": "domain_monitoring", "name": "Domains", "description": "Watches them."});
    let (_, got) = exchanged(
        ListDomains::new(customer()),
        json!({"subscribed": false, "product": product}),
    )
    .await;
    assert!(!got.data.subscribed && got.data.domains.is_none());
    assert_eq!(
        got.data.product.and_then(|product| product.name).as_deref(),
        Some("Domains")
    );

    let mut summary = domain();
    summary["password_strength"] = json!({"weak": 3, "medium": 2, "strong": 1});
    let (sent, got) = exchanged(
        GetDomainSummary::new(customer(), domain_id()),
        summary.clone(),
    )
    .await;
    assert_eq!(
        sent,
        get(&format!("{path}/summary"), "billing_customer_id=42")
    );
    assert_eq!(serde_json::to_value(&got.data).expect("JSON"), summary);

    let scans = json!({"scans": [{"id": OTHER_ID, "status": "completed", "employees_compromised": 1,
        "customers_compromised": 0, "third_parties_compromised": 0, "created_at": "2026-01-01T00:00:00+00:00"}]});
    let (sent, got) = exchanged(GetScanHistory::new(customer(), domain_id()), scans.clone()).await;
    assert_eq!(
        sent,
        get(&format!("{path}/scan-history"), "billing_customer_id=42")
    );
    assert_eq!(serde_json::to_value(&got.data).expect("JSON"), scans);
}

#[tokio::test]
async fn the_findings_of_a_domain_are_read_with_their_filters() {
    let path = format!("/api/v1/domains/{ID}");
    let alerts =
        json!({"alerts": [], "total": 0, "current_page": 1, "last_page": 1, "has_more": false});
    let list = ListDomainAlerts::new(customer(), domain_id())
        .status(DomainAlertStatus::Open)
        .kind(DomainAlertType::CredentialLeak)
        .category(LeakCategory::Employees)
        .severity(Severity::Critical)
        .per_page(50)
        .page(1);
    let (sent, _) = exchanged(list, alerts).await;
    let query = "billing_customer_id=42&category=employees&page=1&per_page=50&severity=critical&status=open&type=credential_leak";
    assert_eq!(sent, get(&format!("{path}/alerts"), query));

    let mentions = json!({"mentions": [{"id": OTHER_ID, "is_new": true, "title": "Dump"}], "total": 1,
                          "current_page": 1, "last_page": 1, "has_more": false});
    let (sent, got) = exchanged(
        ListMentions::new(customer(), domain_id()).is_new(true),
        mentions,
    )
    .await;
    assert_eq!(
        sent,
        get(
            &format!("{path}/dark-web-mentions"),
            "billing_customer_id=42&is_new=true"
        )
    );
    assert!(got.data.mentions[0].is_new == Some(true));

    let leaks = json!({"enabled": true, "items": [], "total": 0, "page": 3, "page_size": 50});
    let list = ListCredentialLeaks::new(customer(), domain_id())
        .category(LeakCategory::ThirdParties)
        .page(3);
    let (sent, _) = exchanged(list, leaks).await;
    assert_eq!(
        sent,
        get(
            &format!("{path}/credential-leaks"),
            "billing_customer_id=42&category=third_parties&page=3"
        )
    );
}

#[tokio::test]
async fn domain_alerts_are_read_acknowledged_and_resolved_under_both_identifiers() {
    let path = format!("/api/v1/domains/{ID}/alerts/{OTHER_ID}");
    let alert = json!({"id": OTHER_ID, "monitored_domain_id": ID, "domain": "example.com", "type": "dark_web_mention",
        "category": "employees", "severity": "high", "new_count": 2, "previous_count": 1, "status": "open",
        "details": null, "explanation": "Somebody wrote of it.", "created_at": "2026-01-01T00:00:00+00:00",
        "acknowledged_at": null, "resolved_at": null});
    let read = GetDomainAlert::new(customer(), domain_id(), alert_of_domain());
    let (sent, got) = exchanged(read, json!({"alert": alert})).await;
    assert_eq!(sent, get(&path, "billing_customer_id=42"));
    assert_eq!(got.data.alert.kind, DomainAlertType::DarkWebMention);
    assert_eq!(serde_json::to_value(&got.data.alert).expect("JSON"), alert);

    let customer_alone = json!({"billing_customer_id": 42});
    let at = "2026-01-01T00:00:00+00:00";
    let seen = json!({"message": "Seen.", "alert": {"id": OTHER_ID, "status": "acknowledged", "acknowledged_at": at}});
    let acknowledge = AcknowledgeDomainAlert::new(customer(), domain_id(), alert_of_domain());
    let (sent, got) = exchanged(acknowledge, seen.clone()).await;
    assert_eq!(
        sent,
        post(&format!("{path}/acknowledge"), customer_alone.clone())
    );
    assert_eq!(serde_json::to_value(&got.data).expect("JSON"), seen);
    let done = json!({"message": "Done.", "alert": {"id": OTHER_ID, "status": "resolved", "resolved_at": at}});
    let resolve = ResolveDomainAlert::new(customer(), domain_id(), alert_of_domain());
    let (sent, got) = exchanged(resolve, done).await;
    assert_eq!(sent, post(&format!("{path}/resolve"), customer_alone));
    assert_eq!(got.data.alert.status, DomainAlertStatus::Resolved);
}

#[tokio::test]
async fn the_assumed_operations_carry_their_fields() {
    let scenarios = json!({"scenarios": ["clean", "warnings", "critical"], "current": "warnings"});
    let (sent, got) = exchanged(ListScenarios::new(), scenarios).await;
    assert_eq!(sent, get("/api/v1/sandbox/scenarios", ""));
    assert_eq!(got.data.scenarios, Scenario::VARIANTS);
    let chosen = json!({"scenario": "critical", "endpoint_id": ID, "monitored_domain_id": null});
    let (sent, got) = exchanged(
        SetScenario::new(Scenario::Critical).endpoint_id(endpoint_id()),
        chosen.clone(),
    )
    .await;
    assert_eq!(
        sent,
        post(
            "/api/v1/sandbox/scenario",
            json!({"scenario": "critical", "endpoint_id": ID})
        )
    );
    assert_eq!(serde_json::to_value(&got.data).expect("JSON"), chosen);

    let ingest = IngestFirewall::new(
        customer(),
        endpoint_id(),
        "-A INPUT -p tcp --dport 22 -j ACCEPT",
    )
    .format(FirewallFormat::Iptables);
    let read = json!({"format": "iptables", "parsed_rules": 1, "suggested": [], "skipped": [{"line": 1, "reason": "Covered."}]});
    let (sent, got) = exchanged(ingest, read.clone()).await;
    let body = json!({"endpoint_id": ID, "billing_customer_id": 42,
                      "content": "-A INPUT -p tcp --dport 22 -j ACCEPT", "format": "iptables"});
    assert_eq!(sent, post("/api/v1/firewall/ingest", body));
    assert_eq!(serde_json::to_value(&got.data).expect("JSON"), read);

    let token = json!({"token": "t", "expires_at": "2026-01-01T00:01:00+00:00"});
    let (sent, _) = exchanged(
        CreateSsoToken::new(customer()).redirect_path("/domains"),
        token,
    )
    .await;
    let body = json!({"billing_customer_id": 42, "redirect_path": "/domains"});
    assert_eq!(sent, post("/api/v1/sso/token", body));
}
