//! Every call that starts ends, or is dropped.

use secmon::{ClientBuilder, WaitReason};
use tokio::time::sleep;

use super::*;

/// A client whose events are written down.
fn overheard(builder: ClientBuilder) -> (Client, Arc<Mutex<Vec<Event>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = heard.clone();
    let observer = Arc::new(move |event: &Event| ears.lock().expect("a list").push(event.clone()));
    let client = builder.observer(observer).build();
    (client.expect("a client"), heard)
}

#[tokio::test(start_paused = true)]
async fn every_call_that_starts_ends_or_is_dropped() {
    let script = MockTransport::new();
    let (client, heard) = overheard(builder(&script));
    script.hang();
    let call = client.servers().suspend(endpoint_id()).send();
    let given_up = tokio::time::timeout(SECOND, call).await;
    assert!(given_up.is_err());
    let short = ProvisionDomain::new(customer(), "", 501_u32.try_into().expect("a service"));
    assert!(client.send(short).await.is_err());
    let list = client.servers().list(customer());
    let anothers = list.with_request(|mut list| {
        list.billing_customer_id = Some(43_u32.try_into().expect("a customer"));
        list
    });
    assert!(anothers.collect_all().await.is_err());
    let unknown = failure(json!("ENDPOINT_NOT_FOUND"), "No such endpoint.", json!({}));
    script.answer(StatusCode::NOT_FOUND, unknown);
    assert!(client.servers().suspend(endpoint_id()).await.is_err());

    let heard = heard.lock().expect("a list");
    let told = heard.iter().filter_map(|event| match event {
        Event::Started { operation, .. } => Some(format!("{operation} starts")),
        Event::Dropped {
            attempts, elapsed, ..
        } => Some(format!("dropped after {attempts} attempts, {elapsed:?}")),
        Event::Ended {
            attempts,
            error,
            code,
            ..
        } => Some(format!(
            "ended after {attempts} attempts: {error:?} {code:?}"
        )),
        _ => None,
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            "suspend_endpoint starts",
            "dropped after 1 attempts, 1s",
            "provision_domain starts",
            "ended after 0 attempts: Some(Validation) None",
            "list_endpoints starts",
            "ended after 0 attempts: Some(Configuration) None",
            "suspend_endpoint starts",
            "ended after 1 attempts: Some(Api) Some(EndpointNotFound)",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_call_in_line_behind_one_under_way_says_that_it_waits() {
    let script = MockTransport::new();
    let builder = builder(&script).rate_limits(1, 1, 60 * SECOND);
    let (client, heard) = overheard(builder.with(|calls| calls.operation_timeout(3600 * SECOND)));
    script.hang();
    let mut calls = tokio::task::JoinSet::new();
    for _ in 0..3 {
        calls.spawn(client.servers().suspend(endpoint_id()).send());
    }
    // Until all have begun to wait.
    sleep(SECOND).await;
    let heard = heard.lock().expect("a list");
    let waits = heard.iter().filter_map(|event| match event {
        Event::Waiting {
            reason, duration, ..
        } => Some((*reason, *duration)),
        _ => None,
    });
    let pacing = |minutes: u32| (WaitReason::Pacing, minutes * 60 * SECOND);
    assert_eq!(waits.collect::<Vec<_>>(), [pacing(1), pacing(2)]);
}
