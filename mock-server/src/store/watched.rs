//! Whether files under their names are still those that were opened: what is deleted, moved or replaced takes what is
//! written to it along, and no write fails. They are looked at by their names only: closing a second handle would give up
//! SQLite's lock.

use std::fs::Metadata;
use std::io;
use std::path::{Path, PathBuf};

/// A file beside a state file.
pub(super) fn beside(state: &Path, ending: &str) -> PathBuf {
    let mut name = state.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// A file as it was when it was last written to here.
pub(super) struct WatchedFile {
    path: PathBuf,
    seen: FileState,
}

struct FileState {
    identity: Identity,
    length: u64,
}

impl FileState {
    fn of(path: &Path) -> io::Result<Self> {
        let metadata = std::fs::metadata(path)?;
        Ok(Self {
            identity: identity(&metadata),
            length: metadata.len(),
        })
    }
}

impl WatchedFile {
    pub(super) fn new(path: PathBuf) -> io::Result<Self> {
        let seen = FileState::of(&path)?;
        Ok(Self { path, seen })
    }

    /// What somebody else has done to it, before it is written to here.
    pub(super) fn change(&self) -> Option<String> {
        self.differs(|now| now.identity != self.seen.identity || now.length != self.seen.length)
    }

    /// The same after it was written to; from now on it is as it is now.
    pub(super) fn change_after_write(&mut self) -> Option<String> {
        let change = self.differs(|now| now.identity != self.seen.identity);
        if let Ok(now) = FileState::of(&self.path) {
            self.seen.length = now.length;
        }
        change
    }

    fn differs(&self, is_other: impl Fn(&FileState) -> bool) -> Option<String> {
        let path = self.path.display();
        match FileState::of(&self.path) {
            Ok(now) if is_other(&now) => Some(format!(
                "{path} was replaced or written to by somebody else"
            )),
            Ok(_) => None,
            Err(error) => Some(format!("{path} was deleted or moved ({error})")),
        }
    }
}

/// What tells a file from another one of its name.
#[cfg(unix)]
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(metadata: &Metadata) -> Identity {
    use std::os::unix::fs::MetadataExt;
    (metadata.dev(), metadata.ino())
}

#[cfg(not(unix))]
type Identity = ();

/// There an open file can be neither deleted nor moved.
#[cfg(not(unix))]
fn identity(_: &Metadata) -> Identity {}
