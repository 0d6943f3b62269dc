//! Addresses, paths and runtimes as programs really have them.

use std::sync::Arc;
use std::time::Duration;

use http::{Method, StatusCode};
use secmon::operations::CreateSsoToken;
use secmon::testing::MockTransport;
use secmon::transport::{HttpOptions, HttpTransport};
use secmon::{Client, Delivery, ErrorKind, RawRequest};

use crate::setup::following_client;
use crate::support::*;

#[tokio::test]
async fn a_path_that_climbs_in_any_spelling_is_refused() {
    for path in [
        "suspend/../release-domain",
        "suspend/%2e%2e/release-domain",
        "suspend/%2E%2e/release-domain",
        "suspend/.%2e/release-domain",
        "suspend/%252e%252e/release-domain",
        "suspend/%252525252E./release-domain",
        "suspend\\..\\release-domain",
        "suspend/..%2frelease-domain",
        "suspend/..%5crelease-domain",
        "suspend/./x",
        "suspend/%2e",
        "suspend#/../x",
    ] {
        let (client, script) = scripted();
        let error = client.raw(RawRequest::new(Method::POST, path)).await;
        let error = error.expect_err(path);
        assert_eq!(
            (error.kind(), error.delivery()),
            (ErrorKind::Configuration, Delivery::NotSent),
            "{path}"
        );
        assert!(script.requests().is_empty(), "{path}");
        let given = format!("/{path}");
        let builder = builder(&script).path("list_scenarios", given);
        assert!(builder.build().is_err(), "{path}");
    }
    let (client, script) = scripted();
    script.answer(StatusCode::OK, "{}");
    let dotted = RawRequest::new(Method::GET, "endpoints/a..b/.hidden/x%20y?name=..%2f..");
    client.raw(dotted).await.expect("sent");
}

#[tokio::test]
async fn a_long_path_of_escaped_escapes_is_read_in_one_pass() {
    let (client, script) = scripted();
    let path = format!("suspend/%{}2e", "25".repeat(200_000));
    let started = std::time::Instant::now();
    let error = client.raw(RawRequest::new(Method::POST, path)).await;
    assert_eq!(error.expect_err("a dot").kind(), ErrorKind::Configuration);
    assert!(script.requests().is_empty());
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[test]
fn plain_http_is_allowed_to_a_host_in_whatever_spelling_it_is_named() {
    for (allowed, url) in [
        ("b\u{fc}cher.example", "http://b\u{fc}cher.example"),
        ("b\u{fc}cher.example", "http://xn--bcher-kva.example"),
        ("XN--BCHER-KVA.example", "http://B\u{fc}cher.example"),
        ("Mock", "http://mock:8080"),
    ] {
        let builder = Client::builder(url, key()).allow_http(allowed);
        let built = builder.build();
        assert!(built.is_ok(), "{allowed} {url}: {built:?}");
    }
    let other = Client::builder("http://bucher.example", key()).allow_http("b\u{fc}cher.example");
    assert!(other.build().is_err());
}

#[test]
fn an_error_about_an_address_shows_no_user_no_query_and_no_fragment() {
    for url in [
        "https://user:hunter2@portal.example.com",
        "https://user:hun/ter2@portal.example.com/path",
        "https://user:hunter2@portal.example.com:99999",
        "ftp://user:hunter2@portal.example.com",
        "user:hunter2@portal.example.com",
        "https://portal.example.com/path?token=hunter2",
        "https://portal.example.com/#hunter2",
        "http://portal.example.com?hunter2",
    ] {
        let error = Client::builder(url, key()).build().expect_err(url);
        assert_eq!(error.kind(), ErrorKind::Configuration, "{url}");
        for text in [error.to_string(), format!("{error:?}")] {
            assert!(!text.contains("ter2"), "{url}: {text}");
        }
    }
}

#[test]
fn a_host_that_is_no_name_and_a_port_that_is_none_are_refused_and_an_idn_is_an_a_label() {
    for url in [
        "https://portal.example.com:99999",
        "https://portal.example.com:0",
        "https://portal.example.com:",
        "https://portal.example.com:https",
        "https://",
        "https://a..b",
        "https://-a.example.com",
        "https://exa mple.com",
        "https://256.1.1.1",
        "https://[::1",
        "https://[example]",
        "https://xn--.example.com\u{0}",
    ] {
        let refused = Client::builder(url, key()).build();
        assert_eq!(
            refused.expect_err(url).kind(),
            ErrorKind::Configuration,
            "{url}"
        );
    }
    for (url, origin) in [
        (
            "https://b\u{fc}cher.example",
            "https://xn--bcher-kva.example",
        ),
        (
            "https://B\u{dc}CHER.example:8443/",
            "https://xn--bcher-kva.example:8443",
        ),
        ("https://[2001:db8:0::1]", "https://[2001:db8::1]"),
        ("https://secmon_mock", "https://secmon_mock"),
        ("HTTPS://portal.example.com", "https://portal.example.com"),
    ] {
        let client = Client::builder(url, key()).build();
        assert_eq!(client.expect(url).base_url(), origin);
    }
}

#[tokio::test]
async fn a_landing_page_that_leads_away_is_refused() {
    for path in [
        "//evil.example",
        "/\\evil.example",
        "/\t/evil.example",
        "/a\nb",
        "/a\\b",
        "domains",
        "",
    ] {
        let (client, script) = scripted();
        let request = CreateSsoToken::new(customer()).redirect_path(path);
        let error = client.send(request).await.expect_err(path);
        assert_eq!(error.kind(), ErrorKind::Validation, "{path:?}");
        assert!(script.requests().is_empty());
    }
}

#[test]
fn a_runtime_without_time_and_none_at_all_are_errors_of_the_set_up() {
    let script = MockTransport::new();
    let client = builder(&script).build().expect("a client");
    let bare = tokio::runtime::Builder::new_current_thread()
        .build()
        .expect("a runtime");
    let error = bare.block_on(client.servers().suspend(endpoint_id()).send());
    let error = error.expect_err("no time");
    assert_eq!(
        (error.kind(), error.delivery()),
        (ErrorKind::Configuration, Delivery::NotSent)
    );
    assert!(error.to_string().contains("enable_all"), "{error}");

    let mut call = Box::pin(client.servers().suspend(endpoint_id()).send());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match call.as_mut().poll(&mut context) {
        std::task::Poll::Ready(Err(error)) => {
            assert_eq!(error.kind(), ErrorKind::Configuration);
            assert!(error.to_string().contains("tokio"), "{error}");
        }
        other => panic!("no error: {other:?}"),
    }
    assert!(script.requests().is_empty());
}

#[test]
fn a_runtime_without_io_is_an_error_of_the_set_up() {
    let client = client_of("http://127.0.0.1:1");
    let timed = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let error = timed.expect("a runtime").block_on(client.health().send());
    let error = error.expect_err("no I/O");
    assert_eq!(
        (error.kind(), error.delivery()),
        (ErrorKind::Configuration, Delivery::NotSent)
    );
    assert!(error.to_string().contains("enable_all"), "{error}");
}

#[test]
fn an_http_client_of_the_callers_on_a_runtime_without_io_is_an_error_of_the_set_up() {
    let timed = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    let transport = HttpTransport::with_client(following_client(), &HttpOptions::new());
    let client = Client::builder("http://127.0.0.1:1", key())
        .transport(Arc::new(transport))
        .build()
        .expect("a client");
    let error = timed.expect("a runtime").block_on(client.health().send());
    let error = error.expect_err("no I/O");
    assert_eq!(
        (error.kind(), error.delivery()),
        (ErrorKind::Configuration, Delivery::NotSent)
    );
}

#[test]
fn a_client_is_of_use_on_a_second_runtime_while_the_first_stands_still() {
    let runtime = || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.expect("a runtime")
    };
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        runtime().block_on(async {
            let server = wiremock::MockServer::start().await;
            let healthy = r#"{"success": true, "status": "ok"}"#;
            let answer = wiremock::ResponseTemplate::new(200).set_body_string(healthy);
            let any = wiremock::Mock::given(wiremock::matchers::any());
            any.respond_with(answer).mount(&server).await;
            send.send(server.uri()).expect("a test that waits");
            std::future::pending::<()>().await;
        });
    });
    let url = receive.recv().expect("a service");
    let client = client_of(&url).with(|calls| calls.attempt_timeout(Duration::from_secs(30)));
    let (first, second) = (runtime(), runtime());
    first
        .block_on(client.health().send())
        .expect("on the first");
    let answered = second
        .block_on(client.health().send())
        .expect("on the second");
    assert!(answered.elapsed() < Duration::from_secs(20));
    first
        .block_on(client.health().send())
        .expect("on the first again");
}
