//! The changes as people look at them: newest last, with the run that each was part of.

use super::changes::{ChangeId, ChangeResult, customer, json};
use super::{StateDb, process};
use rusqlite::{OptionalExtension, Row, named_params};
use secmon::model::CustomerId;
use serde::Serialize;
use serde_json::Value;

/// One change, with the run that it was part of.
#[derive(Debug, Clone, Serialize)]
pub struct ChangeRow {
    /// Its row.
    #[serde(skip)]
    pub key: ChangeId,
    /// Names it.
    pub id: String,
    /// Names the run that it was part of.
    pub batch: String,
    /// Whether that run ended, with nothing left over.
    #[serde(skip)]
    pub run_is_whole: bool,
    /// What that run did, as `endpoint_move`.
    #[serde(skip)]
    pub verb: String,
    /// When it was sent, in UTC.
    pub at: String,
    /// The user of this computer.
    pub user: String,
    /// The profile, `local`, or the address.
    pub service: String,
    /// Profile and portal, where more than one was configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The command as it was typed.
    pub command: String,
    /// The operation, as `suspend_endpoint`.
    pub operation: String,
    /// What it was about, in words.
    pub about: String,
    /// Its record, where it is about one.
    pub record: Option<String>,
    /// The server of a rule or of an alert.
    pub server: Option<String>,
    /// The customers it was about.
    pub customers: Vec<CustomerId>,
    /// The record as it was read before.
    pub before: Option<Value>,
    /// The record as it was answered.
    pub after: Option<Value>,
    /// Addresses and domains that the platform paused or resumed because of it.
    pub moved: Vec<String>,
    /// `changed`, `perhaps`, `unchanged`, `refused` or `pending`.
    #[serde(serialize_with = "as_word")]
    pub result: ChangeResult,
    /// The code of the error that it ended with.
    pub code: Option<String>,
    /// How long it took, waits included.
    pub duration_ms: Option<i64>,
    /// The change that it has taken back.
    pub undoes: Option<String>,
    /// The change that has taken it back.
    pub undone_by: Option<String>,
    /// Whether the key was taken out of what is kept of the record.
    #[serde(skip)]
    pub is_redacted: bool,
    /// Whether it was made in this terminal.
    #[serde(skip)]
    pub is_of_this_terminal: bool,
}

fn as_word<S: serde::Serializer>(result: &ChangeResult, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(result.as_str())
}

impl ChangeRow {
    /// Whether any record is other than before: a scan only looks, and a sign-in link only opens the portal.
    pub fn alters_records(&self) -> bool {
        !["scan_endpoint", "create_sso_token"].contains(&self.operation.as_str())
    }
}

const COLUMNS: &str = "\
SELECT c.id, c.public_id, b.public_id, c.sent_ms, b.os_user, b.service, b.place, b.line, c.operation, c.about, \
 c.record, c.server, c.customers, c.before, c.after, c.moved, c.result, c.code, c.duration_ms, \
 (SELECT u.public_id FROM change u WHERE u.id = c.undoes), \
 (SELECT u.public_id FROM change u WHERE u.undoes = c.id AND u.result IN ('changed', 'perhaps', 'unchanged') LIMIT 1), \
 c.is_redacted, b.session = :session AND b.session <> '', b.verb, b.outcome IS 'complete' \
FROM change c JOIN batch b ON b.id = c.batch";

impl StateDb {
    /// All changes of this account, the newest last.
    pub fn changes(&self) -> Vec<ChangeRow> {
        let sql = format!("{COLUMNS} WHERE c.account = :account ORDER BY c.id");
        let read = self.read(|connection, account| {
            let mut statement = connection.prepare(&sql)?;
            let session = process::session();
            let rows = statement.query_map(
                named_params! { ":account": account, ":session": session },
                change_row,
            )?;
            rows.collect()
        });
        read.unwrap_or_default()
    }

    /// The last run of this terminal that was about changes, and was not undone: also one that changed nothing.
    pub fn newest_run_of_terminal(&self) -> Option<String> {
        let read = self.read(|connection, account| {
            connection
                .prepare(
                    "SELECT public_id FROM batch b WHERE account = ?1 AND session = ?2 AND session <> '' \
                     AND verb NOT IN ('undo', 'scan_endpoint', 'create_sso_token') \
                     AND (NOT EXISTS (SELECT 1 FROM change c WHERE c.batch = b.id) \
                       OR EXISTS (SELECT 1 FROM change c WHERE c.batch = b.id \
                                  AND c.id NOT IN (SELECT id FROM undone))) \
                     ORDER BY id DESC LIMIT 1",
                )?
                .query_row((account, process::session()), |row| row.get(0))
                .optional()
        });
        read.flatten()
    }

    /// All changes of all accounts, the newest last.
    pub fn changes_of_all_accounts(&self) -> Vec<ChangeRow> {
        let sql = format!("{COLUMNS} ORDER BY c.id");
        let read = self.query(|connection| {
            let mut statement = connection.prepare(&sql)?;
            let session = process::session();
            let rows = statement.query_map(named_params! { ":session": session }, change_row)?;
            rows.collect()
        });
        read.unwrap_or_default()
    }
}

fn change_row(row: &Row<'_>) -> rusqlite::Result<ChangeRow> {
    let numbers: Vec<i64> = list(row, 12)?;
    let sent_ms: i64 = row.get(3)?;
    let at = chrono::DateTime::from_timestamp_millis(sent_ms).unwrap_or_default();
    Ok(ChangeRow {
        key: ChangeId(row.get(0)?),
        id: row.get(1)?,
        batch: row.get(2)?,
        at: at.format("%Y-%m-%dT%H:%M:%S+00:00").to_string(),
        user: row.get(4)?,
        service: row.get(5)?,
        place: row.get(6)?,
        command: row.get(7)?,
        operation: row.get(8)?,
        about: row.get(9)?,
        record: row.get(10)?,
        server: row.get(11)?,
        customers: numbers.into_iter().filter_map(customer).collect(),
        before: json(row.get(13)?),
        after: json(row.get(14)?),
        moved: list(row, 15)?,
        result: ChangeResult::parse(row.get_ref(16)?.as_str()?),
        code: row.get(17)?,
        duration_ms: row.get(18)?,
        undoes: row.get(19)?,
        undone_by: row.get(20)?,
        is_redacted: row.get(21)?,
        is_of_this_terminal: row.get(22)?,
        verb: row.get(23)?,
        run_is_whole: row.get(24)?,
    })
}

fn list<T: serde::de::DeserializeOwned>(row: &Row<'_>, at: usize) -> rusqlite::Result<Vec<T>> {
    let text: String = row.get(at)?;
    Ok(serde_json::from_str(&text).unwrap_or_default())
}
