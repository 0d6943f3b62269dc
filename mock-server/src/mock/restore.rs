//! Starting a mock: from nothing, or from what a state file holds.

use std::collections::BTreeMap;

use secmon_engine::{Account, AccountSettings, Change, StoredRecord, Table};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::registry::{configured_account, configured_settings};
use super::{Mock, Registry};
use crate::chance;
use crate::partner::{Entry, Origin, Partner};
use crate::settings::Settings;
use crate::store::{self, Kept, Memory, Place, Put, Store, Ticket, document};
use crate::{AdminError, StartError};

const SERVER_TABLE: &str = "server";
const PARTNER_TABLE: &str = "partners";

/// What the server keeps about itself.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct ServerRecord {
    pub(super) seed: u64,
    pub(super) clock_offset_ms: u64,
    pub(super) made_up_names: u32,
}

impl ServerRecord {
    pub(super) fn put(self) -> Put {
        let place = Place {
            owner: String::new(),
            table: SERVER_TABLE.to_owned(),
            key: SERVER_TABLE.to_owned(),
        };
        Put {
            place,
            value: Some(json(&self)),
        }
    }
}

/// The server's record of an account; without an entry, its removal.
pub(super) fn partner_put(name: &str, entry: Option<Entry>) -> Put {
    let place = Place {
        owner: String::new(),
        table: PARTNER_TABLE.to_owned(),
        key: name.to_owned(),
    };
    Put {
        place,
        value: entry.map(|entry| json(&entry)),
    }
}

fn json(record: &impl Serialize) -> Vec<u8> {
    // Records of numbers and names always serialize.
    serde_json::to_vec(record).unwrap_or_default()
}

impl Mock {
    /// Makes a mock as `settings` say. With a state file, what it holds is there again; accounts
    /// of the configuration that it does not hold are added.
    pub(crate) fn open(settings: Settings) -> Result<Self, StartError> {
        settings.config.check().map_err(StartError::Settings)?;
        let Some(path) = settings.state.clone() else {
            let start = Start::fresh(&settings);
            return Ok(start.mock(settings, Box::new(Memory)));
        };
        let (start, file) =
            store::open(&path)?.restore(|records| Start::from_file(&settings, records))?;
        let changes = start.unsaved();
        let mock = start.mock(settings, Box::new(file));
        store::wait(mock.store.save(changes)).map_err(|error| StartError::State {
            path,
            reason: error.to_string(),
        })?;
        Ok(mock)
    }
}

impl Mock {
    /// The whole state as a readable document.
    pub(crate) fn export(&self) -> Value {
        let registry = self.registry();
        let mut records = vec![self.server_record(&registry).put()];
        for partner in registry.partners() {
            records.extend(whole_account(partner));
        }
        document::write(records.into_iter().filter_map(Put::into_kept))
    }

    /// Puts an exported state in the place of this one.
    pub(crate) fn import(&self, document: &Value) -> Result<Ticket, AdminError> {
        let refused = |reason: String| AdminError::BadInput(reason);
        let records = document::read(document).map_err(refused)?;
        let start = Start::from_records(&self.settings, records).map_err(refused)?;
        let mut registry = self.registry_mut();
        let old = registry.partners().into_iter();
        let mut changes: Vec<Put> = old.flat_map(|partner| removals(partner)).collect();
        *registry = start.registry;
        self.adopt_server_record(start.server);
        changes.push(self.server_record(&registry).put());
        for partner in registry.partners() {
            changes.extend(whole_account(partner));
        }
        Ok(self.store.save(changes))
    }
}

/// Takes every record of an account out of the store.
pub(super) fn removals(partner: &Partner) -> Vec<Put> {
    let removal = |put| Put { value: None, ..put };
    whole_account(partner).into_iter().map(removal).collect()
}

/// Everything that outlives a process.
struct Start {
    server: ServerRecord,
    registry: Registry,
}

impl Start {
    fn fresh(settings: &Settings) -> Self {
        let server = ServerRecord {
            seed: settings.seed.unwrap_or_else(chance::number),
            clock_offset_ms: 0,
            made_up_names: 0,
        };
        let mut start = Self {
            server,
            registry: Registry::new(0),
        };
        start.add_configured(settings);
        start
    }

    /// What a file holds, and the accounts of the configuration that it does not.
    fn from_file(settings: &Settings, records: Vec<Kept>) -> Result<Self, String> {
        if records.is_empty() {
            return Ok(Self::fresh(settings));
        }
        let mut start = Self::from_records(settings, records)?;
        start.server.seed = settings.seed.unwrap_or(start.server.seed);
        start.add_configured(settings);
        Ok(start)
    }

    /// Exactly what the records say.
    fn from_records(settings: &Settings, records: Vec<Kept>) -> Result<Self, String> {
        let mut owners: BTreeMap<String, Vec<Kept>> = BTreeMap::new();
        for record in records {
            owners
                .entry(record.place.owner.clone())
                .or_default()
                .push(record);
        }
        let (server, entries) = server_records(owners.remove("").unwrap_or_default())?;
        let mut registry = Registry::new(server.made_up_names);
        for (name, entry) in entries {
            let records = owners.remove(&name).unwrap_or_default();
            registry.adopt(restored(settings, &name, entry, records)?, entry);
        }
        if let Some(name) = owners.keys().next() {
            return Err(format!(
                "it has records of an account `{name}` that it does not name"
            ));
        }
        Ok(Self { server, registry })
    }

    fn add_configured(&mut self, settings: &Settings) {
        for tenant in settings.config.tenants() {
            if self.registry.partner(&tenant.name).is_none() {
                let account = configured_account(settings, &tenant, self.server.seed);
                self.registry.add(account, Origin::Configured);
            }
        }
    }

    /// What must be in the file before the first call is answered.
    fn unsaved(&self) -> Vec<Put> {
        let mut changes = vec![self.server.put()];
        for partner in self.registry.partners() {
            changes.extend(unsaved_account(partner));
        }
        changes
    }

    fn mock(self, settings: Settings, store: Box<dyn Store>) -> Mock {
        Mock::new(settings, self.server, self.registry, store)
    }
}

/// An account's entry and what was not saved of it yet: all, for a new one.
pub(super) fn unsaved_account(partner: &Partner) -> Vec<Put> {
    let changes = partner.account().take_changes();
    with_entry(partner, changes)
}

/// An account's entry and all its records.
fn whole_account(partner: &Partner) -> Vec<Put> {
    let records = partner.account().all_records();
    with_entry(partner, records)
}

fn with_entry(partner: &Partner, records: Vec<Change>) -> Vec<Put> {
    let entry = partner_put(partner.name(), Some(partner.entry()));
    let records = records
        .into_iter()
        .map(|change| Put::of(partner.name(), change));
    std::iter::once(entry).chain(records).collect()
}

fn server_records(records: Vec<Kept>) -> Result<(ServerRecord, Vec<(String, Entry)>), String> {
    let mut server = None;
    let mut entries = Vec::new();
    for Kept { place, value } in records {
        match place.table.as_str() {
            SERVER_TABLE => server = Some(parsed(&place, &value)?),
            PARTNER_TABLE => entries.push((place.key.clone(), parsed(&place, &value)?)),
            table => {
                return Err(format!(
                    "it has a table `{table}` that this version does not know"
                ));
            }
        }
    }
    let server = server.ok_or("its record of the server is missing")?;
    Ok((server, entries))
}

fn parsed<T: DeserializeOwned>(place: &Place, value: &[u8]) -> Result<T, String> {
    serde_json::from_slice(value).map_err(|error| {
        format!(
            "its record {}/{} cannot be read: {error}",
            place.table, place.key
        )
    })
}

/// An account as it was. What the configuration says about it now holds from now on.
fn restored(
    settings: &Settings,
    name: &str,
    entry: Entry,
    records: Vec<Kept>,
) -> Result<Account, String> {
    let mut stored = Vec::new();
    for Kept { place, value } in records {
        let table = Table::from_name(&place.table).ok_or_else(|| {
            format!(
                "it has a table `{}` that this version does not know",
                place.table
            )
        })?;
        stored.push(StoredRecord {
            table,
            key: place.key,
            value,
        });
    }
    let tenants = settings.config.tenants();
    let configured = tenants.iter().find(|tenant| tenant.name == name);
    if let (Some(tenant), Origin::Configured) = (configured, entry.origin) {
        for record in stored
            .iter_mut()
            .filter(|record| record.table == Table::Settings)
        {
            let old: AccountSettings = serde_json::from_slice(&record.value)
                .map_err(|error| format!("the settings of `{name}` cannot be read: {error}"))?;
            record.value = json(&configured_settings(settings, tenant, old.seed));
        }
    }
    Account::restore(stored).map_err(|error| format!("account `{name}`: {error}"))
}
