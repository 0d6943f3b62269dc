//! Opening a database of the state folder.

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What a database holds, and how it is written.
#[derive(Debug, Clone, Copy)]
pub struct Schema {
    /// The format: `PRAGMA user_version` of the file.
    pub version: i32,
    /// The statements that make an empty file one of this format.
    pub sql: &'static str,
    /// What a commit waits for.
    pub synchronous: Synchronous,
    /// How long a statement waits for another process.
    pub busy_timeout: Duration,
}

/// What a commit waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Synchronous {
    /// Nothing: a power loss may cost the file.
    Off,
    /// A power loss may cost the last commits, never the file.
    Normal,
    /// A power loss costs nothing that was committed.
    Full,
}

/// Why a database could not be opened.
#[derive(Debug)]
pub enum OpenError {
    /// A later version of this program made it.
    NewerVersion {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i32,
    },
    /// It is no database of this program, or a broken one.
    Damaged {
        /// The database.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The file or its folder cannot be made, read or written.
    Unwritable {
        /// The database, or the folder.
        path: PathBuf,
        /// Why not.
        problem: String,
    },
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NewerVersion { path, found } => write!(
                f,
                "{} was written by a newer secmon (format {found})",
                path.display()
            ),
            Self::Damaged { path, problem } => {
                write!(f, "{} is damaged: {problem}", path.display())
            }
            Self::Unwritable { path, problem } => {
                write!(f, "{} cannot be written: {problem}", path.display())
            }
        }
    }
}

impl std::error::Error for OpenError {}

impl OpenError {
    /// What a failed statement says about its database.
    pub fn of(path: &Path, error: &rusqlite::Error) -> Self {
        let path = path.to_owned();
        if is_damage(error) {
            let problem = sentence(error).to_owned();
            Self::Damaged { path, problem }
        } else if is_busy(error) {
            unwritable(path, "another process holds it")
        } else {
            unwritable(path, sentence(error))
        }
    }

    /// That a file or folder cannot be made or changed.
    pub fn unwritable(path: &Path, error: &io::Error) -> Self {
        unwritable(path.to_owned(), &plain(error))
    }
}

/// Preparing a database takes moments, even where fifty processes make it at once.
const PREPARE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long to wait before a preparation that met another process is tried again.
const PREPARE_PAUSE: Duration = Duration::from_millis(10);

/// Pages of the log after which it is written into the file.
const CHECKPOINT_PAGES: i32 = 400;

/// Opens a database, or makes it. Its folder and itself are readable by their owner only.
pub fn open(path: &Path, schema: &Schema) -> Result<Connection, OpenError> {
    let path = &private_file(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let deadline = Instant::now() + PREPARE_TIMEOUT;
    loop {
        let prepared = Connection::open_with_flags(path, flags)
            .map_err(Problem::Sqlite)
            .and_then(|connection| prepare(connection, path, schema));
        match prepared {
            // Not every wait for another process goes through the busy handler: a change of the journal mode does not.
            Err(Problem::Sqlite(error)) if is_busy(&error) && Instant::now() < deadline => {
                std::thread::sleep(PREPARE_PAUSE);
            }
            Ok(connection) => return Ok(connection),
            Err(problem) => return Err(problem.of(path)),
        }
    }
}

/// Whether a statement failed because the file is broken, rather than because it cannot be reached or written.
pub fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error::{FromSqlConversionFailure, IntegralValueOutOfRange, InvalidColumnType};
    match error {
        // Types and sizes are the schema's: only a foreign hand or a broken page has others.
        FromSqlConversionFailure(..) | IntegralValueOutOfRange(..) | InvalidColumnType(..) => true,
        error => matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
        ),
    }
}

/// Whether a statement failed because another process held the file for too long.
pub fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Deletes a database with its log; what is gone already is as good.
pub fn remove(path: &Path) -> io::Result<()> {
    for end in ["-wal", "-shm", "-journal", ""] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        match fs::remove_file(name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

enum Problem {
    Sqlite(rusqlite::Error),
    ReadOnly,
    NewerVersion(i32),
    OtherFormat(i32),
}

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl Problem {
    fn of(self, path: &Path) -> OpenError {
        let path = path.to_owned();
        let damaged = |path, problem: &str| OpenError::Damaged {
            path,
            problem: problem.to_owned(),
        };
        match self {
            Self::NewerVersion(found) => OpenError::NewerVersion { path, found },
            Self::OtherFormat(0) => damaged(path, "it is the database of another program"),
            Self::OtherFormat(_) => damaged(path, "no version of secmon wrote its format"),
            Self::ReadOnly => unwritable(path, "it may only be read"),
            Self::Sqlite(error) => OpenError::of(&path, &error),
        }
    }
}

/// What SQLite says, without the number it stands behind.
fn sentence(error: &rusqlite::Error) -> &str {
    match error {
        rusqlite::Error::SqliteFailure(failure, text) => match failure.code {
            ErrorCode::NotADatabase => "it is not a database",
            ErrorCode::DiskFull => "the disk is full",
            ErrorCode::CannotOpen => "it cannot be opened",
            ErrorCode::ReadOnly => "it may only be read",
            ErrorCode::PermissionDenied => "permission denied",
            ErrorCode::SystemIoFailure => "reading or writing failed",
            _ => text.as_deref().unwrap_or("it cannot be used"),
        },
        _ => "its contents are not as expected",
    }
}

fn unwritable(path: PathBuf, problem: &str) -> OpenError {
    OpenError::Unwritable {
        path,
        problem: problem.to_owned(),
    }
}

/// Sets a connection up, and makes the tables where there are none.
fn prepare(
    mut connection: Connection,
    path: &Path,
    schema: &Schema,
) -> Result<Connection, Problem> {
    connection.busy_timeout(schema.busy_timeout)?;
    if connection.is_readonly("main")? {
        return Err(Problem::ReadOnly);
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // A close that writes the log back waits for the disk.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    set_journal_mode(&connection, path)?;
    let synchronous = match schema.synchronous {
        Synchronous::Off => "OFF",
        Synchronous::Normal => "NORMAL",
        Synchronous::Full => "FULL",
    };
    connection.execute_batch(&format!(
        "PRAGMA synchronous = {synchronous}; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON; \
         PRAGMA cell_size_check = ON; PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}"
    ))?;
    // Format and tables are of one moment: another process may make them between two looks.
    let look = connection.transaction()?;
    let is_ready = is_of_version(&look, schema.version)?;
    look.commit()?;
    if is_ready {
        return Ok(connection);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have made it while this one waited.
    if !is_of_version(&transaction, schema.version)? {
        transaction.execute_batch(schema.sql)?;
        transaction.pragma_update(None, "user_version", schema.version)?;
    }
    transaction.commit()?;
    Ok(connection)
}

/// Whether the tables are there; an error where they are those of something else.
fn is_of_version(connection: &Connection, wanted: i32) -> Result<bool, Problem> {
    let found: i32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", (), |row| row.get(0))?;
    match (found, tables) {
        (0, 0) => Ok(false),
        (found, 1..) if found == wanted => Ok(true),
        (found, _) if found > wanted => Err(Problem::NewerVersion(found)),
        (found, _) => Err(Problem::OtherFormat(found)),
    }
}

/// A log beside the file, where the file system can share its memory among processes; else a rollback journal.
fn set_journal_mode(connection: &Connection, path: &Path) -> Result<(), rusqlite::Error> {
    let set = |mode: &str| {
        connection
            .pragma_update_and_check(None, "journal_mode", mode, |row| row.get::<_, String>(0))
    };
    if shares_memory(path) {
        match set("wal") {
            Ok(mode) if mode == "wal" => return Ok(()),
            Err(error) if is_busy(&error) || is_damage(&error) => return Err(error),
            _ => {}
        }
    }
    set("truncate").map(drop)
}

/// Whether processes share the memory of a file: those of two computers do not.
#[cfg(target_os = "linux")]
fn shares_memory(path: &Path) -> bool {
    /// NFS, SMB, CIFS, SMB2, 9p, FUSE, AFS, Ceph, Lustre, GPFS, VirtualBox's shared folders.
    const SHARED: [u32; 11] = [
        0x6969,
        0x517B,
        0xFF53_4D42,
        0xFE53_4D42,
        0x0102_1997,
        0x6573_5546,
        0x5346_414F,
        0x00C3_6400,
        0x0BD0_0BD0,
        0x4750_4653,
        0x786F_4256,
    ];
    let Ok(found) = rustix::fs::statfs(path) else {
        return true;
    };
    // The number has 32 bits, whatever its type is here.
    let kind = found.f_type as u32;
    !SHARED.contains(&kind)
}

#[cfg(not(target_os = "linux"))]
fn shares_memory(_path: &Path) -> bool {
    true
}

/// Makes the folder and an empty file where there are none, and takes from others what they may do with them.
fn private_file(path: &Path) -> Result<PathBuf, OpenError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error: io::Error| OpenError::unwritable(&path, &error)
    };
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(unwritable(path.to_owned(), "it names no file"));
    };
    make_folder(folder).map_err(failed(folder))?;
    // A home may stand behind a link. The file itself may not.
    let folder = &folder.canonicalize().map_err(failed(folder))?;
    let path = folder.join(name);
    keep_private(folder, PRIVATE_FOLDER).map_err(failed(folder))?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    match crate::machine::files::private(&mut options).open(&path) {
        // Only its own folder's owner could have put it there. It is not opened here: closing it again would give back
        // the locks that another connection of this process has on it.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            let found = fs::symlink_metadata(&path).map_err(failed(&path))?;
            if found.is_symlink() {
                return Err(unwritable(
                    path,
                    "it is a symbolic link, which is not followed",
                ));
            }
            if !found.is_file() {
                return Err(unwritable(path, "it is not a regular file"));
            }
        }
        made => drop(made.map_err(failed(&path))?),
    }
    keep_private(&path, PRIVATE_FILE).map_err(failed(&path))?;
    Ok(path)
}

/// Says an error without its number.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((text, _)) => text.to_lowercase(),
        None => text,
    }
}

const PRIVATE_FOLDER: u32 = 0o700;
const PRIVATE_FILE: u32 = 0o600;

fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(PRIVATE_FOLDER);
    }
    builder.create(folder)
}

/// Refuses what belongs to somebody else, and takes away what others may do with it.
#[cfg(unix)]
fn keep_private(path: &Path, mode: u32) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    const OTHERS: u32 = 0o077;
    let found = fs::symlink_metadata(path)?;
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::other("it belongs to another user"));
    }
    if found.mode() & OTHERS != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn keep_private(_path: &Path, _mode: u32) -> io::Result<()> {
    Ok(())
}
