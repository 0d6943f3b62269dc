//! How long a call waits for its slot, and when it does not wait at all (F14).

use super::*;

/// A client with one slot, which is taken, and these times.
async fn with_its_slot_taken(
    change: impl FnOnce(secmon::RequestOptions) -> secmon::RequestOptions,
) -> (Client, std::sync::Arc<MockTransport>) {
    let script = MockTransport::new();
    let client = builder(&script).rate_limits(1, 1, MINUTE).with(change);
    let client = client.build().expect("a client");
    script.answer(StatusCode::OK, paused());
    let first = client.servers().suspend(endpoint_id()).await;
    first.expect("the only slot");
    (client, script)
}

#[tokio::test(start_paused = true)]
async fn what_only_pacing_would_make_late_is_refused_at_once_and_never_sent() {
    // The slot comes 50 ms before the deadline, or leaves less than an attempt, or than half the operation's time.
    for (operation, attempt) in [(60_050, 30_000), (89_999, 30_000), (119_999, 100_000)] {
        let (client, script) = with_its_slot_taken(|calls| {
            calls
                .operation_timeout(Duration::from_millis(operation))
                .attempt_timeout(Duration::from_millis(attempt))
        })
        .await;
        let error = client.servers().suspend(endpoint_id()).await;
        let error = error.expect_err("too late");
        assert_eq!(
            (error.kind(), error.delivery(), error.elapsed()),
            (ErrorKind::QueueTimeout, Delivery::NotSent, Duration::ZERO),
            "{operation} {attempt}"
        );
        assert_eq!(error.retry_after(), Some(MINUTE));
        assert_eq!(script.requests().len(), 1);
    }
    for (operation, attempt) in [(90_000, 30_000), (120_000, 100_000)] {
        let (client, script) = with_its_slot_taken(|calls| {
            calls
                .operation_timeout(Duration::from_millis(operation))
                .attempt_timeout(Duration::from_millis(attempt))
        })
        .await;
        script.answer(StatusCode::OK, paused());
        let waited = client.servers().suspend(endpoint_id()).await;
        waited.expect("in time");
    }
}

#[tokio::test(start_paused = true)]
async fn a_free_slot_is_taken_however_little_time_is_left() {
    let script = MockTransport::new();
    let client = builder(&script).with(|calls| calls.operation_timeout(Duration::from_millis(50)));
    script.answer(StatusCode::OK, paused());
    let client = client.build().expect("a client");
    client.servers().suspend(endpoint_id()).await.expect("sent");
}

#[tokio::test(start_paused = true)]
async fn the_longest_wait_follows_the_time_of_the_operation_unless_set() {
    let (client, script) =
        with_its_slot_taken(|calls| calls.operation_timeout(Duration::from_secs(3600))).await;
    let full = with_retry_after(StatusCode::TOO_MANY_REQUESTS, "61", "{}");
    (0..3).for_each(|_| script.respond(full.clone()));
    script.answer(StatusCode::OK, paused());
    let waited = client.servers().suspend(endpoint_id()).await;
    assert!(waited.expect("much later").elapsed() > Duration::from_secs(180));

    let (client, _) =
        with_its_slot_taken(|calls| calls.queue_timeout(Duration::from_secs(59))).await;
    let error = client.servers().suspend(endpoint_id()).await;
    assert_eq!(error.expect_err("too long").kind(), ErrorKind::QueueTimeout);
}

/// A call that is polled once, so that it stands in the line, and then no more.
async fn stand_still(call: &mut (impl Future + Unpin)) {
    tokio::select! {
        biased;
        _ = call => unreachable!("there is no slot"),
        () = std::future::ready(()) => {}
    }
}

#[tokio::test(start_paused = true)]
async fn a_waiting_call_that_nobody_polls_holds_up_no_other() {
    let client = client_of(&Service::new(Duration::from_millis(50)));
    suspend_many(&client, 60).await;
    let mut still = std::pin::pin!(client.servers().suspend(endpoint_id()).send());
    stand_still(&mut still).await;
    // Those behind it wait for the window, and a second longer for whoever does not move.
    for priority in [Priority::Interactive, Priority::Batch] {
        let began = Instant::now();
        let call = client.servers().suspend(endpoint_id());
        call.with(|call| call.priority(priority))
            .await
            .expect("a slot");
        assert!(
            began.elapsed() < MINUTE + 2 * SECOND,
            "{:?}",
            began.elapsed()
        );
    }
    // Those that come later wait for nobody.
    sleep(20 * MINUTE).await;
    for _ in 0..60 {
        let began = Instant::now();
        let call = client.servers().suspend(endpoint_id());
        call.await.expect("a slot");
        assert!(began.elapsed() < SECOND, "{:?}", began.elapsed());
    }
    still.await.expect("a slot, once it is polled again");
}

#[tokio::test(start_paused = true)]
async fn a_waiting_call_that_is_polled_late_still_has_its_turn() {
    let client = client_of(&Service::new(Duration::from_millis(50)));
    suspend_many(&client, 60).await;
    let mut still = std::pin::pin!(client.servers().suspend(endpoint_id()).send());
    stand_still(&mut still).await;
    sleep(MINUTE + 10 * SECOND).await;
    let began = Instant::now();
    still.await.expect("a slot");
    assert!(began.elapsed() < SECOND, "{:?}", began.elapsed());
}
