//! A plain HTTP client over a socket, and a server to call.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use secmon_mock::{Instant, MockServer, MockServerBuilder};
use serde_json::Value;

use crate::answer_judge;

/// No test waits longer than this for an answer.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// An answer as it came over the wire.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    head: String,
    pub body: Vec<u8>,
}

impl Reply {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The value at a JSON pointer of the body.
    pub fn at(&self, pointer: &str) -> Value {
        let body = self.json();
        let value = body.pointer(pointer).cloned();
        value.unwrap_or_else(|| panic!("nothing at {pointer} in {body}"))
    }

    /// The names of the fields that were found wrong.
    pub fn wrong_fields(&self) -> Vec<String> {
        let errors = self.at("/errors");
        errors
            .as_object()
            .map(|errors| errors.keys().cloned().collect())
            .unwrap_or_default()
    }

    /// Asserts the status and hands the answer on.
    #[track_caller]
    pub fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text());
        self
    }
}

/// Somebody who calls a server.
#[derive(Clone, Debug)]
pub struct Caller {
    address: String,
    headers: Vec<(String, String)>,
    judge: Judge,
}

/// Whether answers are held against the API's description.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judge {
    Description,
    /// Faults answer what no description has.
    Nobody,
}

impl Caller {
    pub fn new(url: &str) -> Self {
        let address = url
            .strip_prefix("http://")
            .expect("an http address")
            .to_owned();
        Self {
            address,
            headers: Vec::new(),
            judge: Judge::Description,
        }
    }

    /// The same caller with a header more, or another value of one.
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut caller = self.clone();
        caller
            .headers
            .retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        caller.headers.push((name.to_owned(), value.to_owned()));
        caller
    }

    /// The same caller, for answers that a fault makes up.
    pub fn unjudged(&self) -> Self {
        Self {
            judge: Judge::Nobody,
            ..self.clone()
        }
    }

    /// The same caller with a header sent once more.
    pub fn and(&self, name: &str, value: &str) -> Self {
        let mut caller = self.clone();
        caller.headers.push((name.to_owned(), value.to_owned()));
        caller
    }

    pub fn with_key(&self, key: &str) -> Self {
        self.with("Authorization", &format!("Bearer {key}"))
    }

    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, b"")
    }

    pub fn post(&self, path: &str, body: Value) -> Reply {
        self.send("POST", path, body.to_string().as_bytes())
    }

    pub fn put(&self, path: &str, body: Value) -> Reply {
        self.send("PUT", path, body.to_string().as_bytes())
    }

    pub fn delete(&self, path: &str) -> Reply {
        self.send("DELETE", path, b"")
    }

    #[track_caller]
    pub fn send(&self, method: &str, path: &str, body: &[u8]) -> Reply {
        self.try_send(method, path, body).expect("an answer")
    }

    /// The answer, or how the connection ended without a whole one.
    pub fn try_send(&self, method: &str, path: &str, body: &[u8]) -> io::Result<Reply> {
        let mut sent = self.open(method, path, body)?;
        let mut bytes = Vec::new();
        sent.read_to_end(&mut bytes)?;
        let reply = parse(&bytes, method)?;
        if self.judge == Judge::Description {
            answer_judge::check(method, path, &reply);
        }
        Ok(reply)
    }

    /// A call that is sent, and whose answer nobody has read.
    pub fn open(&self, method: &str, path: &str, body: &[u8]) -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !self
            .headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("host"))
        {
            head += &format!("Host: {}\r\n", self.address);
        }
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        if !body.is_empty() {
            head += &format!("Content-Length: {}\r\n", body.len());
        }
        stream.write_all(format!("{head}\r\n").as_bytes())?;
        stream.write_all(body)?;
        Ok(stream)
    }
}

pub fn parse(bytes: &[u8], method: &str) -> io::Result<Reply> {
    let cut = || io::Error::from(io::ErrorKind::UnexpectedEof);
    let end = bytes
        .windows(4)
        .position(|window| window == b"\r\n\r\n")
        .ok_or_else(cut)?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .ok_or_else(cut)?;
    let mut reply = Reply {
        status,
        head,
        body: bytes[end + 4..].to_vec(),
    };
    if reply.header("transfer-encoding").is_some() {
        reply.body = joined(&reply.body).ok_or_else(cut)?;
    }
    let promised = reply
        .header("content-length")
        .map_or(0, |length| length.parse().unwrap_or(0));
    if method != "HEAD" && reply.body.len() < promised {
        return Err(cut());
    }
    Ok(reply)
}

/// A body that came in pieces, each under its length; none where the last is missing.
fn joined(mut pieces: &[u8]) -> Option<Vec<u8>> {
    let mut whole = Vec::new();
    loop {
        let line = pieces.iter().position(|byte| *byte == b'\n')?;
        let length = std::str::from_utf8(&pieces[..line]).ok()?.trim();
        let length = usize::from_str_radix(length, 16).ok()?;
        if length == 0 {
            return Some(whole);
        }
        whole.extend(pieces.get(line + 1..line + 1 + length)?);
        pieces = pieces.get(line + 1 + length + 2..)?;
    }
}

/// A server with a standing clock, and a caller with the key of `acme`.
pub struct Stage {
    pub server: MockServer,
    /// Calls as `acme`.
    pub acme: Caller,
    /// Calls without a key: the admin API, and those who have none.
    pub anyone: Caller,
}

pub const START: &str = "2026-01-01T00:00:00+00:00";

impl Stage {
    pub fn new() -> Self {
        Self::of(|builder| builder)
    }

    pub fn of(change: impl FnOnce(MockServerBuilder) -> MockServerBuilder) -> Self {
        let start = Instant::parse(START).expect("a timestamp");
        Self::on(change(MockServer::builder().manual_clock(start).seed(1)))
    }

    /// One whose time passes by itself, as playbooks need it.
    pub fn of_real_time() -> Self {
        Self::of_real_time_with(|builder| builder)
    }

    pub fn of_real_time_with(change: impl FnOnce(MockServerBuilder) -> MockServerBuilder) -> Self {
        Self::on(change(MockServer::builder().seed(1)))
    }

    fn on(builder: MockServerBuilder) -> Self {
        let server = builder.start().expect("a server");
        let anyone = Caller::new(server.url());
        Self {
            acme: anyone.with_key("test_key_acme"),
            anyone,
            server,
        }
    }

    /// The same stage, for answers that a fault makes up.
    pub fn unjudged(self) -> Self {
        Self {
            acme: self.acme.unjudged(),
            anyone: self.anyone.unjudged(),
            ..self
        }
    }

    /// Moves time forward for everybody.
    pub fn advance(&self, seconds: u64) {
        let body = serde_json::json!({ "advance_seconds": seconds });
        self.anyone.post("/_mock/clock", body).expect(200);
    }

    /// Gives a customer of `acme` domain slots under service 501.
    pub fn slots(&self, client: u64, quantity: u64) {
        let body = serde_json::json!({
            "client_id": client, "service_id": 501, "product_slug": "domain_monitoring", "quantity": quantity,
        });
        self.acme
            .post("/api/v1/billing/provision-subscription", body);
    }

    /// Provisions a domain for a customer of `acme` that has a slot; its id.
    pub fn domain(&self, client: u64, name: &str) -> String {
        let body = serde_json::json!({ "client_id": client, "domain": name, "service_id": 501 });
        let reply = self
            .acme
            .post("/api/v1/billing/provision-domain", body)
            .expect(201);
        text(&reply.at("/data/monitored_domain_id"))
    }

    /// Provisions a server for a customer of `acme`; its id.
    pub fn endpoint(&self, client: u64, address: &str) -> String {
        let body = serde_json::json!({ "client_id": client, "ip_address": address });
        let reply = self
            .acme
            .post("/api/v1/billing/provision", body)
            .expect(201);
        text(&reply.at("/data/endpoint_id"))
    }

    /// The same, with its first scan done: scenario `warnings`.
    pub fn scanned_endpoint(&self, client: u64, address: &str) -> String {
        let id = self.endpoint(client, address);
        self.advance(2);
        id
    }
}

/// The text of a JSON string.
#[track_caller]
pub fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("{value} is no string"))
        .to_owned()
}

/// Asserts an error envelope with this code.
#[track_caller]
pub fn coded(reply: Reply, status: u16, code: &str) -> Reply {
    let reply = reply.expect(status);
    assert_eq!(reply.at("/success"), false);
    assert_eq!(reply.at("/error/code"), code);
    assert!(reply.at("/error/message").is_string());
    assert!(reply.at("/error/details").is_object());
    assert_eq!(reply.at("/meta/version"), "v1");
    reply
}

/// An id that no record has.
pub const NOBODY: &str = "11111111-2222-4333-8444-555555555555";
