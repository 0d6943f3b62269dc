//! What was suspended and resumed from this computer.

use super::StateDb;
use super::changes::number;
use secmon::model::CustomerId;

/// A record that `resume` may take up.
#[derive(Debug, Clone)]
pub struct Resumable {
    /// Its id, or the name of a subscription.
    pub record: String,
    /// The service's time of the newest change from here.
    pub answered_at: Option<String>,
}

impl StateDb {
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

    /// Records whose newest change of their state from here is a suspension by name.
    pub fn suspended_by_name(&self) -> Vec<String> {
        let read = self.read(|connection, account| {
            let mut statement = connection.prepare(
                "SELECT c.record, c.operation LIKE 'suspend_%' AND b.scope NOT IN ('all', 'customer') \
                 FROM change c JOIN batch b ON b.id = c.batch \
                 WHERE c.id IN (SELECT max(id) FROM change \
                                WHERE account = ?1 AND record IS NOT NULL AND result <> 'refused' \
                                AND operation NOT IN ('update_endpoint', 'update_domain', 'scan_endpoint') \
                                GROUP BY record)",
            )?;
            let rows = statement.query_map([account], |row| {
                let (record, is_by_name): (String, bool) = (row.get(0)?, row.get(1)?);
                Ok(is_by_name.then_some(record))
            })?;
            rows.filter_map(Result::transpose).collect()
        });
        read.unwrap_or_default()
    }
}
