//! Scenarios of the sandbox (assumed shapes).

use secmon::ErrorCode;
use secmon::model::{DomainId, EndpointId, Scenario};
use secmon::operations::SetScenario;
use secmon_contract_tests::{Account, assert_api_error, assert_keys, cases};
use serde_json::{Value, json};
use uuid::Uuid;

cases! {
    anywhere: ;
    steered:
        a_scenario_shows_at_the_next_scan(Accounts, World),
        an_account_without_sandbox_mode_is_refused(Accounts),
        an_unknown_record_is_named(Accounts),
        bad_fields_come_back_by_their_names(Accounts)
}

async fn a_scenario_shows_at_the_next_scan() {
    let account = Account::with(json!({"scenario": "warnings"})).await;
    let sandbox = account.client.sandbox();
    let scenarios = sandbox.scenarios().await.expect("scenarios");
    let raw: Value = serde_json::from_slice(scenarios.raw()).expect("JSON");
    assert_keys(&raw["data"], &["scenarios", "current"]);
    assert_eq!(scenarios.data.scenarios, Scenario::KNOWN);
    assert_eq!(scenarios.data.current, Some(Scenario::Warnings));
    let id = account.customer().provisioned("203.0.113.80").await;
    let chosen = sandbox
        .set(SetScenario::new(Scenario::Clean).endpoint_id(id))
        .await
        .expect("chosen");
    let raw: Value = serde_json::from_slice(chosen.raw()).expect("JSON");
    assert_keys(
        &raw["data"],
        &["scenario", "endpoint_id", "monitored_domain_id"],
    );
    assert_eq!(chosen.data.endpoint_id, Some(id));
    account.scan(id, "completed").await;
    let detail = account
        .client
        .endpoints()
        .detail(id)
        .await
        .expect("detail")
        .into_data();
    assert_eq!(detail.latest_scan.map(|scan| scan.open_ports), Some(vec![]));
}

async fn an_account_without_sandbox_mode_is_refused() {
    let account = Account::with(json!({"sandbox": false})).await;
    let sandbox = account.client.sandbox();
    assert_api_error(sandbox.scenarios().await, 403, ErrorCode::SandboxDisabled);
    let set = sandbox.set(SetScenario::new(Scenario::Clean)).await;
    assert_api_error(set, 403, ErrorCode::SandboxDisabled);
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
    let error = account.client.call(bad).without_validation().send().await;
    let error = assert_api_error(error, 422, None);
    assert_eq!(
        error
            .field_errors()
            .map(|errors| errors.get("scenario").len()),
        Some(1)
    );
}
