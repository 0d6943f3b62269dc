//! A redis-server of the test's own.

use std::io::{ErrorKind, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Killed when dropped; it writes no file.
pub struct RedisServer {
    process: Child,
    port: u16,
}

impl RedisServer {
    /// None, and a line that says so, when this machine has no redis-server.
    pub fn start(test: &str) -> Option<Self> {
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let server = Self::start_at(port);
        if server.is_none() {
            // Past the test runner, which would keep a printed line to itself.
            let mut screen = std::io::stderr();
            writeln!(
                screen,
                "SKIPPED {test}: there is no redis-server on the PATH (Debian: apt-get install redis-server)"
            )
            .expect("a screen");
        }
        server
    }

    fn start_at(port: u16) -> Option<Self> {
        let spawned = Command::new("redis-server")
            .args(["--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .args(["--port", &port.to_string()])
            .stdout(Stdio::null())
            .spawn();
        let process = match spawned {
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            spawned => spawned.expect("redis-server starts"),
        };
        let mut server = Self { process, port };
        let deadline = Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            let ended = server.process.try_wait().expect("a process");
            assert!(ended.is_none(), "redis-server ended: {ended:?}");
            assert!(Instant::now() < deadline, "redis-server does not answer");
            std::thread::yield_now();
        }
        Some(server)
    }

    /// A new server in the place of this one, without its data.
    pub fn restart(self) -> Self {
        let port = self.port;
        drop(self);
        Self::start_at(port).expect("it was there before")
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
