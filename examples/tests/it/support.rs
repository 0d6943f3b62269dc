//! An account of the mock, and a program that is started against it.

use secmon_mock::{Config, MockServer, RateLimits, Tenant};
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

/// An account that fails its test where the program made a careless call.
pub struct Account(Tenant);

impl std::ops::Deref for Account {
    type Target = Tenant;

    fn deref(&self) -> &Tenant {
        &self.0
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        if let Err(told) = self.0.verify_no_notices() {
            panic!("{told}");
        }
    }
}

/// An account with the service's limits, in windows of two seconds instead of a minute.
pub fn account() -> Account {
    static SERVER: OnceLock<MockServer> = OnceLock::new();
    let server = SERVER.get_or_init(|| {
        let config = Config {
            rate_limits: RateLimits {
                window: 2,
                ..RateLimits::default()
            },
            ..Config::default()
        };
        let builder = MockServer::builder().config(config);
        builder.start().expect("a mock")
    });
    Account(server.tenant())
}

impl Account {
    /// A program that knows this account, and nothing else of the service.
    pub fn program(&self, path: &str) -> Command {
        let mut command = Command::new(path);
        command
            .env("SECMON_BASE_URL", self.url())
            .env("SECMON_API_KEY", self.api_key())
            .env("SECMON_RATE_LIMITS", "60,100/2s")
            .env_remove("SECMON_ALLOW_HTTP");
        command
    }
}

/// What a program said, and how it ended.
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Runs a program to its end.
pub fn run(command: &mut Command, stdin: &str) -> Ran {
    let child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.expect("a process");
    let mut input = child.stdin.take().expect("its input");
    // A program that ends early reads no more.
    let _ = input.write_all(stdin.as_bytes());
    drop(input);
    ended(child)
}

/// Waits for a program's end.
pub fn ended(child: Child) -> Ran {
    let output = child.wait_with_output().expect("its output");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Ran {
        code: output.status.code(),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}
