//! sync-services (D6, D7).

use serde_json::{Value, json};

use crate::client::{Reply, Stage};

fn sync(stage: &Stage, services: Value) -> Reply {
    stage.acme.post(
        "/api/v1/billing/sync-services",
        json!({ "services": services, "module_version": "1.2" }),
    )
}

fn service(client: u64, service: u64, product: &str, status: &str) -> Value {
    json!({ "client_id": client, "service_id": service, "product_slug": product, "status": status })
}

#[test]
fn drift_is_corrected_and_reported_by_customer_d6_d7() {
    let stage = Stage::new();
    stage.slots(42, 1);
    stage.domain(42, "a.example");
    let report = sync(
        &stage,
        json!([
            service(42, 501, "domain_monitoring", "suspended"),
            service(42, 9, "port_monitoring", "active"),
        ]),
    )
    .expect(200);
    assert_eq!(report.at("/data/changed"), 1);
    assert_eq!(report.at("/data/unchanged"), 0);
    assert_eq!(
        report.at("/data/unknown_services"),
        json!([{ "service_id": 9, "client_id": 42, "product_slug": "port_monitoring" }]),
    );
    assert_eq!(
        report.at("/data/enforcement/42/domain_monitoring"),
        json!({
            "product_type": "domain_monitoring", "capacity": 0, "usage": 1, "over_quota": true,
            "newly_paused": ["a.example"], "unpaused": [],
        })
    );
    assert_eq!(
        report.at("/data/enforcement/42/port_monitoring/newly_paused"),
        json!([])
    );
    let back = sync(
        &stage,
        json!([service(42, 501, "domain_monitoring", "active")]),
    )
    .expect(200);
    assert_eq!(
        back.at("/data/enforcement/42/domain_monitoring/unpaused"),
        json!(["a.example"])
    );
}

#[test]
fn without_a_change_enforcement_is_an_empty_array() {
    let stage = Stage::new();
    stage.slots(42, 1);
    let report = sync(
        &stage,
        json!([service(42, 501, "domain_monitoring", "active")]),
    )
    .expect(200);
    assert_eq!(report.at("/data/unchanged"), 1);
    assert_eq!(report.at("/data/enforcement"), json!([]));
}

#[test]
fn every_wrong_field_of_every_service_is_named_and_nothing_is_applied_a8_a9() {
    let stage = Stage::new();
    stage.slots(42, 1);
    let mut extra = service(42, 501, "domain_monitoring", "suspended");
    extra["note"] = json!("x");
    let wrong = sync(
        &stage,
        json!([
            service(42, 501, "domain_monitoring", "suspended"),
            extra,
            service(0, 0, "coffee", "terminated"),
            7,
        ]),
    )
    .expect(422);
    assert_eq!(
        wrong.wrong_fields(),
        [
            "services.1.note",
            "services.2.client_id",
            "services.2.product_slug",
            "services.2.service_id",
            "services.2.status",
            "services.3",
        ]
    );
    let again = sync(
        &stage,
        json!([service(42, 501, "domain_monitoring", "active")]),
    )
    .expect(200);
    assert_eq!(
        again.at("/data/unchanged"),
        1,
        "the first entry was not applied"
    );
}

#[test]
fn one_to_five_hundred_services_fit() {
    let stage = Stage::new();
    let many = |count: usize| Value::Array(vec![service(1, 1, "endpoint", "active"); count]);
    for wrong in [many(0), many(501), json!({}), Value::Null] {
        assert_eq!(sync(&stage, wrong).expect(422).wrong_fields(), ["services"]);
    }
    let report = sync(&stage, many(500)).expect(200);
    assert_eq!(
        report.at("/data/unknown_services").as_array().map(Vec::len),
        Some(500)
    );
    let version = json!({ "services": many(1), "module_version": "x".repeat(21) });
    let wrong = stage
        .acme
        .post("/api/v1/billing/sync-services", version)
        .expect(422);
    assert_eq!(wrong.wrong_fields(), ["module_version"]);
}

#[test]
fn it_exists_in_the_billing_namespace_only() {
    let stage = Stage::new();
    stage
        .acme
        .post("/api/v1/provisioning/sync-services", json!({}))
        .expect(404);
}
