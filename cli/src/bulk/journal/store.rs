//! The file of a run: locked while the run is on, written through to the disk line by line.

use super::record::JournalLine;
use crate::machine::files;
use std::fs::{File, TryLockError};
use std::io::{Read, Result, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A run that nobody went on with for so long is forgotten.
const KEPT: Duration = Duration::from_secs(30 * 86_400);

/// The open file, locked until it is dropped.
#[derive(Debug)]
pub struct Store {
    file: File,
    /// The length of the whole lines.
    length: u64,
}

impl Store {
    /// Locks and reads the file; none where another process is at work on the same run. A last line that was cut off by
    /// a crash or a full disk is dropped.
    pub fn open(path: &Path) -> Result<Option<(Self, Vec<JournalLine>)>> {
        let mut file = loop {
            match take(files::open_shared(path)?, path)? {
                Held::Ours(file) => break file,
                Held::Replaced => {}
                Held::Busy => return Ok(None),
            }
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n');
        let whole = whole.map_or(0, |end| end + 1);
        let length = whole as u64;
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        let lines = bytes[..whole].split(|byte| *byte == b'\n');
        let lines = lines.filter_map(|line| serde_json::from_slice(line).ok());
        Ok(Some((Self { file, length }, lines.collect())))
    }

    /// Adds a line; when this returns, it is on the disk. Of one that does not fit nothing stays.
    pub fn add(&mut self, line: &JournalLine) -> Result<()> {
        let mut text = serde_json::to_vec(line)?;
        text.push(b'\n');
        if let Err(error) = self.file.write_all(&text) {
            self.file.set_len(self.length)?;
            self.file.seek(SeekFrom::End(0))?;
            return Err(error);
        }
        self.length += text.len() as u64;
        self.file.sync_data()
    }

    /// Forgets everything.
    pub fn clear(&mut self) -> Result<()> {
        self.length = 0;
        self.file.set_len(0)?;
        self.file.rewind()
    }
}

/// Whose a file is.
#[derive(Debug)]
enum Held {
    /// It is locked, and no other has this name.
    Ours(File),
    /// It was thrown away between opening and locking: another file has its name by now, or none.
    Replaced,
    /// Another process has locked it.
    Busy,
}

/// Locks an open file for as long as it stays open.
fn take(file: File, path: &Path) -> Result<Held> {
    match file.try_lock() {
        Ok(()) if files::is_still_at(&file, path) => Ok(Held::Ours(file)),
        Ok(()) => Ok(Held::Replaced),
        Err(TryLockError::WouldBlock) => Ok(Held::Busy),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// Removes the files of runs that ended long ago; one that is in use stays.
pub fn prune(folder: &Path) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if is_old(&path)?
            && let Held::Ours(_locked) = take(File::open(&path)?, &path)?
            && is_old(&path)?
        {
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}

fn is_old(path: &Path) -> Result<bool> {
    let written = std::fs::metadata(path)?.modified()?;
    let age = SystemTime::now().duration_since(written);
    Ok(age.is_ok_and(|age| age > KEPT))
}

#[cfg(test)]
mod tests {
    use super::{Held, KEPT, Store, files, prune, take};
    use std::fs::File;
    use std::path::Path;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::SystemTime;

    fn old(path: &Path) {
        let file = File::create(path).expect("a file");
        file.set_modified(SystemTime::now() - KEPT * 2)
            .expect("its time is set");
    }

    #[test]
    fn a_file_that_was_thrown_away_before_it_was_locked_is_not_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.jsonl");
        old(&path);
        let opened = File::open(&path).expect("the file");
        prune(folder.path()).expect("it is tidied up");
        let held = take(opened, &path).expect("no trouble");
        assert!(matches!(held, Held::Replaced), "{held:?}");
        let other = File::create(&path).expect("a file");
        std::fs::remove_file(&path).expect("the file is ours");
        old(&path);
        let held = take(other, &path).expect("no trouble");
        assert!(matches!(held, Held::Replaced), "{held:?}");
    }

    #[test]
    fn no_file_is_thrown_away_while_somebody_works_with_it() {
        const ROUNDS: usize = 20_000;
        const LOOKS: usize = 10;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("run.jsonl");
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    // A file may go between two looks at it.
                    let _ = prune(folder.path());
                }
            });
            for round in 0..ROUNDS {
                old(&path);
                if let Ok(Some((store, _))) = Store::open(&path) {
                    let mut looks = (0..LOOKS).map(|_| files::is_still_at(&store.file, &path));
                    let there = looks.all(|there| there);
                    over.store(!there, Ordering::Relaxed);
                    assert!(there, "round {round}");
                }
            }
            over.store(true, Ordering::Relaxed);
        });
    }
}
