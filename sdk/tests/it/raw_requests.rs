//! Requests without a type of their own.

use http::{HeaderValue, Method, StatusCode, header};
use secmon::transport::{TransportError, TransportErrorKind};
use secmon::{ErrorKind, RawRequest};
use serde_json::json;

use crate::support::*;

#[tokio::test]
async fn path_query_headers_and_body_go_out_as_given() {
    let (client, script) = scripted();
    (0..3).for_each(|_| script.answer(StatusCode::OK, "[1]"));
    let mut request = RawRequest::new(Method::POST, "reports/daily?part=1");
    request.query = vec![("name".to_owned(), "a b&c".to_owned())];
    request
        .headers
        .insert("x-trace", HeaderValue::from_static("7"));
    request.body = Some(json!({"day": "2026-01-01"}));
    let answer = client.raw(request).await.expect("an answer");
    assert_eq!(
        (answer.status, answer.body.as_ref()),
        (StatusCode::OK, b"[1]".as_ref())
    );
    for path in ["/api/v1/endpoints", "/endpoints"] {
        client
            .raw(RawRequest::new(Method::GET, path))
            .await
            .expect("an answer");
    }
    let sent = script.requests();
    assert_eq!(
        (sent[0].path.as_str(), sent[0].query.as_str()),
        ("/api/v1/reports/daily", "part=1&name=a+b%26c")
    );
    assert_eq!(sent[0].headers["x-trace"], "7");
    assert_eq!(sent[0].body, json!({"day": "2026-01-01"}));
    assert_eq!(sent[1].path, "/api/v1/endpoints");
    assert_eq!(sent[2].path, "/api/v1/endpoints");
}

#[tokio::test]
async fn an_error_status_and_a_redirect_are_answers_too() {
    for status in [302, 404, 422, 500] {
        let (client, script) = scripted();
        let status = StatusCode::from_u16(status).expect("a status");
        script.answer(status, "anything");
        let answer = client
            .raw(RawRequest::new(Method::POST, "x"))
            .await
            .expect("an answer");
        assert_eq!(answer.status, status);
    }
}

#[tokio::test(start_paused = true)]
async fn retries_follow_the_table_and_for_unknown_paths_only_reads_are_repeated() {
    for (method, path, attempts) in [
        (Method::POST, "billing/suspend".to_owned(), 2),
        (Method::POST, "provisioning/suspend".to_owned(), 2),
        (Method::POST, "whitelists".to_owned(), 1),
        (Method::DELETE, format!("endpoints/{ID}"), 2),
        (Method::POST, "reports".to_owned(), 1),
        (Method::DELETE, "reports".to_owned(), 1),
        (Method::GET, "reports".to_owned(), 2),
        (Method::POST, "other/suspend".to_owned(), 1),
    ] {
        let (client, script) = scripted();
        script.fail(TransportErrorKind::Interrupted);
        script.answer(StatusCode::OK, "{}");
        // A call that is not repeated ends with the first failure.
        let _ = client
            .raw(RawRequest::new(method.clone(), path.as_str()))
            .await;
        assert_eq!(script.requests().len(), attempts, "{method} {path}");
    }
}

#[tokio::test]
async fn a_foreign_address_a_climbing_path_and_a_key_of_the_callers_are_refused() {
    let (client, script) = scripted();
    for path in [
        "https://elsewhere.example/api",
        "/api/v1/../../admin",
        "a/./b",
        "a b",
        "ü\u{0}",
    ] {
        let error = client
            .raw(RawRequest::new(Method::GET, path))
            .await
            .expect_err("refused");
        assert_eq!(error.kind(), ErrorKind::Configuration, "{path}");
    }
    let mut request = RawRequest::new(Method::GET, "endpoints");
    request.headers.insert(
        header::AUTHORIZATION,
        HeaderValue::from_static("Bearer other"),
    );
    assert_eq!(
        client.raw(request).await.expect_err("refused").kind(),
        ErrorKind::Configuration
    );
    assert!(script.requests().is_empty());
}

#[tokio::test]
async fn what_a_refused_path_asks_for_is_not_shown() {
    let (client, _) = scripted();
    for path in ["a b?token=hunter2", "../admin?token=hunter2"] {
        let error = client.raw(RawRequest::new(Method::GET, path)).await;
        let error = error.expect_err(path);
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    }
}

#[test]
fn an_attempt_that_failed_reads_as_the_sentence_it_was_given() {
    let failed = TransportError::new(TransportErrorKind::Connect, "no route to the service");
    assert_eq!(failed.to_string(), "no route to the service");
}

#[tokio::test]
async fn a_request_that_is_refused_is_told_to_the_observer() {
    let script = secmon::testing::MockTransport::new();
    let (heard, told) = std::sync::mpsc::channel();
    let client = builder(&script)
        .observer(std::sync::Arc::new(move |event: &secmon::Event| {
            heard.send(event.clone()).expect("a listener");
        }))
        .build()
        .expect("a client");
    let climbing = RawRequest::new(Method::GET, "/api/v1/../admin");
    client.raw(climbing).await.expect_err("refused");
    let told: Vec<secmon::Event> = told.try_iter().collect();
    assert!(
        matches!(
            told.as_slice(),
            [
                secmon::Event::Started {
                    operation: "raw",
                    ..
                },
                secmon::Event::Ended {
                    operation: "raw",
                    attempts: 0,
                    error: Some(ErrorKind::Configuration),
                    ..
                }
            ]
        ),
        "{told:?}"
    );
}
