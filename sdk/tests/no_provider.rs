//! The default transport in a program that brings its own crypto provider. Alone in its process: a provider is set
//! for all of it, and once.
#![cfg(all(
    feature = "tls-no-provider",
    not(any(feature = "tls", feature = "tls-aws-lc-rs"))
))]

use rustls::crypto::ring;
use secmon::transport::{HttpOptions, HttpTransport, Transport, TransportErrorKind};

#[tokio::test]
async fn without_a_provider_nothing_is_sent_and_with_one_it_is_used() {
    // The reserved port zero takes no connection.
    let request = || http::Request::get("https://127.0.0.1:0").body(bytes::Bytes::new());
    let send = async || {
        let transport = HttpTransport::new(&HttpOptions::new());
        let answer = transport.send(request().expect("a request")).await;
        answer.expect_err("nobody listens")
    };
    let error = send().await;
    assert_eq!(error.kind(), TransportErrorKind::Refused);
    assert!(error.to_string().contains("install_default"), "{error}");

    ring::default_provider()
        .install_default()
        .expect("the first one");
    assert_eq!(send().await.kind(), TransportErrorKind::Connect);
}
