//! Opening an address in a person's browser.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A browser that cannot show anything says so within this time; one that can may run on.
const PATIENCE: Duration = Duration::from_secs(3);
const POLL: Duration = Duration::from_millis(10);

/// Whether a browser took the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Browser {
    /// One did.
    Opened,
    /// There is none here.
    Missing,
}

/// Hands an address to the browser.
pub fn open(url: &str) -> Browser {
    let Some(mut command) = browser() else {
        return Browser::Missing;
    };
    let started = command
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = started else {
        return Browser::Missing;
    };
    let patience_ends = Instant::now() + PATIENCE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Browser::Opened,
            Ok(Some(_)) | Err(_) => return Browser::Missing,
            Ok(None) if Instant::now() >= patience_ends => return Browser::Opened,
            Ok(None) => std::thread::sleep(POLL),
        }
    }
}

/// `BROWSER`, else what the platform has. Without a display there is nothing to open a window on.
fn browser() -> Option<Command> {
    let named = std::env::var("BROWSER").unwrap_or_default();
    let mut words = named.split_whitespace();
    if let Some(program) = words.next() {
        let mut command = Command::new(program);
        command.args(words);
        return Some(command);
    }
    if cfg!(target_os = "macos") {
        return Some(Command::new("open"));
    }
    if cfg!(windows) {
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        return Some(command);
    }
    let display = ["WAYLAND_DISPLAY", "DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    display.then(|| Command::new("xdg-open"))
}
