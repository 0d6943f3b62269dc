//! API keys on their way in: typed, read, fetched, kept. A key is text here only until it is an `ApiKey` or in its file.

use crate::error::{CliError, LocalErrorKind};
use crate::machine::files::write_private;
use crate::machine::{children, env_vars};
use secmon::ApiKey;
use std::fs::File;
use std::io::{IsTerminal, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// A key as somebody gave it, before it is kept; wiped from memory when dropped.
pub struct TypedKey(Zeroizing<String>);

impl TypedKey {
    /// Takes what was typed at the terminal.
    pub fn new(text: &str) -> Self {
        Self(Zeroizing::new(text.trim().to_owned()))
    }

    /// Reads standard input to its end.
    pub fn from_stdin() -> Result<Self, CliError> {
        let failed = |reason: &str| {
            CliError::new(
                LocalErrorKind::Io,
                format!("reading the key from standard input: {reason}"),
            )
        };
        // Of one size from the beginning, so that no smaller copy is left behind.
        let mut bytes = Zeroizing::new(vec![0; MAX_KEY_OUTPUT]);
        let mut length = 0;
        while length < bytes.len() {
            match std::io::stdin().read(&mut bytes[length..]) {
                Ok(0) => break,
                Ok(count) => length += count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(&error.to_string())),
            }
        }
        let text = key_text(&bytes[..length]).map_err(failed)?;
        Ok(Self::new(text))
    }

    /// The key as the client takes it.
    pub fn check(&self) -> Result<ApiKey, CliError> {
        parse("the key", &self.0)
    }

    /// Keeps the key in a file of mode 0600.
    pub fn keep(&self, path: &Path) -> Result<(), CliError> {
        let line = Zeroizing::new(format!("{}\n", self.0.as_str()));
        write_private(path, line.as_bytes())
    }
}

/// Makes a key of a text; `name` says where the text came from.
pub fn parse(name: &str, text: &str) -> Result<ApiKey, CliError> {
    if let Some(surroundings) = surroundings(text) {
        return Err(CliError::usage(format!("{name}: {surroundings}")));
    }
    ApiKey::new(text).map_err(|error| CliError::usage(format!("{name}: {error}")))
}

/// What stands around a key that is not part of it, where something does.
fn surroundings(text: &str) -> Option<&'static str> {
    let text = text.trim();
    let lower = |length: usize| text.get(..length).unwrap_or_default().to_ascii_lowercase();
    if text.starts_with('\u{FEFF}') {
        Some("the key begins with a byte-order mark: save the file without it, as plain UTF-8")
    } else if text.starts_with(['"', '\'', '“', '”', '‘', '’', '„']) {
        Some("the key is in quotation marks: remove them (Docker's --env-file keeps them)")
    } else if lower("bearer ".len()) == "bearer " {
        Some("the key is preceded by the word Bearer: leave it out")
    } else if text.contains("API_KEY=") {
        Some("a whole line NAME=KEY was given: give the key alone")
    } else if text.lines().filter(|line| !line.trim().is_empty()).count() > 1 {
        Some("there are several lines: give the key alone")
    } else {
        None
    }
}

/// The text of a file or of standard input, in the letters that a key has.
fn key_text(bytes: &[u8]) -> Result<&str, &'static str> {
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") || bytes.contains(&0) {
        return Err("the key was saved as UTF-16: save it as plain UTF-8");
    }
    std::str::from_utf8(bytes).map_err(|_| "it is not text")
}

/// The key in `SECMON_API_KEY`.
pub fn from_environment() -> Result<Option<ApiKey>, CliError> {
    const NAME: &str = "SECMON_API_KEY";
    let text = env_vars::text(NAME)?.map(Zeroizing::new);
    text.map(|text| parse(NAME, &text)).transpose()
}

/// A file that is longer holds no key; of `/dev/zero` no more is read.
const LONGEST_KEY_FILE: usize = 16 * 1024;

/// A key file. Its mode is that of what is read, whatever has its name by then.
pub struct KeyFile {
    name: String,
    file: File,
}

impl KeyFile {
    /// Opens it.
    pub fn open(path: &Path) -> Result<Self, CliError> {
        let name = format!("key file {}", path.display());
        let file = File::open(path).map_err(|error| unusable(&name, &error))?;
        Ok(Self { name, file })
    }

    /// That others can read it, where that is so.
    pub fn openness(&self) -> Result<Option<String>, CliError> {
        let metadata = self.file.metadata();
        let mode = open_mode(&metadata.map_err(|error| unusable(&self.name, &error))?);
        Ok(mode.map(|mode| format!("{} can be read by others (mode {mode:03o})", self.name)))
    }

    /// Reads the key.
    pub fn key(self) -> Result<ApiKey, CliError> {
        let Self { name, file } = self;
        let mut bytes = Zeroizing::new(Vec::with_capacity(LONGEST_KEY_FILE));
        file.take(LONGEST_KEY_FILE as u64)
            .read_to_end(&mut bytes)
            .map_err(|error| unusable(&name, &error))?;
        let text =
            key_text(&bytes).map_err(|problem| CliError::usage(format!("{name}: {problem}")))?;
        parse(&name, text)
    }
}

fn unusable(name: &str, error: &std::io::Error) -> CliError {
    CliError::usage(format!("{name}: {error}")).hint("keep the key again: `auth login`")
}

/// Reads a key from a file that only its owner can read.
pub fn read_file(path: &Path) -> Result<ApiKey, CliError> {
    let file = KeyFile::open(path)?;
    match file.openness()? {
        Some(open) => Err(CliError::usage(open)
            .hint("run chmod 600 on it, and change the key if somebody may have seen it")),
        None => file.key(),
    }
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
    let stderr = if std::io::stderr().is_terminal() {
        Stdio::inherit()
    } else {
        Stdio::null()
    };
    let mut child = children::without_key(children::shell(command))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(stderr)
        .spawn()
        .map_err(|error| failed(format!("cannot be run: {error}")))?;
    let printed = child
        .stdout
        .take()
        .map(Printed::by)
        .ok_or_else(|| failed("has no output".to_owned()))?;
    let status = ended(&mut child).map_err(failed)?;
    if was_interrupted(status) {
        return Err(CliError::new(
            LocalErrorKind::Interrupted,
            "interrupted while the key was fetched",
        ));
    }
    if !status.success() {
        return Err(failed(format!("failed ({status})")));
    }
    let printed = printed
        .first_line()
        .ok_or_else(|| failed("printed no text".to_owned()))?;
    parse("what key_command printed", &printed)
}

/// What a command has printed so far. A child that it leaves behind may hold the pipe open, so its end is not waited
/// for.
struct Printed {
    bytes: Arc<Mutex<Zeroizing<Vec<u8>>>>,
    /// Told of each piece, and dropped at the end.
    news: Receiver<()>,
}

impl Printed {
    fn by(mut stdout: ChildStdout) -> Self {
        let bytes = Arc::new(Mutex::new(Zeroizing::new(Vec::with_capacity(
            MAX_KEY_OUTPUT,
        ))));
        let (tell, news) = std::sync::mpsc::channel();
        let kept = Arc::clone(&bytes);
        std::thread::spawn(move || {
            let mut piece = Zeroizing::new([0; 1024]);
            // What is too much is read and dropped, for a full pipe would keep the command from ending.
            while let Ok(count @ 1..) = stdout.read(piece.as_mut_slice()) {
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                let room = MAX_KEY_OUTPUT - kept.len();
                kept.extend_from_slice(&piece[..count.min(room)]);
                let _ = tell.send(());
            }
        });
        Self { bytes, news }
    }

    /// The first line, once the command has ended.
    fn first_line(&self) -> Option<Zeroizing<String>> {
        let patience_ends = Instant::now() + PIPE_PATIENCE;
        let mut all_is_read = false;
        loop {
            let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
            let ended = bytes.iter().position(|byte| *byte == b'\n');
            let left = patience_ends.saturating_duration_since(Instant::now());
            if ended.is_some() || all_is_read || left.is_zero() {
                let line = std::str::from_utf8(&bytes[..ended.unwrap_or(bytes.len())]);
                return Some(Zeroizing::new(line.ok()?.to_owned()));
            }
            drop(bytes);
            let news = self.news.recv_timeout(left);
            all_is_read = news == Err(RecvTimeoutError::Disconnected);
        }
    }
}

/// How long the last piece of a key may take after the command has ended.
const PIPE_PATIENCE: Duration = Duration::from_secs(1);
/// The longest time a key may take to come.
const KEY_PATIENCE: Duration = Duration::from_secs(30);
/// No key is longer.
const MAX_KEY_OUTPUT: usize = 4096;

fn ended(child: &mut Child) -> Result<ExitStatus, String> {
    match children::ended_within(child, KEY_PATIENCE) {
        Ok(Some(status)) => Ok(status),
        Ok(None) => {
            let _ = child.kill();
            let _ = child.wait();
            Err(format!("did not end within {} s", KEY_PATIENCE.as_secs()))
        }
        Err(error) => Err(format!("cannot be waited for: {error}")),
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

/// The mode of a file that others can read.
#[cfg(unix)]
pub fn open_mode(metadata: &std::fs::Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    let mode = metadata.permissions().mode() & 0o777;
    (metadata.is_file() && mode & 0o077 != 0).then_some(mode)
}

/// Modes tell nothing here.
#[cfg(not(unix))]
pub fn open_mode(_metadata: &std::fs::Metadata) -> Option<u32> {
    None
}
