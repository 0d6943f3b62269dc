//! A hermetic place to run the program in.

use secmon_mock::{Config, MockServer, Progress, Tenant, TenantOptions};
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Once, OnceLock};
use tempfile::TempDir;
use tokio::signal::unix::{SignalKind, signal};

/// What a run of the program left.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Run {
    /// What an ended program left.
    pub fn of(output: &std::process::Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The result of `-o json`.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("standard output is no JSON ({error}): {self:?}"))
    }

    /// The error object of `-o json`.
    #[track_caller]
    pub fn error(&self) -> Value {
        let whole: Value = serde_json::from_str(&self.stderr)
            .unwrap_or_else(|error| panic!("standard error is no JSON ({error}): {self:?}"));
        whole["error"].clone()
    }

    /// Checks the exit code.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        self
    }
}

/// In the background of a script SIGINT is ignored, and the programs under test would inherit that; a signal that is
/// caught they get as usual.
fn catch_ignored_interrupts() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if ignores_interrupts() {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_io()
                .build();
            let runtime = runtime.expect("a runtime");
            let _entered = runtime.enter();
            let caught = signal(SignalKind::interrupt());
            drop(caught.expect("SIGINT can be caught"));
        }
    });
}

fn ignores_interrupts() -> bool {
    const SIGINT: u32 = 2;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & (1 << (SIGINT - 1)) != 0)
}

/// An empty home directory and an environment with nothing of the machine's.
pub struct Shell {
    home: TempDir,
    variables: Vec<(String, String)>,
}

impl Shell {
    /// A shell that knows no service.
    pub fn new() -> Self {
        let home = tempfile::tempdir().expect("a temporary folder");
        Self {
            home,
            variables: Vec::new(),
        }
    }

    /// A shell that calls the mock with this account's key, at no rate limit.
    pub fn of(tenant: &Tenant) -> Self {
        Self::new()
            .with("SECMON_BASE_URL", tenant.url())
            .with("SECMON_API_KEY", tenant.api_key())
            .with("SECMON_RATE_LIMITS", "off")
    }

    /// Sets a variable.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.variables.retain(|(known, _)| known != name);
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// What the shell's programs find in their environment.
    pub fn variables(&self) -> &[(String, String)] {
        &self.variables
    }

    /// A path in the home directory.
    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Writes a file into the home directory and gives its path.
    pub fn file(&self, name: &str, content: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, content).expect("a file in the temporary folder");
        path.display().to_string()
    }

    /// The same, for its owner only.
    pub fn private_file(&self, name: &str, content: &str) -> String {
        use std::os::unix::fs::PermissionsExt;
        let path = self.file(name, content);
        let mode = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(&path, mode).expect("the file is ours");
        path
    }

    /// The program with these arguments, not yet started; standard input is closed.
    pub fn command(&self, arguments: &[&str]) -> Command {
        catch_ignored_interrupts();
        let mut command = Command::new(env!("CARGO_BIN_EXE_secmon"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.home.path())
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .current_dir(self.home.path())
            .stdin(Stdio::null());
        command
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &[&str]) -> Run {
        finished(self.command(arguments))
    }

    /// Runs a command line, split at blanks.
    pub fn line(&self, line: &str) -> Run {
        self.run(&line.split_whitespace().collect::<Vec<_>>())
    }

    /// Runs the program with a text on standard input.
    pub fn feed(&self, input: &str, arguments: &[&str]) -> Run {
        let child = self.start(input, arguments);
        Run::of(&child.wait_with_output().expect("the program ends"))
    }

    /// Starts it so, and does not wait for its end.
    pub fn start(&self, input: &str, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let mut stdin = child.stdin.take().expect("a pipe");
        stdin
            .write_all(input.as_bytes())
            .expect("the program reads");
        child
    }

    /// Everything in the files of the home directory, as one text.
    pub fn everything_kept(&self) -> String {
        self.everything_kept_but(&[])
    }

    /// The same without the files of these names.
    pub fn everything_kept_but(&self, names: &[&str]) -> String {
        let mut text = String::new();
        collect(self.home.path(), names, &mut text);
        text
    }
}

fn collect(folder: &Path, but: &[&str], text: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        let passed_over = but.iter().any(|name| path.ends_with(name));
        if path.is_dir() {
            collect(&path, but, text);
        } else if !passed_over {
            text.push_str(&String::from_utf8_lossy(
                &std::fs::read(&path).unwrap_or_default(),
            ));
        }
    }
}

/// Runs a command to its end.
pub fn finished(mut command: Command) -> Run {
    Run::of(&command.output().expect("the program starts"))
}

/// The mock that all tests share.
pub fn mock() -> &'static MockServer {
    static MOCK: OnceLock<MockServer> = OnceLock::new();
    MOCK.get_or_init(|| MockServer::start().expect("the mock starts"))
}

/// An account that fails its test where the mock had to tell the program of a careless call.
pub struct Account {
    tenant: Tenant,
    provoked: bool,
}

impl Account {
    pub fn of(tenant: Tenant) -> Self {
        Self {
            tenant,
            provoked: false,
        }
    }

    /// From here on the test asks for calls that a careful program would not make.
    pub fn provoke(&mut self) {
        self.provoked = true;
    }

    /// The test asks for calls that a careful program would not make.
    pub fn provoking_notices(mut self) -> Self {
        self.provoked = true;
        self
    }
}

impl std::ops::Deref for Account {
    type Target = Tenant;

    fn deref(&self) -> &Tenant {
        &self.tenant
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        if self.provoked || std::thread::panicking() {
            return;
        }
        if let Err(told) = self.tenant.verify_no_notices() {
            panic!("{told}");
        }
    }
}

/// An account without rate limits whose scans end in the call that starts them.
pub fn account() -> Account {
    let mut options = TenantOptions::default();
    options.rate_limit = Some(false);
    let tenant = mock().tenant_with(options).expect("an account");
    tenant
        .set_progress(Progress::Immediate)
        .expect("the account is there");
    Account::of(tenant)
}

/// A mock whose rate windows last two seconds.
pub fn mock_with_short_windows() -> MockServer {
    let config = Config::parse("[rate_limits]\nwindow = 2\n").expect("a good configuration");
    MockServer::builder()
        .config(config)
        .start()
        .expect("the mock starts")
}

/// A server of customer 42, provisioned by the program; its id.
pub fn provision(shell: &Shell, address: &str, nickname: &str) -> String {
    let line = format!("provision {address} -c 42 --nickname {nickname} -o json");
    let run = shell.line(&line).exits(0);
    run.json()["endpoint_id"]
        .as_str()
        .expect("an id")
        .to_owned()
}
