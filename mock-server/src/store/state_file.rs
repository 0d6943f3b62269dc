//! A state file that is open: its commits, its log, and whether it is still there.

use std::path::Path;

use rusqlite::{Connection, Error};

use super::checksum;
use super::commits::{Commits, CountFile};
use super::record::{Place, Put};
use super::watched::{WatchedFile, beside};
use crate::values::chance;

/// A change is one write to a log, which [`StateFile::fold_log`] puts into the file.
const LOG: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL";

const KEEP: &str = "INSERT OR REPLACE INTO records VALUES (?1, ?2, ?3, ?4, ?5)";
const REMOVE: &str = "DELETE FROM records WHERE account = ?1 AND \"table\" = ?2 AND key = ?3";

pub(super) struct StateFile {
    connection: Connection,
    commits: Commits,
    count: CountFile,
    /// The file and its log.
    watched: [WatchedFile; 2],
    /// Whether the log has what the file has not.
    is_logged: bool,
}

/// Why a change was not saved.
#[derive(Debug, thiserror::Error)]
pub(super) enum SaveError {
    #[error("{0}")]
    Sqlite(#[from] Error),
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("{0}")]
    Changed(String),
}

impl StateFile {
    /// Begins to write to a file that is trusted.
    pub(super) fn begin(path: &Path, connection: Connection) -> Result<Self, SaveError> {
        connection.execute_batch(LOG)?;
        let commits = Commits::begin(&connection, chance::number() as u32)?;
        fold_log(&connection)?;
        // What is beside the file is beside what a link names.
        let real = std::fs::canonicalize(path)?;
        Ok(Self {
            count: CountFile::begin(&real, commits)?,
            watched: [
                WatchedFile::new(std::path::absolute(path)?)?,
                WatchedFile::new(beside(&real, "-wal"))?,
            ],
            connection,
            commits,
            is_logged: false,
        })
    }

    /// Makes changes durable, all or none. Without any, it is only looked whether the file is there.
    pub(super) fn save<'a>(
        &mut self,
        changes: impl Iterator<Item = &'a Put>,
    ) -> Result<(), SaveError> {
        untouched(self.watched.iter().find_map(WatchedFile::change))?;
        let mut changes = changes.peekable();
        if changes.peek().is_none() {
            return Ok(());
        }
        let commits = self.commit(changes)?;
        let watched = self.watched.iter_mut();
        let change = watched
            .map(WatchedFile::change_after_write)
            .reduce(Option::or);
        untouched(change.flatten())?;
        self.count.write(commits)?;
        (self.commits, self.is_logged) = (commits, true);
        Ok(())
    }

    fn commit<'a>(&mut self, changes: impl Iterator<Item = &'a Put>) -> Result<Commits, Error> {
        let transaction = self.connection.transaction()?;
        {
            let (mut keep, mut remove) = (transaction.prepare(KEEP)?, transaction.prepare(REMOVE)?);
            for Put { place, value } in changes {
                let Place { owner, table, key } = place;
                match value {
                    Some(value) => {
                        let sum = checksum::of(place, value);
                        keep.execute((owner, table, key, value, sum))?
                    }
                    None => remove.execute((owner, table, key))?,
                };
            }
        }
        let commits = self.commits.with_next(&transaction)?;
        transaction.commit()?;
        Ok(commits)
    }

    pub(super) fn is_logged(&self) -> bool {
        self.is_logged
    }

    /// Puts what is in the log into the file, so that a copy of the file is whole. Where that fails, nothing is lost.
    pub(super) fn fold_log(&mut self) {
        self.is_logged = false;
        if self.watched.iter().any(|file| file.change().is_some()) {
            // It is said at the next change.
            return;
        }
        let _ = fold_log(&self.connection);
        for file in &mut self.watched {
            let _ = file.change_after_write();
        }
    }

    /// Puts the log away. Where that fails, the next start reads both.
    pub(super) fn close(self) {
        // The log of another file must not be touched.
        let is_there = self.watched.iter().all(|file| file.change().is_none());
        if is_there
            && self
                .connection
                .pragma_update(None, "journal_mode", "DELETE")
                .is_ok()
        {
            self.count.remove();
        }
    }
}

fn untouched(change: Option<String>) -> Result<(), SaveError> {
    change.map_or(Ok(()), |change| Err(SaveError::Changed(change)))
}

fn fold_log(connection: &Connection) -> Result<(), Error> {
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |_| Ok(()))
}
