//! Programs that this one starts.

use std::process::{Child, Command, ExitStatus};
use std::time::{Duration, Instant};

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

/// How a program ended; none where it still runs after this time.
pub fn ended_within(child: &mut Child, patience: Duration) -> std::io::Result<Option<ExitStatus>> {
    const POLL: Duration = Duration::from_millis(10);
    let patience_ends = Instant::now() + patience;
    loop {
        let ended = child.try_wait()?;
        if ended.is_some() || Instant::now() >= patience_ends {
            return Ok(ended);
        }
        std::thread::sleep(POLL);
    }
}
