//! The slots of the rate limit, shared by all processes of a user.

use super::clock::{ClockReading, millis};
use super::database::{self, OpenError, Schema, Synchronous};
use crate::machine::files;
use rusqlite::{Connection, OptionalExtension, Result, Transaction, TransactionBehavior, params};
use secmon::RateGroup;
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::{Path, PathBuf};
use std::time::Duration;

const SCHEMA: Schema = Schema {
    version: 1,
    sql: include_str!("rate.sql"),
    // What a power loss may cost here is over by the time the computer is up again.
    synchronous: Synchronous::Off,
    busy_timeout: Duration::from_millis(500),
};

/// How long a process waits for another one that replaces a damaged file.
const RENEWAL_TIMEOUT: Duration = Duration::from_secs(5);

/// `rate.db`, open.
pub struct RateDb {
    connection: Connection,
    path: PathBuf,
    identity: Option<files::Identity>,
}

/// The calls that count together.
#[derive(Debug, Clone, Copy)]
pub struct Budget<'a> {
    /// Fingerprint of origin and key.
    pub account: &'a str,
    /// The window.
    pub group: RateGroup,
}

/// How many slots there may be, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct SlotTerms {
    /// So many at once.
    pub limit: u32,
    /// A slot that nobody ends is free again after this time.
    pub hold: Duration,
}

/// The result of asking for a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotRequest {
    /// It is taken under this id.
    Taken(i64),
    /// None is free; one is after this time at the latest.
    FreeIn(Duration),
}

/// What a 429 says.
#[derive(Debug, Clone, Copy)]
pub struct Throttle {
    /// The wait that was asked for, where one was.
    pub retry_after: Option<Duration>,
    /// Length of the window: no wait is longer, but for the second that `Retry-After` is rounded by.
    pub window: Duration,
}

impl RateDb {
    /// Opens the file, or makes it. One that is damaged or of another version is replaced; then the next `window` counts
    /// as half used.
    pub fn open(
        path: &Path,
        now: &ClockReading,
        window: Duration,
    ) -> std::result::Result<Self, OpenError> {
        match database::open(path, &SCHEMA) {
            Err(OpenError::Damaged { .. } | OpenError::NewerVersion { .. }) => {
                Self::renew(path, now, window)
            }
            opened => Ok(Self::of(opened?, path)),
        }
    }

    /// Replaces a damaged file, unless another process has done it meanwhile.
    pub fn renew(
        path: &Path,
        now: &ClockReading,
        window: Duration,
    ) -> std::result::Result<Self, OpenError> {
        let failed = |error: std::io::Error| OpenError::unwritable(path, &error);
        let folder = File::open(path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
        files::lock_within(&folder, RENEWAL_TIMEOUT).map_err(|error| failed(error.into()))?;
        if let Ok(connection) = database::open(path, &SCHEMA)
            && is_whole(&connection)
        {
            return Ok(Self::of(connection, path));
        }
        database::remove(path).map_err(failed)?;
        let connection = database::open(path, &SCHEMA)?;
        let window = millis(window);
        connection
            .execute(
                "INSERT OR REPLACE INTO renewed VALUES (1, ?1, ?2, ?3)",
                params![now.boot, now.up_ms + window, now.wall_ms + window],
            )
            .map_err(|error| OpenError::of(path, &error))?;
        Ok(Self::of(connection, path))
    }

    fn of(connection: Connection, path: &Path) -> Self {
        Self {
            connection,
            identity: files::identity(path),
            path: path.to_owned(),
        }
    }

    /// Whether the open file still has its name: others count in the one that has it now.
    pub fn is_current(&self) -> bool {
        self.identity.is_some() && self.identity == files::identity(&self.path)
    }

    /// Takes a slot, if one is free.
    pub fn take(
        &mut self,
        now: &ClockReading,
        budget: Budget<'_>,
        terms: SlotTerms,
    ) -> Result<SlotRequest> {
        let transaction = self.begin()?;
        forget_ended(&transaction, now)?;
        adopt(&transaction, now, budget, terms.hold)?;
        let request = match free_in(&transaction, now, budget, terms)? {
            Some(wait) => SlotRequest::FreeIn(wait),
            None => {
                let id = random().cast_signed();
                let hold = millis(terms.hold);
                transaction.execute(
                    "INSERT INTO slot (id, budget, rate_group, boot, until_up_ms, until_wall_ms) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                    params![
                        id,
                        budget.account,
                        number(budget.group),
                        now.boot,
                        now.up_ms + hold,
                        now.wall_ms + hold
                    ],
                )?;
                SlotRequest::Taken(id)
            }
        };
        transaction.commit()?;
        Ok(request)
    }

    /// How long it is at most until a slot is free; `None` where one is now. Keeps no other process waiting.
    pub fn free_in(
        &self,
        now: &ClockReading,
        budget: Budget<'_>,
        terms: SlotTerms,
    ) -> Result<Option<Duration>> {
        free_in(&self.connection, now, budget, terms)
    }

    /// How many slots could be taken now.
    pub fn free(&self, now: &ClockReading, budget: Budget<'_>, terms: SlotTerms) -> Result<u32> {
        let connection = &self.connection;
        if closed(connection, now, budget, terms.hold)?.wait_ms > 0 {
            return Ok(0);
        }
        let taken = waits(connection, now, budget, terms.hold)?.len();
        let limit = known_part(connection, now, terms)?;
        Ok(limit.saturating_sub(u32::try_from(taken).unwrap_or(u32::MAX)))
    }

    /// The answer is there: the slot ends one window from now.
    pub fn answered(
        &mut self,
        now: &ClockReading,
        budget: Budget<'_>,
        slot: i64,
        window: Duration,
    ) -> Result<()> {
        let window = millis(window);
        let transaction = self.begin()?;
        transaction.execute(
            "UPDATE slot SET boot = ?2, until_up_ms = ?3, until_wall_ms = ?4 WHERE id = ?1",
            params![slot, now.boot, now.up_ms + window, now.wall_ms + window],
        )?;
        transaction.execute(
            "DELETE FROM closed WHERE budget = ?1 AND rate_group = ?2 \
             AND CASE boot WHEN ?3 THEN until_up_ms <= ?4 ELSE until_wall_ms <= ?5 END",
            params![
                budget.account,
                number(budget.group),
                now.boot,
                now.up_ms,
                now.wall_ms
            ],
        )?;
        transaction.commit()
    }

    /// Ends a slot now: nothing was sent.
    pub fn give_back(&mut self, slot: i64) -> Result<()> {
        let given = self
            .connection
            .execute("DELETE FROM slot WHERE id = ?1", [slot]);
        given.map(drop)
    }

    /// The service's window was used up by others: what is known of it is void once it opens again. A 429 that names no
    /// time closes it for a time that grows with each repeat.
    pub fn close(
        &mut self,
        now: &ClockReading,
        budget: Budget<'_>,
        throttle: Throttle,
    ) -> Result<()> {
        let longest = throttle.window.saturating_add(Duration::from_secs(1));
        let transaction = self.begin()?;
        transaction.execute(
            "DELETE FROM slot WHERE budget = ?1 AND rate_group = ?2",
            params![budget.account, number(budget.group)],
        )?;
        let closed = closed(&transaction, now, budget, longest)?;
        let repeated = closed.guesses.saturating_add(1);
        let (wait, guesses) = match throttle.retry_after.filter(|wait| !wait.is_zero()) {
            Some(wait) if wait <= longest => (wait, 0),
            // Of calls that were under way together, the first refusal counts.
            _ if closed.wait_ms > 0 => return transaction.commit(),
            Some(_) => (longest, repeated),
            None => (guess(closed.guesses, throttle.window), repeated),
        };
        let wait = millis(wait).max(closed.wait_ms);
        transaction.execute(
            "INSERT OR REPLACE INTO closed \
             (budget, rate_group, boot, until_up_ms, until_wall_ms, guesses) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            params![
                budget.account,
                number(budget.group),
                now.boot,
                now.up_ms + wait,
                now.wall_ms + wait,
                guesses
            ],
        )?;
        transaction.commit()
    }

    /// Forgets what 429s have closed.
    pub fn reopen(&mut self, account: &str) -> Result<()> {
        let opened = self
            .connection
            .execute("DELETE FROM closed WHERE budget = ?1", [account]);
        opened.map(drop)
    }

    fn begin(&mut self) -> Result<Transaction<'_>> {
        self.connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
    }
}

/// Whether every page can be read.
fn is_whole(connection: &Connection) -> bool {
    let checked = connection.query_row("PRAGMA quick_check(1)", (), |row| row.get::<_, String>(0));
    checked.is_ok_and(|found| found == "ok")
}

fn number(group: RateGroup) -> i64 {
    match group {
        RateGroup::Strict => 0,
        RateGroup::Default => 1,
    }
}

/// Drops the slots of all budgets that are over.
fn forget_ended(connection: &Connection, now: &ClockReading) -> Result<()> {
    let ended = connection.execute(
        "DELETE FROM slot \
         WHERE CASE boot WHEN ?1 THEN until_up_ms <= ?2 ELSE until_wall_ms <= ?3 END",
        params![now.boot, now.up_ms, now.wall_ms],
    );
    ended.map(drop)
}

/// Counts on by this boot's clock what another boot has left: as long as the wall clock says, and never for longer than a
/// slot is held.
fn adopt(
    connection: &Connection,
    now: &ClockReading,
    budget: Budget<'_>,
    hold: Duration,
) -> Result<()> {
    for table in ["slot", "closed"] {
        connection.execute(
            &format!(
                "UPDATE {table} SET boot = ?3, \
                 until_up_ms = ?4 + max(0, min(?6, until_wall_ms - ?5)), \
                 until_wall_ms = ?5 + max(0, min(?6, until_wall_ms - ?5)) \
                 WHERE budget = ?1 AND rate_group = ?2 AND boot <> ?3"
            ),
            params![
                budget.account,
                number(budget.group),
                now.boot,
                now.up_ms,
                now.wall_ms,
                millis(hold)
            ],
        )?;
    }
    Ok(())
}

/// How much longer each slot is taken, the first to end first.
fn waits(
    connection: &Connection,
    now: &ClockReading,
    budget: Budget<'_>,
    hold: Duration,
) -> Result<Vec<i64>> {
    let mut statement = connection.prepare(
        "SELECT CASE boot WHEN ?3 THEN until_up_ms - ?4 ELSE min(?6, until_wall_ms - ?5) END AS wait \
         FROM slot WHERE budget = ?1 AND rate_group = ?2 AND wait > 0 ORDER BY wait",
    )?;
    let rows = statement.query_map(
        params![
            budget.account,
            number(budget.group),
            now.boot,
            now.up_ms,
            now.wall_ms,
            millis(hold)
        ],
        |row| row.get(0),
    )?;
    rows.collect()
}

/// What 429s have closed.
#[derive(Default)]
struct Closed {
    /// Nothing goes out for so long.
    wait_ms: i64,
    /// How many in a row did not say for how long.
    guesses: u32,
}

fn closed(
    connection: &Connection,
    now: &ClockReading,
    budget: Budget<'_>,
    hold: Duration,
) -> Result<Closed> {
    let found = connection.query_row(
        "SELECT CASE boot WHEN ?3 THEN until_up_ms - ?4 ELSE min(?6, until_wall_ms - ?5) END, \
         guesses FROM closed WHERE budget = ?1 AND rate_group = ?2",
        params![
            budget.account,
            number(budget.group),
            now.boot,
            now.up_ms,
            now.wall_ms,
            millis(hold)
        ],
        |row| {
            Ok(Closed {
                wait_ms: row.get::<_, i64>(0)?.max(0),
                guesses: row.get(1)?,
            })
        },
    );
    Ok(found.optional()?.unwrap_or_default())
}

/// How much of the limit is free for sure: half of it in the first window after the file was replaced.
fn known_part(connection: &Connection, now: &ClockReading, terms: SlotTerms) -> Result<u32> {
    let is_new = connection.query_row(
        "SELECT count(*) FROM renewed \
         WHERE CASE boot WHEN ?1 THEN until_up_ms > ?2 ELSE until_wall_ms > ?3 END",
        params![now.boot, now.up_ms, now.wall_ms],
        |row| row.get::<_, bool>(0),
    )?;
    Ok(match is_new {
        true => terms.limit.div_ceil(2),
        false => terms.limit,
    })
}

fn free_in(
    connection: &Connection,
    now: &ClockReading,
    budget: Budget<'_>,
    terms: SlotTerms,
) -> Result<Option<Duration>> {
    let closed = closed(connection, now, budget, terms.hold)?;
    if closed.wait_ms > 0 {
        return Ok(Some(duration(closed.wait_ms)));
    }
    // After a guess one goes first, and its answer says whether the window is open.
    let limit = match closed.guesses {
        0 => known_part(connection, now, terms)?,
        _ => 1,
    };
    let waits = waits(connection, now, budget, terms.hold)?;
    let over = waits.len().checked_sub(limit as usize);
    Ok(over.and_then(|over| waits.get(over).copied()).map(duration))
}

fn duration(wait_ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(wait_ms).unwrap_or_default())
}

/// From one second on, twice as long each time, and a little longer by chance: who was refused together does not come
/// back together.
fn guess(repeats: u32, longest: Duration) -> Duration {
    const SHORTEST: Duration = Duration::from_secs(1);
    let doubled = SHORTEST.saturating_mul(1 << repeats.min(30));
    let chance = random() as f64 / u64::MAX as f64;
    let stretched = doubled.mul_f64(1.0 + chance / 4.0);
    stretched.clamp(SHORTEST, longest.max(SHORTEST))
}

/// The hasher's keys are the standard library's only source of chance.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
