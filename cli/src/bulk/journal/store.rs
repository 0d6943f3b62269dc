//! The file of a run: locked while the run is on, written through to the disk line by line.

use super::record::Line;
use crate::files;
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

/// The result of opening a file.
pub enum Opened {
    /// It is ours, with what it holds.
    Ours(Store, Vec<Line>),
    /// Another process is at work on the same run.
    Busy,
}

impl Store {
    /// Locks and reads the file. A last line that was cut off by a crash or a full disk is dropped.
    pub fn open(path: &Path) -> Result<Opened> {
        let mut options = File::options();
        options.create(true).truncate(false).read(true).write(true);
        let mut file = files::private(&mut options).open(path)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Opened::Busy),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n');
        let whole = whole.map_or(0, |end| end + 1);
        let length = whole as u64;
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        let lines = bytes[..whole].split(|byte| *byte == b'\n');
        let lines = lines.filter_map(|line| serde_json::from_slice(line).ok());
        Ok(Opened::Ours(Self { file, length }, lines.collect()))
    }

    /// Adds a line; when this returns, it is on the disk. Of one that does not fit nothing stays.
    pub fn add(&mut self, line: &Line) -> Result<()> {
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

/// Removes the files of runs that ended long ago; one that is in use stays.
pub fn prune(folder: &Path) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let written = entry.metadata()?.modified()?;
        let age = SystemTime::now().duration_since(written);
        if age.is_ok_and(|age| age > KEPT) && File::open(entry.path())?.try_lock().is_ok() {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
