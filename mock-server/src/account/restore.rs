//! Starting a mock: from nothing, or from what a state file holds.

use std::collections::BTreeMap;

use secmon_engine::{Account, AccountSettings, Instant, StoredRecord, Table};
use serde::de::DeserializeOwned;

use super::accounts::Accounts;
use super::entry::{Entry, Origin, Removed};
use super::records::{
    ACCOUNT_TABLE, MOMENT_KEY, REMOVED_TABLE, SERVER_TABLE, ServerRecord, json, moment_put,
    unsaved_account,
};
use super::registry::{Registry, configured_account, configured_settings};
use crate::account::shared::is_named;
use crate::configuration::checks;
use crate::configuration::settings::Settings;
use crate::configuration::start_error::StartError;
use crate::store::interface::{Memory, Store};
use crate::store::record::{Kept, Place, Put};
use crate::store::{commit, file};
use crate::values::chance;

impl Accounts {
    /// Makes a mock as `settings` say. With a state file, what it holds is there again; accounts
    /// of the configuration that it does not hold are added.
    pub(crate) fn open(settings: Settings) -> Result<Self, StartError> {
        let checked = settings.config.check();
        checked.map_err(|mistake| StartError::Settings(mistake.to_string()))?;
        let Some(path) = settings.state.clone() else {
            let mock = Start::fresh(&settings).mock(settings, Box::new(Memory));
            mock.fill_first()?;
            return Ok(mock);
        };
        let (start, file) = file::open(&path, |records| Start::from_file(&settings, records))?;
        let is_new = start.is_new;
        let mut changes = start.unsaved();
        let mut mock = start.mock(settings, Box::new(file));
        if is_new {
            changes.extend(mock.fill_first()?);
        } else {
            mock.fixtures_passed_over = mock.settings.fixtures.is_some();
        }
        changes.push(moment_put(mock.now()));
        commit::wait(mock.store.save(changes)).map_err(|error| StartError::State {
            path,
            reason: error.to_string(),
        })?;
        Ok(mock)
    }
}

impl Accounts {
    /// Gives the first account what `--fixtures` says; what is to be saved of it.
    fn fill_first(&self) -> Result<Vec<Put>, StartError> {
        let registry = self.registry();
        let Some(first) = registry.accounts().into_iter().next() else {
            return Ok(Vec::new());
        };
        self.fill(first)
            .map_err(|error| StartError::Settings(error.to_string()))?;
        Ok(unsaved_account(first))
    }
}

/// Whether a start under these settings would take what is about to be written.
pub(super) fn rehearsed(settings: &Settings, changes: &[Put]) -> Result<(), String> {
    let written = changes.iter().filter_map(|put| {
        let (place, value) = (put.place.clone(), put.value.clone()?);
        Some(Kept { place, value })
    });
    Start::from_file(settings, written.collect()).map(drop)
}

/// Everything that outlives a process.
struct Start {
    server: ServerRecord,
    registry: Registry,
    /// Nothing was there before.
    is_new: bool,
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
            registry: Registry::new(0, Removed::new()),
            is_new: true,
        };
        start.add_configured(settings);
        start
    }

    /// What a file holds, under the configuration of now; accounts that the configuration has and
    /// the file does not are added.
    fn from_file(settings: &Settings, records: Vec<Kept>) -> Result<Self, String> {
        if records.is_empty() {
            return Ok(Self::fresh(settings));
        }
        let Stored {
            mut server,
            moment,
            removed,
            accounts,
        } = stored_state(records)?;
        server.clock_offset_ms = settings.time.resumed(server.clock_offset_ms, moment);
        server.seed = settings.seed.unwrap_or(server.seed);
        let mut registry = Registry::with_history(server.made_up_names, removed)?;
        for account in accounts {
            let entry = account.entry;
            registry.admit(account.reconfigured(settings)?.restore()?, entry)?;
        }
        let mut start = Self {
            server,
            registry,
            is_new: false,
        };
        start.add_configured(settings);
        Ok(start)
    }

    fn add_configured(&mut self, settings: &Settings) {
        for tenant in settings.config.tenants() {
            if self.registry.account(&tenant.name).is_none() {
                let seed = self.registry.seed_for(&tenant.name, self.server.seed);
                let account = configured_account(settings, &tenant, seed);
                self.registry.add(account, Entry::of(Origin::Configured));
            }
        }
    }

    /// What must be in the file before the first call is answered.
    fn unsaved(&self) -> Vec<Put> {
        let mut changes = vec![self.server.put()];
        for shared in self.registry.accounts() {
            changes.extend(unsaved_account(shared));
        }
        changes
    }

    fn mock(self, settings: Settings, store: Box<dyn Store>) -> Accounts {
        Accounts::new(settings, self.server, self.registry, store)
    }
}

/// An account as it lies in a state file.
pub(super) struct StoredAccount {
    pub(super) name: String,
    pub(super) entry: Entry,
    records: Vec<StoredRecord>,
}

impl StoredAccount {
    /// What the configuration says about the account holds from now on; only its seed stays.
    fn reconfigured(mut self, settings: &Settings) -> Result<Self, String> {
        let tenants = settings.config.tenants();
        let configured = tenants.iter().find(|tenant| tenant.name == self.name);
        let (Some(tenant), Origin::Configured) = (configured, self.entry.origin) else {
            return Ok(self);
        };
        let is_settings = |record: &&mut StoredRecord| record.table == Table::Settings;
        for record in self.records.iter_mut().filter(is_settings) {
            let old: AccountSettings = serde_json::from_slice(&record.value).map_err(|error| {
                format!("the settings of `{}` cannot be read: {error}", self.name)
            })?;
            record.value = json(&configured_settings(settings, tenant, old.seed));
        }
        Ok(self)
    }

    /// The account as it was.
    pub(super) fn restore(self) -> Result<Account, String> {
        let account = Account::restore(self.records)
            .map_err(|error| format!("account `{}`: {error}", self.name))
            .map_err(|reason| checks::in_one_line(&reason))?;
        if is_named(&account, &self.name) {
            Ok(account)
        } else {
            Err(format!(
                "the account `{}` has another name inside",
                self.name
            ))
        }
    }
}

/// A whole state as it lies in a file.
pub(super) struct Stored {
    pub(super) server: ServerRecord,
    /// When it was last written to, by the server's clock.
    pub(super) moment: Instant,
    pub(super) removed: Removed,
    pub(super) accounts: Vec<StoredAccount>,
}

/// The server and its accounts, as the records of a file have them.
pub(super) fn stored_state(records: Vec<Kept>) -> Result<Stored, String> {
    let mut owners: BTreeMap<String, Vec<Kept>> = BTreeMap::new();
    for record in records {
        let owner = record.place.owner.clone();
        owners.entry(owner).or_default().push(record);
    }
    let server = server_records(owners.remove("").unwrap_or_default())?;
    let mut accounts = Vec::new();
    for (name, entry) in server.entries {
        let records = owners.remove(&name).unwrap_or_default();
        let records = records.into_iter().map(stored).collect::<Result<_, _>>()?;
        accounts.push(StoredAccount {
            name,
            entry,
            records,
        });
    }
    match owners.keys().next() {
        Some(name) => Err(format!(
            "it has records of an account `{name}` that it does not name"
        )),
        None => Ok(Stored {
            server: server.server,
            moment: server.moment,
            removed: server.removed,
            accounts,
        }),
    }
}

fn stored(Kept { place, value }: Kept) -> Result<StoredRecord, String> {
    let table = Table::from_name(&place.table).ok_or_else(|| unknown_table(&place.table))?;
    Ok(StoredRecord {
        table,
        key: place.key,
        value,
    })
}

fn unknown_table(name: &str) -> String {
    format!("it has a table `{name}` that this version does not know")
}

/// What the server keeps beside the records of its accounts.
struct ServerRecords {
    server: ServerRecord,
    moment: Instant,
    removed: Removed,
    entries: Vec<(String, Entry)>,
}

fn server_records(records: Vec<Kept>) -> Result<ServerRecords, String> {
    let (mut server, mut moment) = (None, None);
    let mut removed = Removed::new();
    let mut entries = Vec::new();
    for Kept { place, value } in records {
        match place.table.as_str() {
            SERVER_TABLE if place.key == MOMENT_KEY => moment = Some(parsed(&place, &value)?),
            SERVER_TABLE => server = Some(parsed(&place, &value)?),
            ACCOUNT_TABLE => entries.push((place.key.clone(), parsed(&place, &value)?)),
            REMOVED_TABLE => {
                removed.insert(place.key.clone(), parsed(&place, &value)?);
            }
            table => return Err(unknown_table(table)),
        }
    }
    Ok(ServerRecords {
        server: server.ok_or("its record of the server is missing")?,
        moment: moment.ok_or("its record of the last moment is missing")?,
        removed,
        entries,
    })
}

fn parsed<T: DeserializeOwned>(place: &Place, value: &[u8]) -> Result<T, String> {
    serde_json::from_slice(value).map_err(|error| {
        format!(
            "its record {}/{} cannot be read: {error}",
            place.table, place.key
        )
    })
}
