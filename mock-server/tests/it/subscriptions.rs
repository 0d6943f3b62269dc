//! Subscriptions and capacity over HTTP (B4 to B8, D1 to D5).

use serde_json::{Value, json};

use crate::client::{Reply, Stage, coded};

fn call(stage: &Stage, operation: &str, more: Value) -> Reply {
    let mut body = json!({ "client_id": 42, "service_id": 7, "product_slug": "port_monitoring" });
    if let (Some(body), Some(more)) = (body.as_object_mut(), more.as_object()) {
        body.extend(more.clone());
    }
    stage
        .acme
        .post(&format!("/api/v1/billing/{operation}-subscription"), body)
}

#[test]
fn a_subscription_is_created_then_updated() {
    let stage = Stage::new();
    let made = call(
        &stage,
        "provision",
        json!({ "plan_slug": "starter", "quantity": 9, "mrr": 5 }),
    )
    .expect(201);
    assert_eq!(made.at("/data/product_slug"), "port_monitoring");
    assert_eq!(made.at("/data/plan_slug"), "starter");
    assert_eq!(made.at("/data/quantity"), 1);
    assert_eq!(made.at("/data/status"), "active");
    let updated = call(&stage, "provision", json!({ "plan_slug": "business" })).expect(200);
    assert_eq!(
        updated.at("/data/subscription_id"),
        made.at("/data/subscription_id")
    );
    assert_eq!(updated.at("/data/plan_slug"), "business");
    let list = stage.acme.get("/api/v1/endpoints?billing_customer_id=42");
    assert_eq!(list.at("/meta/endpoint_limit"), 100);
}

#[test]
fn plans_are_judged_with_the_other_fields_b4() {
    let stage = Stage::new();
    let wrong = call(
        &stage,
        "provision",
        json!({ "quantity": 0, "mrr": 0, "client_email": "x" }),
    )
    .expect(422);
    assert_eq!(
        wrong.wrong_fields(),
        ["client_email", "mrr", "plan_slug", "quantity"]
    );
    let unknown = call(
        &stage,
        "provision",
        json!({ "plan_slug": "golden", "service_id": "x" }),
    )
    .expect(422);
    assert_eq!(unknown.wrong_fields(), ["plan_slug", "service_id"]);
    call(&stage, "provision", json!({ "plan_slug": "starter" })).expect(201);
    call(&stage, "provision", json!({})).expect(200);
    let change = call(&stage, "change", json!({ "new_plan_slug": "golden" })).expect(422);
    assert_eq!(change.wrong_fields(), ["new_plan_slug"]);
    let both = json!({ "client_id": 0, "new_plan_slug": "golden" });
    let change = call(&stage, "change", both).expect(422);
    assert_eq!(change.wrong_fields(), ["client_id", "new_plan_slug"]);
}

#[test]
fn transitions_move_the_status_and_repeat_with_a_note_d3() {
    let stage = Stage::new();
    call(&stage, "provision", json!({ "plan_slug": "starter" })).expect(201);
    for (operation, status) in [
        ("suspend", "suspended"),
        ("resume", "active"),
        ("terminate", "cancelled"),
    ] {
        let first = call(&stage, operation, json!({})).expect(200);
        assert_eq!(first.at("/data/status"), status);
        assert!(first.at("/data/subscription_id").is_string());
        assert!(
            call(&stage, operation, json!({}))
                .expect(200)
                .at("/data/note")
                .is_string()
        );
    }
    coded(
        call(&stage, "suspend", json!({})),
        422,
        "SUBSCRIPTION_NOT_CHANGEABLE",
    );
    coded(
        call(&stage, "change", json!({ "new_plan_slug": "business" })),
        422,
        "SUBSCRIPTION_NOT_CHANGEABLE",
    );
}

#[test]
fn errors_come_in_the_order_product_client_subscription_d1() {
    let stage = Stage::new();
    for operation in ["suspend", "resume", "terminate"] {
        coded(
            call(&stage, operation, json!({ "product_slug": "coffee" })),
            404,
            "PRODUCT_NOT_FOUND",
        );
        coded(
            call(&stage, operation, json!({})),
            404,
            "BILLING_CLIENT_NOT_FOUND",
        );
    }
    coded(
        call(&stage, "change", json!({ "new_quantity": 2 })),
        404,
        "SUBSCRIPTION_NOT_FOUND",
    );
    coded(
        call(&stage, "provision", json!({ "product_slug": "coffee" })),
        404,
        "PRODUCT_NOT_FOUND",
    );
    call(&stage, "provision", json!({ "plan_slug": "starter" })).expect(201);
    let other = json!({ "product_slug": "domain_monitoring" });
    coded(
        call(&stage, "suspend", other),
        404,
        "SUBSCRIPTION_NOT_FOUND",
    );
}

#[test]
fn a_change_says_its_direction_and_what_was_before_d4() {
    let stage = Stage::new();
    call(&stage, "provision", json!({ "plan_slug": "starter" })).expect(201);
    let up = call(&stage, "change", json!({ "new_plan_slug": "business" })).expect(200);
    for (field, value) in [
        ("changed", json!(true)),
        ("plan_slug", json!("business")),
        ("direction", json!("upgrade")),
        ("previous_plan_slug", json!("starter")),
        ("effective_at", json!("2026-01-01T00:00:00+00:00")),
        ("quantity", json!(1)),
        ("previous_quantity", json!(1)),
    ] {
        assert_eq!(up.at(&format!("/data/{field}")), value, "{field}");
    }
    let same = call(&stage, "change", json!({ "new_plan_slug": "business" })).expect(200);
    assert_eq!(same.at("/data/changed"), false);
    assert_eq!(same.at("/data/direction"), Value::Null);
    let neither = call(&stage, "change", json!({})).expect(422);
    assert_eq!(neither.wrong_fields(), ["new_plan_slug", "new_quantity"]);
}

#[test]
fn a_downgrade_below_the_usage_is_refused_unless_forced_d5() {
    let stage = Stage::new();
    stage.slots(42, 3);
    for name in ["a.example", "b.example", "c.example"] {
        stage.domain(42, name);
    }
    let shrink = |force: bool| {
        let more = json!({ "service_id": 501, "product_slug": "domain_monitoring", "new_quantity": 1, "force": force });
        call(&stage, "change", more)
    };
    let refused = coded(shrink(false), 422, "DOWNGRADE_USAGE_EXCEEDED");
    assert_eq!(
        refused.at("/error/details"),
        json!({ "current_usage": 3, "new_limit": 1 })
    );
    shrink(true).expect(200);
    let domains = stage.acme.get("/api/v1/domains?billing_customer_id=42");
    let paused: Vec<Value> = (0..3)
        .map(|place| domains.at(&format!("/data/domains/{place}/quota_paused")))
        .collect();
    assert_eq!(paused, [json!(false), json!(true), json!(true)]);
}

#[test]
fn losing_capacity_pauses_the_newest_and_regaining_it_unpauses_b7() {
    let stage = Stage::new();
    call(&stage, "provision", json!({ "plan_slug": "business" })).expect(201);
    let first = stage.endpoint(42, "192.0.2.1");
    call(&stage, "suspend", json!({})).expect(200);
    let shown = || stage.acme.get(&format!("/api/v1/endpoints/{first}"));
    assert_eq!(shown().at("/data/status"), "paused");
    assert_eq!(shown().at("/data/quota_paused"), true);
    coded(
        stage
            .acme
            .post("/api/v1/billing/resume", json!({ "endpoint_id": first })),
        403,
        "ENDPOINT_LIMIT_EXCEEDED",
    );
    call(&stage, "resume", json!({})).expect(200);
    assert_eq!(shown().at("/data/status"), "active");
    assert_eq!(shown().at("/data/quota_paused"), false);
}
