//! How many commits a state file must have. A log that is missing or cut off looks to SQLite like changes that never were;
//! so every commit is counted in the data, and behind it in a file of its own: where the data has fewer, acknowledged
//! changes are lost.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, Error, OptionalExtension};

use super::watched::beside;

const TABLE: &str = "CREATE TABLE IF NOT EXISTS commits \
    (id INTEGER PRIMARY KEY CHECK (id = 1), run INTEGER NOT NULL, number INTEGER NOT NULL) STRICT";

/// The commits of one run of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Commits {
    /// A random number: a copy of another run is not compared.
    run: u32,
    number: u32,
}

impl Commits {
    /// Of a run that begins: the data knows of it before its first change.
    pub(super) fn begin(connection: &Connection, run: u32) -> Result<Self, Error> {
        connection.execute_batch(TABLE)?;
        let begun = "INSERT OR REPLACE INTO commits VALUES (1, ?1, 0)";
        connection.execute(begun, [run])?;
        Ok(Self { run, number: 0 })
    }

    /// With one more, within its transaction.
    pub(super) fn with_next(self, connection: &Connection) -> Result<Self, Error> {
        let number = self.number.saturating_add(1);
        connection.execute("UPDATE commits SET number = ?1", [number])?;
        Ok(Self { number, ..self })
    }

    fn of(connection: &Connection) -> Result<Option<Self>, Error> {
        // Older versions have not counted.
        if !connection.table_exists(None, "commits")? {
            return Ok(None);
        }
        let row = connection.query_row("SELECT run, number FROM commits", (), |row| {
            let (run, number) = (row.get(0)?, row.get(1)?);
            Ok(Self { run, number })
        });
        row.optional()
    }

    /// Of one length always, so that it is written over in one piece.
    fn text(self) -> String {
        format!("{:08x} {:08x}\n", self.run, self.number)
    }

    fn parse(text: &str) -> Option<Self> {
        let (run, number) = text.trim_end().split_once(' ')?;
        let number_of = |digits| u32::from_str_radix(digits, 16).ok();
        let (run, number) = (number_of(run)?, number_of(number)?);
        Some(Self { run, number })
    }
}

/// How many commits were acknowledged that the data does not have.
pub(super) fn lost(path: &Path, connection: &Connection) -> Result<u32, Error> {
    // One that cannot be read, such as after a power cut, tells nothing.
    let counted = std::fs::read_to_string(beside(path, "-commits")).unwrap_or_default();
    let (Some(counted), Some(there)) = (Commits::parse(&counted), Commits::of(connection)?) else {
        return Ok(0);
    };
    match counted.run == there.run {
        true => Ok(counted.number.saturating_sub(there.number)),
        false => Ok(0),
    }
}

/// The file that counts.
pub(super) struct CountFile {
    path: PathBuf,
    file: File,
}

impl CountFile {
    pub(super) fn begin(state: &Path, commits: Commits) -> io::Result<Self> {
        let path = beside(state, "-commits");
        let mut options = OpenOptions::new();
        let file = options
            .write(true)
            .create(true)
            .truncate(true)
            .open(&path)?;
        let mut count = Self { path, file };
        count.write(commits)?;
        Ok(count)
    }

    /// Written behind the commit and before its acknowledgement. After a power cut it may be older than the data, never
    /// newer: so it need not be waited for.
    pub(super) fn write(&mut self, commits: Commits) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(commits.text().as_bytes())
    }

    /// The data is whole in its file.
    pub(super) fn remove(self) {
        // Where it stays, the next start compares it, and finds nothing missing.
        let _ = std::fs::remove_file(self.path);
    }
}
