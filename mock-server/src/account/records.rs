//! What the server keeps beside the accounts' own records, and how both go into the store.

use secmon_engine::{Change, Instant};
use serde::{Deserialize, Serialize};

use super::entry::Entry;
use super::registry::Registry;
use crate::account::shared::SharedAccount;
use crate::store::record::{Place, Put};

pub(super) const SERVER_TABLE: &str = "server";
pub(super) const MOMENT_KEY: &str = "moment";
pub(super) const ACCOUNT_TABLE: &str = "partners";
pub(super) const REMOVED_TABLE: &str = "removed";

/// What the server keeps about itself.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct ServerRecord {
    pub(super) seed: u64,
    pub(super) clock_offset_ms: i64,
    pub(super) made_up_names: u32,
}

impl ServerRecord {
    pub(super) fn put(self) -> Put {
        server_put(SERVER_TABLE, SERVER_TABLE, Some(json(&self)))
    }
}

/// The server's time, by which all in the store had happened.
pub(super) fn moment_put(moment: Instant) -> Put {
    server_put(SERVER_TABLE, MOMENT_KEY, Some(json(&moment)))
}

/// The server's record of an account; without an entry, its removal.
pub(super) fn entry_put(name: &str, entry: Option<Entry>) -> Put {
    server_put(ACCOUNT_TABLE, name, entry.map(|entry| json(&entry)))
}

/// How often an account of this name was removed, for the store.
pub(super) fn removed_put(registry: &Registry, name: &str) -> Option<Put> {
    let times = registry.removed().get(name)?;
    Some(server_put(REMOVED_TABLE, name, Some(json(times))))
}

/// The same for every name.
pub(super) fn removed_puts(registry: &Registry) -> impl Iterator<Item = Put> {
    let names = registry.removed().keys();
    names.filter_map(|name| removed_put(registry, name))
}

fn server_put(table: &str, key: &str, value: Option<Vec<u8>>) -> Put {
    let place = Place {
        owner: String::new(),
        table: table.to_owned(),
        key: key.to_owned(),
    };
    Put { place, value }
}

pub(super) fn json(record: &impl Serialize) -> Vec<u8> {
    // Records of numbers and names always serialize.
    serde_json::to_vec(record).unwrap_or_default()
}

/// An account's entry and what was not saved of it yet: all, for a new one.
pub(super) fn unsaved_account(shared: &SharedAccount) -> Vec<Put> {
    let changes = shared.lock().take_changes();
    with_entry(shared, changes)
}

/// An account's entry and all its records.
pub(super) fn whole_account(shared: &SharedAccount) -> Vec<Put> {
    let records = shared.lock().all_records();
    with_entry(shared, records)
}

/// Takes every record of an account out of the store.
pub(super) fn removals(shared: &SharedAccount) -> Vec<Put> {
    let records = whole_account(shared).into_iter();
    records.map(Put::removal).collect()
}

fn with_entry(shared: &SharedAccount, records: Vec<Change>) -> Vec<Put> {
    let entry = entry_put(shared.name(), Some(shared.entry()));
    let puts = records
        .into_iter()
        .map(|change| Put::of(shared.name(), change));
    std::iter::once(entry).chain(puts).collect()
}
