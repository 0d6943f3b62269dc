//! The keys of one account: a new key is recognized by the records that it shows.

use super::StateDb;
use super::records::Observation;
use rusqlite::{Connection, OptionalExtension, named_params};

impl StateDb {
    /// A new key that shows a record of an account this computer knows is a key of that account. Every mock of this
    /// computer has the same keys, and perhaps the same ids: there nothing is concluded.
    pub fn recognize_key(&self, observations: &[Observation]) {
        if self.place.is_loopback {
            return;
        }
        let ids = observations.iter().flat_map(Observation::ids);
        let ids: Vec<String> = ids.collect();
        let _ = self.write(|connection, account| {
            let origin = &self.place.origin;
            let others: i64 = connection.query_row(
                "SELECT count(*) FROM account WHERE origin = :origin",
                named_params! { ":origin": origin },
                |row| row.get(0),
            )?;
            if others < 2 {
                return Ok(());
            }
            for id in &ids {
                if let Some(known) = account_with(connection, origin, account, id)? {
                    return merge(connection, account, known);
                }
            }
            Ok(())
        });
        // The merge may have given this key another account.
        let account = self.query(|connection| self.find_account(connection));
        self.account.set(account.flatten());
    }
}

/// The account that has already seen a record of this id: ids are never the same in two accounts.
fn account_with(
    connection: &Connection,
    origin: &str,
    than: i64,
    id: &str,
) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare(
            "SELECT seen.account FROM seen JOIN account ON account.id = seen.account \
             WHERE account.origin = :origin AND seen.account <> :than AND seen.id = :id \
             AND seen.kind IN ('server', 'domain')",
        )?
        .query_row(
            named_params! { ":origin": origin, ":than": than, ":id": id },
            |row| row.get(0),
        )
        .optional()
}

/// Makes two accounts that turned out to be one the older one.
fn merge(connection: &Connection, account: i64, known: i64) -> rusqlite::Result<()> {
    let (from, into) = (account.max(known), account.min(known));
    let accounts = named_params! { ":from": from, ":into": into };
    for sql in [
        "UPDATE account_key SET account = :into WHERE account = :from",
        "UPDATE batch SET account = :into WHERE account = :from",
        "UPDATE change SET account = :into WHERE account = :from",
        "UPDATE OR REPLACE seen SET account = :into WHERE account = :from",
        "UPDATE OR IGNORE leak_seen SET account = :into WHERE account = :from",
    ] {
        connection.execute(sql, accounts)?;
    }
    connection.execute("DELETE FROM leak_seen WHERE account = ?1", [from])?;
    connection.execute("DELETE FROM account WHERE id = ?1", [from])?;
    Ok(())
}
