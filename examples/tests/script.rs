//! The module against scripted answers: no network, and time that passes at once.

use secmon::operations::{
    ChangeSubscription, GetEndpoint, ListCredentialLeaks, ProvisionEndpoint, ResumeEndpoint,
    ResumeSubscription, ScanEndpoint, ServiceReport, TerminateEndpoint, TerminateSubscription,
};
use secmon::testing::{self, Script};
use secmon::transport::TransportErrorKind;
use secmon::{ApiKey, Error, ErrorCode, ErrorKind, Operation};
use secmon_examples::billing::bulk::{Bulk, State};
use secmon_examples::billing::policy::{Next, next};
use secmon_examples::billing::queue::{Goods, Hook, Order, Queue};
use secmon_examples::billing::{Module, nightly, page, sso, watch};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

const SERVER: &str = "6f9619ff-8b86-4011-b42d-00c04fc964ff";

fn module(script: &Arc<Script>) -> Module {
    Module::connect_with("https://portal.example.com", "the-first-key", |client| {
        client.transport(script.clone())
    })
    .expect("a module")
}

/// An alert that was open before the module was started again.
fn old_alert() -> secmon::watch::CustomerAlert {
    let id = "0f8fad5b-d9cb-469f-a165-70867728950e";
    testing::model(json!({"port": {"id": id, "port": 80, "protocol": "tcp", "status": "open"}}))
}

fn file(name: &str) -> PathBuf {
    let file = std::env::temp_dir().join(format!(
        "secmon-examples-{name}-{}.json",
        std::process::id()
    ));
    let _ = std::fs::remove_file(&file);
    file
}

fn order(service: u64, goods: Goods) -> Order {
    let (customer, service) = (
        "42".parse().expect("an id"),
        service.try_into().expect("an id"),
    );
    Order {
        customer,
        service,
        goods,
        client_name: None,
    }
}

fn server() -> Order {
    order(7, Goods::Server("2001:db8::1".into()))
}

fn endpoint(status: &str) -> Value {
    json!({"id": SERVER, "ip_address": "2001:DB8:0::1", "status": status, "billing_customer_id": 42})
}

fn refused<O: Operation>(status: u16, code: ErrorCode) -> Next {
    let answer = testing::api_error_with(
        status.try_into().expect("a status"),
        code,
        "No.",
        json!({"current_usage": 8, "new_limit": 5, "retry_after_seconds": 90}),
    );
    next(&testing::error::<O>(answer))
}

#[test]
fn every_code_has_a_policy() {
    let customer = |next: &Next| matches!(next, Next::AskCustomer(_));
    let operator = |next: &Next| matches!(next, Next::AskOperator(_));
    let halt = |next: &Next| matches!(next, Next::Halt(_));
    for code in ErrorCode::named() {
        let got = refused::<GetEndpoint>(403, code.clone());
        let right = match code.to_str().as_ref() {
            "TENANT_NOT_FOUND" | "TENANT_MISMATCH" | "ACCOUNT_SUSPENDED" => halt(&got),
            "ENDPOINT_LIMIT_EXCEEDED" | "DOMAIN_LIMIT_EXCEEDED" | "ENDPOINT_NOT_ACTIVE" => {
                customer(&got)
            }
            "DOMAIN_ALREADY_EXISTS" | "DOWNGRADE_USAGE_EXCEEDED" | "DNS_RESOLUTION_FAILED" => {
                customer(&got)
            }
            "ENDPOINT_NOT_FOUND" | "DOMAIN_NOT_FOUND" | "ALERT_NOT_ACKNOWLEDGED" => {
                got == Next::LookFirst
            }
            "ALERT_NOT_FOUND" | "ALERT_ALREADY_RESOLVED" => got == Next::Done,
            "RATE_LIMITED" => got == Next::RetryLater { after: Some(91) },
            "SCAN_DISPATCH_FAILED" | "SCANNING_UNAVAILABLE" => {
                matches!(got, Next::RetryLater { after: Some(_) })
            }
            _ => operator(&got),
        };
        assert!(right, "{code}: {got:?}");
    }
}

#[test]
fn what_an_error_means_depends_on_the_call() {
    assert_eq!(
        refused::<TerminateEndpoint>(404, ErrorCode::EndpointNotFound),
        Next::Done
    );
    assert_eq!(
        refused::<ResumeEndpoint>(404, ErrorCode::EndpointNotFound),
        Next::LookFirst
    );
    assert_eq!(
        refused::<TerminateSubscription>(404, ErrorCode::SubscriptionNotFound),
        Next::Done
    );
    let resume = refused::<ResumeSubscription>(404, ErrorCode::SubscriptionNotFound);
    assert!(matches!(resume, Next::AskOperator(_)), "{resume:?}");
    let change = refused::<ChangeSubscription>(422, ErrorCode::DowngradeUsageExceeded);
    assert_eq!(
        change,
        Next::AskCustomer("8 are in use, and the smaller plan holds 5.".to_owned())
    );
    let fields = testing::validation_error(&[("ip_address", "The ip address is invalid.")]);
    let Next::AskCustomer(sentence) = next(&testing::error::<ProvisionEndpoint>(fields)) else {
        panic!("no sentence")
    };
    assert!(
        sentence.contains("The ip address is invalid."),
        "{sentence}"
    );
}

#[test]
fn every_way_to_lose_an_answer_has_a_policy() {
    use TransportErrorKind::{
        BodyTooLarge, Connect, Interrupted, Proxy, Redirected, Refused, Timeout, Tls,
    };
    fn lost<O: Operation>(kind: TransportErrorKind) -> Next {
        next(&testing::failure::<O>(kind))
    }
    for kind in [Tls, Proxy, Redirected, Refused] {
        assert!(
            matches!(lost::<ProvisionEndpoint>(kind), Next::Halt(_)),
            "{kind:?}"
        );
    }
    for kind in [Connect, Timeout, Interrupted] {
        assert!(
            matches!(lost::<ProvisionEndpoint>(kind), Next::RetryLater { .. }),
            "{kind:?}"
        );
    }
    assert!(matches!(
        lost::<ScanEndpoint>(Connect),
        Next::RetryLater { .. }
    ));
    assert_eq!(lost::<ScanEndpoint>(Interrupted), Next::LookFirst);
    assert_eq!(lost::<ProvisionEndpoint>(BodyTooLarge), Next::LookFirst);
    assert!(matches!(
        lost::<GetEndpoint>(BodyTooLarge),
        Next::AskOperator(_)
    ));
    let missing = testing::resource_error(404.try_into().expect("a status"), "Not found.");
    let gateway = || testing::html(502.try_into().expect("a status"), "<h1>Bad gateway</h1>");
    assert!(matches!(
        next(&testing::error::<GetEndpoint>(gateway())),
        Next::RetryLater { .. }
    ));
    assert_eq!(
        next(&testing::error::<ChangeSubscription>(gateway())),
        Next::LookFirst
    );
    assert_eq!(
        next(&testing::error::<GetEndpoint>(missing)),
        Next::LookFirst
    );
    let key = next(&testing::error::<GetEndpoint>(testing::unauthenticated()));
    assert!(matches!(key, Next::Halt(_)), "{key:?}");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_after_a_lost_answer_is_no_refusal_yet() {
    let script = Script::new();
    script.fail(TransportErrorKind::Interrupted);
    script.respond(testing::api_error(
        409.try_into().expect("a status"),
        ErrorCode::DomainAlreadyExists,
        "No.",
    ));
    let update = module(&script)
        .screen
        .domains()
        .update(testing::model(json!(SERVER)), "example.com")
        .await;
    assert_eq!(next(&update.expect_err("refused")), Next::LookFirst);
    script.assert_done();
}

#[tokio::test(start_paused = true)]
async fn a_source_that_is_down_is_tried_later() {
    let script = Script::new();
    script.respond(testing::unavailable_leaks("The dataset cannot be reached."));
    let list =
        ListCredentialLeaks::new("42".parse().expect("an id"), testing::model(json!(SERVER)));
    let error: Error = module(&script)
        .screen
        .pages(list)
        .collect_all()
        .await
        .expect_err("no list");
    assert_eq!(error.kind(), ErrorKind::SourceDown);
    assert!(matches!(next(&error), Next::RetryLater { after: Some(_) }));
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_comes_twice_is_sent_once_and_survives_a_restart() {
    let (script, file) = (Script::new(), file("twice"));
    let mut queue = Queue::open(&file).expect("a queue");
    assert!(queue.take("d1", Hook::Created, &server()).expect("written"));
    assert!(
        queue
            .take("d2", Hook::Suspended, &server())
            .expect("written")
    );
    drop(queue);
    let mut queue = Queue::open(&file).expect("the same queue");
    assert!(!queue.take("d1", Hook::Created, &server()).expect("read"));
    let provisioned = testing::created(json!({"endpoint_id": SERVER, "status": "active"}));
    script.on("provision_endpoint").respond(provisioned);
    script.on("suspend_endpoint").respond(testing::success(
        json!({"endpoint_id": SERVER, "status": "paused"}),
    ));
    let outcomes = queue
        .work(&module(&script).background, 0)
        .await
        .expect("written");
    assert!(
        outcomes.len() == 2 && outcomes.iter().all(|outcome| outcome.next == Next::Done),
        "{outcomes:?}"
    );
    assert!(queue.jobs().is_empty());
    script.assert_done();
    assert_eq!(script.requests()[0].body["service_id"], json!(7));
    assert_eq!(script.requests()[1].body["endpoint_id"], json!(SERVER));
}

#[tokio::test(start_paused = true)]
async fn a_lost_change_of_plan_is_not_repeated_at_once_and_holds_the_order_back() {
    let (script, file) = (Script::new(), file("lost"));
    let mut queue = Queue::open(&file).expect("a queue");
    queue
        .take("d1", Hook::ChangedPackage, &order(8, Goods::DomainSlots(9)))
        .expect("written");
    queue
        .take("d2", Hook::Suspended, &order(8, Goods::DomainSlots(9)))
        .expect("written");
    script
        .on("change_subscription")
        .fail(TransportErrorKind::Interrupted);
    let module = module(&script);
    let outcomes = queue.work(&module.background, 1000).await.expect("written");
    assert_eq!(outcomes[0].next, Next::RetryLater { after: Some(60) });
    assert_eq!(
        queue.work(&module.background, 1059).await.expect("written"),
        []
    );
    let as_asked = json!({"changed": false, "subscription_id": SERVER, "plan_slug": null});
    script
        .on("change_subscription")
        .respond(testing::success(as_asked));
    let suspended = testing::success(json!({"subscription_id": SERVER, "status": "suspended"}));
    script.on("suspend_subscription").respond(suspended);
    let outcomes = queue.work(&module.background, 1060).await.expect("written");
    assert_eq!(
        (outcomes[0].text.as_str(), outcomes[1].text.as_str()),
        ("as before", "suspended")
    );
    script.assert_done();
}

#[tokio::test(start_paused = true)]
async fn a_move_that_breaks_off_halfway_still_terminates_the_old_server() {
    const NEW: &str = "6f9619ff-8b86-4011-b42d-00c04fc96400";
    let (script, file) = (Script::new(), file("move"));
    let module = module(&script);
    let mut queue = Queue::open(&file).expect("a queue");
    queue.take("d1", Hook::Created, &server()).expect("written");
    let moved = order(7, Goods::Server("203.0.113.70".into()));
    queue
        .take("d2", Hook::ChangedPackage, &moved)
        .expect("written");
    let active = |id: &str| testing::success(json!({"endpoint_id": id, "status": "active"}));
    script.on("provision_endpoint").respond(active(SERVER));
    script
        .on("provision_endpoint")
        .times(2)
        .respond(active(NEW));
    script
        .on("terminate_endpoint")
        .times(4)
        .fail(TransportErrorKind::Connect);
    let outcomes = queue.work(&module.background, 0).await.expect("written");
    assert!(
        matches!(outcomes[1].next, Next::RetryLater { .. }),
        "{outcomes:?}"
    );
    let mut queue = Queue::open(&file).expect("the same queue");
    let gone = json!({"endpoint_id": SERVER, "status": "terminated"});
    script
        .on("terminate_endpoint")
        .respond(testing::success(gone));
    let outcomes = queue.work(&module.background, 3600).await.expect("written");
    assert_eq!((outcomes.len(), &outcomes[0].next), (1, &Next::Done));
    script.assert_done();
    let last = script.requests().pop().expect("requests");
    assert_eq!(last.body["endpoint_id"], json!(SERVER));
}

#[tokio::test(start_paused = true)]
async fn a_state_that_was_not_asked_for_is_asked_about_until_somebody_answers() {
    let (script, file) = (Script::new(), file("state"));
    let mut queue = Queue::open(&file).expect("a queue");
    queue
        .take("d1", Hook::Suspended, &order(8, Goods::DomainSlots(2)))
        .expect("written");
    script.respond(testing::success(
        json!({"subscription_id": SERVER, "status": "hibernating"}),
    ));
    let outcomes = queue
        .work(&module(&script).background, 0)
        .await
        .expect("written");
    assert!(
        matches!(&outcomes[0].next, Next::AskOperator(text) if text.contains("hibernating")),
        "{outcomes:?}"
    );
    let mut queue = Queue::open(&file).expect("the same queue");
    assert_eq!(queue.asked(), outcomes);
    queue.answered(outcomes[0].service).expect("written");
    assert!(queue.asked().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_decode_is_looked_into() {
    let (script, file) = (Script::new(), file("decode"));
    let mut queue = Queue::open(&file).expect("a queue");
    queue.take("d1", Hook::Created, &server()).expect("written");
    script
        .on("provision_endpoint")
        .respond(testing::created(json!({"endpoint": 5})));
    script
        .on("list_endpoints")
        .respond(testing::page(vec![endpoint("active")], 1, 100, 1));
    let outcomes = queue
        .work(&module(&script).background, 0)
        .await
        .expect("written");
    assert_eq!(outcomes[0].next, Next::RetryLater { after: Some(60) });
    // Found by its address, however that is written.
    assert_eq!(
        queue.server(server().service),
        Some(testing::model(json!(SERVER)))
    );
    script.assert_done();
}

#[tokio::test(start_paused = true)]
async fn a_storm_of_429s_and_a_redirect_lose_nothing() {
    let (script, file) = (Script::new(), file("storm"));
    let mut queue = Queue::open(&file).expect("a queue");
    queue
        .take(
            "d1",
            Hook::Created,
            &order(8, Goods::Plan("professional".into())),
        )
        .expect("written");
    script
        .on_any()
        .times(5)
        .respond(testing::too_many_attempts(Some(Duration::from_secs(30))));
    let module = module(&script);
    let outcomes = queue.work(&module.background, 0).await.expect("written");
    let Next::RetryLater {
        after: Some(seconds),
    } = outcomes[0].next
    else {
        panic!("{outcomes:?}")
    };
    assert!((30..=32).contains(&seconds), "{seconds}");
    let mut elsewhere = testing::html(302.try_into().expect("a status"), "Moved");
    elsewhere.headers_mut().insert(
        "location",
        "https://elsewhere.example.com/".parse().expect("a value"),
    );
    script.on_any().respond(elsewhere);
    let outcomes = queue.work(&module.background, 60).await.expect("written");
    assert!(matches!(outcomes[0].next, Next::Halt(_)), "{outcomes:?}");
    assert_eq!(queue.jobs().len(), 1);
    script.assert_done();
}

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

#[tokio::test(start_paused = true)]
async fn three_hundred_servers_are_paced_and_a_run_goes_on_where_it_stopped() {
    let customer = "42".parse().expect("an id");
    let servers = (0..300).map(|n| {
        ProvisionEndpoint::new(customer).ip_address(format!("198.51.{}.{}", n / 250, n % 250))
    });
    let script = Script::new();
    let made = || testing::created(json!({"endpoint_id": SERVER, "status": "active"}));
    script.on("provision_endpoint").times(100).respond(made());
    let full = testing::api_error(
        403.try_into().expect("a status"),
        ErrorCode::EndpointLimitExceeded,
        "Full.",
    );
    script.on("provision_endpoint").respond(full);
    script
        .on("provision_endpoint")
        .times(4)
        .respond(testing::unauthenticated());
    let (mut bulk, mut stored) = (Bulk::new(servers), String::new());
    let began = tokio::time::Instant::now();
    let end = bulk
        .run(&module(&script).background, |bulk| {
            stored = serde_json::to_string(bulk).expect("JSON")
        })
        .await;
    assert!(matches!(end, Next::Halt(_)), "{end:?}");
    assert!(
        began.elapsed() >= Duration::from_secs(60),
        "101 calls in {:?}",
        began.elapsed()
    );
    let mut bulk: Bulk = serde_json::from_str(&stored).expect("what was stored");
    assert_eq!(
        (bulk.progress().monitored, bulk.progress().refused),
        (100, 1)
    );
    let second = Script::new();
    second.on("provision_endpoint").times(199).respond(made());
    assert_eq!(
        bulk.run(&module(&second).background, |_| ()).await,
        Next::Done
    );
    assert_eq!(
        (bulk.progress().monitored, bulk.progress().waiting),
        (299, 0)
    );
    assert!(
        bulk.items
            .iter()
            .any(|(_, state)| matches!(state, State::Refused(Next::AskCustomer(_))))
    );
    second.assert_done();
}

#[tokio::test(start_paused = true)]
async fn scans_are_waited_for_through_an_outage_and_missed_alerts_are_told() {
    let script = Script::new();
    let module = module(&script);
    let customer = "42".parse().expect("an id");
    let mut scanned = endpoint("active");
    scanned["last_scan_at"] = json!("2026-01-01T00:00:00+00:00");
    script
        .on("get_endpoint")
        .times(4)
        .fail(TransportErrorKind::Connect);
    script
        .on("get_endpoint")
        .respond(testing::resource(scanned));
    let (mut ends, server) = (Vec::new(), testing::model(json!(SERVER)));
    let done = watch::first_scans(
        &module.background,
        customer,
        [server],
        Duration::from_secs(600),
        |end| ends.push(end),
    );
    assert_eq!(done.await, Ok(()));
    assert!(
        matches!(ends[..], [secmon::watch::ScanEnd::Scanned(_)]),
        "{ends:?}"
    );
    let alert = json!({"id": SERVER, "port": 22, "protocol": "tcp", "status": "open"});
    let page = json!({"alerts": [alert], "total": 1, "current_page": 1, "last_page": 1, "has_more": false});
    script
        .on("list_port_alerts")
        .respond(testing::success(page));
    script
        .on("list_domains")
        .respond(testing::success(json!({"subscribed": false})));
    script.on("get_port_alert").respond(testing::alerts_error(
        404.try_into().expect("a status"),
        "No such alert.",
    ));
    let known = Some(vec![old_alert()]);
    let mut notifier = watch::Notifier::new(&module.background, customer, known);
    let notices = notifier.look().await.expect("a look");
    let told: Vec<_> = notices
        .iter()
        .map(|notice| (notice.new, notice.text.as_str()))
        .collect();
    let severity = "of unknown severity";
    assert_eq!(
        told,
        [
            (
                true,
                format!("{severity}: port 22/tcp of a server").as_str()
            ),
            (
                false,
                format!("{severity}: port 80/tcp of a server").as_str()
            ),
        ]
    );
    script.assert_done();
}

#[tokio::test(start_paused = true)]
async fn waiting_ends_in_an_outage_too_and_a_failed_look_forgets_nothing() {
    let script = Script::new();
    script.on_any().forever().fail(TransportErrorKind::Connect);
    let (module, customer) = (module(&script), "42".parse().expect("an id"));
    let known = Some(vec![old_alert()]);
    let mut notifier = watch::Notifier::new(&module.background, customer, known.clone());
    notifier.look().await.expect_err("an outage");
    assert_eq!(notifier.known(), known);
    let (mut ends, server) = (Vec::new(), testing::model(json!(SERVER)));
    let began = tokio::time::Instant::now();
    let done = watch::first_scans(
        &module.background,
        customer,
        [server],
        Duration::from_secs(600),
        |end| ends.push(end),
    );
    let done = tokio::time::timeout(Duration::from_secs(36_000), done).await;
    assert_eq!(
        done,
        Ok(Ok(())),
        "{ends:?} after {:?}, {} requests",
        began.elapsed(),
        script.requests().len()
    );
    assert!(
        matches!(ends[..], [secmon::watch::ScanEnd::OutOfTime(_)]),
        "{ends:?}"
    );
}
