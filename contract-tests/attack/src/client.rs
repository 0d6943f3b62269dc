//! Calls over a bare socket, well formed or not.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use crate::table::{Lost, Outcome, hold};

/// What has not come by then never comes.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// An answer, whole.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Outcome<Value> {
        Ok(serde_json::from_slice(&self.body)?)
    }

    /// The text at a JSON pointer of the body.
    pub fn text(&self, pointer: &str) -> Outcome<String> {
        let body = self.json()?;
        let text = body.pointer(pointer).and_then(Value::as_str);
        text.map(str::to_owned)
            .ok_or_else(|| Lost::new(format!("no text at {pointer} in {body}")))
    }

    /// The number at a JSON pointer of the body.
    pub fn number(&self, pointer: &str) -> Outcome<u64> {
        let body = self.json()?;
        let number = body.pointer(pointer).and_then(Value::as_u64);
        number.ok_or_else(|| Lost::new(format!("no number at {pointer} in {body}")))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// Hands the answer on where it has this status.
    pub fn expect(self, status: u16) -> Outcome<Self> {
        hold(self.status == status, || {
            format!("{} instead of {status}: {}", self.status, self.beginning())
        })?;
        Ok(self)
    }

    /// As much of the body as a sentence can quote.
    pub fn beginning(&self) -> String {
        let text = String::from_utf8_lossy(&self.body);
        text.chars().take(200).collect()
    }
}

/// Somebody who calls a server.
#[derive(Clone)]
pub struct Caller {
    pub address: SocketAddr,
    key: Option<String>,
}

impl Caller {
    pub fn new(address: SocketAddr) -> Self {
        Self { address, key: None }
    }

    pub fn with_key(&self, key: &str) -> Self {
        let key = Some(key.to_owned());
        Self {
            key,
            ..self.clone()
        }
    }

    pub fn get(&self, path: &str) -> Outcome<Answer> {
        self.send("GET", path, b"")
    }

    pub fn post(&self, path: &str, body: &Value) -> Outcome<Answer> {
        self.send("POST", path, body.to_string().as_bytes())
    }

    pub fn put(&self, path: &str, body: &Value) -> Outcome<Answer> {
        self.send("PUT", path, body.to_string().as_bytes())
    }

    pub fn delete(&self, path: &str) -> Outcome<Answer> {
        self.send("DELETE", path, b"")
    }

    /// A request as it goes over the wire.
    pub fn request(&self, method: &str, path: &str, body: &[u8]) -> Vec<u8> {
        let key = self
            .key
            .as_deref()
            .map(|key| format!("Authorization: Bearer {key}\r\n"));
        let mut bytes = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n{}Content-Length: {}\r\n\r\n",
            self.address,
            key.unwrap_or_default(),
            body.len()
        )
        .into_bytes();
        bytes.extend_from_slice(body);
        bytes
    }

    /// The answer; an error where none came whole.
    pub fn send(&self, method: &str, path: &str, body: &[u8]) -> Outcome<Answer> {
        let about = |error: std::io::Error| Lost::new(format!("{method} {path:.80}: {error}"));
        let mut stream = self.connect().map_err(about)?;
        let request = self.request(method, path, body);
        stream.write_all(&request).map_err(about)?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).map_err(about)?;
        parse(&bytes).ok_or_else(|| Lost::new(format!("{method} {path:.80}: no whole answer")))
    }

    pub fn connect(&self) -> std::io::Result<TcpStream> {
        let stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    /// Sends these bytes piece by piece and ends its half of the connection; all that comes back until the server ends
    /// the other half.
    pub fn exchange(&self, pieces: &[Vec<u8>]) -> Outcome<Vec<u8>> {
        let mut stream = self.connect()?;
        for piece in pieces {
            // A server that has seen enough closes before it has read all.
            if stream.write_all(piece).is_err() {
                break;
            }
        }
        let _ = stream.shutdown(Shutdown::Write);
        let mut bytes = Vec::new();
        match stream.read_to_end(&mut bytes) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                Err(Lost::new("neither answered nor closed"))
            }
            _ => Ok(bytes),
        }
    }
}

/// The statuses of the answers that came one after the other.
pub fn statuses(bytes: &[u8]) -> Vec<u16> {
    let text = String::from_utf8_lossy(bytes);
    let answers = text.split("HTTP/1.1 ").skip(1);
    answers
        .filter_map(|answer| answer.get(..3)?.parse().ok())
        .collect()
}

fn parse(bytes: &[u8]) -> Option<Answer> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let body = bytes[end + 4..].to_vec();
    let answer = Answer { status, head, body };
    let promised = answer.header("content-length");
    let promised = promised.map_or(Some(0), |length| length.parse().ok())?;
    (answer.body.len() >= promised).then_some(answer)
}
