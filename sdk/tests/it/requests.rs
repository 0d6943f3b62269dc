//! What goes over the wire for every operation, and which result comes back.

use http::{Method, StatusCode};
use secmon::model::*;
use secmon::operations::*;
use secmon::{ErrorKind, Namespace, OPERATIONS, Operation};
use serde_json::{Value, json};

use crate::support::*;

/// Sends an operation against a scripted answer, and gives what was sent: method, path, query, body.
async fn sent<O: Operation>(
    operation: O,
    status: u16,
    answer: &str,
) -> (Method, String, String, Value) {
    let (client, script) = scripted();
    let status = StatusCode::from_u16(status).expect("a status");
    script.answer(status, answer.to_owned());
    if let Err(error) = client.send(operation).await {
        panic!("{} failed: {error}", O::INFO.name);
    }
    let request = script.requests().remove(0);
    (request.method, request.path, request.query, request.body)
}

fn post(path: &str, body: Value) -> (Method, String, String, Value) {
    (Method::POST, path.to_owned(), String::new(), body)
}

fn get(path: &str, query: &str) -> (Method, String, String, Value) {
    (Method::GET, path.to_owned(), query.to_owned(), Value::Null)
}

fn ports() -> PortRange {
    "8000-8100".parse().expect("a range")
}

fn rule() -> Value {
    json!({
        "id": ID, "tenant_id": OTHER_ID, "endpoint_id": null, "port": 22, "port_start": 22, "port_end": 22,
        "range_label": "22", "protocol": "tcp", "service": null, "justification": "SSH for operations",
        "auto_suggested": false, "expires_at": null, "created_by": OTHER_ID,
        "created_at": "2026-01-01T00:00:00+00:00", "updated_at": "2026-01-01T00:00:00+00:00",
        "is_active": true, "scope_label": "Global"
    })
}

fn alert_of(server: &str) -> Value {
    json!({
        "id": ID, "port": 22, "protocol": "tcp", "service": "ssh", "severity": "medium",
        "risk_level": "medium", "status": "open", "title": "Port 22 is open",
        "first_detected_at": "2026-01-01T00:00:00+00:00", "last_detected_at": "2026-01-01T00:00:00+00:00",
        "endpoint_id": server, "ip_address": "203.0.113.10", "resolved_at": null
    })
}

fn alert() -> Value {
    alert_of(OTHER_ID)
}

#[tokio::test]
async fn the_health_check_goes_without_the_key() {
    let (client, script) = scripted();
    script.answer(
        StatusCode::OK,
        r#"{"success": true, "status": "ok", "timestamp": "2026-01-01T00:00:00+00:00", "meta": {"version": "v1"}}"#,
    );
    let health = client.health().await.expect("health").into_inner();
    assert_eq!(health.status, "ok");
    assert_eq!(
        health.meta.and_then(|meta| meta.version).as_deref(),
        Some("v1")
    );
    assert_eq!(script.requests()[0].path, "/api/v1/health");
}

#[tokio::test]
async fn provisioning_calls_carry_their_fields_under_the_names_of_the_api() {
    let state = success(json!({"endpoint_id": ID, "status": "active"}));
    let all = ProvisionEndpoint::new(customer())
        .ip_address("203.0.113.10")
        .service_id(ServiceId::try_from(501).expect("a service"))
        .hostname("web-1.example.com")
        .client_name("Ann")
        .client_email("ann@example.com")
        .product_slug("port_monitoring")
        .plan_slug("starter")
        .mrr(money("9.5"));
    let expected = json!({
        "client_id": 42, "ip_address": "203.0.113.10", "service_id": 501, "hostname": "web-1.example.com",
        "client_name": "Ann", "client_email": "ann@example.com", "product_slug": "port_monitoring",
        "plan_slug": "starter", "mrr": 9.5
    });
    assert_eq!(
        sent(all, 201, &state).await,
        post("/api/v1/billing/provision", expected)
    );

    let least = ProvisionEndpoint::new(customer()).ip_address("2001:db8::1");
    let expected = json!({"client_id": 42, "ip_address": "2001:db8::1"});
    assert_eq!(
        sent(least, 201, &state).await,
        post("/api/v1/billing/provision", expected)
    );

    let id = json!({"endpoint_id": ID});
    let endpoint = endpoint_id();
    let ended = success(json!({"endpoint_id": ID, "status": "terminated"}));
    assert_eq!(
        sent(SuspendEndpoint::new(endpoint), 200, &paused()).await,
        post("/api/v1/billing/suspend", id.clone())
    );
    assert_eq!(
        sent(ResumeEndpoint::new(endpoint), 200, &state).await,
        post("/api/v1/billing/resume", id.clone())
    );
    assert_eq!(
        sent(TerminateEndpoint::new(endpoint), 200, &ended).await,
        post("/api/v1/billing/terminate", id)
    );
    let scan = success(json!({"scan_id": OTHER_ID, "status": "pending", "cooldown_seconds": 300}));
    assert_eq!(
        sent(ScanEndpoint::new(customer(), endpoint), 202, &scan).await,
        post(
            "/api/v1/billing/scan-endpoint",
            json!({"client_id": 42, "endpoint_id": ID})
        )
    );
}

#[tokio::test]
async fn the_other_namespace_moves_the_provisioning_paths_and_refuses_what_it_lacks() {
    let script = secmon::testing::MockTransport::new();
    let client = builder(&script)
        .namespace(Namespace::Provisioning)
        .build()
        .expect("a client");
    script.answer(StatusCode::OK, paused());
    client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect("suspended");
    assert_eq!(script.requests()[0].path, "/api/v1/provisioning/suspend");

    let error = client
        .servers()
        .scan(customer(), endpoint_id())
        .await
        .expect_err("no such path there");
    assert_eq!(error.kind(), secmon::ErrorKind::Configuration);
    assert_eq!(error.delivery(), secmon::Delivery::NotSent);
    assert!(
        error.to_string().contains("billing namespace only"),
        "{error}"
    );
    assert_eq!(script.requests().len(), 1);
}

#[tokio::test]
async fn the_sandbox_header_marks_provisioning_calls_only() {
    let script = secmon::testing::MockTransport::new();
    let client = builder(&script)
        .with(|calls| calls.sandbox(true))
        .build()
        .expect("a client");
    script.answer(StatusCode::OK, paused());
    script.answer(StatusCode::OK, resource(endpoint()));
    client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect("suspended");
    client
        .servers()
        .get(customer(), endpoint_id())
        .await
        .expect("read");
    let marked: Vec<bool> = script
        .requests()
        .iter()
        .map(|request| request.headers.contains_key("x-sandbox"))
        .collect();
    assert_eq!(marked, [true, false]);
}

#[tokio::test]
async fn endpoints_are_listed_by_query_and_created_by_body() {
    let one = resource(endpoint());
    let page = json!({
        "data": [endpoint()], "links": {"first": "f", "last": "l", "prev": null, "next": null},
        "meta": {"current_page": 2, "per_page": 10, "total": 11, "endpoint_limit": 25,
                 "current_endpoint_count": 11, "status_counts": {"active": 11, "paused": 0}}
    });
    let list = ListEndpoints::new(customer())
        .status(EndpointStatus::Active)
        .per_page(10)
        .page(2);
    assert_eq!(
        sent(list, 200, &page.to_string()).await,
        get(
            "/api/v1/endpoints",
            "billing_customer_id=42&page=2&per_page=10&status=active"
        )
    );
    assert_eq!(
        sent(
            ListEndpoints::account_wide().page(2),
            200,
            &page.to_string()
        )
        .await,
        get("/api/v1/endpoints", "page=2")
    );
    let create = CreateEndpoint::new(customer(), "web.example.com")
        .nickname("web")
        .status(EndpointStatus::Paused)
        .client_name("Ann")
        .client_email("ann@example.com");
    let expected = json!({
        "billing_customer_id": 42, "ip_address": "web.example.com", "nickname": "web", "status": "paused",
        "client_name": "Ann", "client_email": "ann@example.com"
    });
    assert_eq!(
        sent(create, 201, &one).await,
        post("/api/v1/endpoints", expected)
    );
}

#[tokio::test]
async fn calls_for_one_endpoint_carry_it_in_the_path() {
    let one = resource(endpoint());
    let path = format!("/api/v1/endpoints/{ID}");
    assert_eq!(
        sent(GetEndpoint::new(customer(), endpoint_id()), 200, &one).await,
        get(&path, "billing_customer_id=42")
    );
    let detail = json!({"data": endpoint(), "latest_scan": null, "alerts": [], "whitelisted_ports": [],
                        "new_ports": [], "closed_ports": []});
    assert_eq!(
        sent(
            GetEndpointDetail::account_wide(endpoint_id()),
            200,
            &detail.to_string()
        )
        .await,
        get(&format!("{path}/detail"), "")
    );
    let update = UpdateEndpoint::new(customer(), endpoint_id())
        .nickname("db")
        .status(EndpointStatus::Active);
    let body = json!({"billing_customer_id": 42, "nickname": "db", "status": "active"});
    assert_eq!(
        sent(update, 200, &one).await,
        (Method::PUT, path.clone(), String::new(), body)
    );
    assert_eq!(
        sent(DeleteEndpoint::account_wide(endpoint_id()), 204, "").await,
        (Method::DELETE, path, String::new(), Value::Null)
    );
}

#[tokio::test]
async fn rules_are_counted_and_listed_by_query() {
    let summary = json!({"endpoints": [{"endpoint_id": ID, "ip_address": "203.0.113.10", "nickname": "web", "rule_count": 2}],
                         "global_count": 1});
    let doubled =
        json!({"data": summary, "endpoints": summary["endpoints"], "global_count": 1, "meta": {}});
    assert_eq!(
        sent(GetRuleSummary::new(customer()), 200, &doubled.to_string()).await,
        get(
            "/api/v1/whitelists/endpoint-summary",
            "billing_customer_id=42"
        )
    );
    let page = json!({"data": [rule()], "links": {"first": "f", "last": "l", "prev": null, "next": null},
                      "meta": {"current_page": 1, "per_page": 25, "total": 1}});
    let list = ListRules::account_wide()
        .endpoint_id(endpoint_id())
        .scope(RuleScope::Endpoint)
        .status(RuleStatus::Expired);
    assert_eq!(
        sent(list, 200, &page.to_string()).await,
        get(
            "/api/v1/whitelists",
            &format!("endpoint_id={ID}&scope=endpoint&status=expired")
        )
    );
}

#[tokio::test]
async fn rules_are_written_by_body_and_named_in_the_path() {
    let one = resource(rule());
    let path = format!("/api/v1/whitelists/{ID}");
    let create =
        CreateRule::for_endpoint(endpoint_id(), ports(), Protocol::Any, "Application servers")
            .service("app")
            .expires_at("2026-12-31".parse().expect("a date"))
            .billing_customer_id(customer());
    let mut body = json!({
        "port_start": 8000, "port_end": 8100, "protocol": "*", "service": "app",
        "justification": "Application servers", "scope": "endpoint", "endpoint_id": ID,
        "expires_at": "2026-12-31", "billing_customer_id": 42
    });
    let mut of_the_server = rule();
    of_the_server["endpoint_id"] = json!(ID);
    assert_eq!(
        sent(create, 201, &resource(of_the_server)).await,
        post("/api/v1/whitelists", body.clone())
    );
    let global = CreateRule::account_wide(ports(), Protocol::Tcp, "Application servers");
    let least = json!({"port_start": 8000, "port_end": 8100, "protocol": "tcp",
                       "justification": "Application servers", "scope": "global"});
    assert_eq!(
        sent(global, 201, &one).await,
        post("/api/v1/whitelists", least)
    );
    let update =
        UpdateRule::new(rule_id(), ports(), Protocol::Any, "Application servers").service("app");
    for set_by_create in ["scope", "endpoint_id", "expires_at", "billing_customer_id"] {
        body.as_object_mut()
            .expect("an object")
            .remove(set_by_create);
    }
    assert_eq!(
        sent(update, 200, &one).await,
        (Method::PUT, path.clone(), String::new(), body)
    );
    assert_eq!(
        sent(GetRule::account_wide(rule_id()), 200, &one).await,
        get(&path, "")
    );
    assert_eq!(
        sent(DeleteRule::new(customer(), rule_id()), 204, "").await,
        (
            Method::DELETE,
            path,
            "billing_customer_id=42".to_owned(),
            Value::Null
        )
    );
}

#[tokio::test]
async fn a_rule_is_carried_over_as_it_is_and_changed_where_that_is_said() {
    let mut known = rule();
    known["service"] = json!("ssh");
    known["expires_at"] = json!("2026-12-31T23:59:59+00:00");
    let read = |rule: &Value| serde_json::from_value::<Rule>(rule.clone()).expect("a rule");
    let kept = UpdateRule::from_rule(&read(&known)).expect("a range");
    let mut body = json!({
        "port_start": 22, "port_end": 22, "protocol": "tcp", "justification": "SSH for operations",
        "service": "ssh", "expires_at": "2026-12-31T23:59:59+00:00"
    });
    let (_, _, _, sent_body) = sent(kept.clone(), 200, &resource(rule())).await;
    assert_eq!(sent_body, body);
    body["service"] = json!("sftp");
    let (_, _, _, sent_body) = sent(kept.service("sftp"), 200, &resource(rule())).await;
    assert_eq!(sent_body, body);

    known["port_start"] = json!(0);
    assert_eq!(UpdateRule::from_rule(&read(&known)), None);
    known["port_start"] = json!(22);
    known["justification"] = json!(null);
    let (client, script) = scripted();
    let bare = UpdateRule::from_rule(&read(&known)).expect("a range");
    let error = client.send(bare).await.expect_err("no justification");
    let fields = error.field_errors().expect("the fields");
    assert!(!fields.get("justification").is_empty() && script.requests().is_empty());
}

#[tokio::test]
async fn port_alert_calls_carry_their_fields_in_path_query_and_body() {
    let path = format!("/api/v1/alerts/{ID}");
    let page = success(
        json!({"alerts": [alert_of(ID)], "total": 1, "current_page": 1, "last_page": 1, "has_more": false}),
    );
    let list = ListPortAlerts::new(customer())
        .endpoint_id(endpoint_id())
        .status(PortAlertStatus::Open)
        .severity(Severity::High)
        .per_page(5);
    assert_eq!(
        sent(list, 200, &page).await,
        get(
            "/api/v1/alerts",
            &format!(
                "billing_customer_id=42&endpoint_id={ID}&per_page=5&severity=high&status=open"
            )
        )
    );
    assert_eq!(
        sent(
            GetPortAlert::new(customer(), alert_id()),
            200,
            &success(json!({"alert": alert()}))
        )
        .await,
        get(&path, "billing_customer_id=42")
    );
    let resolved = success(json!({"message": "Resolved.", "alert":
        {"id": ID, "status": "resolved", "resolved_at": "2026-01-01T00:00:00+00:00"}}));
    assert_eq!(
        sent(
            ResolvePortAlert::new(customer(), alert_id()),
            200,
            &resolved
        )
        .await,
        post(
            &format!("{path}/resolve"),
            json!({"billing_customer_id": 42})
        )
    );
}

#[tokio::test]
async fn a_result_says_whether_it_was_made_and_carries_the_services_note() {
    let (client, script) = scripted();
    script.answer(
        StatusCode::CREATED,
        success(json!({"endpoint_id": ID, "status": "active"})),
    );
    script.answer(
        StatusCode::OK,
        success(json!({"endpoint_id": ID, "status": "active", "note": "Already monitored."})),
    );
    let server = ProvisionEndpoint::new(customer()).ip_address("203.0.113.10");
    let made = client
        .servers()
        .provision(server.clone())
        .await
        .expect("made");
    let found = client.servers().provision(server).await.expect("found");
    assert!(made.was_created() == Some(true) && made.note().is_none());
    assert!(found.was_created() == Some(false));
    assert_eq!(found.note(), Some("Already monitored."));
    assert_eq!(found.data.endpoint_id, endpoint_id());
}

#[tokio::test]
async fn fields_this_version_does_not_know_are_read_from_the_raw_answer() {
    let (client, script) = scripted();
    let mut newer = endpoint();
    newer["region"] = json!("eu-west");
    script.answer(StatusCode::OK, resource(newer));
    let response = client
        .servers()
        .get(customer(), endpoint_id())
        .await
        .expect("read");
    assert_eq!(response.raw_field("/data/region"), Some(json!("eu-west")));
    assert_eq!(response.raw_field("/data/nothing"), None);
}

#[test]
fn the_table_names_every_operation_once_and_gives_each_a_window_or_none() {
    let mut names: Vec<&str> = OPERATIONS.iter().map(|info| info.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), OPERATIONS.len());
    let unlimited: Vec<&str> = OPERATIONS
        .iter()
        .filter(|info| info.rate_group().is_none())
        .map(|info| info.name)
        .collect();
    assert_eq!(unlimited, ["get_health", "list_scenarios", "set_scenario"]);
}

#[tokio::test]
async fn what_was_asked_for_one_server_is_answered_with_it() {
    let (client, script) = scripted();
    let why = "Application servers";
    let create = CreateRule::for_endpoint(endpoint_id(), ports(), Protocol::Any, why);
    script.answer(StatusCode::CREATED, resource(rule()));
    let created = client.send(create).await.expect_err("whose rule?");
    let update = UpdateRule::new(rule_id(), ports(), Protocol::Any, why);
    script.answer(StatusCode::OK, resource(rule()));
    let updated = client.send(update.endpoint_id(endpoint_id())).await;
    let chosen = json!({"scenario": "critical", "endpoint_id": null});
    script.answer(StatusCode::OK, success(chosen));
    let scenario = SetScenario::new(Scenario::Critical).endpoint_id(endpoint_id());
    let scenario = client.send(scenario).await.expect_err("whose scenario?");
    for error in [created, updated.expect_err("whose rule?"), scenario] {
        assert_eq!(error.kind(), ErrorKind::Decode, "{error}");
        assert!(error.to_string().contains("endpoint_id"), "{error}");
    }
}

#[tokio::test]
async fn what_names_the_record_is_the_same_wherever_an_answer_repeats_it() {
    let (client, script) = scripted();
    let service = ServiceId::try_from(501).expect("a service");
    for (member, value) in [
        ("client_id", json!("43")),
        ("billing_customer_id", json!(43)),
        ("service_id", json!(502)),
        ("product_slug", json!("endpoint")),
    ] {
        let mut state = json!({"subscription_id": ID, "status": "suspended", "client_id": "42"});
        state[member] = value;
        script.answer(StatusCode::OK, success(state));
        let suspend = SuspendSubscription::new(customer(), service, "port_monitoring");
        let error = client.send(suspend).await.expect_err(member);
        assert_eq!(error.kind(), ErrorKind::Decode, "{error}");
        assert!(error.to_string().contains(member), "{error}");
    }
}

#[tokio::test]
async fn a_new_record_is_in_no_state_that_ends_it() {
    let (client, script) = scripted();
    let ended = json!({"endpoint_id": ID, "status": "terminated"});
    script.answer(StatusCode::CREATED, success(ended.clone()));
    let provision = ProvisionEndpoint::new(customer()).hostname("web.example.com");
    let made = client.send(provision.clone()).await;
    assert_eq!(made.expect_err("it has ended").kind(), ErrorKind::Decode);
    // One that was there is shown as it is.
    script.answer(StatusCode::OK, success(ended));
    client.send(provision).await.expect("a record");
}
