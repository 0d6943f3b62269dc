//! Building a client: which addresses it takes, and what it says of those it does not.

use std::sync::Arc;

use secmon::operations::GetHealth;
use secmon::testing::MockTransport;
use secmon::transport::{HttpOptions, HttpTransport};
use secmon::{Client, Delivery, ErrorKind};
use serde_json::json;
use wiremock::matchers::{header, header_exists, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::*;

#[test]
fn https_origins_and_this_machine_are_taken() {
    for (url, origin) in [
        ("https://portal.example.com", "https://portal.example.com"),
        ("https://portal.example.com/", "https://portal.example.com"),
        (
            " https://portal.example.com:8443\n",
            "https://portal.example.com:8443",
        ),
        ("http://localhost:4010", "http://localhost:4010"),
        ("http://127.0.0.1:4010/", "http://127.0.0.1:4010"),
        ("http://127.8.9.1", "http://127.8.9.1"),
        ("http://[::1]:4010", "http://[::1]:4010"),
    ] {
        let client = Client::builder(url, key()).build();
        assert_eq!(client.expect("a client").base_url(), origin);
    }
}

#[test]
fn other_addresses_are_refused_with_the_reason() {
    for (url, reason) in [
        ("", "is not an address"),
        ("portal.example.com", "has no scheme"),
        ("/api/v1", "has no scheme"),
        ("ftp://portal.example.com", "is neither https nor http"),
        ("https://user:pass@portal.example.com", "without a user"),
        ("https://portal.example.com/api/v1", "has a path"),
        ("https://portal.example.com?x=1", "has a path or a query"),
        ("http://portal.example.com", "is plain http"),
        ("http://localhost.example.com", "is plain http"),
        ("http://10.0.0.1", "is plain http"),
    ] {
        let refused = Client::builder(url, key()).build();
        let error = refused.expect_err(url);
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert_eq!(error.delivery(), Delivery::NotSent);
        assert!(error.to_string().contains(reason), "{url}: {error}");
    }
}

#[test]
fn plain_http_is_allowed_to_exactly_the_host_that_was_named() {
    let allowed = |url: &str| {
        Client::builder(url, key())
            .allow_http("secmon-mock")
            .build()
            .is_ok()
    };
    assert!(allowed("http://secmon-mock:4010"));
    assert!(allowed("http://SECMON-MOCK"));
    assert!(!allowed("http://secmon-mock.example.com"));
    assert!(!allowed("http://x-secmon-mock"));
}

#[tokio::test]
async fn every_request_names_the_key_the_formats_and_the_program() {
    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .and(path(format!("/api/v1/endpoints/{ID}")))
        .and(header("authorization", format!("Bearer {KEY}")))
        .and(header("accept", "application/json"))
        .and(header("content-type", "application/json"))
        .and(header("user-agent", "billing/1.2"))
        .respond_with(ResponseTemplate::new(200).set_body_string(resource(endpoint())))
        .expect(1)
        .mount(&server)
        .await;
    let client = Client::builder(&server.uri(), key())
        .user_agent("billing/1.2")
        .build();
    client
        .expect("a client")
        .servers()
        .get(customer(), endpoint_id())
        .await
        .expect("read");
}

#[tokio::test]
async fn the_health_check_keeps_the_key_at_home() {
    let server = MockServer::start().await;
    Mock::given(header_exists("authorization"))
        .respond_with(ResponseTemplate::new(500))
        .expect(0)
        .mount(&server)
        .await;
    Mock::given(method("GET"))
        .respond_with(
            ResponseTemplate::new(200).set_body_string(r#"{"success": true, "status": "ok"}"#),
        )
        .mount(&server)
        .await;
    client_of(&server.uri())
        .send(GetHealth::new())
        .await
        .expect("healthy");
}

/// A client that follows redirects, with a TLS set-up of its own that no test uses.
pub fn following_client() -> reqwest::Client {
    let tls = rustls::ClientConfig::builder_with_provider(Arc::new(
        rustls::crypto::ring::default_provider(),
    ))
    .with_safe_default_protocol_versions()
    .expect("a TLS set-up")
    .with_root_certificates(rustls::RootCertStore::empty())
    .with_no_client_auth();
    let builder = reqwest::Client::builder().tls_backend_preconfigured(tls);
    builder.build().expect("an HTTP client")
}

#[tokio::test]
async fn a_callers_own_http_client_that_follows_a_redirect_is_caught() {
    let server = MockServer::start().await;
    Mock::given(path("/api/v1/health"))
        .respond_with(ResponseTemplate::new(302).insert_header("location", "/elsewhere"))
        .mount(&server)
        .await;
    Mock::given(path("/elsewhere"))
        .respond_with(
            ResponseTemplate::new(200).set_body_string(r#"{"success": true, "status": "ok"}"#),
        )
        .mount(&server)
        .await;
    let following = Client::builder(&server.uri(), key())
        .transport(Arc::new(HttpTransport::with_client(
            following_client(),
            &HttpOptions::new(),
        )))
        .build();
    let error = following
        .expect("a client")
        .health()
        .await
        .expect_err("followed");
    assert_eq!(error.kind(), ErrorKind::Redirect);
}

#[tokio::test]
async fn an_assumed_path_can_be_replaced_and_a_specified_one_cannot() {
    let script = MockTransport::new();
    let client = builder(&script)
        .path("resolve_port_alert", "/api/v1/port-alerts/{alert_id}/close")
        .build()
        .expect("a client");
    let closed = success(json!({"alert": {"id": ID, "status": "resolved"}}));
    script.answer(http::StatusCode::OK, closed);
    client
        .port_alerts()
        .resolve(customer(), alert_id())
        .await
        .expect("resolved");
    assert_eq!(
        script.requests()[0].path,
        format!("/api/v1/port-alerts/{ID}/close")
    );

    for (operation, path) in [
        ("suspend_endpoint", "/api/v1/suspend"),
        ("nothing", "/api/v1/nothing"),
        ("resolve_port_alert", "/api/v1/port-alerts/close"),
        ("resolve_port_alert", "/api/v1/port-alerts/{id}/close"),
        ("resolve_port_alert", "port-alerts/{alert_id}/close"),
    ] {
        let refused = builder(&script)
            .path(operation, path)
            .build()
            .expect_err("refused");
        assert_eq!(
            refused.kind(),
            ErrorKind::Configuration,
            "{operation} {path}"
        );
    }
}
