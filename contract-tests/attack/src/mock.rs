//! The program under attack: started, measured, ended.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::client::Caller;
use crate::table::{Lost, Outcome, hold};

/// Where time and ids do not depend on the machine, and nobody is throttled.
pub const STANDING: &[&str] = &["--clock", "manual", "--rate-limit", "off", "--seed", "1"];

/// The key of the first account.
pub const KEY: &str = "test_key_acme";

/// The program `secmon-mock`.
#[derive(Clone)]
pub struct Program(PathBuf);

impl Program {
    /// The one at this path, or the one beside this program.
    pub fn find(path: Option<PathBuf>) -> Outcome<Self> {
        let beside = || Some(std::env::current_exe().ok()?.with_file_name("secmon-mock"));
        let path = path.or_else(beside).unwrap_or_default();
        hold(path.is_file(), || {
            format!(
                "{} is no program: build secmon-mock, or name it with --mock PATH",
                path.display()
            )
        })?;
        Ok(Self(path))
    }

    pub fn start(&self, flags: &[&str]) -> Outcome<Mock> {
        Mock::of(self.command(Command::new(&self.0), flags))
    }

    /// The same with a state file.
    pub fn start_on(&self, state: &Path, flags: &[&str]) -> Outcome<Mock> {
        let mut command = self.command(Command::new(&self.0), flags);
        command.arg("--state").arg(state);
        Mock::of(command)
    }

    /// The same under limits that a shell sets.
    pub fn start_under(&self, limits: &str, state: Option<&Path>, flags: &[&str]) -> Outcome<Mock> {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{limits}; exec \"$@\""), "sh"]);
        shell.arg(&self.0);
        let mut command = self.command(shell, flags);
        command.args(state.iter().flat_map(|state| [Path::new("--state"), state]));
        Mock::of(command)
    }

    /// Whether `secmon-mock export` can read this state file.
    pub fn exports(&self, state: &Path) -> Outcome {
        let mut command = Command::new(&self.0);
        command.arg("export").arg("--state").arg(state);
        let ended = command.output()?;
        hold(ended.status.success(), || {
            format!("export: {}", String::from_utf8_lossy(&ended.stderr).trim())
        })
    }

    fn command(&self, mut command: Command, flags: &[&str]) -> Command {
        command.args(["--listen", "127.0.0.1:0"]).args(flags);
        for (name, _) in std::env::vars_os() {
            if name.to_string_lossy().starts_with("SECMON_MOCK_") {
                command.env_remove(name);
            }
        }
        command
    }
}

/// A running server; killed when it is dropped.
pub struct Mock {
    child: Child,
    address: SocketAddr,
}

/// What a server uses of memory, in bytes.
#[derive(Clone, Copy)]
pub struct Memory {
    pub now: u64,
    /// The most since [`Mock::forget_peak`].
    pub peak: u64,
}

impl Mock {
    fn of(mut command: Command) -> Outcome<Self> {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line)?;
        }
        let address = line.trim().strip_prefix("listening on http://");
        if let Some(address) = address.and_then(|address| address.parse().ok()) {
            return Ok(Self { child, address });
        }
        let mut said = String::new();
        if let Some(mut errors) = child.stderr.take() {
            errors.read_to_string(&mut said)?;
        }
        child.wait()?;
        Err(Lost::new(format!(
            "the mock does not start: {}",
            said.trim()
        )))
    }

    /// Somebody without a key: the admin API needs none here.
    pub fn anyone(&self) -> Caller {
        Caller::new(self.address)
    }

    /// The first account.
    pub fn acme(&self) -> Caller {
        self.anyone().with_key(KEY)
    }

    /// `kill -9`.
    pub fn kill(mut self) -> Outcome {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// SIGTERM; it ends with 0.
    pub fn stop(mut self) -> Outcome {
        let id = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status()?;
        let status = self.child.wait()?;
        hold(status.success(), || {
            format!("after SIGTERM it ended with {status}")
        })
    }

    /// Processor time of all its threads.
    pub fn work(&self) -> Outcome<Duration> {
        let mut work = Duration::ZERO;
        let threads = fs::read_dir(self.about("task"));
        for thread in
            threads.map_err(|_| Lost::new("this needs Linux, where /proc tells of processes"))?
        {
            // A thread may end meanwhile.
            work += run_time(&thread?.path().join("schedstat")).unwrap_or_default();
        }
        Ok(work)
    }

    pub fn memory(&self) -> Outcome<Memory> {
        let status = fs::read_to_string(self.about("status"))?;
        let bytes = |name: &str| -> Option<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            let kibibytes: u64 = line.trim_end_matches("kB").trim().parse().ok()?;
            Some(kibibytes * 1024)
        };
        let memory = bytes("VmRSS:").zip(bytes("VmHWM:"));
        let (now, peak) = memory.ok_or_else(|| Lost::new("no memory in /proc/PID/status"))?;
        Ok(Memory { now, peak })
    }

    /// Lets the peak begin anew.
    pub fn forget_peak(&self) -> Outcome {
        Ok(fs::write(self.about("clear_refs"), "5")?)
    }

    pub fn descriptors(&self) -> Outcome<usize> {
        Ok(fs::read_dir(self.about("fd"))?.count())
    }

    fn about(&self, what: &str) -> PathBuf {
        PathBuf::from(format!("/proc/{}/{what}", self.child.id()))
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        // It is gone already where it was ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run_time(file: &Path) -> Option<Duration> {
    let text = fs::read_to_string(file).ok()?;
    let nanoseconds = text.split(' ').next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}

/// Bytes as people read them.
pub fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1024 * 1024))
}
