//! Corrections, pages, lists and tokens.

use crate::{SERVER, endpoint, file, module, server};
use secmon::operations::ServiceReport;
use secmon::testing::{self, Script};
use secmon::transport::TransportErrorKind;
use secmon::{ApiKey, ErrorKind};
use secmon_examples::billing::policy::{Next, next};
use secmon_examples::billing::queue::{Hook, Queue};
use secmon_examples::billing::{nightly, page, sso};
use serde_json::{Value, json};

#[tokio::test(start_paused = true)]
async fn a_correction_never_claims_what_nobody_told() {
    let script = Script::new();
    let report = |service: u64| {
        let (customer, service) = (
            "42".parse().expect("an id"),
            service.try_into().expect("an id"),
        );
        ServiceReport::new(customer, service, "port_monitoring", "suspended")
    };
    let services: Vec<ServiceReport> = (1..=1501).map(report).collect();
    let told = json!({"changed": 2, "unchanged": 498, "unknown_services": [9], "enforcement": {"42": {
        "port_monitoring": {"product_type": "port_monitoring", "capacity": 0, "usage": 1, "over_quota": true,
            "newly_paused": ["203.0.113.1"], "unpaused": []},
        "domain_monitoring": {"product_type": "domain_monitoring", "capacity": 1, "usage": 1, "over_quota": false}}}});
    script.respond(testing::success(told));
    script.fail(TransportErrorKind::Interrupted);
    let nothing =
        json!({"changed": 0, "unchanged": 500, "unknown_services": [], "enforcement": []});
    script.respond(testing::success(nothing));
    script.respond(testing::success(json!({"unchanged": 500})));
    script.respond(testing::validation_error(&[("services.0.status", "No.")]));
    let result = nightly::correct(&module(&script).background, &services).await;
    script.assert_done();
    assert_eq!(
        script.requests()[0].body["services"]
            .as_array()
            .map(Vec::len),
        Some(500)
    );
    assert_eq!(
        (result.reported, result.changed.to_string().as_str()),
        (1500, "at least 2")
    );
    assert_eq!(
        (
            result.unknown.as_slice(),
            result.paused[0].resources[0].as_str()
        ),
        (&["9".to_owned()][..], "203.0.113.1")
    );
    // Two lists that the first answer left out, the lost answer, and two members of the third.
    assert_eq!(result.open.len(), 5, "{:?}", result.open);
    assert_eq!((result.failed[0].0, result.failed[0].1), (1500, 1));
    let silent = nightly::Tally { told: 0, silent: 1 };
    assert_eq!(
        (silent.to_string(), nightly::Tally::default().to_string()),
        ("not known".to_owned(), "0".to_owned())
    );
}

#[tokio::test(start_paused = true)]
async fn a_page_sends_the_customer_everywhere_and_keeps_what_it_does_not_know() {
    let script = Script::new();
    let mut foreign = endpoint("active");
    (foreign["id"], foreign["billing_customer_id"]) =
        (json!("6f9619ff-8b86-4011-b42d-00c04fc96400"), json!(43));
    script.on("list_endpoints").respond(testing::page(
        vec![endpoint("hibernating"), foreign],
        1,
        10,
        12,
    ));
    let detail = json!({"data": endpoint("hibernating"), "latest_scan": null, "alerts": [{
        "id": SERVER, "port": 22, "protocol": "sctp", "severity": "apocalyptic", "status": "open"}],
        "whitelisted_ports": [], "new_ports": [], "closed_ports": []});
    script
        .on("get_endpoint_detail")
        .respond(testing::document(detail));
    let domain = json!({"id": SERVER, "domain": "example.com", "status": "dozing", "employees_compromised": 3});
    script.on("list_domains").respond(testing::success(
        json!({"subscribed": true, "domains": [domain]}),
    ));
    let page = page::read(&module(&script).screen, "42".parse().expect("an id"), 1).await;
    script.assert_done();
    for request in script.requests() {
        assert!(
            request.query.contains("billing_customer_id=42"),
            "{request}"
        );
    }
    let json = serde_json::to_value(&page).expect("JSON");
    assert_eq!(json["servers"].as_array().map(Vec::len), Some(1));
    let server = &json["servers"][0];
    assert_eq!(
        (&server["status"], &server["open_ports"]),
        (&json!("hibernating"), &Value::Null)
    );
    let alert = &server["alerts"][0];
    assert_eq!(
        (&alert["severity"], &alert["protocol"]),
        (&json!("apocalyptic"), &json!("sctp"))
    );
    let domain = &json["domains"]["domains"][0];
    assert_eq!(
        (
            &domain["employees"],
            &domain["customers"],
            &domain["status"]
        ),
        (&json!(3), &Value::Null, &json!("dozing"))
    );
    assert_eq!(json["next_servers"], json!(2));
}

#[tokio::test(start_paused = true)]
async fn a_list_that_ends_too_early_is_no_short_list() {
    let (script, file) = (Script::new(), file("partial"));
    let mut queue = Queue::open(&file).expect("a queue");
    queue
        .take("d1", Hook::Terminated, &server())
        .expect("written");
    // Two in all, says the page, and then there is nothing: the server may be the other one.
    let mut other = endpoint("active");
    other["ip_address"] = json!("203.0.113.1");
    script.respond(testing::page(vec![other], 1, 1, 2));
    script.respond(testing::page(vec![], 2, 1, 2));
    let outcomes = queue
        .work(&module(&script).background, 0)
        .await
        .expect("written");
    assert!(
        matches!(outcomes[0].next, Next::AskOperator(_)),
        "{outcomes:?}"
    );
    script.assert_done();
}

#[tokio::test(start_paused = true)]
async fn a_token_shows_nowhere_and_a_new_key_ends_the_refusal() {
    let script = Script::new();
    let module = module(&script);
    let customer = "42".parse().expect("an id");
    script.respond(testing::unauthenticated());
    let error = sso::sign_in(&module.screen, customer, None)
        .await
        .expect_err("no key");
    assert!(matches!(next(&error), Next::Halt(_)));
    let error = sso::sign_in(&module.background, customer, None)
        .await
        .expect_err("not even sent");
    assert_eq!(
        (error.kind(), script.requests().len()),
        (ErrorKind::KeyRejected, 1)
    );
    module.rotate_key("the-second-key").expect("a key");
    script.respond(testing::success(
        json!({"token": "very-secret-token", "expires_at": "2026-01-01T00:00:00+00:00"}),
    ));
    let link = sso::sign_in(&module.screen, customer, None)
        .await
        .expect("a link");
    assert!(script.requests()[1].key_is(&ApiKey::new("the-second-key").expect("a key")));
    assert_eq!(format!("{link:?}"), "SignIn(hidden)");
    assert_eq!(
        link.into_location(),
        "https://portal.example.com/sso?token=very-secret-token"
    );
    script.respond(testing::success(
        json!({"token": 7, "hint": "very-secret-token"}),
    ));
    let error = sso::sign_in(&module.screen, customer, None)
        .await
        .expect_err("no token");
    assert!(
        !format!("{error} {error:?} {:?}", error.body_snippet()).contains("very-secret"),
        "{error:?}"
    );
}
