//! What stands between the client and a portal over https: certificates and proxies.
//!
//! The certificates in `tls/` are for this machine alone and valid for a hundred years.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use secmon::transport::{ProxyAddress, RootCertificates};
use secmon::{Client, ErrorKind, RawRequest, Sent};

use crate::support::*;

const ROOT: &str = include_str!("tls/root.pem");
const SERVER: &str = include_str!("tls/server.pem");
const SERVER_KEY: &str = include_str!("tls/server.key");
const HEALTHY: &str = r#"{"success": true, "status": "ok"}"#;

fn bound() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    (listener, address)
}

/// A portal over https that answers every call; its address without a scheme.
fn portal() -> String {
    let certificate = CertificateDer::from_pem_slice(SERVER.as_bytes()).expect("a certificate");
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
fn head_of(stream: &mut impl Read) -> Option<String> {
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

fn roots() -> RootCertificates {
    RootCertificates::from_pem(ROOT).expect("a root certificate")
}

#[tokio::test]
async fn a_private_authority_is_trusted_once_its_root_is_given() {
    let url = format!("https://{}", portal());
    let trusting = Client::builder(&url, key()).extra_roots(roots());
    let trusting = trusting.build().expect("a client");
    trusting.health().await.expect("healthy");

    let others = Client::builder(&url, key()).max_retries(0);
    let error = others.build().expect("a client").health().await;
    let error = error.expect_err("an unknown authority");
    assert_eq!(error.kind(), ErrorKind::Connect, "{error}");
    assert_eq!(error.sent(), Sent::No);
    assert!(error.to_string().contains("certificate"), "{error}");
}

#[tokio::test]
async fn https_goes_through_the_proxy_that_sees_the_host_and_nothing_else() {
    let portal = portal();
    let (address, first) = proxy();
    let proxy = ProxyAddress::parse(&format!("http://{address}")).expect("an address");
    let client = Client::builder(&format!("https://{portal}"), key())
        .extra_roots(roots())
        .proxy(proxy)
        .build()
        .expect("a client");
    let list = RawRequest::new(http::Method::GET, "endpoints");
    client.raw(list).await.expect("an answer");
    let head = first.join().expect("a proxy");
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
