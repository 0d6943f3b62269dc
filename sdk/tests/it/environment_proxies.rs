//! The proxy that the environment names, as a program meets it: this one, run again with an environment of its own, calls
//! an address where nobody answers (F17).

use std::io::Write;
use std::net::TcpListener;
use std::process::Command;

use crate::https::{asked, head_of};
use crate::support::*;

/// A client of the program that runs; its result is read by the tests below.
#[tokio::test]
#[ignore = "run by the tests of this file, in an environment of theirs"]
async fn calls_the_portal_once() {
    let client = client_of("https://portal.invalid");
    let error = client.servers().suspend(endpoint_id()).await;
    println!("{:?}", error.expect_err("nobody is there"));
}

/// What a call ends with in this environment.
fn call_with(environment: &[(&str, &str)]) -> String {
    let mut program = Command::new(std::env::current_exe().expect("a path"));
    for name in ["HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "HTTP_PROXY"] {
        program.env_remove(name).env_remove(name.to_lowercase());
    }
    program.args(["--exact", "environment_proxies::calls_the_portal_once"]);
    program.args(["--ignored", "--nocapture"]);
    program.envs(environment.iter().copied());
    let ended = program.output().expect("a program");
    String::from_utf8_lossy(&ended.stdout).into_owned()
}

/// A proxy that refuses whoever comes first; what it was asked for.
fn refusing() -> (String, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    let proxy = std::thread::spawn(move || {
        let (mut client, _) = listener.accept().expect("a client");
        let head = head_of(&mut client).expect("a request");
        let answer = b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n";
        client.write_all(answer).expect("a client");
        head
    });
    (address, proxy)
}

#[test]
fn the_proxy_of_the_environment_is_asked() {
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"] {
        let (address, proxy) = refusing();
        let ended = call_with(&[(name, &format!("http://{address}"))]);
        assert!(
            ended.contains("Error(Proxy, sent NotSent,"),
            "{name}: {ended}"
        );
        assert!(
            ended.contains("127.0.0.1"),
            "the proxy is not named: {ended}"
        );
        let head = asked(proxy);
        assert!(
            head.starts_with("CONNECT portal.invalid:443 "),
            "{name}: {head}"
        );
    }
}

#[test]
fn a_name_in_no_proxy_is_called_directly() {
    for no_proxy in [
        "portal.invalid",
        ".invalid",
        "*.invalid",
        "portal.invalid:443",
        "*",
    ] {
        // Nobody listens there: asked, it would be named as what failed.
        let proxy = ("HTTPS_PROXY", "http://127.0.0.1:9");
        let ended = call_with(&[proxy, ("NO_PROXY", no_proxy)]);
        assert!(ended.contains("suspend_endpoint"), "{no_proxy}: {ended}");
        assert!(!ended.contains("127.0.0.1:9"), "{no_proxy}: {ended}");
    }
}

#[test]
fn a_proxy_that_cannot_be_read_is_named_and_never_passed_over() {
    for broken in [
        "http//127.0.0.1:3128",
        "not a proxy",
        "ftp://127.0.0.1:3128",
    ] {
        let ended = call_with(&[("HTTPS_PROXY", broken)]);
        assert!(
            ended.contains("HTTPS_PROXY cannot be read"),
            "{broken}: {ended}"
        );
    }
    let ended = call_with(&[("HTTPS_PROXY", "http://me:hunter2 x@127.0.0.1:3128")]);
    assert!(ended.contains("HTTPS_PROXY cannot be read"), "{ended}");
    assert!(!ended.contains("hunter2"), "{ended}");
}
