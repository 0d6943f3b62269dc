//! Programs that this one starts.

use std::process::Command;

/// The platform's shell with a line to run.
pub fn shell(line: &str) -> Command {
    let (shell, flag) = if cfg!(windows) {
        ("cmd", "/C")
    } else {
        ("sh", "-c")
    };
    let mut command = Command::new(shell);
    command.args([flag, line]);
    command
}

/// The same program, which never sees the key: only one that calls the service itself has need of it.
pub fn without_key(mut command: Command) -> Command {
    command.env_remove("SECMON_API_KEY");
    command
}
