//! Waiting until a server is ready, for health checks in images without a shell.

use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::process::ExitCode;
use std::str::FromStr;
use std::time::{Duration, Instant};

use serde_json::Value;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);

/// The longest that one look may take.
const LOOK: Duration = Duration::from_secs(2);

/// Bytes of an answer that are read.
const LONGEST: u64 = 64 * 1024;

/// Where readiness shows; the public address has only the second when the admin API is elsewhere.
const PATHS: [&str; 2] = ["/_mock/health", "/api/v1/health"];

/// An origin to look at: `http://HOST:PORT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    authority: String,
}

impl FromStr for Origin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let problem = || format!("`{text}` is not an http origin; write http://HOST:PORT");
        let authority = text
            .strip_prefix("http://")
            .ok_or_else(problem)?
            .trim_end_matches('/');
        if authority.is_empty() || authority.contains(['/', '?', '#', '@']) {
            return Err(problem());
        }
        let bracket = authority.rfind(']').unwrap_or(0);
        let authority = match authority[bracket..].contains(':') {
            true => authority.to_owned(),
            false => format!("{authority}:80"),
        };
        Ok(Self { authority })
    }
}

/// A span of time as a person writes it: `500ms`, `30s`, `2m`, or seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span(pub(crate) Duration);

impl FromStr for Span {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.trim_end_matches(|character: char| character.is_ascii_lowercase());
        let unit = match &text[digits.len()..] {
            "ms" => 1,
            "s" | "" => 1000,
            "m" => 60_000,
            _ => 0,
        };
        match digits.parse::<u32>() {
            Ok(number) if unit > 0 => Ok(Self(Duration::from_millis(u64::from(number) * unit))),
            _ => Err(format!(
                "`{text}` is not a length of time; write for example 500ms, 30s or 2m"
            )),
        }
    }
}

/// Waits until the server is ready: exit code 0, or 1 with a sentence when the time is over.
pub(crate) fn wait(origin: &Origin, timeout: Duration) -> ExitCode {
    let deadline = Instant::now() + timeout;
    loop {
        let problem = match look(&origin.authority) {
            Ok(None) => return ExitCode::SUCCESS,
            Ok(Some(problem)) => problem,
            Err(error) => error.to_string(),
        };
        if Instant::now() >= deadline {
            eprintln!("error: http://{} is not ready: {problem}", origin.authority);
            return ExitCode::FAILURE;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Why the server is not ready; none where it is.
fn look(authority: &str) -> io::Result<Option<String>> {
    let mut reason = None;
    for path in PATHS {
        let answer = answer(authority, path)?;
        // `HTTP/1.1 200`
        if answer.get(9..12) == Some("200") {
            return Ok(None);
        }
        reason = reason.or_else(|| told_reason(&answer));
    }
    let unknown = || "it answers, but not as a ready mock does".to_owned();
    Ok(Some(reason.unwrap_or_else(unknown)))
}

/// The sentence of a mock that cannot save its state.
fn told_reason(answer: &str) -> Option<String> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let body: Value = serde_json::from_str(body).ok()?;
    let error = &body["error"];
    // The admin API's form, and the partner API's.
    let sentence = error.as_str().or_else(|| error["message"].as_str())?;
    (head.get(9..10) == Some("5")).then(|| sentence.to_owned())
}

fn answer(authority: &str, path: &str) -> io::Result<String> {
    let address = authority
        .to_socket_addrs()?
        .next()
        .ok_or(io::ErrorKind::NotFound)?;
    let mut stream = TcpStream::connect_timeout(&address, LOOK)?;
    stream.set_read_timeout(Some(LOOK))?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n"
    )?;
    let mut answer = Vec::new();
    stream.take(LONGEST).read_to_end(&mut answer)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
