//! Answers that no well-behaved service gives, over real sockets.

use std::time::Duration;

use secmon::transport::HttpOptions;
use secmon::{Client, Delivery, Error, ErrorKind};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::*;

/// What a read of one endpoint ends with, when everything is answered like this.
async fn read_answered(response: ResponseTemplate) -> Error {
    let server = MockServer::start().await;
    Mock::given(any())
        .respond_with(response)
        .mount(&server)
        .await;
    let client = client_of(&server.uri());
    client
        .servers()
        .get(customer(), endpoint_id())
        .await
        .expect_err("no result")
}

#[tokio::test]
async fn an_html_page_is_an_unreadable_answer_with_its_text_kept() {
    let page = "<html><h1>502 Bad Gateway</h1></html>";
    let error = read_answered(ResponseTemplate::new(502).set_body_raw(page, "text/html")).await;
    assert_eq!(error.kind(), ErrorKind::Gateway);
    assert_eq!(error.status().map(|status| status.as_u16()), Some(502));
    assert_eq!(error.body_snippet(), Some(page));
    assert!(error.to_string().contains("it is text/html"), "{error}");
    assert!(error.is_retryable());

    let error = read_answered(ResponseTemplate::new(200).set_body_raw(page, "text/html")).await;
    assert_eq!(error.kind(), ErrorKind::Decode);
    assert_eq!(error.body_snippet(), Some(page));
    assert!(
        error
            .to_string()
            .contains("it is text/html where JSON was expected"),
        "{error}"
    );
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn an_empty_answer_is_unreadable_and_says_so() {
    for status in [200, 404, 500] {
        let error = read_answered(ResponseTemplate::new(status)).await;
        let kind = if status == 500 {
            ErrorKind::Gateway
        } else {
            ErrorKind::Decode
        };
        assert_eq!(error.kind(), kind);
        assert!(error.to_string().contains("it is empty"), "{error}");
    }
}

#[tokio::test]
async fn json_under_another_content_type_is_read_all_the_same() {
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(200).set_body_raw(resource(endpoint()), "text/plain");
    Mock::given(any()).respond_with(answer).mount(&server).await;
    let read = client_of(&server.uri())
        .servers()
        .get(customer(), endpoint_id())
        .await
        .expect("read");
    assert_eq!(read.data.id, endpoint_id());
}

#[tokio::test]
async fn json_of_another_shape_is_unreadable_and_names_what_is_missing() {
    for (body, said) in [
        (json!([]), "a list where an object was expected"),
        (
            json!({"data": null}),
            "`data`: null where struct Endpoint was expected",
        ),
        (
            json!({"data": {"id": ID}}),
            "`data`: missing field `ip_address`",
        ),
        (
            json!({"data": {"id": 7, "ip_address": "", "status": ""}}),
            "`data.id`: integer where a UUID was expected",
        ),
        (
            json!("ok"),
            "string where an object with `data` was expected",
        ),
        (json!(7), "integer where an object with `data` was expected"),
    ] {
        let error = read_answered(ResponseTemplate::new(200).set_body_json(&body)).await;
        assert_eq!(error.kind(), ErrorKind::Decode, "{body}");
        assert!(error.to_string().contains(said), "{body}: {error}");
        assert_eq!(error.body_snippet(), Some(body.to_string().as_str()));
    }
}

#[tokio::test]
async fn a_doubled_key_is_unreadable_and_named_and_a_number_out_of_range_is_absent() {
    let doubled = format!(r#"{{"data": {0}, "data": {0}}}"#, endpoint());
    let error = read_answered(ResponseTemplate::new(200).set_body_string(doubled)).await;
    assert!(
        error.to_string().contains("duplicate field `data`"),
        "{error}"
    );
    let mut huge = endpoint();
    huge["billing_customer_id"] = json!(u64::MAX);
    let (client, script) = scripted();
    script.answer(http::StatusCode::OK, resource(huge));
    let read = client.servers().get(customer(), endpoint_id()).await;
    let read = read.expect("a server");
    assert_eq!(read.data.billing_customer_id, None);
    let kept = read.raw_field("/data/billing_customer_id");
    assert_eq!(kept, Some(json!(u64::MAX)));
}

#[tokio::test]
async fn a_long_list_with_every_record_in_another_spelling_is_read() {
    let mut foreign = endpoint();
    foreign["last_scan_at"] = json!("");
    foreign["nmap_cooldown_seconds"] = json!("300");
    foreign["quota_paused"] = json!("perhaps");
    let servers = vec![foreign; 20_000];
    let page = json!({"data": servers, "meta": {"current_page": "1"}});
    let (client, script) = scripted();
    script.answer(http::StatusCode::OK, page.to_string());
    let started = std::time::Instant::now();
    let read = client
        .send(secmon::operations::ListEndpoints::account_wide())
        .await;
    let read = read.expect("a page").data;
    assert_eq!(read.data.len(), 20_000);
    let last = &read.data[19_999];
    let (scanned, paused) = (&last.last_scan_at, last.quota_paused);
    assert_eq!(
        (scanned, last.nmap_cooldown_seconds, paused),
        (&None, Some(300), None)
    );
    // A reader that begins again for each of them takes minutes.
    assert!(started.elapsed() < std::time::Duration::from_secs(20));
}

#[tokio::test]
async fn bytes_that_are_no_text_are_unreadable_and_harmless() {
    let bytes = vec![0xff_u8; 5000];
    let error = read_answered(ResponseTemplate::new(500).set_body_bytes(bytes)).await;
    assert_eq!(error.kind(), ErrorKind::Gateway);
    assert!(
        error
            .body_snippet()
            .is_some_and(|text| text.len() <= 2048 && text.chars().count() > 600)
    );
}

#[tokio::test]
async fn deeply_nested_json_is_unreadable_and_harmless() {
    let nested = "[".repeat(200_000);
    for (status, kind) in [(200, ErrorKind::Decode), (500, ErrorKind::Gateway)] {
        let answer = ResponseTemplate::new(status).set_body_string(nested.clone());
        assert_eq!(read_answered(answer).await.kind(), kind);
    }
}

#[tokio::test]
async fn values_nobody_knows_do_not_spoil_the_answer() {
    let server = MockServer::start().await;
    let mut odd = endpoint();
    odd["status"] = json!("hibernating");
    odd["quota_paused"] = json!(true);
    odd["firmware"] = json!({"version": 3});
    let answer = ResponseTemplate::new(200).set_body_string(resource(odd));
    Mock::given(any()).respond_with(answer).mount(&server).await;
    let read = client_of(&server.uri())
        .servers()
        .get(customer(), endpoint_id())
        .await
        .expect("read");
    assert_eq!(read.data.status.as_str(), "hibernating");
    assert_eq!(read.data.quota_paused, Some(true));
}

#[tokio::test]
async fn a_redirect_is_reported_and_never_followed() {
    let elsewhere = MockServer::start().await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200))
        .expect(0)
        .mount(&elsewhere)
        .await;
    for status in [301, 302, 303, 307, 308] {
        let answer = ResponseTemplate::new(status).insert_header("location", elsewhere.uri());
        let error = read_answered(answer).await;
        assert_eq!(error.kind(), ErrorKind::Redirect);
        assert!(error.to_string().contains(&elsewhere.uri()), "{error}");
    }
}

#[tokio::test]
async fn a_body_beyond_the_cap_is_given_up() {
    let body = vec![b' '; 40 * 1024 * 1024];
    let error = read_answered(ResponseTemplate::new(200).set_body_bytes(body)).await;
    assert_eq!(error.kind(), ErrorKind::BodyTooLarge);
    assert_eq!(error.attempts(), 1);
}

#[tokio::test]
async fn a_body_just_as_large_as_the_cap_is_read() {
    let server = MockServer::start().await;
    let body = resource(endpoint());
    let length = body.len();
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200).set_body_string(body))
        .mount(&server)
        .await;
    for (cap, ends) in [(length, None), (length - 1, Some(ErrorKind::BodyTooLarge))] {
        let client = Client::builder(&server.uri(), key())
            .with(|calls| calls.max_retries(0))
            .http_options(HttpOptions::new().body_limit(cap))
            .build()
            .expect("a client");
        let read = client.servers().get(customer(), endpoint_id()).await;
        assert_eq!(read.err().map(|error| error.kind()), ends);
    }
}

#[tokio::test]
async fn half_a_body_is_a_lost_connection_after_which_the_service_may_have_acted() {
    let half = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{\"data\": {";
    let client = client_of(&answering_with(half).await);
    let error = client
        .servers()
        .get(customer(), endpoint_id())
        .await
        .expect_err("cut");
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    assert_eq!(error.delivery(), Delivery::Maybe);
}

#[tokio::test]
async fn a_connection_closed_without_an_answer_is_lost_too() {
    let client = client_of(&answering_with("").await);
    let error = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("closed");
    assert_eq!(error.kind(), ErrorKind::Interrupted);
    assert_eq!(error.delivery(), Delivery::Maybe);
}

#[tokio::test]
async fn an_answer_that_is_no_http_is_lost_too() {
    let client = client_of(&answering_with("SSH-2.0-OpenSSH_9.9\r\n").await);
    let error = client
        .servers()
        .get(customer(), endpoint_id())
        .await
        .expect_err("no HTTP");
    assert_eq!(error.kind(), ErrorKind::Interrupted);
}

#[tokio::test]
async fn an_address_where_nobody_listens_is_no_connection_and_nothing_was_sent() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", free.local_addr().expect("an address"));
    drop(free);
    let client = Client::builder(&url, key())
        .with(|calls| calls.max_retries(2))
        .build()
        .expect("a client");
    let error = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("nobody there");
    assert_eq!(error.kind(), ErrorKind::Connect);
    assert_eq!(error.delivery(), Delivery::NotSent);
    assert_eq!(error.attempts(), 3);
    assert!(error.to_string().contains("refused"), "{error}");
}

#[tokio::test]
async fn https_to_a_server_that_speaks_plain_http_is_a_failure_of_tls_and_nothing_was_sent() {
    let server = MockServer::start().await;
    let client = client_of(&server.uri().replace("http://", "https://"));
    let error = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("no TLS there");
    assert_eq!(error.kind(), ErrorKind::Tls, "{error}");
    assert!(error.to_string().contains("plain http"), "{error}");
    assert_eq!(error.delivery(), Delivery::NotSent);
    assert_eq!(
        server
            .received_requests()
            .await
            .map(|requests| requests.len()),
        Some(0)
    );
}

#[tokio::test]
async fn an_answer_that_never_comes_ends_with_the_attempts_time() {
    let server = MockServer::start().await;
    let slow = ResponseTemplate::new(200).set_delay(Duration::from_secs(60));
    Mock::given(any()).respond_with(slow).mount(&server).await;
    let client = Client::builder(&server.uri(), key())
        .with(|calls| calls.attempt_timeout(Duration::from_millis(50)))
        .with(|calls| calls.max_retries(0))
        .build()
        .expect("a client");
    let error = client
        .servers()
        .suspend(endpoint_id())
        .await
        .expect_err("too slow");
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert_eq!(error.delivery(), Delivery::Maybe);
    assert!(
        error.to_string().contains("no answer within 50ms"),
        "{error}"
    );
}

/// A server that sends the head of an answer and then a byte of its body now and again, for ever.
async fn dripping() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        read_head(&mut stream).await.expect("a request");
        let head =
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n";
        let mut sent = stream.write_all(head.as_bytes()).await;
        let mut beat = tokio::time::interval(Duration::from_millis(5));
        while sent.is_ok() {
            beat.tick().await;
            sent = stream.write_all(b" ").await;
        }
    });
    format!("http://{address}")
}

#[tokio::test]
async fn an_answer_that_drips_ends_with_the_attempts_time_and_may_have_acted() {
    let client = Client::builder(&dripping().await, key())
        .with(|calls| calls.attempt_timeout(Duration::from_millis(200)))
        .with(|calls| calls.max_retries(0))
        .build()
        .expect("a client");
    let suspended = client.servers().suspend(endpoint_id()).await;
    let error = suspended.expect_err("too slow");
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert_eq!(error.delivery(), Delivery::Maybe);
}
