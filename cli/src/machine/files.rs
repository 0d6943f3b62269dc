//! Files and standard input that a person names.

use crate::error::{CliError, LocalErrorKind};
use crate::machine::encoding;
use std::fs::{File, Metadata, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// What a file is called in sentences.
pub fn name_of(path: &Path) -> String {
    if path == Path::new("-") {
        return "standard input".to_owned();
    }
    path.display().to_string()
}

/// Whether two names are of one file, however they are written; `-` is what standard input reads.
fn are_one(one: &Path, other: &Path) -> bool {
    let place = |path: &Path| {
        if path == Path::new("-") {
            return identity(Path::new("/dev/stdin"));
        }
        identity(path)
    };
    one == other || place(one).is_some_and(|one| Some(one) == place(other))
}

/// What a regular file is known by under all its names.
#[cfg(unix)]
pub type Identity = (u64, u64);
#[cfg(not(unix))]
pub type Identity = std::path::PathBuf;

#[cfg(unix)]
pub fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt;
    let metadata = std::fs::metadata(path).ok().filter(Metadata::is_file)?;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
pub fn identity(path: &Path) -> Option<Identity> {
    std::fs::canonicalize(path).ok()
}

/// Refuses to write into what is read; `option` is the one that names the file to be written.
pub fn refuse_input(option: &str, path: &Path, read: &[&Path]) -> Result<(), CliError> {
    match read.iter().any(|read| are_one(path, read)) {
        false => Ok(()),
        true => Err(CliError::usage(format!(
            "{option} names the file being read: give another file"
        ))),
    }
}

/// Opens a file to be written anew. A symbolic link is not followed: whoever put it there would choose what is
/// overwritten.
pub fn create(option: &str, path: &Path, options: &mut OpenOptions) -> Result<File, CliError> {
    options.create(true).write(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    options.open(path).map_err(|error| {
        let name = format!("{option} {}", path.display());
        match path.is_symlink() {
            true => CliError::usage(format!(
                "{name} is a symbolic link, which is not followed: name the file itself"
            )),
            false => CliError::io(&name, &error),
        }
    })
}

/// Reads a file whole, or standard input for `-`; `name` is what errors call it.
pub fn read(path: &Path, name: &str, max_bytes: u64) -> Result<Vec<u8>, CliError> {
    let failed = |error: std::io::Error| CliError::usage(format!("{name} cannot be read: {error}"));
    let source: Box<dyn Read> = if path == Path::new("-") {
        Box::new(std::io::stdin())
    } else {
        Box::new(File::open(path).map_err(failed)?)
    };
    let mut bytes = Vec::new();
    source
        .take(max_bytes + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() as u64 > max_bytes {
        return Err(CliError::usage(format!(
            "{name} is larger than {}: split it",
            size(max_bytes)
        )));
    }
    Ok(bytes)
}

/// The first so many bytes of a file.
pub fn beginning(path: &Path, max_bytes: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(max_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a file of JSON, or standard input for `-`.
pub fn read_json(path: &Path, max_bytes: u64) -> Result<serde_json::Value, CliError> {
    let name = name_of(path);
    serde_json::from_slice(&read(path, &name, max_bytes)?)
        .map_err(|error| CliError::usage(format!("{name} is not JSON: {error}")))
}

/// A word of a file, and the line it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its line, from 1; `None` for a word of the command line.
    pub line: Option<u64>,
    /// The word.
    pub text: String,
}

fn size(bytes: u64) -> String {
    const MIB: u64 = 1024 * 1024;
    match bytes {
        0..MIB => format!("{} KiB", bytes / 1024),
        _ => format!("{} MiB", bytes / MIB),
    }
}

/// Reads words, one a line.
pub fn read_words(path: &Path, name: &str) -> Result<Vec<Word>, CliError> {
    Ok(words(&read_listed(path, name)?).collect())
}

/// The words of a text, one a line; blank lines and lines that begin with # do not count.
pub fn words(text: &str) -> impl Iterator<Item = Word> {
    // An old Mac ends its lines with CR alone: a comment must not go on to the next LF.
    let lines = text.split('\n').flat_map(|line| {
        let line = line.strip_suffix('\r').unwrap_or(line);
        line.split('\r')
    });
    let words = (1..).zip(lines).map(|(line, word)| Word {
        line: Some(line),
        text: word.trim().to_owned(),
    });
    words.filter(|word| !word.text.is_empty() && !word.text.starts_with('#'))
}

/// Reads a file of names, whose letters must not be guessed.
pub fn read_listed(path: &Path, name: &str) -> Result<String, CliError> {
    const MAX_BYTES: u64 = 16 * 1024 * 1024;
    let bytes = read(path, name, MAX_BYTES)?;
    encoding::refuse_other_formats(&bytes, name)?;
    let decoded = encoding::unmistakable(&bytes, name)?.ok_or_else(|| {
        CliError::usage(format!("{name} is not UTF-8 text")).hint("save it as UTF-8 or UTF-16")
    })?;
    Ok(decoded.text)
}

/// The names typed, or for a single `-` those on standard input, one a line.
pub fn or_stdin(names: &[String]) -> Result<Vec<String>, CliError> {
    match names {
        [dash] if dash == "-" => {
            let names: Vec<String> = read_words(Path::new("-"), "standard input")?
                .into_iter()
                .map(|word| word.text)
                .collect();
            if names.is_empty() {
                return Err(CliError::usage(
                    "standard input is empty: give one name per line",
                ));
            }
            Ok(names)
        }
        names => Ok(names.to_vec()),
    }
}

/// Whether another program writes into standard input.
pub fn stdin_is_a_pipe() -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        std::fs::metadata("/dev/stdin").is_ok_and(|stdin| stdin.file_type().is_fifo())
    }
    #[cfg(not(unix))]
    false
}

/// Why somebody else than its owner can put another text into an open file, where that is so: by writing to it, or by
/// putting another file in its place.
#[cfg(unix)]
pub fn in_foreign_hands(file: &File, path: &Path) -> std::io::Result<Option<String>> {
    use std::os::unix::fs::MetadataExt;
    const WRITABLE: u32 = 0o022;
    /// In such a folder only its owner removes a file.
    const STICKY: u32 = 0o1000;
    let ours = rustix::process::geteuid().as_raw();
    let open = |name: String, metadata: &Metadata| {
        let mode = metadata.mode() & 0o7777;
        let keeps_files = metadata.is_dir() && mode & STICKY != 0;
        if ![0, ours].contains(&metadata.uid()) {
            Some(format!("{name} belongs to another user"))
        } else if mode & WRITABLE != 0 && !keeps_files {
            Some(format!("{name} can be written by others (mode {mode:03o})"))
        } else {
            None
        }
    };
    let own = open(path.display().to_string(), &file.metadata()?);
    // What a shell hands over as /dev/fd/63 stands in no folder.
    let whole = std::fs::canonicalize(path).ok();
    let folder = whole.as_deref().and_then(Path::parent);
    let (None, Some(folder)) = (&own, folder) else {
        return Ok(own);
    };
    let name = format!("the folder {}", folder.display());
    Ok(open(name, &std::fs::metadata(folder)?))
}

/// Modes tell nothing here.
#[cfg(not(unix))]
pub fn in_foreign_hands(_file: &File, _path: &Path) -> std::io::Result<Option<String>> {
    Ok(None)
}

/// How long a lock is tried: nobody holds one for longer than it takes to write a file, but many may be in front.
const LOCK_PATIENCE: Duration = Duration::from_secs(20);
const LOCK_POLL: Duration = Duration::from_millis(5);

/// Waits until no other process holds this lock, but not for ever; it is given back when the file is dropped.
pub fn lock(path: &Path) -> Result<File, CliError> {
    lock_for(path, LOCK_PATIENCE)
}

/// The same for what can do without: it waits no longer than this.
pub fn lock_for(path: &Path, patience: Duration) -> Result<File, CliError> {
    let failed =
        |error: std::io::Error| CliError::io(&format!("locking {}", path.display()), &error);
    std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
    let file = open_shared(path).map_err(failed)?;
    match lock_within(&file, patience) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let message = format!("another process holds {}", path.display());
            Err(CliError::new(LocalErrorKind::Locked, message))
        }
        Err(TryLockError::Error(error)) => Err(failed(error)),
    }
}

/// Waits so long at most until no other process holds the lock of a file.
pub fn lock_within(file: &File, patience: Duration) -> Result<(), TryLockError> {
    let patience_ends = Instant::now() + patience;
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < patience_ends => {
                std::thread::sleep(LOCK_POLL);
            }
            locked => return locked,
        }
    }
}

/// A temporary file of mode 0600 takes the place of the old file, so a reader never sees half of it.
pub fn write_private(path: &Path, content: &[u8]) -> Result<(), CliError> {
    let failed =
        |error: std::io::Error| CliError::io(&format!("writing {}", path.display()), &error);
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(content).map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// Puts another content into a file that a person may have put behind a link: the link stays. Where the file is a mount of
/// its own nothing can take its place, so it is written as it is.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), CliError> {
    let failed =
        |error: std::io::Error| CliError::io(&format!("writing {}", path.display()), &error);
    let target = link_target(path);
    let folder = target.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    file.write_all(content).map_err(failed)?;
    match file.persist(&target) {
        Ok(_) => Ok(()),
        Err(refused) if is_mount(&refused.error) => {
            std::fs::write(&target, content).map_err(failed)
        }
        Err(refused) => Err(failed(refused.error)),
    }
}

/// Whether a file could not be renamed because a mount is in its place.
fn is_mount(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{CrossesDevices, ResourceBusy};
    matches!(error.kind(), CrossesDevices | ResourceBusy)
}

/// Where the links at a path lead, in the end. The last one may lead to what is not there yet.
fn link_target(path: &Path) -> std::path::PathBuf {
    const MOST_LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        let Ok(next) = std::fs::read_link(&target) else {
            break;
        };
        target = target.parent().unwrap_or(Path::new(".")).join(next);
    }
    target
}

/// Deletes a file; one that is gone already is as good.
pub fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Opens a file that processes share, or makes it; only its owner reads it.
pub fn open_shared(path: &Path) -> std::io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).read(true).write(true);
    private(&mut options).open(path)
}

/// Makes a file that is created readable by its owner only, where the platform knows owners.
pub fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options
}
