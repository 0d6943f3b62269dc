//! Files and standard input that a person names.

use crate::bulk::spreadsheet;
use crate::error::CliError;
use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::Path;

/// What a file is called in sentences.
pub fn name_of(path: &Path) -> String {
    if path == Path::new("-") {
        return "standard input".to_owned();
    }
    path.display().to_string()
}

/// Whether two names are of one file, however they are written.
pub fn are_one(one: &Path, other: &Path) -> bool {
    let whole = |path: &Path| std::fs::canonicalize(path).ok();
    one == other || whole(one).is_some_and(|one| Some(one) == whole(other))
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
    let words = (1..).zip(text.lines()).map(|(line, word)| Word {
        line: Some(line),
        text: word.trim().to_owned(),
    });
    words.filter(|word| !word.text.is_empty() && !word.text.starts_with('#'))
}

/// Reads a file of names, whose letters must not be guessed.
pub fn read_listed(path: &Path, name: &str) -> Result<String, CliError> {
    const MAX_BYTES: u64 = 16 * 1024 * 1024;
    let bytes = read(path, name, MAX_BYTES)?;
    let decoded = spreadsheet::decode(&bytes, name)?;
    if decoded.guessed.is_some() {
        return Err(CliError::usage(format!("{name} is not UTF-8 text"))
            .hint("save it as UTF-8, or as UTF-16 with a byte-order mark"));
    }
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
                    "standard input names nothing: give one name a line",
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

/// Whether an open file is still the one that has this name.
pub fn is_still_at(file: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let place = |metadata: std::fs::Metadata| (metadata.dev(), metadata.ino());
        let named = std::fs::metadata(path).map(place).ok();
        named.is_some() && named == file.metadata().map(place).ok()
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        path.exists()
    }
}

/// Waits until no other process holds this lock; it is given back when the file is dropped.
pub fn lock(path: &Path) -> Result<File, CliError> {
    let locked = || {
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        let mut options = File::options();
        options.create(true).truncate(false).write(true);
        let file = private(&mut options).open(path)?;
        file.lock().map(|()| file)
    };
    locked().map_err(|error| CliError::io(&format!("locking {}", path.display()), &error))
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
