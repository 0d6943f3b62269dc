//! Scenarios of the sandbox (assumed shapes).

use http::Method;
use http::header::HeaderName;
use secmon::model::{DomainId, EndpointId, Scenario};
use secmon::operations::SetScenario;
use secmon::{Client, ErrorCode, RawRequest};
use secmon_contract_tests::{Account, assert_api_error, assert_keys, cases, next_service};
use serde_json::{Value, json};
use uuid::Uuid;

cases! {
    anywhere:
        a_call_that_asks_to_be_simulated_is_answered_like_any_other;
    steered:
        a_scenario_shows_at_the_next_scan(Accounts, World),
        an_account_without_sandbox_mode_is_refused(Accounts),
        a_scenario_is_chosen_for_one_record(Sandbox),
        an_unknown_record_is_named(Sandbox),
        bad_fields_come_back_by_their_names(Sandbox)
}

async fn a_scenario_shows_at_the_next_scan() {
    let account = Account::with(json!({"scenario": "warnings"})).await;
    let sandbox = account.client.sandbox();
    let scenarios = sandbox.scenarios().await.expect("scenarios");
    assert_eq!(scenarios.data.current, Some(Scenario::Warnings));
    let id = account.customer().provisioned("203.0.113.80").await;
    sandbox
        .set(SetScenario::new(Scenario::Clean).endpoint_id(id))
        .await
        .expect("chosen");
    account.scan(id, "completed").await;
    let detail = account
        .client
        .servers()
        .detail_account_wide(id)
        .await
        .expect("detail")
        .into_data();
    let scan = detail.latest_scan.expect("a scan");
    assert_eq!(scan.open_ports, Some(vec![]));
}

async fn a_scenario_is_chosen_for_one_record() {
    let account = Account::new().await;
    let customer = account.customer();
    let sandbox = account.client.sandbox();
    let scenarios = sandbox.scenarios().await.expect("scenarios");
    let raw: Value = serde_json::from_slice(scenarios.body()).expect("JSON");
    assert_keys(&raw["data"], &["scenarios", "current"]);
    assert_eq!(scenarios.data.scenarios, Scenario::KNOWN);
    let server = customer.provisioned("203.0.113.83").await;
    let slots = customer.domain_slots(1).await;
    let domain = customer.watched("example.com", slots).await;
    for scenario in Scenario::KNOWN {
        let set = SetScenario::new(scenario.clone()).endpoint_id(server);
        let chosen = sandbox.set(set).await.expect("chosen");
        let raw: Value = serde_json::from_slice(chosen.body()).expect("JSON");
        let expected = ["scenario", "endpoint_id", "monitored_domain_id"];
        assert_keys(&raw["data"], &expected);
        let of = |domain, server| (scenario.clone(), server, domain);
        let said = chosen.into_data();
        let said = (said.scenario, said.endpoint_id, said.monitored_domain_id);
        assert_eq!(said, of(None, Some(server)));
        let set = SetScenario::new(scenario.clone()).monitored_domain_id(domain);
        let said = sandbox.set(set).await.expect("chosen").into_data();
        let said = (said.scenario, said.endpoint_id, said.monitored_domain_id);
        assert_eq!(said, of(Some(domain), None));
    }
    let now = sandbox.scenarios().await.expect("scenarios").data.current;
    assert_eq!(now, scenarios.data.current, "the account's own is another");
}

async fn an_account_without_sandbox_mode_is_refused() {
    let account = Account::with(json!({"sandbox": false})).await;
    let sandbox = account.client.sandbox();
    assert_api_error(sandbox.scenarios().await, 403, ErrorCode::SandboxDisabled);
    let set = sandbox.set(SetScenario::new(Scenario::Clean)).await;
    assert_api_error(set, 403, ErrorCode::SandboxDisabled);
}

async fn a_call_that_asks_to_be_simulated_is_answered_like_any_other() {
    let account = Account::new().await;
    let simulating = account.client.with(|calls| calls.sandbox(true));
    let plain = provisioning_answers(&account, &account.client).await;
    let simulated = provisioning_answers(&account, &simulating).await;
    for (plain, simulated) in plain.iter().zip(&simulated) {
        assert_eq!(simulated, plain);
    }
    assert_eq!(simulated.len(), plain.len());
    let bare = |value: &'static str| {
        let call = account.raw(Method::POST, "/api/v1/billing/suspend");
        let call = call.header(HeaderName::from_static("x-sandbox"), value);
        call.json(&json!({"endpoint_id": Uuid::from_u128(7)}))
            .send()
    };
    for value in ["true", "TRUE", "false", "1", ""] {
        let answer = bare(value).await.expect("an answer");
        assert_eq!(
            answer.json["error"]["code"], "ENDPOINT_NOT_FOUND",
            "{value:?}"
        );
    }
}

/// What the provisioning calls answer a new customer, without what differs between two customers.
async fn provisioning_answers(account: &Account, client: &Client) -> Vec<(u16, Value)> {
    let customer = account.customer();
    let (plan, slots) = (next_service(), next_service());
    let post = |path: &'static str, mut body: Value| async move {
        body["client_id"] = json!(customer.id);
        let mut call = RawRequest::new(Method::POST, format!("billing/{path}"));
        call.body = Some(body);
        let answer = client.raw(call).await.expect("an answer");
        let json: Value = serde_json::from_slice(&answer.body).expect("JSON");
        (answer.status.as_u16(), json)
    };
    let ports =
        json!({"service_id": plan, "product_slug": "port_monitoring", "plan_slug": "starter"});
    let domains = json!({"service_id": slots, "product_slug": "domain_monitoring", "quantity": 2});
    let mut answers = vec![post("provision-subscription", ports.clone()).await];
    answers.push(post("provision-subscription", domains.clone()).await);
    let server = post("provision", json!({"ip_address": "203.0.113.81"})).await;
    let server_id = json!({"endpoint_id": server.1["data"]["endpoint_id"]});
    let domain = post(
        "provision-domain",
        json!({"domain": "example.com", "service_id": slots}),
    )
    .await;
    let domain_id = json!({"monitored_domain_id": domain.1["data"]["monitored_domain_id"]});
    answers.extend([server, domain]);
    for path in ["scan-endpoint", "suspend", "suspend", "resume", "terminate"] {
        answers.push(post(path, server_id.clone()).await);
    }
    for path in ["suspend-domain", "resume-domain", "terminate-domain"] {
        answers.push(post(path, domain_id.clone()).await);
    }
    for path in [
        "suspend-subscription",
        "resume-subscription",
        "terminate-subscription",
    ] {
        answers.push(post(path, ports.clone()).await);
        answers.push(post(path, domains.clone()).await);
    }
    answers
        .into_iter()
        .map(|(status, json)| (status, without_names(json)))
        .collect()
}

fn without_names(mut answer: Value) -> Value {
    answer["meta"]["timestamp"].take();
    for name in [
        "endpoint_id",
        "monitored_domain_id",
        "subscription_id",
        "scan_id",
    ] {
        if let Some(id) = answer["data"].get_mut(name) {
            assert!(id.is_string(), "{name}");
            id.take();
        }
    }
    answer
}

async fn an_unknown_record_is_named() {
    let account = Account::new().await;
    let sandbox = account.client.sandbox();
    let nobody = Uuid::from_u128(7);
    let server = SetScenario::new(Scenario::Clean).endpoint_id(EndpointId::from(nobody));
    assert_api_error(sandbox.set(server).await, 404, ErrorCode::EndpointNotFound);
    let domain = SetScenario::new(Scenario::Clean).monitored_domain_id(DomainId::from(nobody));
    assert_api_error(sandbox.set(domain).await, 404, ErrorCode::DomainNotFound);
}

async fn bad_fields_come_back_by_their_names() {
    let account = Account::new().await;
    let bad = SetScenario::new("stormy".into());
    let error = account
        .client
        .call(bad)
        .with(|call| call.validation(false))
        .send()
        .await;
    let error = assert_api_error(error, 422, None);
    assert_eq!(
        error
            .field_errors()
            .map(|errors| errors.get("scenario").len()),
        Some(1)
    );
}
