//! The databases of the state folder: who can read them, and what happens where they are broken.

use rusqlite::Connection;
use secmon_cli::internals::database::{OpenError, Schema, Synchronous, open};
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::Barrier;
use std::time::Duration;
use tempfile::TempDir;

const SCHEMA: Schema = Schema {
    version: 3,
    sql: "CREATE TABLE word (text TEXT NOT NULL) STRICT; INSERT INTO word VALUES ('first');",
    synchronous: Synchronous::Normal,
    busy_timeout: Duration::from_secs(2),
};

fn home() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn mode(path: &Path) -> u32 {
    let found = fs::symlink_metadata(path).expect("it is there");
    found.permissions().mode() & 0o777
}

fn words(connection: &Connection) -> i64 {
    let counted = connection.query_row("SELECT count(*) FROM word", (), |row| row.get(0));
    counted.expect("the table is there")
}

fn sentence(path: &Path) -> String {
    open(path, &SCHEMA).expect_err("it is refused").to_string()
}

#[test]
fn a_new_database_and_its_log_are_their_owners_alone() {
    let home = home();
    let folder = home.path().join("state/secmon");
    let path = folder.join("state.db");
    let connection = open(&path, &SCHEMA).expect("it is made");
    connection
        .execute("INSERT INTO word VALUES ('second')", ())
        .expect("it is written");
    assert_eq!(words(&connection), 2);
    assert_eq!(mode(&folder), 0o700);
    for name in ["state.db", "state.db-wal", "state.db-shm"] {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
    drop(connection);
    assert_eq!(words(&open(&path, &SCHEMA).expect("it opens again")), 2);
}

#[test]
fn what_others_could_read_is_closed_to_them() {
    let home = home();
    let path = home.path().join("secmon/state.db");
    drop(open(&path, &SCHEMA).expect("it is made"));
    let folder = path.parent().expect("a folder");
    fs::set_permissions(folder, Permissions::from_mode(0o777)).expect("it is ours");
    fs::set_permissions(&path, Permissions::from_mode(0o666)).expect("it is ours");
    drop(open(&path, &SCHEMA).expect("it opens"));
    assert_eq!((mode(folder), mode(&path)), (0o700, 0o600));
}

#[test]
fn a_link_in_the_place_of_the_file_is_not_followed() {
    let home = home();
    let other = home.path().join("other");
    fs::write(&other, "").expect("a file");
    let path = home.path().join("state.db");
    symlink(&other, &path).expect("a link");
    let told = sentence(&path);
    assert!(
        told.contains("state.db cannot be written: it is a symbolic link"),
        "{told}"
    );
    assert_eq!(fs::read(&other).expect("it is there"), b"");
}

#[test]
fn a_home_behind_a_link_is_a_home() {
    let home = home();
    fs::create_dir(home.path().join("real")).expect("a folder");
    symlink(home.path().join("real"), home.path().join("linked")).expect("a link");
    drop(open(&home.path().join("linked/secmon/state.db"), &SCHEMA).expect("it is made"));
    assert!(home.path().join("real/secmon/state.db").is_file());
}

#[test]
fn a_newer_database_is_left_as_it_is() {
    let home = home();
    let path = home.path().join("state.db");
    let newer = Schema {
        version: 4,
        ..SCHEMA
    };
    drop(open(&path, &newer).expect("it is made"));
    let refused = open(&path, &SCHEMA).expect_err("it is newer");
    assert!(
        matches!(refused, OpenError::NewerVersion { found: 4, .. }),
        "{refused:?}"
    );
    assert!(
        refused
            .to_string()
            .ends_with("was written by a newer secmon (format 4)")
    );
    assert_eq!(
        words(&open(&path, &newer).expect("nothing happened to it")),
        1
    );
}

#[test]
fn what_is_no_database_of_ours_is_damaged() {
    let home = home();
    let path = home.path().join("state.db");
    fs::write(
        &path,
        "not a database, but long enough to be one".repeat(100),
    )
    .expect("a file");
    let refused = open(&path, &SCHEMA).expect_err("it is text");
    assert!(matches!(refused, OpenError::Damaged { .. }), "{refused:?}");
    assert!(
        refused
            .to_string()
            .ends_with("is damaged: it is not a database"),
        "{refused}"
    );

    let foreign = home.path().join("foreign.db");
    let other = Connection::open(&foreign).expect("it is made");
    other
        .execute_batch("CREATE TABLE theirs (a)")
        .expect("a table");
    drop(other);
    let told = sentence(&foreign);
    assert!(
        told.ends_with("is damaged: it is the database of another program"),
        "{told}"
    );
}

#[test]
fn a_place_that_cannot_be_written_is_said_in_words() {
    let home = home();
    fs::write(home.path().join("file"), "").expect("a file");
    let told = sentence(&home.path().join("file/secmon/state.db"));
    assert!(
        told.ends_with("/file/secmon cannot be written: not a directory"),
        "{told}"
    );
    fs::create_dir(home.path().join("state.db")).expect("a folder");
    let told = sentence(&home.path().join("state.db"));
    assert!(
        told.ends_with("state.db cannot be written: it is not a regular file"),
        "{told}"
    );
}

#[test]
fn fifty_at_once_make_one_database() {
    for _ in 0..5 {
        let home = home();
        let path = home.path().join("secmon/state.db");
        let barrier = Barrier::new(50);
        std::thread::scope(|scope| {
            for _ in 0..50 {
                scope.spawn(|| {
                    barrier.wait();
                    let connection = open(&path, &SCHEMA).expect("it opens");
                    connection
                        .execute("INSERT INTO word VALUES ('another')", ())
                        .expect("it is written");
                });
            }
        });
        assert_eq!(words(&open(&path, &SCHEMA).expect("it opens")), 51);
    }
}
