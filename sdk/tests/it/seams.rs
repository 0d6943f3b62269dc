//! What a program can hook into: settings of its own, keys that change, events, spans, operations from outside.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use http::{HeaderName, HeaderValue, Method, StatusCode};
use secmon::model::EndpointId;
use secmon::operations::*;
use secmon::pacing::{Acquire, MemoryRateLimiter, Permit, Priority, RateLimiter, RateLimiterError};
use secmon::testing::{self, MockTransport};
use secmon::transport::{BoxFuture, HttpOptions, TransportError, TransportErrorKind};
use secmon::{
    ApiKey, Client, Delivery, ErrorKind, Event, Group, KeyProvider, Operation, OperationInfo,
    RawRequest,
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::*;

/// Remembers who asked.
struct RecordingBudget(MemoryRateLimiter, Mutex<Vec<Priority>>);

impl RateLimiter for RecordingBudget {
    fn acquire<'a>(
        &'a self,
        request: Acquire<'a>,
    ) -> BoxFuture<'a, Result<Box<dyn Permit>, RateLimiterError>> {
        self.1.lock().expect("a list").push(request.priority);
        self.0.acquire(request)
    }
}

#[tokio::test]
async fn settings_hold_for_a_client_for_a_part_of_a_program_and_for_one_call() {
    let script = MockTransport::new();
    let asked = Arc::new(RecordingBudget(
        MemoryRateLimiter::default(),
        Mutex::default(),
    ));
    let client = builder(&script)
        .rate_limiter(asked.clone())
        .build()
        .expect("a client");
    let nightly = client.with(|calls| calls.priority(Priority::Batch).sandbox(true));
    script.on_any().forever().answer(StatusCode::OK, paused());
    let traced = HeaderValue::from_static("00-1-2-01");
    client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect("suspended");
    nightly
        .servers()
        .suspend(endpoint_id())
        .await
        .expect("suspended");
    let call = client.servers().suspend(endpoint_id()).with(|call| {
        let call = call.priority(Priority::Batch);
        call.header(HeaderName::from_static("traceparent"), traced.clone())
    });
    call.await.expect("suspended");
    client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect("suspended");

    let (interactive, batch) = (Priority::Interactive, Priority::Batch);
    assert_eq!(
        *asked.1.lock().expect("a list"),
        [interactive, batch, batch, interactive]
    );
    let sent = script.requests();
    let has = |name: &str| {
        sent.iter()
            .map(|sent| sent.headers.contains_key(name))
            .collect::<Vec<_>>()
    };
    assert_eq!(has("x-sandbox"), [false, true, false, false]);
    assert_eq!(has("traceparent"), [false, false, true, false]);
}

#[tokio::test]
async fn a_client_with_other_settings_shares_the_knowledge_that_the_key_was_refused() {
    let (client, script) = scripted();
    let other = client.with(|calls| calls.max_retries(0));
    script.respond(secmon::testing::unauthenticated());
    assert!(client.servers().suspend(endpoint_id()).await.is_err());
    assert!(other.key_rejected());
    let stopped = other
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("stopped");
    assert_eq!(
        (stopped.kind(), stopped.delivery()),
        (ErrorKind::KeyRejected, Delivery::NotSent)
    );
    assert_eq!(script.requests().len(), 1);
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let options = || HttpOptions::new().connect_timeout(Duration::from_secs(1));
    let script = MockTransport::new();
    let built = [
        builder(&script).http_options(options()).build(),
        Client::builder("https://portal.example.com", key())
            .http_options(options())
            .transport(script.clone())
            .build(),
    ];
    for built in built {
        let error = built.expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains("HTTP options"), "{error}");
    }
    assert!(
        builder(&script)
            .no_rate_limit()
            .batch_reserve(9)
            .build()
            .is_err()
    );
    assert!(builder(&script).batch_reserve(9).build().is_ok());
    let header = HeaderValue::from_static("Bearer other");
    let own_key = builder(&script).with(|calls| calls.header(http::header::AUTHORIZATION, header));
    assert!(own_key.build().is_err());
}

/// What says where a request goes and where its body ends.
const OF_THE_CONNECTION: [&str; 9] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "upgrade",
];

#[tokio::test]
async fn headers_of_the_connection_are_refused() {
    for name in OF_THE_CONNECTION {
        let (name, other) = (HeaderName::from_static(name), HeaderValue::from_static("1"));
        let script = MockTransport::new();
        let built = builder(&script).with(|calls| calls.header(name.clone(), other.clone()));
        let error = built.build().expect_err(name.as_str());
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains(name.as_str()), "{error}");

        let (client, script) = scripted();
        let mut request = RawRequest::new(Method::GET, "endpoints");
        request.headers.insert(name.clone(), other.clone());
        let error = client.raw(request).await.expect_err(name.as_str());
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(error.to_string().contains(name.as_str()), "{error}");

        script.answer(StatusCode::OK, paused());
        let call = client.servers().suspend(endpoint_id());
        let call = call.with(|call| call.header(name.clone(), other.clone()));
        call.await.expect("suspended");
        let sent = &script.requests()[0];
        assert!(!sent.headers.contains_key(&name), "{name} travelled");
    }
}

#[tokio::test]
async fn headers_of_a_call_cannot_replace_those_of_the_client() {
    let (client, script) = scripted();
    script.answer(StatusCode::OK, paused());
    let call = client.servers().suspend(endpoint_id()).with(|call| {
        let (text, other) = (
            HeaderValue::from_static("text/plain"),
            HeaderValue::from_static("Bearer other"),
        );
        call.header(http::header::ACCEPT, text)
            .header(http::header::AUTHORIZATION, other)
    });
    call.await.expect("suspended");
    let sent = &script.requests()[0];
    assert_eq!(sent.headers[http::header::ACCEPT], "application/json");
    assert!(sent.key_is(&key()));
}

/// Has no key until it is given one.
struct Vault(Mutex<Option<ApiKey>>);

impl KeyProvider for Vault {
    fn key(&self) -> BoxFuture<'_, Result<ApiKey, Box<dyn std::error::Error + Send + Sync>>> {
        let key = self.0.lock().expect("a vault").clone();
        Box::pin(async move { key.ok_or_else(|| "the vault is sealed".into()) })
    }
}

#[tokio::test]
async fn without_a_key_nothing_is_sent_and_the_provider_says_why() {
    let script = MockTransport::new();
    let vault = Arc::new(Vault(Mutex::default()));
    let client = Client::builder("https://portal.example.com", vault.clone())
        .transport(script.clone())
        .build()
        .expect("a client");
    let error = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("no key");
    assert_eq!(
        (error.kind(), error.delivery()),
        (ErrorKind::NoKey, Delivery::NotSent)
    );
    let source = std::error::Error::source(&error).expect("a cause");
    assert_eq!(source.to_string(), "the vault is sealed");
    script.answer(StatusCode::OK, r#"{"success": true, "status": "ok"}"#);
    client.health().await.expect("needs no key");

    *vault.0.lock().expect("a vault") = Some(key());
    script.answer(StatusCode::OK, paused());
    client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect("suspended");
    assert!(script.requests()[1].key_is(&key()));
}

#[tokio::test(start_paused = true)]
async fn events_tell_of_every_attempt_and_of_the_end_also_when_the_result_cannot_be_read() {
    let script = MockTransport::new();
    let heard: Arc<Mutex<Vec<Event>>> = Arc::default();
    let ear = heard.clone();
    let client = builder(&script)
        .observer(Arc::new(move |event: &Event| {
            ear.lock().expect("a list").push(event.clone())
        }))
        .build()
        .expect("a client");
    script.fail(TransportErrorKind::Interrupted);
    script.respond(testing::success(json!({"endpoint_id": 7})));
    let error = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("unreadable");
    assert_eq!(error.kind(), ErrorKind::Decode);
    let told: Vec<String> = heard
        .lock()
        .expect("a list")
        .iter()
        .filter_map(|event| match event {
            Event::Attempted {
                number,
                status,
                error,
                ..
            } => Some(format!(
                "{number} {:?} {error:?}",
                status.map(|status| status.as_u16())
            )),
            Event::Ended {
                attempts,
                status,
                error,
                ..
            } => Some(format!(
                "end {attempts} {:?} {error:?}",
                status.map(|status| status.as_u16())
            )),
            _ => None,
        })
        .collect();
    assert_eq!(
        told,
        [
            "1 None Some(Interrupted)",
            "2 Some(200) None",
            "end 2 Some(200) Some(Decode)"
        ]
    );
}

#[tokio::test]
async fn the_cause_of_an_error_can_be_followed_to_its_end() {
    struct Broken;
    impl secmon::transport::Transport for Broken {
        fn send(
            &self,
            _: http::Request<bytes::Bytes>,
        ) -> BoxFuture<'_, Result<http::Response<bytes::Bytes>, TransportError>> {
            let refused = std::io::Error::from(std::io::ErrorKind::ConnectionRefused);
            let error = TransportError::new(TransportErrorKind::Connect, "nobody listens");
            Box::pin(std::future::ready(Err(error.with_source(refused))))
        }
    }
    let client = Client::builder("https://portal.example.com", key())
        .transport(Arc::new(Broken))
        .with(|calls| calls.max_retries(0))
        .build()
        .expect("a client");
    let error = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("nobody");
    let cause = std::error::Error::source(&error).expect("a cause");
    let cause = cause
        .downcast_ref::<std::io::Error>()
        .expect("the cause itself");
    assert_eq!(cause.kind(), std::io::ErrorKind::ConnectionRefused);
}

#[derive(Serialize)]
struct GetBadge {
    endpoint_id: Option<EndpointId>,
    size: u32,
    name: &'static str,
}

#[derive(Deserialize)]
struct Badge {
    svg: String,
}

impl Operation for GetBadge {
    type Output = Badge;
    const INFO: &'static OperationInfo = &OperationInfo::new(
        "get_badge",
        Group::Endpoints,
        Method::GET,
        "/api/v1/endpoints/{endpoint_id}/badges/{name}",
    );
}

#[tokio::test]
async fn an_operation_from_outside_is_sent_like_any_other() {
    let (client, script) = scripted();
    script.respond(testing::success(json!({"svg": "<svg/>"})));
    let badge = |endpoint_id, name| GetBadge {
        endpoint_id,
        size: 32,
        name,
    };
    let drawn = client
        .send(badge(Some(endpoint_id()), "round"))
        .await
        .expect("a badge");
    assert_eq!(drawn.data.svg, "<svg/>");
    let sent = &script.requests()[0];
    assert_eq!(sent.operation, Some("get_badge"));
    assert_eq!(sent.path, format!("/api/v1/endpoints/{ID}/badges/round"));
    assert_eq!(sent.query, "size=32");

    for bad in [
        badge(None, "round"),
        badge(Some(endpoint_id()), ""),
        badge(Some(endpoint_id()), ".."),
        badge(Some(endpoint_id()), "a/b"),
    ] {
        let error = client.send(bad).await.err().expect("no such path");
        assert_eq!(
            (error.kind(), error.delivery()),
            (ErrorKind::Configuration, Delivery::NotSent)
        );
    }
    assert_eq!(script.requests().len(), 1);
}

#[test]
fn errors_and_results_can_be_made_for_tests_of_what_a_program_makes_of_them() {
    let limit = testing::api_error_with(
        StatusCode::FORBIDDEN,
        "ENDPOINT_LIMIT_EXCEEDED",
        "No further endpoint.",
        json!({"limit": 5, "current_usage": 5}),
    );
    let error = testing::error::<ProvisionEndpoint>(limit);
    assert_eq!(error.details().and_then(|details| details.limit()), Some(5));
    let lost = testing::failure::<CreateRule>(TransportErrorKind::Interrupted);
    assert_eq!(
        (lost.delivery(), lost.is_retryable()),
        (Delivery::Maybe, false)
    );
    let lost = testing::failure::<SuspendEndpoint>(TransportErrorKind::Interrupted);
    assert!(lost.is_retryable());
    let state =
        testing::success(json!({"endpoint_id": ID, "status": "paused", "note": "Already."}));
    let state = testing::response::<SuspendEndpoint>(state);
    assert_eq!(
        (state.note(), state.was_created()),
        (Some("Already."), Some(false))
    );
}

#[test]
fn an_error_says_by_name_what_kind_of_trouble_it_is() {
    let answered = testing::error::<ScanEndpoint>;
    let unsent = testing::unsent::<ScanEndpoint>;
    let cooldown = testing::api_error(StatusCode::TOO_MANY_REQUESTS, "RATE_LIMITED", "Wait.");
    let page = testing::html(StatusCode::TOO_MANY_REQUESTS, "<p>Slow down.</p>");
    let forbidden = testing::api_error(StatusCode::FORBIDDEN, "TENANT_MISMATCH", "No.");
    // Rate limited, in a scan's cooldown, unauthorised, out of time.
    for (error, expected) in [
        (
            answered(testing::too_many_attempts(None)),
            [true, false, false, false],
        ),
        (answered(page), [true, false, false, false]),
        (unsent(ErrorKind::QueueTimeout), [true, false, false, false]),
        (answered(cooldown), [false, true, false, false]),
        (
            answered(testing::unauthenticated()),
            [false, false, true, false],
        ),
        (unsent(ErrorKind::KeyRejected), [false, false, true, false]),
        (answered(forbidden), [false; 4]),
        (
            testing::failure::<ScanEndpoint>(TransportErrorKind::Timeout),
            [false, false, false, true],
        ),
        (unsent(ErrorKind::Deadline), [false, false, false, true]),
        (
            testing::failure::<ScanEndpoint>(TransportErrorKind::Connect),
            [false; 4],
        ),
    ] {
        let said = [
            error.is_throttled(),
            error.is_scan_cooldown(),
            error.is_unauthorized(),
            error.is_timeout(),
        ];
        assert_eq!(said, expected, "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_provider_that_never_answers_ends_with_the_operations_time() {
    struct Asleep;
    impl KeyProvider for Asleep {
        fn key(&self) -> BoxFuture<'_, Result<ApiKey, Box<dyn std::error::Error + Send + Sync>>> {
            Box::pin(std::future::pending())
        }
    }
    let client = Client::builder("https://portal.example.com", Asleep)
        .transport(MockTransport::new())
        .build()
        .expect("a client");
    let error = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("no key");
    assert_eq!(
        (error.kind(), error.delivery()),
        (ErrorKind::Deadline, Delivery::NotSent)
    );
    assert_eq!(error.elapsed(), Duration::from_secs(150));
}

#[tokio::test(start_paused = true)]
async fn a_key_that_comes_with_the_end_of_the_time_sends_nothing() {
    /// Gives the key at once, and then when the time of the call is over.
    struct Late(AtomicBool);
    impl KeyProvider for Late {
        fn key(&self) -> BoxFuture<'_, Result<ApiKey, Box<dyn std::error::Error + Send + Sync>>> {
            let is_first = self.0.swap(false, Ordering::SeqCst);
            Box::pin(async move {
                if !is_first {
                    tokio::time::sleep(Duration::from_secs(150)).await;
                }
                Ok(key())
            })
        }
    }
    let script = MockTransport::new();
    let client = Client::builder("https://portal.example.com", Late(AtomicBool::new(true)))
        .transport(script.clone())
        .build()
        .expect("a client");
    let error = client.servers().scan(customer(), endpoint_id()).await;
    let error = error.expect_err("too late");
    assert_eq!(
        (error.kind(), error.delivery()),
        (ErrorKind::Deadline, Delivery::NotSent)
    );
    assert!(script.requests().is_empty());
}

#[tokio::test(start_paused = true)]
async fn callers_who_wait_in_line_send_nothing_with_a_key_that_was_refused_meanwhile() {
    let script = MockTransport::new();
    let client = builder(&script)
        .rate_limits(1, 1, Duration::from_secs(60))
        .build()
        .expect("a client");
    script.respond(testing::unauthenticated());
    let (first, second) = tokio::join!(
        client.servers().suspend(endpoint_id()).send(),
        client.servers().suspend(endpoint_id()).send(),
    );
    assert_eq!(
        first.expect_err("refused").status(),
        Some(StatusCode::UNAUTHORIZED)
    );
    assert_eq!(second.expect_err("stopped").kind(), ErrorKind::KeyRejected);
    assert_eq!(script.requests().len(), 1);
}
