//! What stands between the client and a portal over https: certificates and proxies.
//!
//! The certificates in `tls/` are for 127.0.0.1 alone and valid for a hundred years, but for `expired.pem`. One key
//! serves them all.

use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use secmon::transport::{
    HttpOptions, HttpTransport, ProxyAddress, RootCertificates, Transport, TransportError,
    TransportErrorKind,
};
use secmon::{Client, Delivery, ErrorKind, RawRequest};

use crate::support::*;

const ROOT: &str = include_str!("tls/root.pem");
const SERVER: &str = include_str!("tls/server.pem");
const EXPIRED: &str = include_str!("tls/expired.pem");
const SERVER_KEY: &str = include_str!("tls/server.key");
const HEALTHY: &str = r#"{"success": true, "status": "ok"}"#;

fn bound() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    (listener, address)
}

/// A portal over https that answers every call; its address without a scheme.
fn portal() -> String {
    portal_with(SERVER)
}

fn portal_with(certificate: &str) -> String {
    let certificate =
        CertificateDer::from_pem_slice(certificate.as_bytes()).expect("a certificate");
    let key = PrivateKeyDer::from_pem_slice(SERVER_KEY.as_bytes()).expect("a key");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a certificate with its key");
    let config = Arc::new(config);
    let (listener, address) = bound();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let session = ServerConnection::new(Arc::clone(&config)).expect("a session");
            let mut stream = StreamOwned::new(session, stream);
            // A client that does not trust the certificate goes away.
            if head_of(&mut stream).is_some() {
                let length = HEALTHY.len();
                let answer = format!(
                    "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{HEALTHY}"
                );
                stream.write_all(answer.as_bytes()).expect("a client");
                stream.conn.send_close_notify();
                stream.flush().expect("a client");
            }
        }
    });
    address
}

/// The head of a request; none when the client is gone before its end.
pub fn head_of(stream: &mut impl Read) -> Option<String> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).ok()?;
        head.extend(byte);
    }
    Some(String::from_utf8_lossy(&head).into_owned())
}

/// A proxy that connects its first client with whom it asks for; the head that it read.
fn proxy() -> (String, JoinHandle<String>) {
    let (listener, address) = bound();
    let first = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().expect("a client");
        let head = head_of(&mut client).expect("a request");
        let target = head.split(' ').nth(1).expect("a target");
        let server = TcpStream::connect(target).expect("the portal");
        client
            .write_all(b"HTTP/1.1 200 Connected\r\n\r\n")
            .expect("a client");
        let back = [(&client, &server), (&server, &client)].map(|(from, to)| {
            let (mut from, mut to) = (
                from.try_clone().expect("a socket"),
                to.try_clone().expect("a socket"),
            );
            // Ends when one side closes.
            std::thread::spawn(move || std::io::copy(&mut from, &mut to).is_ok())
        });
        drop(back);
        head
    });
    (address, first)
}

/// What a proxy was asked for. One that nobody asks waits for ever, and the test is not to wait with it.
pub fn asked(proxy: JoinHandle<String>) -> String {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !proxy.is_finished() {
        assert!(Instant::now() < deadline, "nobody has asked the proxy");
        std::thread::sleep(Duration::from_millis(5));
    }
    proxy.join().expect("a proxy")
}

fn roots() -> RootCertificates {
    RootCertificates::from_pem(ROOT).expect("a root certificate")
}

#[tokio::test]
async fn a_private_authority_is_trusted_once_its_root_is_given() {
    let url = format!("https://{}", portal());
    let trusting =
        Client::builder(&url, key()).http_options(HttpOptions::new().extra_roots(roots()));
    let trusting = trusting.build().expect("a client");
    trusting.health().await.expect("healthy");

    let others = Client::builder(&url, key()).build().expect("a client");
    let error = others.health().await.expect_err("an unknown authority");
    assert_eq!((error.delivery(), error.attempts()), (Delivery::NotSent, 1));
    assert!(error.to_string().contains("certificate"), "{error}");
}

/// How a transport with these settings fails to read this address.
async fn failure(url: &str, options: HttpOptions) -> TransportError {
    let request = http::Request::get(url).body(bytes::Bytes::new());
    let transport = HttpTransport::new(&options);
    let answer = transport.send(request.expect("a request")).await;
    answer.expect_err("no answer")
}

fn trusting() -> HttpOptions {
    HttpOptions::new().extra_roots(roots())
}

/// The errors below one, the outermost first.
fn below(error: &TransportError) -> Vec<&(dyn Error + 'static)> {
    std::iter::successors(error.source(), |&error| error.source()).collect()
}

/// A server that answers the first bytes of its first client with these; without any it resets the connection.
fn answering_once(bytes: &'static [u8]) -> String {
    let (listener, address) = bound();
    std::thread::spawn(move || {
        let (mut client, _) = listener.accept().expect("a client");
        client.read_exact(&mut [0; 16]).expect("its first bytes");
        client.write_all(bytes).expect("a client");
        // What is left unread at the end turns the end into a reset.
        if !bytes.is_empty() {
            let _ = std::io::copy(&mut client, &mut std::io::sink());
        }
    });
    address
}

#[tokio::test]
async fn a_certificate_that_is_refused_is_no_failed_connection() {
    let good = portal();
    let other_name = good.replace("127.0.0.1", "localhost");
    for (address, options, reason) in [
        (good, HttpOptions::new(), "UnknownIssuer"),
        (other_name, trusting(), "not valid for name"),
        (portal_with(EXPIRED), trusting(), "expired"),
    ] {
        let error = failure(&format!("https://{address}"), options).await;
        assert_eq!(error.kind(), TransportErrorKind::Tls, "{error}");
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[tokio::test]
async fn a_handshake_that_fails_is_told_from_a_connection_that_is_reset() {
    let plain = answering_once(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    let error = failure(&format!("https://{plain}"), trusting()).await;
    assert_eq!(error.kind(), TransportErrorKind::Tls, "{error}");

    let reset = answering_once(b"");
    let error = failure(&format!("https://{reset}"), trusting()).await;
    assert_eq!(error.kind(), TransportErrorKind::Connect, "{error}");
}

#[tokio::test]
async fn a_certificate_is_refused_behind_a_proxy_too() {
    let (address, _) = proxy();
    let proxy = ProxyAddress::parse(&format!("http://{address}")).expect("an address");
    let url = format!("https://{}", portal());
    let error = failure(&url, HttpOptions::new().proxy(proxy)).await;
    assert_eq!(error.kind(), TransportErrorKind::Tls, "{error}");
}

#[tokio::test]
async fn a_proxy_that_asks_for_credentials_is_no_failed_connection() {
    for (answer, kind, reason) in [
        (
            &b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"[..],
            TransportErrorKind::Proxy,
            "407",
        ),
        (
            b"HTTP/1.1 503 Service Unavailable\r\n\r\n",
            TransportErrorKind::Connect,
            "tunnel",
        ),
    ] {
        let address = answering_once(answer);
        let proxy = ProxyAddress::parse(&format!("http://me:hunter2@{address}"));
        let options = trusting().proxy(proxy.expect("an address"));
        let error = failure("https://portal.example.com", options).await;
        assert_eq!(error.kind(), kind, "{error}");
        assert!(error.to_string().contains(reason), "{error}");
        assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
    }
}

#[tokio::test]
async fn the_causes_of_a_failure_can_be_walked_and_do_not_name_the_address() {
    let (listener, address) = bound();
    drop(listener);
    let error = failure(&format!("http://{address}/?token=hush"), HttpOptions::new()).await;
    assert_eq!(error.kind(), TransportErrorKind::Connect);
    let below = below(&error);
    let refused = below.iter().any(|cause| {
        let io = cause.downcast_ref::<std::io::Error>();
        io.is_some_and(|io| io.kind() == std::io::ErrorKind::ConnectionRefused)
    });
    assert!(refused, "{below:?}");
    assert!(
        !format!("{error:?} {below:?}").contains("hush"),
        "{error:?}"
    );
}

#[tokio::test]
async fn an_answer_beyond_the_limit_is_not_read() {
    let address = answering_once(b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\n123456");
    let error = failure(
        &format!("http://{address}"),
        HttpOptions::new().body_limit(5),
    )
    .await;
    assert_eq!(error.kind(), TransportErrorKind::BodyTooLarge);
    assert_eq!(error.to_string(), "the answer is larger than 5 bytes");
}

#[tokio::test]
async fn https_goes_through_the_proxy_that_sees_the_host_and_nothing_else() {
    let portal = portal();
    let (address, first) = proxy();
    let proxy = ProxyAddress::parse(&format!("http://{address}")).expect("an address");
    let client = Client::builder(&format!("https://{portal}"), key())
        .http_options(trusting().proxy(proxy))
        .build()
        .expect("a client");
    let list = RawRequest::new(http::Method::GET, "endpoints");
    client.raw(list).await.expect("an answer");
    let head = asked(first);
    assert!(
        head.starts_with(&format!("CONNECT {portal} HTTP/1.1\r\n")),
        "{head}"
    );
    assert!(
        !head.contains(KEY) && !head.contains("uthorization"),
        "{head}"
    );
}

#[test]
fn the_address_of_a_proxy_is_checked_and_its_password_never_shown() {
    let proxy = ProxyAddress::parse(" http://me:hunter2@proxy.example:3128 ").expect("an address");
    assert_eq!(
        format!("{proxy:?}"),
        r#"ProxyAddress("http://proxy.example:3128")"#
    );
    for wrong in [
        "",
        "proxy.example:3128",
        "socks5://me:hunter2@proxy.example",
        "http://",
        "hunter2",
    ] {
        let error = ProxyAddress::parse(wrong).expect_err("no address");
        assert_eq!(error.kind(), ErrorKind::Configuration);
        assert!(!error.to_string().contains("hunter2"), "{error}");
    }
}

#[test]
fn a_file_without_a_certificate_is_refused() {
    assert_eq!(format!("{:?}", roots()), "RootCertificates(1)");
    let broken = ROOT.replace("MII", "MIJ");
    for wrong in ["", "no PEM", SERVER_KEY, broken.as_str()] {
        let error = RootCertificates::from_pem(wrong).expect_err("no certificate");
        assert_eq!(error.kind(), ErrorKind::Configuration, "{error}");
    }
}
