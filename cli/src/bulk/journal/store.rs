//! The file of a run: locked while the run is on, written through to the disk line by line.

use super::record::JournalLine;
use crate::machine::files;
use std::fs::{File, TryLockError};
use std::io::{Read, Result, Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// A run that nobody went on with for so long is forgotten.
pub const KEPT: Duration = Duration::from_secs(30 * 86_400);

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
pub enum Held {
    /// It is locked, and no other has this name.
    Ours(File),
    /// It was thrown away between opening and locking: another file has its name by now, or none.
    Replaced,
    /// Another process has locked it.
    Busy,
}

/// Locks an open file for as long as it stays open.
pub fn take(file: File, path: &Path) -> Result<Held> {
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
