//! The whole state as one readable JSON document, and back.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::{Kept, Place};

/// The format that this version writes and reads.
const FORMAT: u64 = 1;

type Tables = BTreeMap<String, BTreeMap<String, Value>>;

/// The document of these records.
pub(crate) fn write(records: impl IntoIterator<Item = Kept>) -> Value {
    let mut server = Tables::new();
    let mut accounts: BTreeMap<String, Tables> = BTreeMap::new();
    for Kept { place, value } in records {
        let tables = match place.owner.as_str() {
            "" => &mut server,
            _ => accounts.entry(place.owner).or_default(),
        };
        // Records are JSON already; one that were not would show as null.
        let value = serde_json::from_slice(&value).unwrap_or_default();
        tables
            .entry(place.table)
            .or_default()
            .insert(place.key, value);
    }
    json!({ "format": FORMAT, "server": server, "accounts": accounts })
}

/// The records of a document.
///
/// # Errors
///
/// A sentence when it is not one of ours.
pub(crate) fn read(document: &Value) -> Result<Vec<Kept>, String> {
    match document.get("format").and_then(Value::as_u64) {
        Some(FORMAT) => {}
        Some(format) => {
            return Err(format!(
                "The document's format {format} is unknown; this version reads {FORMAT}."
            ));
        }
        None => {
            return Err("The document has no format; give one that was exported here.".to_owned());
        }
    }
    let mut records = Vec::new();
    read_tables(&document["server"], "", &mut records)?;
    for (owner, tables) in entries(&document["accounts"])? {
        read_tables(tables, owner, &mut records)?;
    }
    Ok(records)
}

fn read_tables(tables: &Value, owner: &str, records: &mut Vec<Kept>) -> Result<(), String> {
    for (table, contents) in entries(tables)? {
        for (key, value) in entries(contents)? {
            let place = Place {
                owner: owner.to_owned(),
                table: table.clone(),
                key: key.clone(),
            };
            records.push(Kept {
                place,
                value: value.to_string().into_bytes(),
            });
        }
    }
    Ok(())
}

fn entries(value: &Value) -> Result<&Map<String, Value>, String> {
    value
        .as_object()
        .ok_or_else(|| "The document must hold objects of accounts, tables and records.".to_owned())
}
