//! The changes that were made from this computer: each row is there before its call is sent.

use super::{StateDb, now_ms, process, prune};
use rusqlite::{Connection, OptionalExtension, named_params};
use secmon::model::{CustomerId, EndpointId};
use serde_json::Value;
use std::time::Duration;
use uuid::Uuid;

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
pub struct BatchId(pub(super) i64);

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

/// The end of a record, as its newest change from here.
#[derive(Debug, Clone)]
pub struct EndedFromHere {
    /// What ended it, as `terminate_endpoint`.
    pub operation: String,
    /// When it was sent, in milliseconds since 1970.
    pub sent_ms: i64,
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
pub(super) fn input_digest(
    connection: &Connection,
    start: &BatchStart<'_>,
) -> rusqlite::Result<Vec<u8>> {
    let text = format!("{}\n{:?}\n{}", start.verb, start.customer, start.input);
    Ok(super::salted(connection, text.as_bytes())?
        .as_bytes()
        .to_vec())
}

/// A name of its own; its beginning is enough where a person types it.
fn public_id() -> String {
    Uuid::new_v4().simple().to_string()
}

pub(super) fn number(customer: CustomerId) -> i64 {
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
