//! Notices about writing calls: refused over and over, a service made anew, both namespaces (M10).

use std::time::{Duration, Instant};

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

fn with_two_domains(stage: Stage) -> Stage {
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

/// What calls come to that take less than the ten seconds of a notice; a busy machine is given another try.
fn at_once<T>(calls: impl Fn() -> T) -> T {
    let deadline = Instant::now() + Duration::from_secs(120);
    loop {
        let began = Instant::now();
        let outcome = calls();
        if began.elapsed() < Duration::from_secs(9) {
            return outcome;
        }
        assert!(Instant::now() < deadline, "the machine is too slow");
    }
}

#[test]
fn a_call_that_is_refused_three_times_is_noticed_m10() {
    let (codes, noticed) = at_once(|| {
        let stage = with_two_domains(Stage::of_real_time());
        let mut codes = vec![downgrade(&stage), downgrade(&stage)];
        // A read changes nothing.
        let domains = "/api/v1/domains?billing_customer_id=42";
        stage.acme.get(domains).expect(200);
        codes.push(downgrade(&stage));
        (codes, noticed(&stage))
    });
    assert_eq!(codes[..2], [no_codes(), no_codes()]);
    assert_eq!(codes[2], ["refused_repeat"]);
    let sentence = "account acme: change_subscription was refused 3 times in 10 s with 422 DOWNGRADE_USAGE_EXCEEDED; send it again only after something has changed";
    assert_eq!(noticed[0].1, sentence);
}

#[test]
fn a_refused_call_may_come_again_once_something_has_changed_or_time_has_passed_m10() {
    let stage = with_two_domains(Stage::of_real_time());
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
fn where_the_clock_stands_no_call_comes_soon_after_another_m10() {
    let stage = with_two_domains(Stage::new());
    for _ in 0..4 {
        assert_eq!(downgrade(&stage), no_codes());
    }
    stage.endpoint(42, "192.0.2.1");
    for plan in ["starter", "business"] {
        assert_eq!(begin(&stage, 7, plan), no_codes(), "{plan}");
        end(&stage, 7);
    }
}

#[test]
fn refusals_of_different_calls_and_of_reads_are_not_counted_together_m10() {
    let stage = Stage::of_real_time();
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

fn service(id: u32) -> Value {
    json!({ "client_id": 42, "service_id": id, "product_slug": "port_monitoring" })
}

fn end(stage: &Stage, id: u32) -> Vec<String> {
    post(stage, "billing/terminate-subscription", service(id))
}

fn begin(stage: &Stage, id: u32, plan: &str) -> Vec<String> {
    let mut body = service(id);
    body["plan_slug"] = json!(plan);
    post(stage, "billing/provision-subscription", body)
}

#[test]
fn a_subscription_that_is_made_anew_with_another_offer_is_noticed_m10() {
    let (codes, noticed) = at_once(|| {
        let stage = Stage::of_real_time();
        stage.endpoint(42, "192.0.2.1");
        let codes = [
            begin(&stage, 7, "business"),
            end(&stage, 7),
            begin(&stage, 7, "starter"),
        ];
        (codes, noticed(&stage))
    });
    assert_eq!(codes[..2], [no_codes(), no_codes()]);
    assert_eq!(codes[2], ["recreated_subscription"]);
    let sentence = "account acme: provision_subscription gives service 7 (port_monitoring) of customer 42 another plan or quantity right after it was terminated; use change_subscription, which keeps what is monitored";
    assert_eq!(noticed[0].1, sentence);
}

#[test]
fn a_customer_who_left_may_come_back_with_another_offer_m10() {
    let stage = Stage::of_real_time();
    let server = stage.endpoint(42, "192.0.2.1");
    stage.endpoint(43, "192.0.2.2");
    stage.slots(42, 2);
    stage.domain(42, "a.example");
    begin(&stage, 7, "starter");
    stage
        .acme
        .post(
            "/api/v1/billing/terminate",
            json!({ "endpoint_id": server }),
        )
        .expect(200);
    end(&stage, 7);
    let codes = begin(&stage, 7, "business");
    assert_eq!(
        codes,
        no_codes(),
        "what others have, or domains, is not kept by it"
    );
}

#[test]
fn a_subscription_may_come_back_as_it_was_or_later_m10() {
    let stage = Stage::of_real_time();
    stage.endpoint(42, "192.0.2.1");
    begin(&stage, 7, "starter");
    let again = begin(&stage, 7, "business");
    assert_eq!(again, no_codes(), "it was not terminated");
    end(&stage, 7);
    let same = begin(&stage, 7, "business");
    assert_eq!(same, no_codes(), "the same plan");
    end(&stage, 7);
    let other = begin(&stage, 8, "starter");
    assert_eq!(other, no_codes(), "another service");
    stage.advance(10);
    let later = begin(&stage, 7, "starter");
    assert_eq!(later, no_codes(), "time has passed");
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
