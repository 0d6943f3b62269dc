//! Notices about writing calls: refused over and over, a service made anew, both namespaces (M10).

use serde_json::{Value, json};

use crate::client::Stage;
use crate::notices::{last, no_codes, noticed};

/// A call under /api/v1/, and the codes of its notices.
fn post(stage: &Stage, path: &str, body: Value) -> Vec<String> {
    stage.acme.post(&format!("/api/v1/{path}"), body);
    last(stage)
}

/// A change to fewer slots than there are domains, which is refused.
fn downgrade(stage: &Stage) -> Vec<String> {
    let body = json!({
        "client_id": 42, "service_id": 501, "product_slug": "domain_monitoring", "new_quantity": 1,
    });
    post(stage, "billing/change-subscription", body)
}

fn two_domains() -> Stage {
    let stage = Stage::new();
    stage.slots(42, 3);
    for domain in ["a.example", "b.example"] {
        let body = json!({ "client_id": 42, "service_id": 501, "domain": domain });
        stage
            .acme
            .post("/api/v1/billing/provision-domain", body)
            .expect(201);
    }
    stage
}

#[test]
fn a_call_that_is_refused_three_times_is_noticed_m10() {
    let stage = two_domains();
    assert_eq!(downgrade(&stage), no_codes());
    assert_eq!(downgrade(&stage), no_codes());
    stage
        .acme
        .get("/api/v1/domains?billing_customer_id=42")
        .expect(200);
    assert_eq!(
        downgrade(&stage),
        ["refused_repeat"],
        "a read changes nothing"
    );
    let sentence = "account acme: change_subscription was refused 3 times in 10 s with 422 DOWNGRADE_USAGE_EXCEEDED; send it again only after something has changed";
    assert_eq!(noticed(&stage)[0].1, sentence);
}

#[test]
fn a_refused_call_may_come_again_once_something_has_changed_or_time_has_passed_m10() {
    let stage = two_domains();
    for _ in 0..2 {
        downgrade(&stage);
    }
    stage.endpoint(42, "192.0.2.1");
    for _ in 0..2 {
        assert_eq!(downgrade(&stage), no_codes(), "something was changed");
    }
    stage.advance(10);
    for _ in 0..2 {
        assert_eq!(downgrade(&stage), no_codes(), "time has passed");
    }
}

#[test]
fn refusals_of_different_calls_and_of_reads_are_not_counted_together_m10() {
    let stage = Stage::new();
    for number in 1..=4 {
        let body = json!({ "client_id": 42, "ip_address": format!("no address {number}") });
        assert_eq!(post(&stage, "billing/provision", body), no_codes());
    }
    for number in 1..=4 {
        let broken = format!("{{{number}");
        stage
            .acme
            .send("POST", "/api/v1/billing/provision", broken.as_bytes());
        assert_eq!(last(&stage), no_codes(), "other bytes");
    }
    for _ in 0..4 {
        let unknown =
            "/api/v1/endpoints/6d5c2f7e-52f2-4f0e-8c55-0c1de1a8f2aa?billing_customer_id=42";
        stage.acme.get(unknown).expect(404);
        assert_eq!(last(&stage), no_codes(), "a read");
    }
    let endpoint = stage.endpoint(42, "192.0.2.1");
    stage
        .acme
        .post(
            "/api/v1/billing/suspend",
            json!({ "endpoint_id": endpoint }),
        )
        .expect(200);
    for _ in 0..4 {
        let body = json!({ "client_id": 42, "endpoint_id": endpoint });
        assert_eq!(
            post(&stage, "billing/scan-endpoint", body),
            no_codes(),
            "409"
        );
    }
}

#[test]
fn a_subscription_that_is_made_anew_with_another_offer_is_noticed_m10() {
    let service = json!({ "client_id": 42, "service_id": 7, "product_slug": "port_monitoring" });
    let with_plan = |plan: &str| {
        let mut body = service.clone();
        body["plan_slug"] = json!(plan);
        body
    };
    let stage = Stage::new();
    let terminate = || post(&stage, "billing/terminate-subscription", service.clone());
    let provision = |plan| post(&stage, "billing/provision-subscription", with_plan(plan));
    assert_eq!(provision("starter"), no_codes());
    assert_eq!(provision("business"), no_codes(), "it was not terminated");
    assert_eq!(terminate(), no_codes());
    assert_eq!(provision("starter"), ["recreated_subscription"]);
    let sentence = "account acme: provision_subscription gives service 7 (port_monitoring) of customer 42 another plan or quantity right after it was terminated; use change_subscription, which keeps what is monitored";
    assert_eq!(noticed(&stage)[0].1, sentence);
    terminate();
    assert_eq!(provision("starter"), no_codes(), "the same plan");
    terminate();
    let mut other = with_plan("business");
    other["service_id"] = json!(8);
    let other = post(&stage, "billing/provision-subscription", other);
    assert_eq!(other, no_codes(), "another service");
    stage.advance(10);
    assert_eq!(provision("business"), no_codes(), "time has passed");
}

#[test]
fn a_key_that_uses_both_namespaces_is_noticed_m10() {
    let stage = Stage::new();
    let provision = |namespace: &str, address: &str| {
        let body = json!({ "client_id": 42, "ip_address": address });
        post(&stage, &format!("{namespace}/provision"), body)
    };
    let sync = || {
        let service = json!({
            "service_id": 1, "client_id": 42, "product_slug": "endpoint", "status": "active",
        });
        post(
            &stage,
            "billing/sync-services",
            json!({ "services": [service] }),
        )
    };
    assert_eq!(sync(), no_codes());
    assert_eq!(provision("provisioning", "192.0.2.1"), no_codes());
    assert_eq!(sync(), no_codes(), "it is in the billing namespace only");
    assert_eq!(provision("billing", "192.0.2.2"), ["two_namespaces"]);
    let sentence = "account acme: provision_endpoint is called under /api/v1/billing/ after calls under /api/v1/provisioning/; the two are identical, pick one for all calls and stay with it";
    assert_eq!(noticed(&stage)[0].1, sentence);
    assert_eq!(provision("provisioning", "192.0.2.3"), no_codes());
}
