//! More connections than anybody needs.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rustix::process::{Resource, getrlimit, setrlimit};

use crate::program::Program;

/// Connections that the server holds at once.
const HELD: usize = 4096;

/// Lets this process, and the server that it starts, open as many files as the system allows; how
/// many connections a test may open then.
fn connections_to_open() -> usize {
    let mut files = getrlimit(Resource::Nofile);
    files.current = files.maximum;
    setrlimit(Resource::Nofile, files).expect("the limit that the system allows");
    let allowed = files.maximum.map_or(10_000, |most| most as usize);
    allowed.saturating_sub(500).min(10_000)
}

/// Whether the server said that it has no room, and closed the connection.
fn was_turned_away(mut connection: &TcpStream) -> bool {
    let mut answer = String::new();
    match connection.read_to_string(&mut answer) {
        Ok(_) => answer.starts_with("HTTP/1.1 503"),
        Err(error) if error.kind() == ErrorKind::WouldBlock => false,
        Err(error) => panic!("{error}"),
    }
}

/// The first line of the answer to a call of its own. A connection is accepted after those before
/// it: once this one is answered, all are.
fn answered(address: &str) -> String {
    let mut connection = TcpStream::connect(address).expect("a connection");
    let head =
        format!("GET /api/v1/health HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    // Who is turned away may find the connection closed already.
    let _ = connection.write_all(head.as_bytes());
    let mut answer = String::new();
    let _ = connection.read_to_string(&mut answer);
    answer.lines().next().unwrap_or_default().to_owned()
}

#[test]
fn ten_thousand_idle_connections_are_held_or_turned_away_and_never_kept_for_good() {
    let count = connections_to_open();
    let program = Program::start(&[]);
    let address = program.url.trim_start_matches("http://");
    let mut idle = Vec::new();
    let mut last = String::new();
    while idle.len() < count {
        // The system lets a few at a time wait to be accepted.
        let some = (0..100).map(|_| TcpStream::connect(address).expect("a connection"));
        idle.extend(some);
        last = answered(address);
    }
    let expected = if idle.len() < HELD {
        "200 OK"
    } else {
        "503 Service Unavailable"
    };
    assert_eq!(last, format!("HTTP/1.1 {expected}"));
    for connection in &idle {
        connection.set_nonblocking(true).expect("a socket");
    }
    let away = idle.iter().filter(|connection| was_turned_away(connection));
    assert_eq!(away.count(), idle.len().saturating_sub(HELD));
    drop(idle);
    let patience = Instant::now() + Duration::from_secs(30);
    while answered(address) != "HTTP/1.1 200 OK" {
        assert!(Instant::now() < patience, "there is no room again");
    }
}
