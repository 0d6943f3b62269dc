//! Four workers with one key, over a real Redis.

use crate::support::{account, ended, run};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

const WORKERS: usize = 4;
const CALLS: usize = 60;

/// A redis-server of the test's own, killed when dropped; it writes no file.
struct Redis {
    process: Child,
    url: String,
}

impl Redis {
    /// None where this computer has no redis-server.
    fn start() -> Option<Self> {
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let spawned = Command::new("redis-server")
            .args(["--bind", "127.0.0.1", "--port", &port.to_string()])
            .args(["--save", "", "--appendonly", "no"])
            .stdout(Stdio::piped())
            .spawn();
        let mut process = match spawned {
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            spawned => spawned.expect("redis-server starts"),
        };
        let mut lines = BufReader::new(process.stdout.take().expect("its output")).lines();
        let mut said = lines.by_ref().map_while(Result::ok);
        let ready = said.any(|line| line.contains("Ready to accept"));
        assert!(ready, "redis-server ended");
        // Read on, so that it never waits for a reader.
        std::thread::spawn(move || lines.count());
        let url = format!("redis://127.0.0.1:{port}/");
        Some(Self { process, url })
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn four_workers_with_one_key_do_all_their_work_and_meet_no_429() {
    let Some(redis) = Redis::start() else {
        // Past the test runner, which would keep a printed line to itself.
        let told = "SKIPPED four_workers_with_one_key_do_all_their_work_and_meet_no_429: there is no redis-server \
                    on the PATH (Debian: apt-get install redis-server)";
        writeln!(std::io::stderr(), "{told}").expect("a screen");
        return;
    };
    let account = account();
    let start = || {
        let mut worker = account.program(env!("CARGO_BIN_EXE_shared-budget"));
        let worker = worker
            .env("REDIS_URL", &redis.url)
            .env("CALLS", CALLS.to_string());
        worker
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("a worker")
    };
    let workers: Vec<Child> = (0..WORKERS).map(|_| start()).collect();
    for worker in workers {
        let ran = ended(worker);
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
        assert!(
            ran.out
                .ends_with(&format!("call {CALLS} of {CALLS}, attempt 1\n")),
            "{}",
            ran.out
        );
    }
    // More than two windows of 100 hold.
    let calls = account.calls("GET", "*/endpoints");
    assert_eq!(calls.len(), WORKERS * CALLS);
    assert!(calls.iter().all(|call| call.status == Some(200)));
}

#[test]
fn a_redis_that_is_not_there_is_named_and_nothing_is_sent() {
    let account = account();
    let mut worker = account.program(env!("CARGO_BIN_EXE_shared-budget"));
    // The port of a listener that is gone again.
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("redis://{}/", free.local_addr().expect("an address"));
    drop(free);
    let ran = run(worker.env("REDIS_URL", url), "");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("Redis"), "{}", ran.err);
    let ran = run(worker.env_remove("REDIS_URL"), "");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("REDIS_URL is not set"), "{}", ran.err);
    assert_eq!(account.journal().len(), 0);
}
