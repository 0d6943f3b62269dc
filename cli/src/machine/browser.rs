//! Opening an address in a person's browser.

use crate::machine::{children, files};
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A browser that cannot show anything says so within this time; one that can may run on.
const PATIENCE: Duration = Duration::from_secs(3);

/// Whether a browser took the address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Browser {
    /// One did.
    Opened,
    /// There is none here.
    Missing,
}

/// Hands an address to the browser that nobody else may see. Every user of a machine can read the arguments of its
/// programs, so the browser gets a page of this user's alone, which leads there.
pub fn open_unseen(url: &str, folder: &Path) -> Browser {
    let Ok(page) = page_leading_to(url, folder) else {
        return Browser::Missing;
    };
    let browser = open(&page.display().to_string());
    if browser == Browser::Missing {
        // The address is printed then; what is left of the page is the link that was for once only.
        let _ = std::fs::remove_file(page);
    }
    browser
}

/// One page at a time: the link of the one before has been used, or has ended.
fn page_leading_to(url: &str, folder: &Path) -> io::Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let page = folder.join("sign-in.html");
    files::remove(&page)?;
    let target = url
        .replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;");
    let text = format!(
        "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" content=\"no-referrer\">\
         <title>Signing in</title><meta http-equiv=\"refresh\" content=\"0; url={target}\">\n"
    );
    let mut file = files::private(File::options().write(true).create_new(true)).open(&page)?;
    file.write_all(text.as_bytes())?;
    Ok(page)
}

/// Hands an address to the browser.
pub fn open(url: &str) -> Browser {
    let Some(command) = browser() else {
        return Browser::Missing;
    };
    let started = children::without_key(command)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut child) = started else {
        return Browser::Missing;
    };
    match children::ended_within(&mut child, PATIENCE) {
        Ok(ended) if ended.is_none_or(|status| status.success()) => Browser::Opened,
        _ => Browser::Missing,
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
