//! Runs that did not end whole, and calls whose answer nobody saw.

use super::changes::{BatchId, BatchStart, input_digest, json, number};
use super::{DAY_MS, StateDb, now_ms, process};
use chrono::DateTime;
use rusqlite::{OptionalExtension, named_params};
use secmon::model::CustomerId;
use serde_json::Value;
use std::time::Duration;
use uuid::Uuid;

/// How long an interrupted run is shown, and counted as evidence.
const INTERRUPTION_COUNTS_MS: i64 = 7 * DAY_MS;

/// That a run which did not end whole has ended a record, or may have.
#[derive(Debug, Clone)]
pub struct EndedBefore {
    /// Whether its answer was seen.
    pub is_certain: bool,
    /// The record as it was then.
    pub before: Option<Value>,
    /// The second in which it was sent, counted from 1970, by the service's clock: an answer of the same run before it told
    /// the time, or the last answer before that run told how far the two clocks are apart.
    pub sent_second: i64,
}

/// A record that a create has made, as a look has shown it.
#[derive(Debug)]
pub struct Made {
    /// Its id.
    pub id: Uuid,
    /// The record, without the key.
    pub image: Value,
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

    /// That a run which did not end whole has ended this record, or may have, and nothing was made good since.
    pub fn ended_before(&self, record: &str, now: Option<BatchId>) -> Option<EndedBefore> {
        self.read(|connection, account| {
            connection
                .prepare(
                    "SELECT c.result, c.before, c.sent_ms, \
                       (SELECT p.answered_at FROM change p WHERE p.batch = c.batch AND p.id < c.id \
                        AND p.answered_at IS NOT NULL AND p.sent_ms + p.duration_ms <= c.sent_ms \
                        ORDER BY p.id DESC LIMIT 1), \
                       earlier.answered_at, earlier.sent_ms + earlier.duration_ms \
                     FROM change c JOIN batch b ON b.id = c.batch \
                     LEFT JOIN change earlier ON earlier.id = (SELECT max(p.id) FROM change p \
                        WHERE p.account = c.account AND p.batch < c.batch AND p.answered_at IS NOT NULL) \
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
                        let sent = SentAt {
                            here_ms: row.get(2)?,
                            answer_before: row.get(3)?,
                            earlier_answer: row.get(4)?,
                            earlier_answer_here_ms: row.get(5)?,
                        };
                        Ok(EndedBefore {
                            is_certain: row.get_ref(0)?.as_str()? != "pending",
                            before: json(row.get(1)?),
                            sent_second: sent.second(),
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

    /// Whether an unfinished run of this verb has made a record, or perhaps has: then what it was about names it.
    pub fn made_by_unfinished(&self, verb: &str, record: &str, about: &str) -> bool {
        let found = self.read(|connection, account| {
            connection.query_row(
                "SELECT EXISTS (SELECT 1 FROM change c JOIN batch b ON b.id = c.batch \
                 WHERE c.account = ?1 AND b.verb = ?2 AND b.id IN (SELECT id FROM unfinished) \
                 AND (c.record = ?3 OR (c.record IS NULL AND c.about = ?4)) \
                 AND c.operation IN ('provision_endpoint', 'create_endpoint', 'provision_domain'))",
                (account, verb, record, about),
                |row| row.get(0),
            )
        });
        found.unwrap_or(false)
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
}

/// What tells when a call was sent.
struct SentAt {
    /// In milliseconds since 1970, by this computer's clock, which may be set wrong.
    here_ms: i64,
    /// The service's time of the last answer that the same run had before.
    answer_before: Option<String>,
    /// The service's time of the last answer before that run.
    earlier_answer: Option<String>,
    /// When that answer arrived, as `here_ms`.
    earlier_answer_here_ms: Option<i64>,
}

impl SentAt {
    /// The second of the call, by the service's clock where that is known.
    fn second(&self) -> i64 {
        let second = |at: &Option<String>| {
            let at = DateTime::parse_from_rfc3339(at.as_deref()?).ok()?;
            Some(at.timestamp())
        };
        // An answer of the same run was there before the call went out.
        if let Some(second) = second(&self.answer_before) {
            return second;
        }
        let earlier = second(&self.earlier_answer).zip(self.earlier_answer_here_ms);
        let apart_ms = earlier.map_or(0, |(there, here_ms)| there * 1000 - here_ms);
        (self.here_ms + apart_ms) / 1000
    }
}
