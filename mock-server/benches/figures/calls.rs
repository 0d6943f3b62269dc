//! What a call costs: calls for each second that a server's thread works, and the memory that many
//! calls leave.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command};

use crate::{first_answer, median, resident_kib, started};

/// Where both servers show one server; the bare one always the same.
pub const READ: &str = "/api/v1/endpoints/{id}";
/// Where both servers take a new server.
pub const WRITE: &str = "/api/v1/billing/provision";

/// An answer as long as the mock's.
pub const SHOWN: &str = r#"{"data":{"id":"2bdd3316-4651-4e36-8e28-cb410f425bb3","ip_address":"192.0.2.1","hostname":"192.0.2.1","nickname":"192.0.2.1","platform":null,"status":"active","nmap_cooldown_seconds":300,"last_scan_at":null,"next_scan_at":"2026-11-21T18:35:22+00:00","created_at":"2026-11-21T18:35:22+00:00","updated_at":"2026-11-21T18:35:22+00:00","billing_customer_id":1,"quota_paused":false},"meta":{"version":"v1","timestamp":"2026-11-21T18:35:22+00:00"}}"#;
/// The same for a new server.
pub const MADE: &str = r#"{"success":true,"data":{"endpoint_id":"2bdd3316-4651-4e36-8e28-cb410f425bb3","status":"active"},"meta":{"version":"v1","timestamp":"2026-11-21T18:35:22+00:00"}}"#;

const ROUNDS: usize = 5;
const READS: u32 = 20_000;
const WRITES: u32 = 1_500;
const MANY_READS: u32 = 1_000_000;
/// As many servers as a customer may have.
const EACH_CUSTOMER: u32 = 25;

/// Prints how often each server answers in a second of its thread's work, and what a million reads
/// leave in the mock's memory. Linux only: elsewhere the system does not tell.
pub fn print(bare: &impl Fn() -> Command, mock: &impl Fn() -> Command) -> io::Result<()> {
    let (mut of_bare, mut of_mock) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        of_bare.push(Rates::of(bare())?);
        of_mock.push(Rates::of(mock())?);
    }
    let compare = |name: &str, rate: fn(&Rates) -> u64| {
        let rate_of = |rates: &[Rates]| median(rates.iter().map(rate)).unwrap_or(0);
        let (bare, mock) = (rate_of(&of_bare), rate_of(&of_mock));
        let ratio = mock as f64 / bare as f64;
        println!("{name:<12} {bare:>8} a second bare axum {mock:>8} secmon-mock, {ratio:.2} of it");
    };
    compare("reads", |rates| rates.reads);
    compare("writes", |rates| rates.writes);
    let left = memory_left(mock())?;
    println!("a million reads leave {:.2} MiB", left as f64 / 1024.0);
    Ok(())
}

/// Calls for each second that the server's thread worked.
struct Rates {
    reads: u64,
    writes: u64,
}

impl Rates {
    fn of(program: Command) -> io::Result<Self> {
        let mut server = Server::start(program)?;
        let writes = server.rate(WRITES, Server::add)?;
        let reads = server.rate(READS, |server, _| server.read())?;
        Ok(Self { reads, writes })
    }
}

/// How much more resident memory the mock has after a million reads, in KiB.
fn memory_left(program: Command) -> io::Result<u64> {
    let mut server = Server::start(program)?;
    server.add(0)?;
    let before = server.memory()?;
    for _ in 0..MANY_READS {
        server.read()?;
    }
    Ok(server.memory()?.saturating_sub(before))
}

/// A running server and one connection to it.
struct Server {
    child: Child,
    connection: BufReader<TcpStream>,
    /// The id of the server that was added last.
    id: String,
}

impl Server {
    fn start(program: Command) -> io::Result<Self> {
        let mut child = started(program)?;
        let address = first_answer(&mut child)?;
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self {
            child,
            connection: BufReader::new(stream),
            id: String::new(),
        })
    }

    /// Calls for each second of the server's work, over `count` of them.
    fn rate(
        &mut self,
        count: u32,
        call: impl Fn(&mut Self, u32) -> io::Result<()>,
    ) -> io::Result<u64> {
        let before = self.worked_nanos()?;
        for number in 0..count {
            call(self, number)?;
        }
        let worked = self.worked_nanos()? - before;
        Ok(u64::from(count) * 1_000_000_000 / worked.max(1))
    }

    fn add(&mut self, number: u32) -> io::Result<()> {
        let customer = 1 + number / EACH_CUSTOMER;
        let [_, high, middle, low] = number.to_be_bytes();
        let body = format!(r#"{{"client_id":{customer},"ip_address":"10.{high}.{middle}.{low}"}}"#);
        let answer = self.call("POST", WRITE, &body)?;
        let id = answer.split('"').find(|part| part.len() == 36);
        self.id = id
            .ok_or_else(|| io::Error::other(answer.clone()))?
            .to_owned();
        Ok(())
    }

    fn read(&mut self) -> io::Result<()> {
        let path = READ.replace("{id}", &self.id);
        self.call("GET", &path, "").map(drop)
    }

    /// The body of an answer that tells of success.
    fn call(&mut self, method: &str, path: &str, body: &str) -> io::Result<String> {
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer test_key_acme\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        self.connection.get_mut().write_all(request.as_bytes())?;
        let (mut status, mut length) = (String::new(), 0);
        self.connection.read_line(&mut status)?;
        loop {
            let mut line = String::new();
            self.connection.read_line(&mut line)?;
            match line.to_ascii_lowercase().split_once(": ") {
                Some(("content-length", value)) => {
                    length = value.trim().parse().map_err(io::Error::other)?;
                }
                Some(_) => {}
                None => break,
            }
        }
        let mut answer = vec![0; length];
        self.connection.read_exact(&mut answer)?;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        if status.starts_with("HTTP/1.1 20") {
            Ok(answer)
        } else {
            Err(io::Error::other(format!("{status}{answer}")))
        }
    }

    /// How long the server's one thread has worked.
    fn worked_nanos(&self) -> io::Result<u64> {
        let told = std::fs::read_to_string(format!("/proc/{}/schedstat", self.child.id()))?;
        let worked = told.split(' ').next().and_then(|nanos| nanos.parse().ok());
        worked.ok_or_else(|| io::Error::other(told))
    }

    fn memory(&self) -> io::Result<u64> {
        resident_kib(self.child.id()).ok_or(io::ErrorKind::Unsupported.into())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
