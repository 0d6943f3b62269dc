//! A redis-server of the test's own.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// What the server writes once it holds its port.
const READY: &str = "Ready to accept connections";
const READY_WITHIN: Duration = Duration::from_secs(20);
/// A port that was free a moment ago may have been taken since.
const PORTS_TRIED: usize = 5;

/// Killed when dropped; it writes no file.
pub struct RedisServer {
    process: Child,
    port: u16,
}

enum NotStarted {
    NoProgram,
    /// With what it wrote until then.
    Ended(String),
}

impl RedisServer {
    /// None, and a line that says so, when this machine has no redis-server.
    pub fn start(test: &str) -> Option<Self> {
        let mut told = String::new();
        for _ in 0..PORTS_TRIED {
            match Self::start_at(free_port()) {
                Ok(server) => return Some(server),
                Err(NotStarted::NoProgram) => {
                    say_skipped(test);
                    return None;
                }
                Err(NotStarted::Ended(log)) => told = log,
            }
        }
        panic!("redis-server ended {PORTS_TRIED} times, at last with: {told}");
    }

    fn start_at(port: u16) -> Result<Self, NotStarted> {
        let spawned = Command::new("redis-server")
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .args(["--port", &port.to_string()])
            .stdout(Stdio::piped())
            .spawn();
        let process = match spawned {
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(NotStarted::NoProgram),
            spawned => spawned.expect("redis-server starts"),
        };
        let mut server = Self { process, port };
        server.wait_until_ready().map_err(NotStarted::Ended)?;
        Ok(server)
    }

    /// Its own word is waited for: a connection to its port could be answered by somebody else.
    fn wait_until_ready(&mut self) -> Result<(), String> {
        let output = BufReader::new(self.process.stdout.take().expect("its output"));
        let (said, lines) = mpsc::channel();
        // Reads on to the end, so that the server never waits for a reader.
        thread::spawn(move || {
            for line in output.lines().map_while(Result::ok) {
                // Nobody listens once it is ready.
                let _ = said.send(line);
            }
        });
        let deadline = Instant::now() + READY_WITHIN;
        let mut log = String::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match lines.recv_timeout(left) {
                Ok(line) if line.contains(READY) => return Ok(()),
                Ok(line) => log.extend([line.as_str(), "\n"]),
                Err(mpsc::RecvTimeoutError::Disconnected) => return Err(log),
                Err(mpsc::RecvTimeoutError::Timeout) => panic!("redis-server is not ready: {log}"),
            }
        }
    }

    /// A new server in the place of this one, without its data.
    pub fn restart(self) -> Self {
        let port = self.port;
        drop(self);
        match Self::start_at(port) {
            Ok(server) => server,
            Err(NotStarted::NoProgram) => panic!("it was there before"),
            Err(NotStarted::Ended(log)) => panic!("redis-server ended: {log}"),
        }
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/", self.port)
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn free_port() -> u16 {
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    free.local_addr().expect("an address").port()
}

fn say_skipped(test: &str) {
    // Past the test runner, which would keep a printed line to itself.
    let mut screen = std::io::stderr();
    writeln!(
        screen,
        "SKIPPED {test}: there is no redis-server on the PATH (Debian: apt-get install redis-server)"
    )
    .expect("a screen");
}
