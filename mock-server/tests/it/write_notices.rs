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

/// Reports services of customer 42, and tells the codes of the notices.
fn sync(stage: &Stage, services: &[(u32, &str)]) -> Vec<String> {
    let services: Vec<Value> = services
        .iter()
        .map(|(id, status)| {
            let mut service = service(*id);
            service["status"] = json!(status);
            service
        })
        .collect();
    post(
        stage,
        "billing/sync-services",
        json!({ "services": services }),
    )
}

#[test]
fn a_sync_that_brings_back_what_was_ended_is_noticed_m10() {
    let stage = Stage::new();
    for status in ["active", "suspended"] {
        begin(&stage, 7, "starter");
        end(&stage, 7);
        assert_eq!(sync(&stage, &[(7, "cancelled")]), no_codes());
        assert_eq!(
            sync(&stage, &[(8, "active"), (7, status)]),
            ["revived_by_sync"]
        );
        let sentence = "account acme: sync_services brings back service 7 (port_monitoring) of customer 42, which terminate_subscription ended; report it as cancelled, or send provision_subscription where it is ordered again";
        assert_eq!(noticed(&stage)[0].1, sentence);
        assert_eq!(sync(&stage, &[(7, status)]), no_codes(), "it is back");
    }
}

#[test]
fn a_sync_may_bring_back_what_a_sync_ended_or_what_is_ordered_again_m10() {
    let stage = Stage::new();
    begin(&stage, 7, "starter");
    sync(&stage, &[(7, "cancelled")]);
    assert_eq!(
        sync(&stage, &[(7, "active")]),
        no_codes(),
        "a sync ended it"
    );
    sync(&stage, &[(7, "cancelled")]);
    end(&stage, 7);
    assert_eq!(
        sync(&stage, &[(7, "active")]),
        no_codes(),
        "it had ended already"
    );
    end(&stage, 7);
    begin(&stage, 7, "starter");
    assert_eq!(
        sync(&stage, &[(7, "suspended")]),
        no_codes(),
        "it is ordered again"
    );
    sync(&stage, &[(7, "cancelled")]);
    assert_eq!(
        sync(&stage, &[(7, "active")]),
        no_codes(),
        "a sync ended it last"
    );
    end(&stage, 7);
    assert_eq!(sync(&stage, &[(8, "active")]), no_codes(), "another line");
}

#[test]
fn ten_reports_of_one_service_each_are_noticed_while_time_passes_m10() {
    let report = |stage: &Stage, services: std::ops::Range<u32>| {
        services
            .map(|id| sync(stage, &[(id, "active")]))
            .collect::<Vec<_>>()
    };
    let (codes, told) = at_once(|| {
        let stage = Stage::of_real_time();
        let codes = report(&stage, 1..11);
        (codes, noticed(&stage))
    });
    assert!(codes[..9].iter().all(Vec::is_empty), "{codes:?}");
    assert_eq!(codes[9], ["piecemeal_sync"]);
    let sentence = "account acme: sync_services was called 10 times within 10 s with one service each; send up to 500 in one call";
    assert_eq!(told[0].1, sentence);

    let stage = Stage::of_real_time();
    for _ in 0..12 {
        assert_eq!(
            sync(&stage, &[(7, "active")]),
            no_codes(),
            "the same service"
        );
        let both = sync(&stage, &[(8, "active"), (9, "active")]);
        assert_eq!(both, no_codes(), "two in one");
    }
    report(&stage, 20..28);
    stage.advance(10);
    assert_eq!(
        sync(&stage, &[(30, "active")]),
        no_codes(),
        "time has passed"
    );
    let codes = report(&Stage::new(), 1..21);
    assert!(codes.iter().all(Vec::is_empty), "time stands");
}

#[test]
fn tokens_that_nobody_opens_are_noticed_m10() {
    let token = |stage: &Stage, customer: u64| {
        let body = json!({ "billing_customer_id": customer });
        let made = stage.acme.post("/api/v1/sso/token", body).expect(200);
        (last(stage), crate::client::text(&made.at("/data/token")))
    };
    let stage_of_two = |stage: Stage| {
        stage.endpoint(42, "192.0.2.1");
        stage.endpoint(43, "192.0.2.2");
        stage
    };
    let (codes, told) = at_once(|| {
        let stage = stage_of_two(Stage::of_real_time());
        let made = [42, 43, 42, 42].map(|customer| token(&stage, customer).0);
        (made, noticed(&stage))
    });
    assert_eq!(codes[..3], [no_codes(), no_codes(), no_codes()]);
    assert_eq!(codes[3], ["unused_tokens"]);
    let sentence = "account acme: create_sso_token makes more than 2 tokens for customer 42 within 10 s, and none of them was opened; ask for one when the customer opens the portal, not with each page";
    assert_eq!(told[0].1, sentence);

    let stage = stage_of_two(Stage::of_real_time());
    for _ in 0..3 {
        token(&stage, 42);
        let (codes, opened) = token(&stage, 42);
        assert_eq!(codes, no_codes(), "one was opened before");
        stage
            .anyone
            .get(&format!("/sso?token={opened}"))
            .expect(200);
    }
    token(&stage, 43);
    token(&stage, 43);
    stage.advance(10);
    assert_eq!(token(&stage, 43).0, no_codes(), "time has passed");
    let stage = stage_of_two(Stage::new());
    for _ in 0..4 {
        assert_eq!(token(&stage, 42).0, no_codes(), "time stands");
    }
}
