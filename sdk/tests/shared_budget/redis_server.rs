//! A redis-server of the test's own.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

/// What the server writes once it holds its port.
const READY: &str = "Ready to accept connections";
const READY_WITHIN: Duration = Duration::from_secs(60);
/// A port that was free a moment ago may have been taken since.
const PORTS_TRIED: usize = 5;

/// Who signed the certificate of a server that speaks TLS.
pub const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/tls/root.pem");

/// Killed when dropped; it writes no file.
pub struct RedisServer {
    process: Child,
    port: u16,
    scheme: &'static str,
}

enum NotStarted {
    NoProgram,
    /// With what it wrote until then.
    Ended(String),
}

impl RedisServer {
    /// None, and a line that says so, when this computer has no redis-server.
    pub fn start(test: &str) -> Option<Self> {
        Self::start_with(test, "redis")
    }

    /// One that speaks TLS only, with the certificate of this computer that the tests share.
    #[cfg(feature = "redis-tls")]
    pub fn start_with_tls(test: &str) -> Option<Self> {
        Self::start_with(test, "rediss")
    }

    fn start_with(test: &str, scheme: &'static str) -> Option<Self> {
        let mut told = String::new();
        for _ in 0..PORTS_TRIED {
            match Self::start_at(free_port(), scheme) {
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

    fn start_at(port: u16, scheme: &'static str) -> Result<Self, NotStarted> {
        let mut command = Command::new("redis-server");
        command.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]);
        match scheme {
            "redis" => command.args(["--port", &port.to_string()]),
            _ => command
                .args(["--port", "0", "--tls-port", &port.to_string()])
                .args([
                    "--tls-cert-file",
                    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/tls/server.pem"),
                ])
                .args([
                    "--tls-key-file",
                    concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/tls/server.key"),
                ])
                .args(["--tls-ca-cert-file", ROOT, "--tls-auth-clients", "no"]),
        };
        let spawned = command.stdout(Stdio::piped()).spawn();
        let process = match spawned {
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(NotStarted::NoProgram),
            spawned => spawned.expect("redis-server starts"),
        };
        let mut server = Self {
            process,
            port,
            scheme,
        };
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
        self.stop().start_again()
    }

    pub fn stop(self) -> Stopped {
        Stopped {
            port: self.port,
            scheme: self.scheme,
        }
    }

    /// It keeps its connections and says nothing any more.
    pub fn freeze(&self) {
        let pid = self.process.id().to_string();
        let frozen = Command::new("kill").args(["-STOP", &pid]).status();
        assert!(frozen.expect("kill").success());
    }

    /// How many scripts it was asked to run.
    pub async fn scripts_run(&self) -> u64 {
        let client = redis::Client::open(self.url()).expect("a client");
        let connection = client.get_multiplexed_async_connection().await;
        let told: String = redis::cmd("INFO")
            .arg("commandstats")
            .query_async(&mut connection.expect("a connection"))
            .await
            .expect("its figures");
        let calls = told.split("cmdstat_eval:calls=").nth(1);
        let calls = calls.and_then(|calls| calls.split(',').next());
        calls.map_or(0, |calls| calls.parse().expect("a number"))
    }

    pub fn url(&self) -> String {
        format!("{}://127.0.0.1:{}/", self.scheme, self.port)
    }
}

/// A server that is gone, and what it was reached by.
pub struct Stopped {
    port: u16,
    scheme: &'static str,
}

impl Stopped {
    pub fn start_again(self) -> RedisServer {
        match RedisServer::start_at(self.port, self.scheme) {
            Ok(server) => server,
            Err(NotStarted::NoProgram) => panic!("it was there before"),
            Err(NotStarted::Ended(log)) => panic!("redis-server ended: {log}"),
        }
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
