//! Long runs: bulk import and watching.

use crate::{SERVER, endpoint, module, old_alert};
use secmon::ErrorCode;
use secmon::operations::ProvisionEndpoint;
use secmon::testing::{self, Script};
use secmon::transport::TransportErrorKind;
use secmon_examples::billing::bulk::{Bulk, State};
use secmon_examples::billing::policy::Next;
use secmon_examples::billing::watch;
use serde_json::json;
use std::time::Duration;

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
