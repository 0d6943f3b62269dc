//! A file of what is done, a line each, so that a run that was stopped can be started again and does nothing twice.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// The names of what is done.
#[derive(Debug)]
pub struct Journal {
    file: File,
    done: BTreeSet<String>,
}

impl Journal {
    /// Opens the journal in this file, or a new one. It is this run's alone until it is dropped.
    ///
    /// # Errors
    /// A sentence, when the file cannot be used, or another run has it.
    pub fn open(path: &Path) -> Result<Self, String> {
        let problem = |error: io::Error| format!("{}: {error}", path.display());
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(problem)?;
        file.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => format!(
                "{}: another run has this file: wait until it has ended",
                path.display()
            ),
            TryLockError::Error(error) => problem(error),
        })?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(problem)?;
        // A line without its end is what a crash left: it was never done.
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64).map_err(problem)?;
        file.seek(SeekFrom::End(0)).map_err(problem)?;
        let name = |line: &str| {
            serde_json::from_str(line)
                .map_err(|_| format!("{}: {line:?} is no name in quotes", path.display()))
        };
        let done = text[..whole].lines().map(name).collect::<Result<_, _>>()?;
        Ok(Self { file, done })
    }

    /// Whether it is done.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.done.contains(name)
    }

    /// It is done; it is on the disk when this returns.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn add(&mut self, name: &str) -> io::Result<()> {
        // In quotes, so that a name with a line break is one line.
        let line = serde_json::to_string(name)? + "\n";
        self.file.write_all(line.as_bytes())?;
        self.file.sync_data()?;
        self.done.insert(name.to_owned());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_done_is_known_after_a_crash_and_half_a_line_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("done");
        let mut journal = Journal::open(&file).expect("a journal");
        journal.add("d1").expect("written");
        journal.add("a\nb").expect("written");
        let other = Journal::open(&file).expect_err("in use");
        assert!(other.contains("another run"), "{other}");
        drop(journal);
        let mut torn = OpenOptions::new().append(true).open(&file).expect("a file");
        torn.write_all(b"\"d2").expect("written");
        let mut journal = Journal::open(&file).expect("a journal");
        assert!(journal.has("d1") && journal.has("a\nb") && !journal.has("d2"));
        journal.add("d3").expect("written");
        drop(journal);
        let journal = Journal::open(&file).expect("a journal");
        assert!(journal.has("d3") && !journal.has("d2"));
    }
}
