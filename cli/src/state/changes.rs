//! The changes that were made from this computer: each row is there before its call is sent.

use super::{DAY_MS, StateDb, now_ms, process, prune};
use rusqlite::{Connection, OptionalExtension, named_params};
use secmon::model::{CustomerId, EndpointId};
use serde_json::Value;
use std::time::Duration;
use uuid::Uuid;

/// How long an interrupted run is shown, and counted as evidence.
const INTERRUPTION_COUNTS_MS: i64 = 7 * DAY_MS;

/// What a command is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// One record.
    One,
    /// Several that were named.
    Named,
    /// The rows of a file.
    File,
    /// All of a kind that a customer has.
    All,
    /// Everything that a customer has.
    Customer,
}

impl Scope {
    fn as_str(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Named => "named",
            Self::File => "file",
            Self::All => "all",
            Self::Customer => "customer",
        }
    }
}

/// A run of a command that changes something, as it begins.
#[derive(Debug)]
pub struct BatchStart<'a> {
    /// What it does, as `suspend_endpoint`.
    pub verb: &'a str,
    /// What it is about.
    pub scope: Scope,
    /// Whose all is.
    pub customer: Option<CustomerId>,
    /// The command line, without the key.
    pub line: &'a str,
    /// The same without what only says how it is shown: what makes it the same command again.
    pub input: &'a str,
    /// The user of this computer.
    pub os_user: &'a str,
    /// The profile, `local`, or the address.
    pub service: &'a str,
    /// Profile and portal, where more than one is configured.
    pub place: Option<&'a str>,
}

/// A run that has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BatchId(i64);

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BatchOutcome {
    /// Every row is as it was wanted.
    Complete,
    /// Some rows failed.
    Partial,
    /// A Ctrl-C stopped it.
    Stopped,
}

/// A call that is about to be sent.
#[derive(Debug)]
pub struct ChangeStart<'a> {
    /// The run it is part of.
    pub batch: BatchId,
    /// The operation, as `suspend_endpoint`.
    pub operation: &'a str,
    /// The record, where the request names it.
    pub record: Option<&'a str>,
    /// Whose it is.
    pub customers: &'a [CustomerId],
    /// The server of a rule or of an alert.
    pub server: Option<EndpointId>,
    /// What it is about, in words.
    pub about: &'a str,
    /// The record as it was read.
    pub before: Option<&'a Value>,
    /// Whether the key was taken out of the record.
    pub is_redacted: bool,
    /// The change that this one takes back.
    pub undoes: Option<ChangeId>,
}

/// A change that was recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChangeId(pub(super) i64);

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeResult {
    /// No answer was seen.
    Pending,
    /// It was answered without a note.
    Changed,
    /// A note, or a look, shows the wanted state after an attempt whose answer was lost.
    Perhaps,
    /// A note said that it was so before.
    Unchanged,
    /// The service refused it.
    Refused,
}

impl ChangeResult {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Changed => "changed",
            Self::Perhaps => "perhaps",
            Self::Unchanged => "unchanged",
            Self::Refused => "refused",
        }
    }

    pub(super) fn parse(text: &str) -> Self {
        match text {
            "changed" => Self::Changed,
            "perhaps" => Self::Perhaps,
            "unchanged" => Self::Unchanged,
            "refused" => Self::Refused,
            _ => Self::Pending,
        }
    }
}

/// What the service answered to a call.
#[derive(Debug, Default)]
pub struct ChangeAnswer<'a> {
    /// What became of it.
    pub result: Option<ChangeResult>,
    /// The record, where only the answer names it.
    pub record: Option<&'a str>,
    /// Whose it is, where only the answer says it.
    pub customers: &'a [CustomerId],
    /// The record as it was answered.
    pub after: Option<&'a Value>,
    /// Whether the key was taken out of it.
    pub is_redacted: bool,
    /// What the platform paused or resumed with it.
    pub moved: &'a [String],
    /// The service's own time of the answer.
    pub answered_at: Option<&'a str>,
    /// How long it took, waits included.
    pub took: Duration,
    /// The code of an error.
    pub code: Option<&'a str>,
}

/// That a run which did not end whole has ended a record, or may have.
#[derive(Debug, Clone)]
pub struct EndedBefore {
    /// Whether its answer was seen.
    pub is_certain: bool,
    /// The record as it was then.
    pub before: Option<Value>,
    /// When it was sent, in milliseconds since 1970.
    pub sent_ms: i64,
}

/// The end of a record, as its newest change from here.
#[derive(Debug, Clone)]
pub struct EndedFromHere {
    /// What ended it, as `terminate_endpoint`.
    pub operation: String,
    /// When it was sent, in milliseconds since 1970.
    pub sent_ms: i64,
}

/// A record that a create has made, as a look has shown it.
#[derive(Debug)]
pub struct Made {
    /// Its id.
    pub id: Uuid,
    /// The record, without the key.
    pub image: Value,
}

/// A record that `resume` may take up.
#[derive(Debug, Clone)]
pub struct Resumable {
    /// Its id, or the name of a subscription.
    pub record: String,
    /// The service's time of the newest change from here.
    pub answered_at: Option<String>,
}

/// A run that ended early and was not made good since.
#[derive(Debug, Clone, serde::Serialize)]
pub struct InterruptedRun {
    /// Its id.
    pub id: String,
    /// Its command line.
    pub command: String,
    /// When it began, in milliseconds since 1970.
    #[serde(skip)]
    pub begun_ms: i64,
    /// The calls whose end it saw.
    pub answered: u64,
    /// The calls whose end it did not see.
    pub pending: u64,
}

impl StateDb {
    /// Begins a run; `None` where it cannot be recorded.
    pub fn begin_batch(&self, start: &BatchStart<'_>) -> Option<BatchId> {
        self.write(|connection, account| {
            prune(connection)?;
            connection
                .prepare(
                    "INSERT INTO batch (public_id, account, verb, scope, customer, line_digest, line, \
                     os_user, service, place, session, process, begun_ms) \
                     VALUES (:id, :account, :verb, :scope, :customer, :digest, :line, \
                     :user, :service, :place, :session, :process, :now)",
                )?
                .execute(named_params! {
                    ":id": public_id(),
                    ":account": account,
                    ":verb": start.verb,
                    ":scope": start.scope.as_str(),
                    ":customer": start.customer.map(number),
                    ":digest": input_digest(connection, start)?,
                    ":line": start.line,
                    ":user": start.os_user,
                    ":service": start.service,
                    ":place": start.place,
                    ":session": process::session(),
                    ":process": process::this(),
                    ":now": now_ms(),
                })?;
            Ok(BatchId(connection.last_insert_rowid()))
        })
    }

    /// Whether this very command line has begun before and no run of it has ended whole since.
    pub fn has_unfinished_line(&self, start: &BatchStart<'_>) -> bool {
        let found = self.read(|connection, account| {
            connection.query_row(
                "SELECT EXISTS (SELECT 1 FROM batch WHERE account = ?1 AND line_digest = ?2 \
                 AND line = ?3 AND begun_ms > ?4 AND id IN (SELECT id FROM unfinished))",
                (
                    account,
                    input_digest(connection, start)?,
                    start.line,
                    now_ms() - INTERRUPTION_COUNTS_MS,
                ),
                |row| row.get(0),
            )
        });
        found.unwrap_or(false)
    }

    /// Ends a run.
    pub fn end_batch(&self, batch: BatchId, outcome: BatchOutcome) {
        let _ = self.write(|connection, _| {
            let unfinished: i64 = connection.query_row(
                "SELECT count(*) FROM change WHERE batch = ?1 AND result IN ('pending', 'refused')",
                [batch.0],
                |row| row.get(0),
            )?;
            let outcome = match (outcome, unfinished) {
                (BatchOutcome::Stopped, _) => "stopped",
                (BatchOutcome::Complete, 0) => "complete",
                _ => "partial",
            };
            connection.execute(
                "UPDATE batch SET outcome = ?2 WHERE id = ?1",
                (batch.0, outcome),
            )
        });
    }

    /// Records a call that is about to be sent; `None` where that cannot be done.
    pub fn begin_change(&self, start: &ChangeStart<'_>) -> Option<ChangeId> {
        self.write(|connection, account| {
            connection
                .prepare(
                    "INSERT INTO change (public_id, batch, account, operation, record, customers, server, \
                     about, before, is_redacted, sent_ms, undoes) \
                     VALUES (:id, :batch, :account, :operation, :record, :customers, :server, \
                     :about, :before, :redacted, :now, :undoes)",
                )?
                .execute(named_params! {
                    ":id": public_id(),
                    ":batch": start.batch.0,
                    ":account": account,
                    ":operation": start.operation,
                    ":record": start.record,
                    ":customers": numbers(start.customers),
                    ":server": start.server.map(|id| id.to_string()),
                    ":about": start.about,
                    ":before": start.before.map(Value::to_string),
                    ":redacted": start.is_redacted,
                    ":now": now_ms(),
                    ":undoes": start.undoes.map(|id| id.0),
                })?;
            Ok(ChangeId(connection.last_insert_rowid()))
        })
    }

    /// Records what the service answered.
    pub fn end_change(&self, change: ChangeId, answer: &ChangeAnswer<'_>) {
        let _ = self.write(|connection, _| {
            connection
                .prepare(
                    "UPDATE change SET result = :result, record = coalesce(record, :record), \
                     customers = CASE WHEN customers = '[]' THEN :customers ELSE customers END, \
                     after = :after, is_redacted = is_redacted OR :redacted, moved = :moved, \
                     answered_at = :answered, duration_ms = :took, code = :code WHERE id = :id",
                )?
                .execute(named_params! {
                    ":id": change.0,
                    ":result": answer.result.unwrap_or(ChangeResult::Pending).as_str(),
                    ":record": answer.record,
                    ":customers": numbers(answer.customers),
                    ":after": answer.after.map(Value::to_string),
                    ":redacted": answer.is_redacted,
                    ":moved": Value::from(answer.moved).to_string(),
                    ":answered": answer.answered_at,
                    ":took": i64::try_from(answer.took.as_millis()).unwrap_or(i64::MAX),
                    ":code": answer.code,
                })
        });
    }

    /// Forgets a call that was never sent.
    pub fn withdraw_change(&self, change: ChangeId) {
        let _ = self.write(|connection, _| {
            connection.execute("DELETE FROM change WHERE id = ?1", [change.0])
        });
    }

    /// That a run which did not end whole has ended this record, or may have, and nothing was made good since.
    pub fn ended_before(&self, record: &str, now: Option<BatchId>) -> Option<EndedBefore> {
        self.read(|connection, account| {
            connection
                .prepare(
                    "SELECT c.result, c.before, c.sent_ms FROM change c JOIN batch b ON b.id = c.batch \
                     WHERE c.account = :account AND c.record = :record AND b.id IS NOT :now \
                     AND c.operation IN ('terminate_endpoint', 'delete_endpoint', 'terminate_domain', \
                                         'release_domain', 'terminate_subscription') \
                     AND c.result IN ('changed', 'perhaps', 'pending') \
                     AND b.id IN (SELECT id FROM unfinished) AND b.begun_ms > :since \
                     AND NOT EXISTS (SELECT 1 FROM change newer JOIN batch nb ON nb.id = newer.batch \
                       WHERE newer.account = c.account AND newer.record = c.record AND newer.id > c.id \
                       AND newer.operation = c.operation AND nb.outcome = 'complete') \
                     ORDER BY c.id DESC LIMIT 1",
                )?
                .query_row(
                    named_params! {
                        ":account": account,
                        ":record": record,
                        ":now": now.map(|batch| batch.0),
                        ":since": now_ms() - INTERRUPTION_COUNTS_MS,
                    },
                    |row| {
                        Ok(EndedBefore {
                            is_certain: row.get_ref(0)?.as_str()? != "pending",
                            before: json(row.get(1)?),
                            sent_ms: row.get(2)?,
                        })
                    },
                )
                .optional()
        })
        .flatten()
    }

    /// Whether a run that did not end whole has sent this operation for this record and seen no answer.
    pub fn is_pending(&self, operation: &str, record: &str) -> bool {
        let found = self.read(|connection, account| {
            connection
                .prepare(
                    "SELECT c.result = 'pending' FROM change c JOIN batch b ON b.id = c.batch \
                     WHERE c.account = :account AND c.record = :record AND c.operation = :operation \
                     AND b.id IN (SELECT id FROM unfinished) AND b.begun_ms > :since ORDER BY c.id DESC LIMIT 1",
                )?
                .query_row(
                    named_params! {
                        ":account": account,
                        ":record": record,
                        ":operation": operation,
                        ":since": now_ms() - INTERRUPTION_COUNTS_MS,
                    },
                    |row| row.get(0),
                )
                .optional()
        });
        found.flatten().unwrap_or(false)
    }

    /// Whether a run that did not end whole has seen the answer to this operation on this record, within so long.
    pub fn was_answered(&self, operation: &str, record: &str, within: Duration) -> bool {
        let since = now_ms() - i64::try_from(within.as_millis()).unwrap_or(i64::MAX);
        let found = self.read(|connection, account| {
            connection.query_row(
                "SELECT EXISTS (SELECT 1 FROM change c JOIN batch b ON b.id = c.batch \
                 WHERE c.account = ?1 AND c.operation = ?2 AND c.record = ?3 AND c.sent_ms > ?4 \
                 AND c.result IN ('changed', 'perhaps') AND b.id IN (SELECT id FROM unfinished))",
                (account, operation, record, since),
                |row| row.get(0),
            )
        });
        found.unwrap_or(false)
    }

    /// Whether a run of this verb over all that a customer has did not end whole.
    pub fn has_unfinished(&self, verb: &str, customer: CustomerId) -> bool {
        let found = self.read(|connection, account| {
            connection.query_row(
                "SELECT EXISTS (SELECT 1 FROM batch WHERE account = ?1 AND verb = ?2 AND customer = ?3 \
                 AND id IN (SELECT id FROM unfinished))",
                (account, verb, number(customer)),
                |row| row.get(0),
            )
        });
        found.unwrap_or(false)
    }

    /// Whether an unfinished run of this verb has made a record, or perhaps has: then what it was about names it.
    pub fn made_by_unfinished(&self, verb: &str, record: &str, about: &str) -> bool {
        let found = self.read(|connection, account| {
            connection.query_row(
                "SELECT EXISTS (SELECT 1 FROM change c JOIN batch b ON b.id = c.batch \
                 WHERE c.account = ?1 AND b.verb = ?2 AND b.id IN (SELECT id FROM unfinished) \
                 AND (c.record = ?3 OR (c.record IS NULL AND c.about = ?4)) \
                 AND c.operation IN ('provision_endpoint', 'create_endpoint'))",
                (account, verb, record, about),
                |row| row.get(0),
            )
        });
        found.unwrap_or(false)
    }

    /// Whether a run that did not end whole has seen the answer to just this mapping of a server to a service.
    pub fn was_mapped(&self, record: &str, mapping: &Value) -> bool {
        let found = self.read(|connection, account| {
            connection
                .prepare(
                    "SELECT c.before FROM change c JOIN batch b ON b.id = c.batch \
                     WHERE c.account = ?1 AND c.record = ?2 AND c.operation = 'provision_endpoint' \
                     AND c.result IN ('changed', 'unchanged', 'perhaps') \
                     AND b.id IN (SELECT id FROM unfinished) ORDER BY c.id DESC LIMIT 1",
                )?
                .query_row((account, record), |row| Ok(json(row.get(0)?)))
                .optional()
        });
        found.flatten().flatten().as_ref() == Some(mapping)
    }

    /// The records that `resume` may take up.
    pub fn resumable(&self) -> Vec<Resumable> {
        let read = self.read(|connection, account| {
            let mut statement = connection.prepare(
                // What this computer has done to it since is no change by somebody else. Of a call whose answer nobody
                // saw there is no time to compare with.
                "SELECT record, (SELECT c.answered_at FROM change c \
                                 WHERE c.account = r.account AND c.record = r.record \
                                 AND c.result <> 'refused' ORDER BY c.id DESC LIMIT 1) \
                 FROM resumable r WHERE account = ?1 AND record IS NOT NULL GROUP BY record",
            )?;
            let rows = statement.query_map([account], |row| {
                Ok(Resumable {
                    record: row.get(0)?,
                    answered_at: row.get(1)?,
                })
            })?;
            rows.collect()
        });
        read.unwrap_or_default()
    }

    /// Whether a command about all of a customer's has ever suspended something from here.
    pub fn has_suspended_all(&self, customer: CustomerId) -> bool {
        let found = self.read(|connection, account| {
            connection.query_row(
                "SELECT EXISTS (SELECT 1 FROM change c JOIN batch b ON b.id = c.batch \
                 WHERE c.account = ?1 AND b.customer = ?2 AND b.scope IN ('all', 'customer') \
                 AND c.operation LIKE 'suspend_%' AND c.result IN ('changed', 'perhaps', 'pending'))",
                (account, number(customer)),
                |row| row.get(0),
            )
        });
        found.unwrap_or(false)
    }

    /// Records whose newest change of their state from here is a resumption.
    pub fn resumed(&self) -> Vec<String> {
        let read = self.read(|connection, account| {
            let mut statement = connection
                .prepare("SELECT record FROM resumed WHERE account = ?1 AND record IS NOT NULL")?;
            let rows = statement.query_map([account], |row| row.get(0))?;
            rows.collect()
        });
        read.unwrap_or_default()
    }

    /// A call whose answer nobody saw has perhaps made what is there now; whether there is such a call.
    pub fn settle_pending(&self, operation: &str, record: &str) -> bool {
        if !self.is_pending(operation, record) {
            return false;
        }
        let _ = self.write(|connection, account| {
            connection.execute(
                "UPDATE change SET result = 'perhaps' \
                 WHERE account = ?1 AND operation = ?2 AND record = ?3 AND result = 'pending'",
                (account, operation, record),
            )
        });
        true
    }

    /// The same of a create, whose record nobody knew.
    pub fn settle_pending_create(&self, operation: &str, about: &str, made: &Made) -> bool {
        let settled = self.write(|connection, account| {
            connection.execute(
                "UPDATE change SET result = 'perhaps', record = ?4, after = ?5 \
                 WHERE account = ?1 AND operation = ?2 AND about = ?3 AND result = 'pending' AND record IS NULL",
                (account, operation, about, made.id.to_string(), made.image.to_string()),
            )
        });
        settled.is_some_and(|settled| settled > 0)
    }

    /// The rules of a server that were removed from this computer, as they were.
    pub fn removed_rules(&self, server: &str) -> Vec<Value> {
        let read = self.read(|connection, account| {
            let mut statement = connection.prepare(
                "SELECT before FROM change WHERE account = ?1 AND server = ?2 AND operation = 'delete_rule' \
                 AND result <> 'refused' AND before IS NOT NULL",
            )?;
            let rows = statement.query_map((account, server), |row| row.get(0).map(json))?;
            rows.filter_map(Result::transpose).collect()
        });
        read.unwrap_or_default()
    }

    /// When a record was ended from this computer, in milliseconds since 1970.
    pub fn ended_from_here(&self, record: &str) -> Option<EndedFromHere> {
        let read = self.read(|connection, account| {
            connection
                .prepare(
                    "SELECT operation, sent_ms FROM change WHERE account = ?1 AND record = ?2 \
                     AND result IN ('changed', 'perhaps', 'unchanged', 'pending') ORDER BY id DESC LIMIT 1",
                )?
                .query_row((account, record), |row| {
                    let operation: String = row.get(0)?;
                    let ends = ["terminate_", "delete_", "release_"];
                    let ends = ends.iter().any(|verb| operation.starts_with(verb));
                    let sent_ms = row.get(1)?;
                    Ok(ends.then_some(EndedFromHere { operation, sent_ms }))
                })
                .optional()
        });
        read.flatten().flatten()
    }

    /// Runs that ended early, until the same command has ended whole; the newest first.
    pub fn interrupted_runs(&self) -> Vec<InterruptedRun> {
        let read = self.read(|connection, account| {
            let mut statement = connection.prepare(
                "SELECT b.public_id, b.line, b.begun_ms, b.process, b.outcome, \
                 (SELECT count(*) FROM change c WHERE c.batch = b.id AND c.result <> 'pending'), \
                 (SELECT count(*) FROM change c WHERE c.batch = b.id AND c.result = 'pending') \
                 FROM batch b WHERE b.account = :account AND b.begun_ms > :since \
                 AND (b.outcome IS NULL OR b.outcome = 'stopped') \
                 AND NOT EXISTS (SELECT 1 FROM batch later WHERE later.account = b.account \
                   AND later.line_digest = b.line_digest AND later.id > b.id AND later.outcome IS NOT 'partial') \
                 ORDER BY b.id DESC",
            )?;
            let rows = statement.query_map(
                named_params! { ":account": account, ":since": now_ms() - INTERRUPTION_COUNTS_MS },
                |row| {
                    let is_over = row.get::<_, Option<String>>(4)?.is_some();
                    let runs = !is_over && process::is_running(&row.get::<_, String>(3)?);
                    Ok((!runs).then_some(InterruptedRun {
                        id: row.get(0)?,
                        command: row.get(1)?,
                        begun_ms: row.get(2)?,
                        answered: row.get::<_, i64>(5)?.unsigned_abs(),
                        pending: row.get::<_, i64>(6)?.unsigned_abs(),
                    }))
                },
            )?;
            rows.filter_map(Result::transpose).collect()
        });
        read.unwrap_or_default()
    }

    /// Of the customers for whom something was changed from here.
    pub fn customers_changed(&self) -> Vec<CustomerId> {
        let read = self.read(|connection, account| {
            let mut statement = connection.prepare(
                "SELECT DISTINCT value FROM change, json_each(change.customers) \
                 WHERE account = ?1 AND record IS NOT NULL AND result IN ('changed', 'perhaps', 'unchanged')",
            )?;
            let rows = statement.query_map([account], |row| row.get::<_, i64>(0))?;
            let numbers = rows.collect::<rusqlite::Result<Vec<_>>>()?;
            Ok(numbers.into_iter().filter_map(customer).collect())
        });
        read.unwrap_or_default()
    }
}

/// What makes a command the same again: its verb, whose it is about, and what was given to it.
fn input_digest(connection: &Connection, start: &BatchStart<'_>) -> rusqlite::Result<Vec<u8>> {
    let text = format!("{}\n{:?}\n{}", start.verb, start.customer, start.input);
    Ok(super::salted(connection, text.as_bytes())?
        .as_bytes()
        .to_vec())
}

/// A name of its own; its beginning is enough where a person types it.
fn public_id() -> String {
    Uuid::new_v4().simple().to_string()
}

fn number(customer: CustomerId) -> i64 {
    customer.get().cast_signed()
}

pub(super) fn customer(number: i64) -> Option<CustomerId> {
    serde_json::from_value(number.into()).ok()
}

fn numbers(customers: &[CustomerId]) -> String {
    let numbers: Value = customers.iter().map(|customer| customer.get()).collect();
    numbers.to_string()
}

pub(super) fn json(text: Option<String>) -> Option<Value> {
    text.and_then(|text| serde_json::from_str(&text).ok())
}
