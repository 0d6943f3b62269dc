//! Waiting for scans, and watching alerts, on a paused clock.

use std::time::Duration;

use http::StatusCode;
use secmon::model::{EndpointId, Timestamp};
use secmon::testing::{self, MockTransport};
use secmon::transport::TransportErrorKind;
use secmon::watch::{AlertEvent, CustomerAlert, ScanEnd};
use secmon::{Client, ErrorKind};
use serde_json::{Value, json};
use tokio::time::Instant;
use uuid::Uuid;

use crate::support::*;

const SECOND: Duration = Duration::from_secs(1);

fn server(number: u128, status: &str, last_scan_at: Option<&str>) -> Value {
    let mut server = endpoint();
    server["id"] = json!(Uuid::from_u128(number));
    server["status"] = json!(status);
    server["last_scan_at"] = json!(last_scan_at);
    server
}

fn id(number: u128) -> EndpointId {
    Uuid::from_u128(number).into()
}

fn list(servers: &[Value]) -> String {
    let meta = json!({"current_page": 1, "per_page": 100, "total": servers.len()});
    json!({"data": servers, "links": {"next": null}, "meta": meta}).to_string()
}

const FIRST: &str = "2026-01-01T00:00:02+00:00";
const SECOND_SCAN: &str = "2026-01-01T00:10:02+00:00";

#[tokio::test(start_paused = true)]
async fn one_server_is_read_after_1_2_4_seconds_until_a_later_scan_has_ended() {
    let (client, script) = scripted();
    for last in [Some(FIRST), Some(FIRST), Some(FIRST), Some(SECOND_SCAN)] {
        script.answer(StatusCode::OK, resource(server(1, "active", last)));
    }
    let started = Instant::now();
    let before: Timestamp = FIRST.parse().expect("a time");
    let wait = client
        .servers()
        .wait_for_scan(customer(), id(1), Some(before), 600 * SECOND);
    let end = wait.one().await.expect("an end");
    assert!(matches!(end, ScanEnd::Scanned(server) if server.last_scan_at.is_some()));
    assert_eq!(started.elapsed(), 7 * SECOND);
    let sent = script.requests();
    assert!(sent.iter().all(
        |sent| sent.operation == Some("get_endpoint") && sent.query == "billing_customer_id=42"
    ));
}

#[tokio::test(start_paused = true)]
async fn a_scan_that_was_asked_for_is_not_taken_for_the_one_before_it() {
    let queued = json!({"scan_id": ID, "status": "pending", "cooldown_seconds": 300});
    // The second scan ends before the first look at it: it counts all the same.
    for looks in [&[FIRST, FIRST, SECOND_SCAN][..], &[FIRST, SECOND_SCAN]] {
        let (client, script) = scripted();
        for last in looks {
            let step = script.on_named("get_endpoint");
            step.answer(StatusCode::OK, resource(server(1, "active", Some(last))));
        }
        let scan = script.on_named("scan_endpoint");
        scan.answer(StatusCode::OK, success(queued.clone()));
        let servers = client.servers();
        let wait = servers.scan_and_wait(customer(), id(1), 600 * SECOND).await;
        let end = wait.expect("a wait").one().await.expect("an end");
        let last = SECOND_SCAN.parse().expect("a time");
        assert!(matches!(end, ScanEnd::Scanned(server) if server.last_scan_at == Some(last)));
        script.assert_done();
    }
}

#[tokio::test(start_paused = true)]
async fn many_servers_share_a_list_and_each_tells_its_own_end() {
    let (client, script) = scripted();
    let waiting = server(3, "active", None);
    script.answer(
        StatusCode::OK,
        list(&[
            server(1, "active", Some(FIRST)),
            server(2, "paused", None),
            waiting.clone(),
        ]),
    );
    script.respond(testing::resource_error(
        StatusCode::NOT_FOUND,
        "No such endpoint.",
    ));
    script.answer(StatusCode::OK, resource(waiting));
    script.answer(StatusCode::OK, resource(server(3, "active", Some(FIRST))));
    let servers = [1, 2, 3, 4].map(|number| (id(number), None));
    let mut wait = client
        .servers()
        .wait_for_scans(customer(), servers, 600 * SECOND);
    let mut ends = Vec::new();
    while let Some(end) = wait.next().await {
        ends.push(match end.expect("an end") {
            ScanEnd::Scanned(server) => format!("scanned {}", server.id.as_uuid().as_u128()),
            ScanEnd::NotActive(server) => format!("not active {}", server.id.as_uuid().as_u128()),
            ScanEnd::Gone(id) => format!("gone {}", id.as_uuid().as_u128()),
            other => format!("{other:?}"),
        });
    }
    assert_eq!(ends, ["scanned 1", "not active 2", "gone 4", "scanned 3"]);
    assert_eq!(script.requests().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_at_its_deadline_and_looks_every_30_seconds_at_the_most() {
    let (client, script) = scripted();
    script
        .on_named("get_endpoint")
        .forever()
        .answer(StatusCode::OK, resource(server(1, "active", None)));
    let started = Instant::now();
    let wait = client
        .servers()
        .wait_for_scan(customer(), id(1), None, 100 * SECOND);
    assert_eq!(wait.one().await.expect("an end"), ScanEnd::OutOfTime(id(1)));
    assert_eq!(started.elapsed(), 100 * SECOND);
    // At 0, 1, 3, 7, 15, 31, 61, 91 and 100 seconds.
    assert_eq!(script.requests().len(), 9);
}

#[tokio::test(start_paused = true)]
async fn a_look_that_fails_loses_nothing() {
    let script = MockTransport::new();
    let client = builder(&script)
        .with(|calls| calls.max_retries(0))
        .build()
        .expect("a client");
    script.fail(TransportErrorKind::Connect);
    script.answer(StatusCode::OK, resource(server(1, "active", Some(FIRST))));
    let mut wait = client
        .servers()
        .wait_for_scan(customer(), id(1), None, 600 * SECOND);
    let error = wait
        .next()
        .await
        .expect("something")
        .expect_err("nobody there");
    assert_eq!(error.kind(), ErrorKind::Connect);
    assert!(matches!(wait.next().await, Some(Ok(ScanEnd::Scanned(_)))));
    assert!(wait.next().await.is_none());
}

fn port_alert(number: u128, status: &str) -> Value {
    json!({"id": Uuid::from_u128(number), "port": number, "protocol": "tcp", "status": status})
}

fn domain_alert(number: u128, status: &str) -> Value {
    json!({"id": Uuid::from_u128(number), "monitored_domain_id": ID, "type": "credential_leak", "status": status})
}

/// The three answers of one look.
fn look(script: &MockTransport, ports: &[u128], domain: &[u128]) {
    let page = |alerts: Vec<Value>| {
        testing::success(
            json!({"total": alerts.len(), "alerts": alerts, "current_page": 1, "last_page": 1, "has_more": false}),
        )
    };
    script.on_named("list_port_alerts").respond(page(
        ports
            .iter()
            .map(|number| port_alert(*number, "open"))
            .collect(),
    ));
    let watched = json!({"id": ID, "domain": "example.org", "status": "active"});
    script.on_named("list_domains").respond(testing::success(
        json!({"subscribed": true, "domains": [watched]}),
    ));
    script.on_named("list_domain_alerts").respond(page(
        domain
            .iter()
            .map(|number| domain_alert(*number, "open"))
            .collect(),
    ));
}

fn number(alert: &CustomerAlert) -> u128 {
    match alert {
        CustomerAlert::Port(alert) => alert.id.as_uuid().as_u128(),
        CustomerAlert::Domain(alert) => alert.id.as_uuid().as_u128(),
        _ => 0,
    }
}

async fn next(watch: &mut secmon::watch::AlertWatch) -> String {
    match watch.next().await.expect("news") {
        AlertEvent::New(alert) => format!("new {}", number(&alert)),
        AlertEvent::Resolved(alert) => format!("resolved {}", number(&alert)),
        AlertEvent::Acknowledged(alert) => format!("acknowledged {}", number(&alert)),
        AlertEvent::Gone(alert) => format!("gone {}", number(&alert)),
        other => format!("{other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_watch_tells_new_alerts_from_those_that_were_dealt_with() {
    let (client, script) = scripted();
    look(&script, &[22, 80], &[1, 2]);
    look(&script, &[22, 80], &[1, 2]);
    look(&script, &[80, 443], &[]);
    script.on_named("get_port_alert").respond(testing::success(
        json!({"alert": port_alert(22, "resolved")}),
    ));
    script
        .on_named("get_domain_alert")
        .respond(testing::success(
            json!({"alert": domain_alert(1, "acknowledged")}),
        ));
    script
        .on_named("get_domain_alert")
        .respond(testing::api_error(
            StatusCode::NOT_FOUND,
            "ALERT_NOT_FOUND",
            "No such alert.",
        ));
    let started = Instant::now();
    let mut watch = client.watch_alerts(customer(), 60 * SECOND);
    let mut news = Vec::new();
    for _ in 0..4 {
        news.push(next(&mut watch).await);
    }
    assert_eq!(news, ["new 443", "acknowledged 1", "gone 2", "resolved 22"]);
    assert_eq!(started.elapsed(), 120 * SECOND);
    assert_eq!(
        watch
            .open()
            .expect("a look")
            .map(number)
            .collect::<Vec<_>>(),
        [80, 443]
    );
    script.assert_done();
}

/// An edition of the service may have states that this one does not know (F1).
#[tokio::test(start_paused = true)]
async fn an_alert_in_a_state_that_nobody_knows_has_not_been_resolved() {
    let (client, script) = scripted();
    look(&script, &[22], &[]);
    for status in ["muted", "resolved"] {
        look(&script, &[], &[]);
        let alert = json!({"alert": port_alert(22, status)});
        let now = testing::success(alert);
        script.on_named("get_port_alert").respond(now);
    }
    let started = Instant::now();
    let mut watch = client.watch_alerts(customer(), 60 * SECOND);
    assert_eq!(next(&mut watch).await, "resolved 22");
    assert_eq!(started.elapsed(), 120 * SECOND);
    script.assert_done();
}

#[tokio::test(start_paused = true)]
async fn a_look_that_fails_half_way_tells_nothing_twice() {
    let script = MockTransport::new();
    let client = builder(&script)
        .with(|calls| calls.max_retries(0))
        .build()
        .expect("a client");
    look(&script, &[22], &[]);
    look(&script, &[80], &[]);
    script
        .on_named("get_port_alert")
        .fail(TransportErrorKind::Interrupted);
    look(&script, &[80], &[]);
    script.on_named("get_port_alert").respond(testing::success(
        json!({"alert": port_alert(22, "resolved")}),
    ));
    let mut watch = client.watch_alerts(customer(), SECOND);
    let error = watch.next().await.expect_err("interrupted");
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    assert_eq!(next(&mut watch).await, "new 80");
    assert_eq!(next(&mut watch).await, "resolved 22");
    script.assert_done();
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_at_its_deadline_though_nobody_answers() {
    let script = MockTransport::new();
    let client = builder(&script)
        .with(|calls| calls.max_retries(0))
        .build()
        .expect("a client");
    script.on_any().forever().fail(TransportErrorKind::Connect);
    let started = Instant::now();
    let mut wait = client
        .servers()
        .wait_for_scan(customer(), id(1), None, 60 * SECOND);
    let mut errors = 0;
    let end = loop {
        match wait.next().await.expect("an end") {
            Ok(end) => break end,
            Err(_) => errors += 1,
        }
    };
    assert_eq!((end.server(), errors), (id(1), 6));
    assert!(matches!(end, ScanEnd::OutOfTime(_)) && wait.next().await.is_none());
    assert_eq!(started.elapsed(), 60 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_watch_that_is_taken_up_again_tells_what_happened_meanwhile() {
    let (client, script) = scripted();
    look(&script, &[22], &[1]);
    let mut before = client.watch_alerts(customer(), SECOND);
    assert!(before.open().is_none());
    before.poll().await.expect("a look");
    let known: Vec<CustomerAlert> = before.open().expect("a look").cloned().collect();
    let stored = serde_json::to_string(&known).expect("JSON");

    look(&script, &[22, 80], &[1]);
    let known: Vec<CustomerAlert> = serde_json::from_str(&stored).expect("the same");
    let mut after = client.watch_alerts(customer(), SECOND).knowing(known);
    assert_eq!(next(&mut after).await, "new 80");
}

#[tokio::test(start_paused = true)]
async fn an_alert_that_slips_between_two_pages_is_not_told_again() {
    let (client, script) = scripted();
    look(&script, &[22], &[]);
    look(&script, &[], &[]);
    let still = json!({"alert": port_alert(22, "open")});
    script
        .on_named("get_port_alert")
        .respond(testing::success(still));
    look(&script, &[22, 80], &[]);
    let mut watch = client.watch_alerts(customer(), SECOND);
    assert_eq!(next(&mut watch).await, "new 80");
    script.assert_done();
}

#[tokio::test(start_paused = true)]
async fn a_watch_does_not_take_untold_domains_for_none() {
    let (client, script) = scripted();
    let none =
        json!({"alerts": [], "total": 0, "current_page": 1, "last_page": 1, "has_more": false});
    script
        .on_named("list_port_alerts")
        .respond(testing::success(none));
    script
        .on_named("list_domains")
        .respond(testing::success(json!({"subscribed": true})));
    let error = client.watch_alerts(customer(), SECOND).poll().await;
    assert_eq!(error.expect_err("not told").kind(), ErrorKind::Decode);
}

#[test]
fn a_watch_outside_of_a_runtime_is_an_error_of_the_set_up() {
    use std::task::Poll;
    let (client, _) = scripted();
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let mut watch = client.watch_alerts(customer(), SECOND);
    let alerts = std::pin::pin!(watch.next());
    let Poll::Ready(Err(error)) = alerts.poll(&mut context) else {
        panic!("no error");
    };
    assert_eq!(error.kind(), ErrorKind::Configuration);

    let wait = client
        .servers()
        .wait_for_scan(customer(), id(1), None, SECOND);
    let scan = std::pin::pin!(wait.one());
    let Poll::Ready(Err(error)) = scan.poll(&mut context) else {
        panic!("no error");
    };
    assert_eq!(error.kind(), ErrorKind::Configuration);
}

#[allow(dead_code)]
fn waits_can_be_moved_between_threads(client: &Client) {
    fn movable(_: impl Send) {}
    movable(
        client
            .servers()
            .wait_for_scan(customer(), id(1), None, SECOND)
            .one(),
    );
    movable(client.watch_alerts(customer(), SECOND));
}
