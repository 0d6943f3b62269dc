//! Which leak records this computer has shown, and when first: as salted digests, so that nobody can read an address here
//! or try one.

use super::{StateDb, now_ms, salted};
use rusqlite::named_params;
use secmon::model::{DomainId, LeakRecord};
use std::collections::HashSet;
use uuid::Uuid;

/// The records of one domain that were shown before a moment.
#[derive(Debug, Default)]
pub struct ShownLeaks {
    before: HashSet<Uuid>,
    salt: Uuid,
}

impl ShownLeaks {
    /// Whether nothing was shown before.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty()
    }

    /// Whether a record was shown before.
    pub fn has(&self, record: &LeakRecord) -> bool {
        self.before.contains(&self.digest(record))
    }

    fn digest(&self, record: &LeakRecord) -> Uuid {
        let text = serde_json::Value::Object(record.as_map().clone()).to_string();
        Uuid::new_v5(&self.salt, text.as_bytes())
    }
}

impl StateDb {
    /// What was shown of a domain before a moment, in milliseconds since 1970. A look uses nothing up: what was first
    /// shown after it is new all day.
    pub fn leaks_shown_before(&self, domain: DomainId, moment_ms: i64) -> ShownLeaks {
        let read = self.read(|connection, account| {
            let mut statement = connection.prepare(
                "SELECT digest FROM leak_seen \
                 WHERE account = :account AND domain = :domain AND first_ms < :moment",
            )?;
            let rows = statement.query_map(
                named_params! {
                    ":account": account, ":domain": domain.to_string(), ":moment": moment_ms,
                },
                |row| row.get::<_, [u8; 16]>(0).map(Uuid::from_bytes),
            )?;
            let before = rows.collect::<rusqlite::Result<_>>()?;
            Ok(ShownLeaks {
                before,
                salt: salted(connection, b"leaks")?,
            })
        });
        read.unwrap_or_else(|| ShownLeaks {
            before: HashSet::new(),
            salt: self
                .query(|connection| salted(connection, b"leaks"))
                .unwrap_or_default(),
        })
    }

    /// Keeps that records were shown. When each was shown first stays what it was.
    pub fn leaks_are_shown<'a>(
        &self,
        domain: DomainId,
        shown: &ShownLeaks,
        records: impl IntoIterator<Item = &'a LeakRecord>,
    ) {
        let digests: Vec<Uuid> = records
            .into_iter()
            .map(|record| shown.digest(record))
            .collect();
        if digests.is_empty() {
            return;
        }
        let _ = self.write(|connection, account| {
            let mut statement = connection.prepare(
                "INSERT OR IGNORE INTO leak_seen (account, domain, digest, first_ms) \
                 VALUES (:account, :domain, :digest, :now)",
            )?;
            for digest in &digests {
                statement.execute(named_params! {
                    ":account": account,
                    ":domain": domain.to_string(),
                    ":digest": digest.as_bytes().as_slice(),
                    ":now": now_ms(),
                })?;
            }
            Ok(())
        });
    }
}
