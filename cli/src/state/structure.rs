//! Whether the database has every part that this program writes to, for `doctor`: a foreign hand may have taken one out.

use super::{SCHEMA, StateDb, database_name};
use rusqlite::Connection;

impl StateDb {
    /// What a change needs of the database and does not find there, or cannot write.
    pub fn missing_parts(&self) -> Option<String> {
        let connection = self.connection.as_ref()?.borrow();
        match lacking(&connection) {
            Ok(missing) if missing.is_empty() => None,
            Ok(missing) => Some(format!(
                "{} lacks {}: move it away, and a new one is made",
                database_name(),
                missing.join(", ")
            )),
            Err(error) => Some(format!("{}: {error}", database_name())),
        }
    }
}

fn lacking(found: &Connection) -> rusqlite::Result<Vec<String>> {
    let whole = Connection::open_in_memory()?;
    whole.execute_batch(SCHEMA.sql)?;
    let there = parts_of(found)?;
    let mut missing = parts_of(&whole)?;
    missing.retain(|part| !there.contains(part));
    if missing.is_empty() {
        found.execute_batch("BEGIN IMMEDIATE; UPDATE meta SET rowid = rowid; ROLLBACK;")?;
    }
    Ok(missing)
}

/// Tables with their columns, and views.
fn parts_of(database: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = database.prepare(
        "SELECT o.type || ' ' || o.name || coalesce('.' || c.name, '') FROM sqlite_master o \
         LEFT JOIN pragma_table_info(o.name) c ON o.type = 'table' \
         WHERE o.type IN ('table', 'view') AND o.name NOT LIKE 'sqlite_%'",
    )?;
    let parts = statement.query_map((), |row| row.get(0))?;
    parts.collect()
}
