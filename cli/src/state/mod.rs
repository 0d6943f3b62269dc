//! What this computer remembers: two small databases in the state folder. No other code writes local state, but for the
//! configuration and the credentials.

mod accounts;
pub mod affected;
pub mod changes;
pub mod clock;
pub mod database;
pub mod history;
pub mod leaks;
mod process;
pub mod rate;
pub mod records;
pub mod rule_owner;
mod structure;
pub mod suspended;
pub mod unfinished;

use crate::error::CliError;
use crate::machine::{env_vars, paths};
use database::{Schema, Synchronous};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, named_params};
use std::cell::{Cell, RefCell};
use std::time::Duration;
use uuid::Uuid;

const SCHEMA: Schema = Schema {
    version: 1,
    sql: include_str!("state.sql"),
    // A kill loses nothing; a power loss may cost the last commits, which then count as unknown.
    synchronous: Synchronous::Normal,
    busy_timeout: Duration::from_secs(2),
};

/// `SECMON_STATE=off`: nothing is remembered, and nothing is said about it.
const SWITCH: &str = "SECMON_STATE";

const DAY_MS: i64 = 24 * 3600 * 1000;

/// How long changes, and leaks that were shown, are kept.
const KEPT_MS: i64 = 2 * 365 * DAY_MS;
/// How long the name of what is gone is kept.
const GONE_KEPT_MS: i64 = 90 * DAY_MS;

/// An account of a partner: where its service is, and a name of origin and key that leads back to neither.
#[derive(Debug, Clone)]
pub struct AccountPlace {
    /// Scheme, host and port.
    pub origin: String,
    /// The name of origin and key together.
    pub fingerprint: String,
    /// Whether it is on this computer, where every mock has the same key.
    pub is_loopback: bool,
}

impl AccountPlace {
    /// No account: for what is about all of them.
    pub fn unknown() -> Self {
        Self {
            origin: String::new(),
            fingerprint: String::new(),
            is_loopback: true,
        }
    }
}

/// `state.db`: what this computer did and saw of one account.
#[derive(Debug)]
pub struct StateDb {
    connection: Option<RefCell<Connection>>,
    place: AccountPlace,
    account: Cell<Option<i64>>,
    /// Why nothing is remembered, where that is worth a word.
    problem: RefCell<Option<String>>,
}

impl StateDb {
    /// Opens what is remembered of an account. Where nothing can be, everything else goes on without.
    pub fn open(place: AccountPlace) -> Self {
        let (connection, problem) = match open_file() {
            Ok(connection) => (connection, None),
            Err(problem) => (None, Some(problem)),
        };
        let state = Self {
            connection: connection.map(RefCell::new),
            place,
            account: Cell::new(None),
            problem: RefCell::new(problem),
        };
        let account = state.query(|connection| state.find_account(connection));
        state.account.set(account.flatten());
        state
    }

    /// Why changes are not recorded, where they are not and that is worth a word.
    pub fn problem(&self) -> Option<String> {
        self.problem.borrow().clone()
    }

    /// Whether anything of the account is remembered.
    pub fn has_account(&self) -> bool {
        self.account.get().is_some()
    }

    /// Whether what is done from here on is remembered.
    pub fn is_recording(&self) -> bool {
        self.connection.is_some() && self.problem.borrow().is_none()
    }

    /// Reads what is remembered of the account; `None` where nothing is, or nothing can be read.
    fn read<T>(&self, read: impl FnOnce(&Connection, i64) -> rusqlite::Result<T>) -> Option<T> {
        let account = self.account.get()?;
        self.query(|connection| read(connection, account))
    }

    fn query<T>(&self, read: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Option<T> {
        let connection = self.connection.as_ref()?.borrow();
        match read(&connection) {
            Ok(found) => Some(found),
            Err(error) => {
                self.fails(&error);
                None
            }
        }
    }

    /// Writes something of the account in one transaction; `None` where that cannot be done.
    fn write<T>(&self, write: impl FnOnce(&Connection, i64) -> rusqlite::Result<T>) -> Option<T> {
        if !self.is_recording() {
            return None;
        }
        let mut connection = self.connection.as_ref()?.borrow_mut();
        let written = connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .and_then(|transaction| {
                let account = self.account_of(&transaction)?;
                let written = write(&transaction, account)?;
                transaction.commit()?;
                Ok((account, written))
            });
        match written {
            Ok((account, written)) => {
                self.account.set(Some(account));
                Some(written)
            }
            Err(error) => {
                self.fails(&error);
                None
            }
        }
    }

    /// Forgets what was done and seen at the address of the account: every record there is gone.
    pub fn forget_origin(&self) {
        let origin = named_params! { ":origin": self.place.origin };
        let _ = self.write(|connection, _| {
            for table in ["batch", "seen", "leak_seen"] {
                let sql = format!(
                    "DELETE FROM {table} WHERE account IN (SELECT id FROM account WHERE origin = :origin)"
                );
                connection.execute(&sql, origin)?;
            }
            Ok(())
        });
    }

    fn fails(&self, error: &rusqlite::Error) {
        let problem = format!("{}: {error}", database_name());
        self.problem.borrow_mut().get_or_insert(problem);
    }

    fn find_account(&self, connection: &Connection) -> rusqlite::Result<Option<i64>> {
        let digest = self.digest(connection)?;
        let mut found =
            connection.prepare("SELECT account FROM account_key WHERE digest = :digest")?;
        found
            .query_row(named_params! { ":digest": digest.as_slice() }, |row| {
                row.get(0)
            })
            .optional()
    }

    fn account_of(&self, connection: &Connection) -> rusqlite::Result<i64> {
        if let Some(account) = self.account.get() {
            return Ok(account);
        }
        if let Some(account) = self.find_account(connection)? {
            return Ok(account);
        }
        connection.execute(
            "INSERT INTO account (origin) VALUES (:origin)",
            named_params! { ":origin": self.place.origin },
        )?;
        let account = connection.last_insert_rowid();
        connection.execute(
            "INSERT INTO account_key (digest, account, first_ms) VALUES (:digest, :account, :now)",
            named_params! {
                ":digest": self.digest(connection)?.as_slice(),
                ":account": account,
                ":now": now_ms(),
            },
        )?;
        Ok(account)
    }

    fn digest(&self, connection: &Connection) -> rusqlite::Result<[u8; 16]> {
        Ok(*salted(connection, self.place.fingerprint.as_bytes())?.as_bytes())
    }
}

/// What is too old to be of use goes, at most once a day.
fn prune(connection: &Connection) -> rusqlite::Result<()> {
    let now = now_ms();
    let pruned = connection.execute(
        "UPDATE meta SET pruned_ms = :now WHERE pruned_ms < :yesterday",
        named_params! { ":now": now, ":yesterday": now - DAY_MS },
    )?;
    if pruned == 0 {
        return Ok(());
    }
    let kept = now - KEPT_MS;
    connection.execute("DELETE FROM batch WHERE begun_ms < ?1", [kept])?;
    connection.execute("DELETE FROM leak_seen WHERE first_ms < ?1", [kept])?;
    connection.execute("DELETE FROM seen WHERE gone_ms < ?1", [now - GONE_KEPT_MS])?;
    Ok(())
}

/// A digest that can be made on this computer only.
fn salted(connection: &Connection, text: &[u8]) -> rusqlite::Result<Uuid> {
    let salt: [u8; 16] = connection
        .prepare("SELECT salt FROM meta")?
        .query_row((), |row| row.get(0))?;
    Ok(Uuid::new_v5(&Uuid::from_bytes(salt), text))
}

/// Opens the file; `Ok(None)` where somebody has switched it off.
fn open_file() -> Result<Option<Connection>, String> {
    if env_vars::switch(SWITCH).ok().flatten() == Some(false) {
        return Ok(None);
    }
    let path = paths::state_database().map_err(|error| error.message().to_owned())?;
    let opened = database::open(&path, &SCHEMA).map_err(|error| error.to_string())?;
    Ok(Some(opened))
}

fn database_name() -> String {
    let path = paths::state_database();
    path.map_or_else(|_| "state.db".to_owned(), |path| path.display().to_string())
}

/// Milliseconds since 1970 by this computer's clock.
fn now_ms() -> i64 {
    chrono::Utc::now().timestamp_millis()
}

/// The accounts of an origin, for completion, which does not ask for a key: the one there is, or none.
pub fn only_account_of(origin: &str) -> Option<StateDb> {
    let connection = open_file().ok().flatten()?;
    let accounts: Vec<i64> = connection
        .prepare("SELECT id FROM account WHERE origin = ?1")
        .and_then(|mut found| found.query_map([origin], |row| row.get(0))?.collect())
        .ok()?;
    let [account] = accounts.as_slice() else {
        return None;
    };
    Some(StateDb {
        connection: Some(RefCell::new(connection)),
        place: AccountPlace {
            origin: origin.to_owned(),
            fingerprint: String::new(),
            is_loopback: true,
        },
        account: Cell::new(Some(*account)),
        problem: RefCell::new(None),
    })
}

/// Refuses what needs the memory of this computer where there is none.
pub fn needed(state: &StateDb, what: &str) -> Result<(), CliError> {
    match state.problem() {
        None => Ok(()),
        Some(problem) => Err(CliError::usage(format!(
            "{what} needs what this computer remembers, which cannot be read: {problem}"
        ))
        .hint("see what is wrong: `doctor`")),
    }
}
