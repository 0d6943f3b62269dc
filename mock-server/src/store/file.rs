//! Opening a state file: locked, of a format we know, and every record read and checked.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::{Path, PathBuf};

use redb::{
    Builder, Database, DatabaseError, ReadableDatabase, ReadableTable, StorageBackend,
    TableDefinition, TableError,
};

use super::commit_slots::{self, HEADER_BYTES};
use super::probation::ProbationFile;
use super::{FileStore, Kept, Place, checksum, quiet};
use crate::StartError;

/// The format that this version writes and reads.
const FORMAT: u32 = 1;

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
    records: Vec<Kept>,
}

/// Opens or creates a state file and reads it whole.
pub(crate) fn open(path: &Path) -> Result<OpenedFile, StartError> {
    let file = locked(path)?;
    let broken = |reason: String| StartError::State {
        path: path.to_owned(),
        reason,
    };
    let backend = ProbationFile::new(file).map_err(|error| broken(error.to_string()))?;
    let age = age(&backend).map_err(|error| broken(error.to_string()))?;
    let read = quiet::guarded(|| read_all(&backend, age));
    let (database, records) = read
        .unwrap_or_else(|| Err(damaged("its pages contradict each other")))
        .map_err(broken)?;
    Ok(OpenedFile {
        path: path.to_owned(),
        database,
        backend,
        records,
    })
}

impl OpenedFile {
    /// What the file holds. It is closed untouched.
    pub(crate) fn into_records(self) -> Vec<Kept> {
        self.records
    }

    /// Builds something from the records, then trusts the file: from here on it is written to.
    /// Where `build` refuses, or panics, the file stays as it was.
    pub(crate) fn restore<T>(
        self,
        build: impl FnOnce(Vec<Kept>) -> Result<T, String>,
    ) -> Result<(T, FileStore), StartError> {
        let Self {
            path,
            database,
            backend,
            records,
        } = self;
        let broken = |reason: String| StartError::State {
            path: path.clone(),
            reason,
        };
        let built = quiet::guarded(|| build(records))
            .unwrap_or_else(|| Err(damaged("its records contradict each other")))
            .map_err(broken)?;
        backend.trust().map_err(|error| broken(error.to_string()))?;
        let store = FileStore::start(database).map_err(StartError::Runtime)?;
        Ok((built, store))
    }
}

fn damaged(what: &str) -> String {
    format!("it is damaged ({what}); restore a copy, or name a new file")
}

fn locked(path: &Path) -> Result<File, StartError> {
    let unusable = |error: std::io::Error| StartError::State {
        path: path.to_owned(),
        reason: format!("{error}; name a file in a folder that can be written to"),
    };
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .map_err(unusable)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StartError::StateLocked {
            path: path.to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(unusable(error)),
    }
}

/// Whether a file held anything when it was opened.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Age {
    /// It was made just now, or was empty.
    New,
    Old,
}

/// Also lets redb look at both of an old file's commits where that can matter.
fn age(backend: &ProbationFile) -> std::io::Result<Age> {
    let length = backend.len()?;
    if length >= HEADER_BYTES as u64 {
        let mut header = [0; HEADER_BYTES];
        backend.read(0, &mut header)?;
        if let Some(flags) = commit_slots::looking_at_both(&header) {
            backend.write(commit_slots::FLAGS_AT as u64, &[flags])?;
        }
    }
    Ok(if length == 0 { Age::New } else { Age::Old })
}

fn read_all(backend: &ProbationFile, age: Age) -> Result<(Database, Vec<Kept>), String> {
    let database = Builder::new()
        .set_cache_size(CACHE_BYTES)
        .set_check_integrity_on_open(true)
        .create_with_backend(backend.clone())
        .map_err(|error| match error {
            DatabaseError::UpgradeRequired(_) => "it was written by an older version".to_owned(),
            error => damaged(&format!("or no state file at all: {error}")),
        })?;
    let records = read_records(&database, age)?;
    Ok((database, records))
}

/// A new file has no tables; any other has the format that we know.
fn read_records(database: &Database, age: Age) -> Result<Vec<Kept>, String> {
    let failed = |error: redb::Error| damaged(&error.to_string());
    let transaction = database
        .begin_read()
        .map_err(|error| failed(error.into()))?;
    match transaction.open_table(FORMATS) {
        Ok(formats) => {
            let format = formats
                .get("format")
                .map_err(|error| failed(error.into()))?;
            known_format(format.map(|format| format.value()))?;
        }
        Err(TableError::TableDoesNotExist(_)) if age == Age::New => {
            return create_tables(database).map_err(failed);
        }
        Err(TableError::TableDoesNotExist(_)) => {
            return Err("it is another program's database; name a new file".to_owned());
        }
        Err(error) => return Err(failed(error.into())),
    }
    let records = transaction
        .open_table(RECORDS)
        .map_err(|error| failed(error.into()))?;
    let mut kept = Vec::new();
    for record in records.iter().map_err(|error| failed(error.into()))? {
        let (key, value) = record.map_err(|error| failed(error.into()))?;
        kept.push(checked(key.value(), value.value())?);
    }
    Ok(kept)
}

fn known_format(format: Option<u32>) -> Result<(), String> {
    match format {
        Some(FORMAT) => Ok(()),
        Some(format) if format > FORMAT => Err(format!(
            "its format {format} is newer than the {FORMAT} that this version knows; use the version that wrote it"
        )),
        Some(format) => Err(format!("its format {format} is unknown; name a new file")),
        None => Err(damaged("its format is not written in it")),
    }
}

fn create_tables(database: &Database) -> Result<Vec<Kept>, redb::Error> {
    let mut transaction = database.begin_write()?;
    transaction.set_two_phase_commit(true);
    transaction.open_table(FORMATS)?.insert("format", FORMAT)?;
    transaction.open_table(RECORDS)?;
    transaction.commit()?;
    Ok(Vec::new())
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
