//! Opening a state file: held for us alone, of a format we know, and every record read and checked
//! before anything is written to it.

use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, Error, ErrorCode, OpenFlags, Row};

use super::record::{Kept, Place};
use super::state_file::{SaveError, StateFile};
use super::watched::beside;
use super::writer::FileStore;
use super::{checksum, commits};
use crate::configuration::start_error::StartError;

/// The format that this version reads and writes.
const FORMAT: u32 = 1;

/// Tells our files from other programs' databases: "SecM".
const APPLICATION: u32 = 0x5365_634D;

const TABLE: &str = "CREATE TABLE records (account TEXT NOT NULL, \"table\" TEXT NOT NULL, \
    key TEXT NOT NULL, value BLOB NOT NULL, checksum INTEGER NOT NULL, \
    PRIMARY KEY (account, \"table\", key)) STRICT, WITHOUT ROWID";

/// Opens or creates a state file, reads it whole and builds something from its records. Then it is
/// trusted and written to; where `build` refuses, an old file stays as it was.
pub(crate) fn open<T>(
    path: &Path,
    build: impl FnOnce(Vec<Kept>) -> Result<T, String>,
) -> Result<(T, FileStore), StartError> {
    let refused = |flaw: Flaw| flaw.of(path);
    let (connection, records) = match path.exists() {
        true => read(path, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(refused)?,
        false => (create(path).map_err(refused)?, Vec::new()),
    };
    let built = build(records).map_err(|reason| refused(Flaw::Reason(reason)))?;
    let file = StateFile::begin(path, connection).map_err(|error| refused(error.into()))?;
    let store = FileStore::start(file).map_err(StartError::Runtime)?;
    Ok((built, store))
}

/// What a state file holds. It is left as it is.
pub(crate) fn open_to_read(path: &Path) -> Result<Vec<Kept>, StartError> {
    // What was not closed has its last changes in a log beside it. Who may write can keep others
    // out of that; who may only read would leave an index of it behind.
    let flags = match beside(path, "-wal").exists() {
        true => OpenFlags::SQLITE_OPEN_READ_WRITE,
        false => OpenFlags::SQLITE_OPEN_READ_ONLY,
    };
    let (_, records) = read(path, flags).map_err(|flaw| flaw.of(path))?;
    Ok(records)
}

/// A connection that keeps every other process out once it has read, that believes no page, and that
/// leaves the file as it is where it is just dropped.
fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, Error> {
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(std::time::Duration::ZERO)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    connection.execute_batch(
        "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF",
    )?;
    Ok(connection)
}

fn create(path: &Path) -> Result<Connection, Flaw> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
    let connection = connect(path, flags)?;
    connection.execute_batch(&format!(
        "BEGIN EXCLUSIVE; PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {FORMAT}; {TABLE}; COMMIT"
    ))?;
    Ok(connection)
}

fn read(path: &Path, flags: OpenFlags) -> Result<(Connection, Vec<Kept>), Flaw> {
    if path.metadata().is_ok_and(|file| file.len() == 0) {
        let reason = "it is empty, which a state file never is: restore a copy, or remove it";
        return Err(Flaw::Reason(reason.to_owned()));
    }
    let connection = connect(path, flags)?;
    judge(&connection)?;
    let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    match commits::lost(&real, &connection)? {
        0 => {}
        lost => return Err(Flaw::lost(lost, &real)),
    }
    let records = connection
        .prepare("SELECT account, \"table\", key, value, checksum FROM records")?
        .query_and_then((), checked)?
        .collect::<Result<_, _>>()?;
    Ok((connection, records))
}

/// Whether it is a file of ours, of this format, whose pages hold together.
fn judge(connection: &Connection) -> Result<(), Flaw> {
    let number = |name| connection.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
    if number("application_id")? != APPLICATION {
        let reason = "it is another program's database; name a new file";
        return Err(Flaw::Reason(reason.to_owned()));
    }
    match number("user_version")? {
        FORMAT => {}
        0 => return Err(Flaw::damage("its format is not written in it")),
        format => {
            return Err(Flaw::Reason(format!(
                "its format {format} is newer than the {FORMAT} that this version knows; use the version that wrote it"
            )));
        }
    }
    let flaw: String = connection.query_row("PRAGMA integrity_check(1)", (), |row| row.get(0))?;
    let is_good = flaw == "ok";
    is_good.then_some(()).ok_or_else(|| Flaw::damage(&flaw))
}

fn checked(row: &Row) -> Result<Kept, Flaw> {
    let (owner, table, key) = (row.get(0)?, row.get(1)?, row.get(2)?);
    let place = Place { owner, table, key };
    let value: Vec<u8> = row.get(3)?;
    if row.get::<_, i64>(4)? == i64::from(checksum::of(&place, &value)) {
        return Ok(Kept { place, value });
    }
    let Place { owner, table, key } = place;
    let what = format!("the record {owner}/{table}/{key} does not match its checksum");
    Err(Flaw::damage(&what))
}

/// Why a file is not taken.
enum Flaw {
    Held,
    Reason(String),
}

impl Flaw {
    fn damage(what: &str) -> Self {
        let what = what.replace('\n', " ");
        // A log that stays would be put into the copy.
        Self::Reason(format!(
            "it is damaged ({what}); remove it and its `-wal` file before you restore a copy, or name a new file"
        ))
    }

    fn lost(commits: u32, path: &Path) -> Self {
        let [log, count] = ["-wal", "-commits"].map(|ending| beside(path, ending));
        let (log, count) = (log.display(), count.display());
        Self::Reason(format!(
            "its last {commits} acknowledged changes are missing, so its log {log} is missing, damaged or of another \
             moment: restore that, or remove it and {count} to go on without them"
        ))
    }

    fn of(self, path: &Path) -> StartError {
        let path = path.to_owned();
        match self {
            Self::Held => StartError::StateLocked { path },
            Self::Reason(reason) => StartError::State { path, reason },
        }
    }
}

impl From<SaveError> for Flaw {
    fn from(error: SaveError) -> Self {
        match error {
            SaveError::Sqlite(error) => error.into(),
            error => Self::Reason(error.to_string()),
        }
    }
}

impl From<Error> for Flaw {
    fn from(error: Error) -> Self {
        let way_out = "name a file in a folder that can be written to";
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy) => Self::Held,
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) => {
                Self::Reason(format!("{error}; {way_out}"))
            }
            _ => Self::damage(&format!("or no state file at all: {error}")),
        }
    }
}
