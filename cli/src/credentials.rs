//! API keys on their way in: typed, read, fetched, kept. A key is text here only until it is an `ApiKey` or in its file.

use crate::error::{CliError, Exit};
use crate::profile::write_private;
use secmon::ApiKey;
use std::io::{IsTerminal, Read};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// A key as somebody gave it, before it is kept.
pub struct TypedKey(String);

impl TypedKey {
    /// Takes what was typed at the terminal.
    pub fn new(text: String) -> Self {
        Self(text.trim().to_owned())
    }

    /// Reads standard input to its end.
    pub fn from_stdin() -> Result<Self, CliError> {
        let mut text = String::new();
        let read = std::io::stdin().take(64 * 1024).read_to_string(&mut text);
        read.map_err(|error| CliError::io("reading the key from standard input", &error))?;
        Ok(Self::new(text))
    }

    /// The key as the client takes it.
    pub fn check(&self) -> Result<ApiKey, CliError> {
        parse("the key", self.0.clone())
    }

    /// Keeps the key in a file of mode 0600.
    pub fn keep(&self, path: &Path) -> Result<(), CliError> {
        write_private(path, format!("{}\n", self.0).as_bytes())
    }
}

/// Makes a key of a text; `name` says where the text came from.
pub fn parse(name: &str, text: String) -> Result<ApiKey, CliError> {
    ApiKey::new(text).map_err(|error| CliError::usage(format!("{name}: {error}")))
}

/// Reads a key from a file that only its owner can read.
pub fn read_file(path: &Path) -> Result<ApiKey, CliError> {
    let name = format!("key file {}", path.display());
    let failed = |error: std::io::Error| {
        CliError::usage(format!("{name}: {error}")).hint("keep the key again: `auth login`")
    };
    let metadata = std::fs::metadata(path).map_err(failed)?;
    refuse_open_mode(&name, &metadata)?;
    parse(&name, std::fs::read_to_string(path).map_err(failed)?)
}

/// Copies a key file; one that is not there is nothing to copy.
pub fn copy_file(from: &Path, to: &Path) -> Result<(), CliError> {
    match std::fs::read(from).map(Zeroizing::new) {
        Ok(key) => write_private(to, &key),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(CliError::io(
            &format!("key file {}", from.display()),
            &error,
        )),
    }
}

/// Runs a command of the profile and takes the first line it prints. What it says on standard error is for a person.
pub fn run_command(command: &str) -> Result<ApiKey, CliError> {
    let failed = |reason: String| {
        CliError::usage(format!("key_command {command:?} {reason}"))
            .hint("run it by hand to see why")
    };
    let (shell, flag) = if cfg!(windows) {
        ("cmd", "/C")
    } else {
        ("sh", "-c")
    };
    let stderr = if std::io::stderr().is_terminal() {
        Stdio::inherit()
    } else {
        Stdio::null()
    };
    let mut child = Command::new(shell)
        .args([flag, command])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .map_err(|error| failed(format!("cannot be run: {error}")))?;
    let status = ended(&mut child).map_err(failed)?;
    if was_interrupted(status) {
        return Err(CliError::new(
            Exit::Interrupted,
            "interrupted",
            "interrupted while the key was fetched",
        ));
    }
    if !status.success() {
        return Err(failed(format!("failed ({status})")));
    }
    let mut text = String::new();
    let printed = child
        .stdout
        .take()
        .map(|stdout| stdout.take(MAX_KEY_OUTPUT).read_to_string(&mut text));
    match printed {
        Some(Ok(_)) => parse(
            "what key_command printed",
            text.lines().next().unwrap_or_default().to_owned(),
        ),
        _ => Err(failed("printed no text".to_owned())),
    }
}

/// The longest time a key may take to come.
const KEY_PATIENCE: Duration = Duration::from_secs(30);
const KEY_POLL: Duration = Duration::from_millis(10);
/// More than a pipe holds would keep the command from ending.
const MAX_KEY_OUTPUT: u64 = 4096;

fn ended(child: &mut Child) -> Result<ExitStatus, String> {
    let patience_ends = Instant::now() + KEY_PATIENCE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status),
            Ok(None) if Instant::now() < patience_ends => std::thread::sleep(KEY_POLL),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("did not end within {} s", KEY_PATIENCE.as_secs()));
            }
            Err(error) => return Err(format!("cannot be waited for: {error}")),
        }
    }
}

#[cfg(unix)]
fn was_interrupted(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    const INTERRUPT: i32 = 2;
    status.signal() == Some(INTERRUPT) || status.code() == Some(128 + INTERRUPT)
}

#[cfg(not(unix))]
fn was_interrupted(_status: ExitStatus) -> bool {
    false
}

#[cfg(unix)]
fn refuse_open_mode(name: &str, metadata: &std::fs::Metadata) -> Result<(), CliError> {
    use std::os::unix::fs::PermissionsExt;
    let mode = metadata.permissions().mode() & 0o777;
    if metadata.is_file() && mode & 0o077 != 0 {
        return Err(
            CliError::usage(format!("{name} can be read by others (mode {mode:03o})"))
                .hint("run chmod 600 on it, and change the key if somebody may have seen it"),
        );
    }
    Ok(())
}

#[cfg(not(unix))]
fn refuse_open_mode(_name: &str, _metadata: &std::fs::Metadata) -> Result<(), CliError> {
    Ok(())
}
