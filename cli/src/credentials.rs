//! API keys on their way in: typed, read, fetched, kept. A key is text here only until it is an `ApiKey` or in its file.

use crate::error::CliError;
use crate::profile::write_private;
use secmon::ApiKey;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

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

/// Runs a command of the profile and takes the first line it prints.
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
    let output = Command::new(shell)
        .args([flag, command])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| failed(format!("cannot be run: {error}")))?;
    if !output.status.success() {
        return Err(failed(format!("failed ({})", output.status)));
    }
    let text =
        String::from_utf8(output.stdout).map_err(|_| failed("printed no text".to_owned()))?;
    parse(
        "what key_command printed",
        text.lines().next().unwrap_or_default().to_owned(),
    )
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
