//! Connections that take a seat and give nothing: others are served meanwhile, and what they took comes back.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::Field;
use crate::client::{Caller, PATIENCE};
use crate::mock::{Mock, STANDING, mebibytes};
use crate::table::{Lost, Outcome, Seen, Table, hold};

/// Connections that do nothing, read nothing, drip, or give up.
#[derive(clap::Args)]
pub struct Seats {
    /// Connections at once
    #[arg(long, default_value_t = 3000)]
    connections: usize,
    /// Seconds for which nothing is read; beyond 30 the server must have given up
    #[arg(long, default_value_t = 33)]
    unread: u64,
}

/// Where the server may open so few files, it has few seats.
const FEW_FILES: usize = 128;

/// How much of its memory a server may keep when all have gone.
const KEPT: u64 = 16 << 20;

/// How long the one who behaves may wait among the others.
const PROMPT: Duration = Duration::from_secs(5);

impl Seats {
    pub fn attack(&self, field: &Field) -> Outcome {
        let table = Table::of("seats");
        raise_descriptor_limit();
        let mock = field.program.start(STANDING)?;
        for (name, begun) in [
            ("nothing is sent", &b""[..]),
            ("half a head", b"GET /api/v1/health HTTP/1.1\r\nHost: localho"),
            ("half a body", b"POST /api/v1/billing/provision HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n{"),
        ] {
            table.attempt(name, || crowd(&mock, self.connections, begun))?;
        }
        table.attempt("a byte now and then", || {
            dripping(&mock, self.connections / 10)
        })?;
        table.attempt("nothing is read", || {
            unread(&mock, Duration::from_secs(self.unread))
        })?;
        table.attempt("callers give up during a latency fault", || {
            giving_up(&mock, self.connections / 10)
        })?;
        table.attempt("more connections than seats", || {
            let limits = format!("ulimit -n {FEW_FILES}");
            beyond_the_cap(&field.program.start_under(&limits, None, STANDING)?)
        })
    }
}

/// Lets this program open as many connections as the system allows.
fn raise_descriptor_limit() {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let limit = getrlimit(Resource::Nofile);
        let current = limit.maximum;
        // Where it stays, connections fail, and that is said.
        let _ = setrlimit(Resource::Nofile, Rlimit { current, ..limit });
    }
}

/// What a server had before anybody came.
struct Before<'a> {
    mock: &'a Mock,
    descriptors: usize,
    memory: u64,
    slowest: Duration,
}

impl<'a> Before<'a> {
    fn of(mock: &'a Mock) -> Outcome<Self> {
        Ok(Self {
            mock,
            descriptors: mock.descriptors()?,
            memory: mock.memory()?.now,
            slowest: Duration::ZERO,
        })
    }

    /// Somebody behaves well in between.
    fn serve_one(&mut self) -> Outcome {
        let started = Instant::now();
        self.mock.acme().get("/api/v1/endpoints")?.expect(200)?;
        self.slowest = self.slowest.max(started.elapsed());
        hold(self.slowest < PROMPT, || {
            format!("a harmless call took {:.1?}", self.slowest)
        })
    }

    /// All have gone: their descriptors are closed.
    fn is_free(&self) -> Outcome {
        let within = Instant::now() + PATIENCE;
        while self.mock.descriptors()? > self.descriptors {
            let left = self.mock.descriptors()? - self.descriptors;
            hold(Instant::now() < within, || {
                format!("{left} descriptors stay open")
            })?;
            thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// The same, and memory is back.
    fn is_back(&self, count: usize) -> Outcome<Seen> {
        self.is_free()?;
        let kept = self.mock.memory()?.now.saturating_sub(self.memory);
        hold(kept < KEPT, || {
            format!("{} of memory stay in use", mebibytes(kept))
        })?;
        let result = format!(
            "others waited {:.1?}; all came back but {}",
            self.slowest,
            mebibytes(kept)
        );
        Ok(Seen::of(count, result))
    }
}

/// Many connections that begin with this and do no more, twice: what the server keeps for the next crowd, it keeps once.
fn crowd(mock: &Mock, count: usize, begun: &[u8]) -> Outcome<Seen> {
    crowded(mock, count, begun)?.is_free()?;
    let again = crowded(mock, count, begun)?;
    again.is_back(count * 2)
}

/// The crowd has come and gone.
fn crowded<'a>(mock: &'a Mock, count: usize, begun: &[u8]) -> Outcome<Before<'a>> {
    let mut before = Before::of(mock)?;
    let anyone = mock.anyone();
    let mut idle = Vec::new();
    while idle.len() < count {
        idle.push(opened(&anyone, begun)?);
        // The system lets a few at a time wait to be accepted.
        if idle.len() % 100 == 0 {
            before.serve_one()?;
        }
    }
    before.serve_one()?;
    Ok(before)
}

fn dripping(mock: &Mock, count: usize) -> Outcome<Seen> {
    let mut before = Before::of(mock)?;
    let anyone = mock.anyone();
    let mut slow = (0..count)
        .map(|_| opened(&anyone, b""))
        .collect::<Outcome<Vec<_>>>()?;
    for byte in "GET /api/v1/health HTTP/1.1\r\nHost: a\r\n".bytes() {
        for stream in &mut slow {
            stream.write_all(&[byte])?;
        }
        before.serve_one()?;
    }
    drop(slow);
    before.is_back(count)
}

/// Asks for far more than the system buffers, and reads none of it.
fn unread(mock: &Mock, span: Duration) -> Outcome<Seen> {
    let anyone = mock.anyone();
    let long = json!({ "path": "/api/v1/long", "times": 0, "effect": { "body": "x".repeat(1 << 20), "status": 200 } });
    anyone.post("/_mock/faults", &long)?.expect(201)?;
    let mut before = Before::of(mock)?;
    let request = "GET /api/v1/long HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
    let mut deaf = (0..20)
        .map(|_| opened(&anyone, request.as_bytes()))
        .collect::<Outcome<Vec<_>>>()?;
    let until = Instant::now() + span;
    while Instant::now() < until {
        before.serve_one()?;
        thread::sleep(Duration::from_millis(50));
    }
    let open = mock.descriptors()?.saturating_sub(before.descriptors);
    hold(span < Duration::from_secs(32) || open == 0, || {
        format!("{open} connections are still waited for")
    })?;
    let count = deaf.len();
    deaf.clear();
    anyone.delete("/_mock/faults")?.expect(204)?;
    anyone.delete("/_mock/requests")?.expect(204)?;
    before.is_back(count)
}

/// Sends whole calls that are delayed, and goes away at once: the seats are free when the fault is over.
fn giving_up(mock: &Mock, count: usize) -> Outcome<Seen> {
    let anyone = mock.anyone();
    let slow =
        json!({ "times": count, "path": "/api/v1/health", "effect": { "latency_ms": 2000 } });
    anyone.post("/_mock/faults", &slow)?.expect(201)?;
    let mut before = Before::of(mock)?;
    for _ in 0..count {
        drop(opened(
            &anyone,
            b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n",
        )?);
    }
    before.serve_one()?;
    before.is_back(count)
}

/// Takes every seat: who comes then is told 503, who has a seat is served, and the seats are free again.
fn beyond_the_cap(mock: &Mock) -> Outcome<Seen> {
    let anyone = mock.anyone();
    let mut seated = opened(&anyone, b"")?;
    // Connections are accepted in their order.
    anyone.get("/api/v1/health")?.expect(200)?;
    let before = Before::of(mock)?;
    let mut idle = Vec::new();
    let mut turned_away = 0;
    while turned_away == 0 {
        hold(idle.len() < FEW_FILES * 2, || {
            "nobody is told 503".to_owned()
        })?;
        let stream = opened(&anyone, b"")?;
        if is_turned_away(&stream)? {
            turned_away += 1;
        } else {
            idle.push(stream);
        }
    }
    for _ in 0..FEW_FILES {
        turned_away += usize::from(is_turned_away(&opened(&anyone, b"")?)?);
    }
    hold(turned_away > FEW_FILES, || {
        "some beyond the cap are not told 503".to_owned()
    })?;
    seated.write_all(b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\n\r\n")?;
    let mut status = [0; 12];
    seated.read_exact(&mut status)?;
    hold(&status == b"HTTP/1.1 200", || {
        "who has a seat is not served".to_owned()
    })?;
    let seats = idle.len() + 1;
    drop(idle);
    before.is_back(turned_away)?;
    mock.acme().get("/api/v1/endpoints")?.expect(200)?;
    Ok(Seen::of(
        turned_away,
        format!("{seats} seats, everybody else told 503; then room again"),
    ))
}

fn opened(anyone: &Caller, begun: &[u8]) -> Outcome<TcpStream> {
    let connected = anyone.connect();
    let mut stream = connected.map_err(|error| Lost::new(format!("no connection: {error}")))?;
    stream.write_all(begun)?;
    Ok(stream)
}

/// Whether the server says that it has no room; who has a seat is told nothing.
fn is_turned_away(mut stream: &TcpStream) -> Outcome<bool> {
    stream.set_read_timeout(Some(Duration::from_millis(100)))?;
    let mut answer = String::new();
    match stream.read_to_string(&mut answer) {
        Ok(_) => Ok(answer.starts_with("HTTP/1.1 503")),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}
