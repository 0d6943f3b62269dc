//! The key appears nowhere: not in errors, logs, debug output or names made from it.

use http::StatusCode;
use secmon::testing::MockTransport;
use secmon::transport::TransportErrorKind;
use secmon::{
    ApiKey, Client, Error, ErrorKind, OPERATIONS, OperationInfo, RawRequest, RotatingKey,
};
use serde_json::json;

use crate::leaks::Log;
use crate::support::*;

/// Any eight characters of the key in a row are a leak.
fn assert_no_key(text: &str) {
    for piece in KEY.as_bytes().windows(8) {
        let piece = std::str::from_utf8(piece).expect("ASCII");
        assert!(!text.contains(piece), "the key shows in: {text}");
    }
}

fn assert_silent(error: &Error) {
    assert_no_key(&error.to_string());
    assert_no_key(&format!("{error:?} {error:#?}"));
    assert_no_key(error.body_snippet().unwrap_or_default());
    assert_no_key(&format!("{:?} {:?}", error.headers(), error.api()));
}

#[tokio::test]
async fn an_answer_that_echoes_the_key_comes_back_with_stars() {
    let echoes = [
        json!({"status": "error", "message": format!("Bearer {KEY} is invalid."), "errors": {KEY: [KEY]}}).to_string(),
        failure(json!(KEY), KEY, json!({"key": KEY, "start": &KEY[..12]})),
        format!("<html>{KEY}</html>"),
        format!("key ends in {}", &KEY[KEY.len() - 8..]),
    ];
    for body in echoes {
        for status in [200, 401, 403, 500] {
            let (client, script) = scripted_once();
            let answer = http::Response::builder()
                .status(status)
                .header("x-echo", KEY)
                .body(body.clone().into())
                .expect("a response");
            script.respond(answer);
            let suspended = client.servers().suspend(endpoint_id()).await;
            let error = suspended.expect_err("refused");
            assert_silent(&error);
            assert!(
                error
                    .body_snippet()
                    .is_some_and(|body| body.contains("****"))
            );
        }
    }
    let (client, script) = scripted();
    let redirect = http::Response::builder()
        .status(302)
        .header("location", format!("https://elsewhere.example/?key={KEY}"))
        .body(Default::default())
        .expect("a response");
    script.respond(redirect);
    assert_silent(&client.health().await.expect_err("a redirect"));
}

/// What is left of a sentence when the client's key is this.
async fn message_with_key(api_key: &str, message: &str) -> String {
    let script = MockTransport::new();
    let client = Client::builder(
        "https://portal.example.com",
        ApiKey::new(api_key).expect("a key"),
    )
    .transport(script.clone())
    .build()
    .expect("a client");
    let body = failure(json!("ACCOUNT_SUSPENDED"), message, json!({}));
    script.answer(StatusCode::FORBIDDEN, body);
    let suspended = client.servers().suspend(endpoint_id()).await;
    let error = suspended.expect_err("refused");
    error
        .api()
        .expect("the service's own words")
        .message
        .clone()
}

#[tokio::test]
async fn an_ordinary_word_that_is_also_in_the_key_stays_in_the_sentence() {
    for sentence in [
        "The partner account is suspended.",
        "suspended",
        "(suspended): see the portal",
    ] {
        assert_eq!(
            message_with_key("test_key_suspended", sentence).await,
            sentence
        );
    }
}

#[tokio::test]
async fn a_piece_of_the_key_that_is_no_word_of_its_own_is_masked() {
    for (key, sentence, clean) in [
        ("test_key_suspended", "test_key_suspended", "****"),
        ("test_key_suspended", "is key_suspended.", "is ****."),
        ("test_key_suspended", "is _suspended.", "is ****."),
        ("test_key_suspended", "is xsuspended.", "is x****."),
        ("test_key_suspended", "is suspended2.", "is ****2."),
        ("test_key_suspended", "is suspended-.", "is ****-."),
        ("test_key_suspended", "is suspendedé.", "is ****é."),
        ("test_key_suspended", "is usuuspended.", "is usu****."),
        ("test_key_Suspended", "is Suspended.", "is ****."),
        ("test_key_12345678", "is 12345678.", "is ****."),
        ("suspended", "is suspended.", "is ****."),
    ] {
        assert_eq!(
            message_with_key(key, sentence).await,
            clean,
            "of {sentence}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn no_operation_and_no_failure_logs_the_key() {
    let log = Log::default();
    let guard = log.start();
    let failures = [
        TransportErrorKind::Connect,
        TransportErrorKind::Timeout,
        TransportErrorKind::Interrupted,
        TransportErrorKind::BodyTooLarge,
        TransportErrorKind::Redirected,
        TransportErrorKind::Refused,
    ];
    for kind in failures {
        let (client, script) = scripted();
        (0..4).for_each(|_| script.fail(kind));
        assert_silent(
            &client
                .servers()
                .get(customer(), endpoint_id())
                .await
                .expect_err("no answer"),
        );
    }
    let (client, script) = scripted();
    script.respond(with_retry_after(StatusCode::TOO_MANY_REQUESTS, "3", "{}"));
    script.answer(StatusCode::OK, paused());
    let response = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect("suspended");
    assert_no_key(&format!("{response:?}"));
    drop(guard);
    let text = log.take();
    assert!(text.contains("waiting"), "the log is at work: {text}");
    assert!(
        text.contains("url.template=\"/api/v1/{namespace}/suspend\""),
        "{text}"
    );
    assert!(
        !text.contains(ID),
        "identifiers stay out of the log: {text}"
    );
    assert_no_key(&text);
}

/// A concrete path of an operation.
fn path_of(info: &OperationInfo) -> String {
    let segments = info.path.split('/').map(|segment| match segment {
        "{namespace}" => "billing",
        placeholder if placeholder.starts_with('{') => ID,
        literal => literal,
    });
    segments.collect::<Vec<_>>().join("/")
}

#[tokio::test(start_paused = true)]
async fn no_operation_of_the_table_logs_the_key_or_answers_with_it() {
    let log = Log::default();
    let guard = log.start();
    for info in OPERATIONS {
        for (status, body) in [
            (200, "{}"),
            (401, "{\"message\": \"KEY\"}"),
            (503, "KEY"),
            (404, "<KEY>"),
        ] {
            let (client, script) = scripted();
            let status = StatusCode::from_u16(status).expect("a status");
            (0..4).for_each(|_| script.answer(status, body.replace("KEY", KEY)));
            let request = RawRequest::new(info.method.clone(), path_of(info));
            // An answer of any status is a result here, and an error must be as silent.
            if let Err(error) = client.raw(request).await {
                assert_silent(&error);
            }
        }
    }
    drop(guard);
    assert_no_key(&log.take());
}

#[tokio::test]
async fn the_network_transport_logs_no_key_at_any_level() {
    let log = Log::default();
    let guard = log.start();
    let answer = "HTTP/1.1 404 Not Found\r\ncontent-length: 2\r\n\r\n{}";
    let client = client_of(&answering_with(answer).await);
    assert_silent(
        &client
            .servers()
            .get(customer(), endpoint_id())
            .await
            .expect_err("refused"),
    );
    drop(guard);
    assert_no_key(&log.take());
}

#[test]
fn a_key_shows_stars_and_at_most_its_last_four_characters() {
    assert_eq!(format!("{:?}", key()), "ApiKey(****)");
    let client = client_of("https://portal.example.com");
    assert!(format!("{client:?}").contains("https://portal.example.com"));
    assert_no_key(&format!("{client:?}"));
    assert_eq!(
        key().masked_tail(),
        format!("****{}", &KEY[KEY.len() - 4..])
    );
    assert_eq!(ApiKey::new("short").expect("a key").masked_tail(), "****");
}

#[test]
fn a_fingerprint_depends_on_origin_and_key_and_tells_neither() {
    let at = |origin: &str| key().fingerprint_with(origin);
    let one = at("https://a.example");
    assert_eq!(one, at("https://a.example"));
    for same in [
        "https://a.example/",
        "https://a.example:443",
        "HTTPS://A.Example/",
        " https://a.example",
    ] {
        assert_eq!(one, at(same), "{same}");
    }
    for another in [
        "https://b.example",
        "http://a.example",
        "https://a.example:8443",
        "a.example",
    ] {
        assert_ne!(one, at(another), "{another}");
    }
    let other = ApiKey::new("another_key_altogether").expect("a key");
    assert_ne!(one, other.fingerprint_with("https://a.example"));
    assert_eq!(one.len(), 32);
    assert_no_key(&one);
}

#[test]
fn a_key_that_cannot_travel_is_refused_without_being_repeated() {
    assert!(ApiKey::new(format!("{KEY}\n")).is_ok());
    for bad in [
        "".to_owned(),
        "  \n".to_owned(),
        format!("{KEY} x"),
        format!("{KEY}\u{7}"),
        format!("{KEY}é"),
    ] {
        let error = ApiKey::new(bad).expect_err("no key");
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert_silent(&error);
    }
}

#[tokio::test]
async fn after_a_401_nothing_is_sent_until_the_client_is_told_to_trust_the_key_again() {
    let (client, script) = scripted();
    let unauthenticated = json!({"status": "error", "message": "Unauthenticated.", "errors": {}});
    script.answer(StatusCode::UNAUTHORIZED, unauthenticated.to_string());
    script.answer(StatusCode::OK, r#"{"success": true, "status": "ok"}"#);
    script.answer(StatusCode::OK, paused());
    let first = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("refused");
    assert_eq!(first.kind(), ErrorKind::Api);

    let latched = client
        .clone()
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("not sent");
    assert_eq!(latched.kind(), ErrorKind::KeyRejected);
    let raw = RawRequest::new(http::Method::GET, "endpoints");
    assert_eq!(
        client.raw(raw).await.expect_err("not sent").kind(),
        ErrorKind::KeyRejected
    );
    assert_eq!(script.requests().len(), 1);
    client
        .health()
        .await
        .expect("the health check needs no key");

    client.reset_key_rejection();
    client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect("trusted again");
}

#[tokio::test]
async fn two_401s_in_any_shape_stop_the_key_until_it_is_reset_or_replaced() {
    for body in [
        "<html>proxy login</html>",
        "",
        "[]",
        r#"{"error": 401}"#,
        r#"{"message": "Unauthorized"}"#,
    ] {
        let script = MockTransport::new();
        let rotating = RotatingKey::new(key());
        let client = Client::builder("https://portal.example.com", rotating.clone())
            .transport(script.clone())
            .build()
            .expect("a client");
        // Something between may be what refused the first, so the next call goes out.
        for is_the_second in [false, true] {
            assert!(!client.key_rejected());
            script.answer(StatusCode::UNAUTHORIZED, body);
            let refused = client.servers().suspend(endpoint_id()).await;
            assert_eq!(
                refused.expect_err("refused").status(),
                Some(StatusCode::UNAUTHORIZED)
            );
            assert_eq!(client.key_rejected(), is_the_second);
        }
        let stopped = client
            .servers()
            .suspend(endpoint_id())
            .await
            .expect_err("stopped");
        assert_eq!(stopped.kind(), ErrorKind::KeyRejected, "{body}");
        assert_eq!(script.requests().len(), 2);

        let next = ApiKey::new("the_next_key_of_the_portal").expect("a key");
        rotating.replace(next.clone());
        script.answer(StatusCode::OK, paused());
        client
            .servers()
            .suspend(endpoint_id())
            .await
            .expect("a new key");
        assert!(script.requests()[2].key_is(&next) && !client.key_rejected());
    }
}

#[tokio::test]
async fn a_401_of_something_between_is_forgotten_with_the_next_answer() {
    let (client, script) = scripted();
    for _ in 0..2 {
        script.answer(StatusCode::UNAUTHORIZED, "<html>proxy login</html>");
        let refused = client.servers().suspend(endpoint_id()).await;
        assert!(refused.expect_err("refused").is_unauthorized());
        script.answer(StatusCode::OK, paused());
        let passed = client.servers().suspend(endpoint_id()).await;
        assert!(passed.is_ok() && !client.key_rejected());
    }
}
