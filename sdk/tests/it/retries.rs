//! How often a call is sent, how long it waits, and what the caller learns of it; on a paused clock.

mod deletions;
mod events;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{Method, StatusCode};
use secmon::model::{PortRange, Protocol};
use secmon::operations::*;
use secmon::testing::MockTransport;
use secmon::transport::TransportErrorKind;
use secmon::{Client, Delivery, ErrorCode, ErrorKind, Event, RawRequest};
use serde_json::json;
use tokio::time::Instant;

use crate::support::*;

const SECOND: Duration = Duration::from_secs(1);

fn new_rule() -> CreateRule {
    let ports: PortRange = "22".parse().expect("a port");
    CreateRule::account_wide(ports, Protocol::Tcp, "SSH for operations")
}

#[tokio::test(start_paused = true)]
async fn a_repeatable_call_survives_lost_answers_and_counts_its_attempts() {
    let (client, script) = scripted();
    script.fail(TransportErrorKind::Interrupted);
    script.answer(StatusCode::BAD_GATEWAY, "<html>");
    script.hang();
    script.answer(StatusCode::OK, paused());
    let response = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect("suspended");
    assert_eq!(response.attempts(), 4);
    assert_eq!(script.requests().len(), 4);
    assert!(response.elapsed() > Duration::from_secs(30));
}

#[tokio::test(start_paused = true)]
async fn a_call_that_must_not_act_twice_is_sent_once_when_its_answer_is_lost() {
    let (client, script) = scripted();
    script.fail(TransportErrorKind::Interrupted);
    let error = client
        .rules()
        .create(customer(), new_rule())
        .await
        .expect_err("lost");
    assert_eq!(error.delivery(), Delivery::Maybe);
    assert_eq!(script.requests().len(), 1);

    for status in [500, 502, 503, 504] {
        let (client, script) = scripted();
        script.answer(StatusCode::from_u16(status).expect("a status"), "{}");
        assert!(client.rules().create(customer(), new_rule()).await.is_err());
        assert_eq!(script.requests().len(), 1, "{status}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_was_provably_not_processed_is_sent_again_even_then() {
    let (client, script) = scripted();
    script.fail(TransportErrorKind::Connect);
    script.respond(with_retry_after(StatusCode::TOO_MANY_REQUESTS, "2", "{}"));
    script.answer(
        StatusCode::SERVICE_UNAVAILABLE,
        failure(json!("SCANNING_UNAVAILABLE"), "Try later.", json!({})),
    );
    script.answer(
        StatusCode::ACCEPTED,
        success(json!({"scan_id": ID, "status": "pending", "cooldown_seconds": 300})),
    );
    let scan = client
        .servers()
        .scan(customer(), endpoint_id())
        .await
        .expect("queued");
    assert_eq!(scan.attempts(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_429_is_waited_for_exactly_and_told_to_the_observer() {
    let script = MockTransport::new();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = heard.clone();
    let client = builder(&script)
        .observer(Arc::new(move |event: &Event| {
            ears.lock().expect("a list").push(event.clone())
        }))
        .build()
        .expect("a client");
    script.respond(with_retry_after(StatusCode::TOO_MANY_REQUESTS, "17", "{}"));
    script.answer(StatusCode::OK, paused());
    let started = Instant::now();
    client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect("suspended");
    assert_eq!(started.elapsed(), 17 * SECOND);
    let heard = heard.lock().expect("a list");
    let told = heard.iter().map(|event| match event {
        Event::Waiting {
            operation,
            reason,
            duration,
            ..
        } => {
            format!("{operation} waits for {}: {duration:?}", reason.as_str())
        }
        Event::Attempted {
            number,
            status,
            error,
            ..
        } => {
            format!(
                "attempt {number}: {:?} {error:?}",
                status.map(|status| status.as_u16())
            )
        }
        Event::Ended {
            attempts,
            status,
            error,
            elapsed,
            ..
        } => {
            let status = status.map(|status| status.as_u16());
            format!("{attempts} attempts: {status:?} {error:?} {elapsed:?}")
        }
        Event::Started { operation, .. } => format!("{operation} starts"),
        _ => String::new(),
    });
    assert_eq!(
        told.collect::<Vec<_>>(),
        [
            "suspend_endpoint starts",
            "attempt 1: Some(429) Some(Decode)",
            "suspend_endpoint waits for throttled: 17s",
            "attempt 2: Some(200) None",
            "2 attempts: Some(200) None 17s",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn clients_that_fail_together_do_not_come_back_together() {
    let mut waits = Vec::new();
    for _ in 0..20 {
        let (client, script) = scripted();
        script.fail(TransportErrorKind::Connect);
        script.answer(StatusCode::OK, paused());
        let started = Instant::now();
        let suspended = client.servers().suspend(endpoint_id()).await;
        suspended.expect("suspended");
        waits.push(started.elapsed());
    }
    let (least, most) = (Duration::from_millis(100), Duration::from_millis(201));
    assert!(
        waits.iter().all(|wait| (least..=most).contains(wait)),
        "{waits:?}"
    );
    assert!(waits.iter().any(|wait| *wait != waits[0]), "{waits:?}");
}

#[tokio::test(start_paused = true)]
async fn a_wait_beyond_the_callers_limit_fails_at_once_and_hands_the_value_over() {
    for limit in [Duration::ZERO, 16 * SECOND] {
        let script = MockTransport::new();
        let client = builder(&script)
            .with(|calls| calls.queue_timeout(limit))
            .build()
            .expect("a client");
        script.respond(with_retry_after(
            StatusCode::TOO_MANY_REQUESTS,
            "17",
            r#"{"message": "Too Many Attempts."}"#,
        ));
        let started = Instant::now();
        let error = client
            .servers()
            .suspend(endpoint_id())
            .await
            .expect_err("limited");
        assert_eq!(started.elapsed(), Duration::ZERO);
        assert_eq!(error.retry_after(), Some(17 * SECOND));
        assert_eq!(error.status(), Some(StatusCode::TOO_MANY_REQUESTS));
        assert!(error.is_retryable());
    }
}

fn cooldown(script: &MockTransport) {
    let body = failure(
        json!("RATE_LIMITED"),
        "In cooldown.",
        json!({"retry_after_seconds": 40}),
    );
    script.respond(with_retry_after(StatusCode::TOO_MANY_REQUESTS, "40", &body));
    script.answer(
        StatusCode::ACCEPTED,
        success(json!({"scan_id": ID, "status": "pending", "cooldown_seconds": 300})),
    );
}

#[tokio::test(start_paused = true)]
async fn a_scan_cooldown_is_reported_unless_the_caller_waits_for_its_end() {
    let (client, script) = scripted();
    cooldown(&script);
    let scan = ScanEndpoint::new(customer(), endpoint_id());
    let error = client.send(scan.clone()).await.expect_err("in cooldown");
    assert_eq!(error.code(), Some(&ErrorCode::RateLimited));
    assert_eq!(error.retry_after(), Some(40 * SECOND));

    let (client, script) = scripted();
    cooldown(&script);
    let started = Instant::now();
    client
        .call(scan)
        .with(|call| call.wait_for_cooldown(true))
        .send()
        .await
        .expect("queued");
    assert_eq!(started.elapsed(), 40 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_scans_cooldown_does_not_hold_up_other_calls() {
    let (client, script) = scripted();
    cooldown(&script);
    assert!(
        client
            .servers()
            .scan(customer(), endpoint_id())
            .await
            .is_err()
    );
    let started = Instant::now();
    client
        .servers()
        .scan(customer(), endpoint_id())
        .await
        .expect("queued");
    assert_eq!(started.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn documented_failures_of_the_service_are_not_tried_again() {
    for code in ["SCAN_DISPATCH_FAILED", "USER_NOT_FOUND"] {
        let (client, script) = scripted();
        script.answer(
            StatusCode::INTERNAL_SERVER_ERROR,
            failure(json!(code), "Failed.", json!({})),
        );
        let error = client
            .servers()
            .suspend(endpoint_id())
            .await
            .expect_err("failed");
        assert_eq!(error.code(), Some(&ErrorCode::from(code)));
        assert_eq!(error.attempts(), 1);
    }
}

/// What an attempt meets.
enum Met {
    Trouble(TransportErrorKind),
    Answer(u16, String),
}

impl Met {
    fn coded(status: u16, code: &str) -> Self {
        Self::Answer(status, failure(json!(code), "Failed.", json!({})))
    }
}

/// Whether a repeatable call and one that must not act twice are retryable once this has ended them.
async fn retryable_after(met: &Met) -> (bool, bool) {
    let script = MockTransport::new();
    let client = builder(&script)
        .with(|calls| calls.max_retries(0))
        .with(|calls| calls.queue_timeout(Duration::ZERO))
        .build()
        .expect("a client");
    for _ in 0..2 {
        match met {
            Met::Trouble(kind) => script.fail(*kind),
            Met::Answer(status, body) => script.answer(
                StatusCode::from_u16(*status).expect("a status"),
                body.clone(),
            ),
        }
    }
    let repeatable = client.servers().suspend(endpoint_id()).await;
    let once = client.rules().create(customer(), new_rule()).await;
    (
        repeatable.expect_err("failed").is_retryable(),
        once.expect_err("failed").is_retryable(),
    )
}

#[tokio::test(start_paused = true)]
async fn an_error_is_retryable_where_the_trouble_passes_and_nothing_can_be_done_twice() {
    let page = || "<html>".to_owned();
    for (met, repeatable, once) in [
        (Met::Trouble(TransportErrorKind::Connect), true, true),
        (Met::Trouble(TransportErrorKind::Interrupted), true, false),
        (Met::Trouble(TransportErrorKind::Timeout), true, false),
        (Met::Trouble(TransportErrorKind::BodyTooLarge), false, false),
        (Met::Trouble(TransportErrorKind::Refused), false, false),
        (Met::Answer(429, "{}".to_owned()), true, true),
        (Met::coded(429, "RATE_LIMITED"), true, true),
        (Met::coded(503, "SCANNING_UNAVAILABLE"), true, true),
        (Met::Answer(503, page()), true, false),
        (Met::Answer(502, page()), true, false),
        (Met::Answer(500, page()), true, false),
        (Met::coded(500, "SCAN_DISPATCH_FAILED"), false, false),
        (Met::coded(500, "USER_NOT_FOUND"), false, false),
        (Met::coded(403, "ACCOUNT_SUSPENDED"), false, false),
        (Met::coded(409, "ENDPOINT_NOT_ACTIVE"), false, false),
        (Met::Answer(200, page()), false, false),
    ] {
        let name = match &met {
            Met::Trouble(kind) => format!("{kind:?}"),
            Met::Answer(status, body) => format!("{status} {body}"),
        };
        assert_eq!(retryable_after(&met).await, (repeatable, once), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_raw_write_to_an_unknown_path_is_not_retryable_once_its_answer_is_lost() {
    for (method, kind, retryable) in [
        (Method::GET, TransportErrorKind::Interrupted, true),
        (Method::POST, TransportErrorKind::Interrupted, false),
        (Method::POST, TransportErrorKind::Connect, true),
    ] {
        let script = MockTransport::new();
        let client = builder(&script)
            .with(|calls| calls.max_retries(0))
            .build()
            .expect("a client");
        script.fail(kind);
        let request = RawRequest::new(method.clone(), "/api/v1/something-new");
        let error = client.raw(request).await.expect_err("failed");
        assert_eq!(error.is_retryable(), retryable, "{method} {kind:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_time_for_the_whole_call_ends_it_wherever_it_stands() {
    let (client, script) = scripted();
    script.hang();
    let started = Instant::now();
    let call = client
        .call(SuspendEndpoint::new(endpoint_id()))
        .with(|call| call.operation_timeout(5 * SECOND));
    let error = call.send().await.expect_err("late");
    assert_eq!(started.elapsed(), 5 * SECOND);
    assert_eq!(error.kind(), ErrorKind::Deadline);
    assert_eq!(error.delivery(), Delivery::Maybe);
    assert_eq!(error.elapsed(), 5 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_transport_that_refuses_is_asked_once() {
    let (client, _empty_script) = scripted();
    let error = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::Refused);
    assert_eq!(error.delivery(), Delivery::NotSent);
    assert_eq!(error.attempts(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_outage_is_not_answered_with_many_times_the_load() {
    let (client, script) = scripted();
    (0..200).for_each(|_| script.fail(TransportErrorKind::Connect));
    for _ in 0..20 {
        assert!(client.servers().suspend(endpoint_id()).await.is_err());
    }
    assert_eq!(script.requests().len(), 20 + 10);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_leaves_the_client_usable() {
    let (client, script) = scripted();
    script.hang();
    script.answer(StatusCode::OK, paused());
    let call = client.servers().suspend(endpoint_id());
    assert!(tokio::time::timeout(SECOND, call).await.is_err());
    assert!(client.servers().suspend(endpoint_id()).await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn errors_without_an_answer_name_the_operation_and_the_reason() {
    let client_without_retries = |script: &Arc<MockTransport>| -> Client {
        builder(script)
            .with(|calls| calls.max_retries(0))
            .build()
            .expect("a client")
    };
    for (kind, line) in [
        (
            TransportErrorKind::Connect,
            "suspend_endpoint: no connection to the service: as the script says",
        ),
        (
            TransportErrorKind::Interrupted,
            "suspend_endpoint: the connection was lost: as the script says",
        ),
        (
            TransportErrorKind::Refused,
            "suspend_endpoint: not sent: as the script says",
        ),
    ] {
        let script = MockTransport::new();
        script.fail(kind);
        let error = client_without_retries(&script)
            .servers()
            .suspend(endpoint_id())
            .await;
        assert_eq!(error.expect_err("no answer").to_string(), line);
    }
}

#[tokio::test(start_paused = true)]
async fn the_caller_may_refuse_a_retry_and_bound_the_pauses() {
    let script = MockTransport::new();
    let once = builder(&script).retry_if(Arc::new(|error| error.kind() != ErrorKind::Connect));
    let client = once.build().expect("a client");
    script.fail(TransportErrorKind::Connect);
    let error = client.servers().suspend(endpoint_id()).await;
    let error = error.expect_err("refused");
    assert_eq!((error.kind(), error.attempts()), (ErrorKind::Connect, 1));

    let (client, script) = scripted();
    let client = client.with(|calls| calls.backoff(10 * SECOND..=10 * SECOND));
    (0..3).for_each(|_| script.fail(TransportErrorKind::Connect));
    script.answer(StatusCode::OK, paused());
    let suspended = client.servers().suspend(endpoint_id()).await;
    let waited = suspended.expect("suspended").elapsed();
    assert!((15 * SECOND..=30 * SECOND).contains(&waited), "{waited:?}");
}

#[tokio::test]
async fn a_call_can_be_spawned() {
    let (client, script) = scripted();
    script.answer(StatusCode::OK, paused());
    let mut calls = tokio::task::JoinSet::new();
    calls.spawn(client.servers().suspend(endpoint_id()).send());
    drop(client);
    let ended = calls.join_next().await.expect("a call");
    ended.expect("no panic").expect("suspended");
}
