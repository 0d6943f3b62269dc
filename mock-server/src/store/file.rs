//! Opening a state file: locked, of a format we know, and every record read and checked.

use std::ffi::OsString;
use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use redb::{
    Builder, Database, DatabaseError, ReadableDatabase, ReadableTable, StorageBackend,
    TableDefinition, TableError,
};

use super::commit_slots::{self, HEADER_BYTES};
use super::migration::{FORMAT, migrated};
use super::probation::ProbationFile;
use super::{FileStore, Kept, Place, checksum, quiet};
use crate::StartError;

/// Memory is the truth: the database is read once, and its cache only serves commits.
const CACHE_BYTES: usize = 4 * 1024 * 1024;

/// Between the parts of a record's key. Names with control characters are refused elsewhere.
const SEPARATOR: char = '\u{1f}';

const CHECKSUM_BYTES: usize = 4;

const FORMATS: TableDefinition<&str, u32> = TableDefinition::new("format");
pub(super) const RECORDS: TableDefinition<&str, &[u8]> = TableDefinition::new("records");

/// A state file that is good as far as the store can tell. Nothing was written to it yet.
pub(crate) struct OpenedFile {
    path: PathBuf,
    database: Database,
    backend: ProbationFile,
    /// The format that the file has.
    format: u32,
    /// Its records, in this version's format.
    records: Vec<Kept>,
}

/// Opens or creates a state file and reads it whole.
pub(crate) fn open(path: &Path) -> Result<OpenedFile, StartError> {
    let made = OpenOptions::new()
        .read(true)
        .write(true)
        .create_new(true)
        .open(path);
    match made {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            let file = OpenOptions::new().read(true).write(true).open(path);
            read(path, locked(path, file)?, Age::Old)
        }
        made => read(path, locked(path, made)?, Age::New),
    }
}

/// Opens a state file for nothing but what it holds.
pub(crate) fn open_to_read(path: &Path) -> Result<OpenedFile, StartError> {
    read(path, locked(path, File::open(path))?, Age::Old)
}

fn read(path: &Path, file: File, age: Age) -> Result<OpenedFile, StartError> {
    let broken = |reason: String| StartError::State {
        path: path.to_owned(),
        reason,
    };
    let backend = ProbationFile::new(file).map_err(|error| broken(error.to_string()))?;
    let length = backend.len().map_err(|error| broken(error.to_string()))?;
    if age == Age::Old && length == 0 {
        let reason = "it is empty, which a state file never is: restore a copy, or remove it";
        return Err(broken(reason.to_owned()));
    }
    look_at_both(&backend, length).map_err(|error| broken(error.to_string()))?;
    let read = quiet::guarded(|| read_all(&backend, age));
    let (database, contents) = read
        .unwrap_or_else(|| Err(damaged("its pages contradict each other")))
        .map_err(broken)?;
    Ok(OpenedFile {
        path: path.to_owned(),
        database,
        backend,
        format: contents.format,
        records: contents.records,
    })
}

impl OpenedFile {
    /// What the file holds. It is closed untouched.
    pub(crate) fn into_records(self) -> Vec<Kept> {
        self.records
    }

    /// Builds something from the records, then trusts the file: from here on it is written to, a
    /// file of an older format after it was copied. Where `build` refuses, or panics, the file stays
    /// as it was.
    pub(crate) fn restore<T>(
        self,
        build: impl FnOnce(Vec<Kept>) -> Result<T, String>,
    ) -> Result<(T, FileStore), StartError> {
        let Self {
            path,
            database,
            backend,
            format,
            records,
        } = self;
        let older = (format < FORMAT).then(|| records.clone());
        let broken = |reason: String| StartError::State {
            path: path.clone(),
            reason,
        };
        let built = quiet::guarded(|| build(records))
            .unwrap_or_else(|| Err(damaged("its records contradict each other")))
            .map_err(broken)?;
        if older.is_some() {
            copy_aside(&backend, &path, format).map_err(broken)?;
        }
        backend.trust().map_err(|error| broken(error.to_string()))?;
        if let Some(records) = older {
            rewrite(&database, &records).map_err(|error| broken(error.to_string()))?;
        }
        let store = FileStore::start(database).map_err(StartError::Runtime)?;
        Ok((built, store))
    }
}

fn damaged(what: &str) -> String {
    format!("it is damaged ({what}); restore a copy, or name a new file")
}

fn locked(path: &Path, file: std::io::Result<File>) -> Result<File, StartError> {
    let unusable = |error: std::io::Error| StartError::State {
        path: path.to_owned(),
        reason: format!("{error}; name a file in a folder that can be written to"),
    };
    let file = file.map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StartError::StateLocked {
            path: path.to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(unusable(error)),
    }
}

/// Whether a file was there before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Age {
    New,
    Old,
}

/// Lets redb look at both of an old file's commits where that can matter.
fn look_at_both(backend: &ProbationFile, length: u64) -> std::io::Result<()> {
    if length >= HEADER_BYTES as u64 {
        let mut header = [0; HEADER_BYTES];
        backend.read(0, &mut header)?;
        if let Some(flags) = commit_slots::looking_at_both(&header) {
            backend.write(commit_slots::FLAGS_AT as u64, &[flags])?;
        }
    }
    Ok(())
}

/// What a file holds.
struct Contents {
    format: u32,
    /// In this version's format.
    records: Vec<Kept>,
}

fn read_all(backend: &ProbationFile, age: Age) -> Result<(Database, Contents), String> {
    let database = Builder::new()
        .set_cache_size(CACHE_BYTES)
        .set_check_integrity_on_open(true)
        .create_with_backend(backend.clone())
        .map_err(|error| match error {
            DatabaseError::UpgradeRequired(_) => "it was written by an older version".to_owned(),
            error => damaged(&format!("or no state file at all: {error}")),
        })?;
    let contents = read_contents(&database, age)?;
    Ok((database, contents))
}

/// A new file has no tables; any other has a format that we know.
fn read_contents(database: &Database, age: Age) -> Result<Contents, String> {
    let failed = |error: redb::Error| damaged(&error.to_string());
    let transaction = database
        .begin_read()
        .map_err(|error| failed(error.into()))?;
    let format = match transaction.open_table(FORMATS) {
        Ok(formats) => {
            let format = formats
                .get("format")
                .map_err(|error| failed(error.into()))?;
            let format = format.map(|format| format.value());
            format.ok_or_else(|| damaged("its format is not written in it"))?
        }
        Err(TableError::TableDoesNotExist(_)) if age == Age::New => {
            create_tables(database).map_err(failed)?;
            return Ok(Contents {
                format: FORMAT,
                records: Vec::new(),
            });
        }
        Err(TableError::TableDoesNotExist(_)) => {
            return Err("it is another program's database; name a new file".to_owned());
        }
        Err(error) => return Err(failed(error.into())),
    };
    if format > FORMAT {
        return Err(format!(
            "its format {format} is newer than the {FORMAT} that this version knows; use the version that wrote it"
        ));
    }
    let records = transaction
        .open_table(RECORDS)
        .map_err(|error| failed(error.into()))?;
    let mut kept = Vec::new();
    for record in records.iter().map_err(|error| failed(error.into()))? {
        let (key, value) = record.map_err(|error| failed(error.into()))?;
        kept.push(checked(key.value(), value.value())?);
    }
    let records = migrated(format, kept)
        .ok_or_else(|| format!("its format {format} is unknown; name a new file"))?;
    Ok(Contents { format, records })
}

fn create_tables(database: &Database) -> Result<(), redb::Error> {
    let mut transaction = database.begin_write()?;
    transaction.set_two_phase_commit(true);
    transaction.open_table(FORMATS)?.insert("format", FORMAT)?;
    transaction.open_table(RECORDS)?;
    transaction.commit()?;
    Ok(())
}

/// Puts migrated records, and their format, in the place of all that a file held.
fn rewrite(database: &Database, records: &[Kept]) -> Result<(), redb::Error> {
    let mut transaction = database.begin_write()?;
    transaction.set_two_phase_commit(true);
    transaction.open_table(FORMATS)?.insert("format", FORMAT)?;
    transaction.delete_table(RECORDS)?;
    {
        let mut table = transaction.open_table(RECORDS)?;
        for Kept { place, value } in records {
            let key = key_of(place);
            table.insert(key.as_str(), stored(&key, value).as_slice())?;
        }
    }
    transaction.commit()?;
    Ok(())
}

/// Copies a file of an older format next to it, as `NAME.format-1`. An earlier copy stays: it may be
/// of another state.
fn copy_aside(backend: &ProbationFile, path: &Path, format: u32) -> Result<(), String> {
    let beside = |ending: &str| {
        let mut name = OsString::from(path);
        name.push(format!(".format-{format}{ending}"));
        PathBuf::from(name)
    };
    let copy = beside("");
    let shown = copy.display();
    if copy.exists() {
        return Err(format!(
            "its older format {format} would be copied to {shown} first, and that file is there already; move it away"
        ));
    }
    let unfinished = beside(".unfinished");
    let written = backend.copy_to(&unfinished);
    written
        .and_then(|()| std::fs::rename(&unfinished, &copy))
        .map_err(|error| format!("its older format {format} cannot be copied to {shown}: {error}"))
}

fn checked(key: &str, stored: &[u8]) -> Result<Kept, String> {
    let wrong = || {
        damaged(&format!(
            "the record {} does not match its checksum",
            key.replace(SEPARATOR, "/")
        ))
    };
    let (sum, value) = stored
        .split_first_chunk::<CHECKSUM_BYTES>()
        .ok_or_else(wrong)?;
    if u32::from_le_bytes(*sum) != checksum::of(key, value) {
        return Err(wrong());
    }
    let mut parts = key.splitn(3, SEPARATOR).map(str::to_owned);
    match (parts.next(), parts.next(), parts.next()) {
        (Some(owner), Some(table), Some(key)) => Ok(Kept {
            place: Place { owner, table, key },
            value: value.to_vec(),
        }),
        _ => Err(wrong()),
    }
}

/// A record as it will be read back from the file.
pub(crate) fn reread(place: &Place, value: &[u8]) -> Result<Kept, String> {
    let key = key_of(place);
    checked(&key, &stored(&key, value))
}

/// The record's key in the file.
pub(super) fn key_of(place: &Place) -> String {
    format!(
        "{}{SEPARATOR}{}{SEPARATOR}{}",
        place.owner, place.table, place.key
    )
}

/// The record's value in the file: its checksum, then its bytes.
pub(super) fn stored(key: &str, value: &[u8]) -> Vec<u8> {
    let mut stored = checksum::of(key, value).to_le_bytes().to_vec();
    stored.extend_from_slice(value);
    stored
}
