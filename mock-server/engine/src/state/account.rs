//! One partner account: all its state, its time, its keys.

use std::collections::BTreeMap;
use std::fmt;

use uuid::Uuid;

use crate::ids::{Ids, Kind};
use crate::rate_window::{RateGroup, RateLimited, RateWindows};
use crate::settings::AccountSettings;
use crate::state::index::Index;
use crate::state::records::{ApiKey, Controls, Customer, Portal, next_number};
use crate::state::storage::{CustomerNo, KeyNo};
use crate::state::tables::{Change, ChangedRecord, Records};
use crate::time::Instant;
use crate::values::ClientId;
use crate::world::Scenario;

/// The whole state of one partner account.
///
/// Operations go through a [`Session`](crate::Session). Same calls at the same time: same
/// answers and same state.
pub struct Account {
    pub(crate) records: Records,
    pub(crate) index: Index,
    /// The ids of records.
    pub(crate) ids: Ids,
    /// The ids and texts of what is this account's alone, also where it is a copy: keys and tokens.
    pub(crate) own_ids: Ids,
    pub(crate) now: Instant,
    pub(crate) windows: BTreeMap<KeyNo, RateWindows>,
}

impl fmt::Debug for Account {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Account({})", self.records.settings.name)
    }
}

impl Account {
    /// A new account with these settings, and no key.
    pub fn new(settings: AccountSettings) -> Self {
        let controls = Controls::new(&settings);
        Self::from_records(Records::new(settings, controls))
    }

    pub(crate) fn from_records(records: Records) -> Self {
        let source = records.settings.id_source();
        Self {
            ids: Ids::new(source.seed, &source.name),
            own_ids: Ids::new(records.settings.seed, &records.settings.name),
            records,
            index: Index::default(),
            now: Instant::from_unix_millis(i64::MIN),
            windows: BTreeMap::new(),
        }
    }

    /// What the account was made with.
    pub fn settings(&self) -> &AccountSettings {
        &self.records.settings
    }

    /// The account's own id, `tenant_id` of its records.
    pub fn id(&self) -> Uuid {
        self.ids.uuid(Kind::Account, 0)
    }

    /// The scenario of the account (E2).
    pub fn scenario(&self) -> Scenario {
        self.records.controls.scenario
    }

    /// The ids of the account's API keys, with each one's text.
    pub fn keys(&self) -> impl Iterator<Item = (Uuid, &str)> {
        self.records
            .keys
            .iter()
            .map(|(number, key)| (self.own_ids.uuid(Kind::Key, number.0), key.0.as_str()))
    }

    /// Takes on a key whose text was chosen elsewhere, and gives its id.
    pub fn add_key(&mut self, text: &str) -> Uuid {
        let number = self.next_key();
        self.records.keys.insert(number, ApiKey(text.to_owned()));
        self.own_ids.uuid(Kind::Key, number.0)
    }

    /// Makes a new key, and gives its text.
    pub fn issue_key(&mut self) -> String {
        let number = self.next_key();
        let text = format!("test_key_{}", self.own_ids.secret(Kind::KeyText, number.0));
        self.records.keys.insert(number, ApiKey(text.clone()));
        text
    }

    /// Revokes the key with this text; `false` when the account has none such.
    pub fn revoke_key(&mut self, text: &str) -> bool {
        let found = self.records.keys.iter().find(|(_, key)| key.0 == text);
        match found.map(|(number, _)| *number) {
            Some(number) => {
                self.windows.remove(&number);
                self.records.keys.remove(number).is_some()
            }
            None => false,
        }
    }

    fn next_key(&mut self) -> KeyNo {
        KeyNo(next_number(&mut self.records.controls.edit().keys))
    }

    /// Counts a request in one of the key's two windows, or refuses it without
    /// counting it. Where the rate limit is off, nothing is refused (A10).
    ///
    /// # Errors
    ///
    /// [`RateLimited`] when the window is full.
    pub fn take_slot(
        &mut self,
        key: Uuid,
        group: RateGroup,
        now: Instant,
    ) -> Result<(), RateLimited> {
        let settings = &self.records.settings;
        if !settings.rate_limit.is_on() {
            return Ok(());
        }
        let Some(number) = self.own_ids.number(Kind::Key, key) else {
            return Ok(());
        };
        self.windows
            .entry(KeyNo(number))
            .or_default()
            .take(group, &settings.rate_limits, now)
    }

    /// Back to the start: records, counters, world and rate windows go, and so
    /// does the account's time; settings and keys stay (M3).
    pub fn reset(&mut self) {
        let records = &mut self.records;
        let keys = std::mem::take(&mut records.keys);
        records.clear();
        records.keys = keys;
        *records.controls.edit() = Controls {
            keys: records.controls.keys,
            ..Controls::new(&records.settings)
        };
        self.index = Index::default();
        self.windows.clear();
        self.now = Instant::from_unix_millis(i64::MIN);
    }

    /// Every record that was made, changed or removed since this was asked
    /// last; a new account's own records too. A store that applies them in one
    /// transaction is as old as the account.
    pub fn take_changes(&mut self) -> Vec<Change> {
        self.records.take_changes()
    }

    /// Which records changed and were not taken or forgotten yet.
    pub fn changed_records(&mut self) -> Vec<ChangedRecord> {
        self.records.changed()
    }

    /// Forgets what changed; for accounts that nobody stores.
    pub fn forget_changes(&mut self) {
        self.records.forget_changes();
    }

    /// Every record the account has, as if all of them had changed. What
    /// changed stays to be taken.
    pub fn all_records(&self) -> Vec<Change> {
        self.records.all()
    }

    /// The customer with this number, if anything was ever recorded for it.
    pub(crate) fn customer(&self, client: ClientId) -> Option<CustomerNo> {
        self.index.clients.get(&client).copied()
    }

    /// The customer with this number, recorded now if need be.
    pub(crate) fn recorded_customer(&mut self, client: ClientId) -> CustomerNo {
        if let Some(number) = self.customer(client) {
            return number;
        }
        let number = self.records.customers.push(Customer {
            client_id: client,
            portal: Portal::Never,
            name: None,
            email: None,
        });
        self.index.add_customer(number, client);
        number
    }
}
