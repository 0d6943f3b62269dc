//! Where records are kept, so that none can change unseen.
//!
//! A record is only reached for writing through `edit`, `insert`, `push` or
//! `remove`, and each of them notes the record's key. What is noted becomes the
//! list of [`Change`]s that a store applies in one transaction.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, Index};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The tables of an account's durable state.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Table {
    /// What the account was made with: one record.
    Settings,
    /// What was set while it runs, and the counters of ids: one record.
    Controls,
    /// API keys.
    Keys,
    /// Customers.
    Customers,
    /// Monitored servers.
    Endpoints,
    /// Ports that were set for one server, in place of the scenario's.
    EndpointWorlds,
    /// Manual scans in flight and cooldowns, by server.
    ManualScans,
    /// Services of the billing system that stand for a server.
    ServiceLinks,
    /// Allowed Ports rules.
    Rules,
    /// Port alerts.
    PortAlerts,
    /// Subscriptions, with their pro-rata windows.
    Subscriptions,
    /// Prices of products and plans.
    Prices,
    /// Monitored domains, with their scan history and mentions.
    Domains,
    /// Findings that were set for one domain, in place of the scenario's.
    DomainWorlds,
    /// Domain alerts.
    DomainAlerts,
    /// Sign-in tokens that were not used yet.
    SsoTokens,
}

impl Table {
    /// Every table.
    pub const ALL: [Self; 16] = [
        Self::Settings,
        Self::Controls,
        Self::Keys,
        Self::Customers,
        Self::Endpoints,
        Self::EndpointWorlds,
        Self::ManualScans,
        Self::ServiceLinks,
        Self::Rules,
        Self::PortAlerts,
        Self::Subscriptions,
        Self::Prices,
        Self::Domains,
        Self::DomainWorlds,
        Self::DomainAlerts,
        Self::SsoTokens,
    ];

    /// The stable name of the table, in stores and in exported state.
    pub fn name(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Controls => "controls",
            Self::Keys => "keys",
            Self::Customers => "customers",
            Self::Endpoints => "endpoints",
            Self::EndpointWorlds => "endpoint_worlds",
            Self::ManualScans => "manual_scans",
            Self::ServiceLinks => "service_links",
            Self::Rules => "rules",
            Self::PortAlerts => "port_alerts",
            Self::Subscriptions => "subscriptions",
            Self::Prices => "prices",
            Self::Domains => "domains",
            Self::DomainWorlds => "domain_worlds",
            Self::DomainAlerts => "domain_alerts",
            Self::SsoTokens => "sso_tokens",
        }
    }

    /// The table with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|table| table.name() == name)
    }
}

/// A record that a call made, changed or removed.
#[derive(Clone, PartialEq, Eq)]
pub struct Change {
    /// Where the record is.
    pub table: Table,
    /// Its key, unique in the table.
    pub key: String,
    /// Its content as JSON text, or nothing when it was removed.
    pub value: Option<Vec<u8>>,
}

impl fmt::Debug for Change {
    /// Without the value: it may hold an API key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.table.name(), self.key)
    }
}

/// A record as it was stored.
#[derive(Clone, PartialEq, Eq)]
pub struct StoredRecord {
    /// Where the record is.
    pub table: Table,
    /// Its key, unique in the table.
    pub key: String,
    /// Its content as JSON text.
    pub value: Vec<u8>,
}

impl fmt::Debug for StoredRecord {
    /// Without the value: it may hold an API key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.table.name(), self.key)
    }
}

/// A key of a table, and its text.
pub(crate) trait Key: Clone + Ord {
    fn text(&self) -> String;
    fn parse(text: &str) -> Option<Self>;
}

/// The numbers of records: an index that cannot be taken for another one.
macro_rules! record_numbers {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[derive(serde::Serialize, serde::Deserialize)]
        #[serde(transparent)]
        pub(crate) struct $name(pub(crate) u32);

        impl Key for $name {
            fn text(&self) -> String {
                self.0.to_string()
            }

            fn parse(text: &str) -> Option<Self> {
                text.parse().ok().map(Self)
            }
        }

        impl From<u32> for $name {
            fn from(number: u32) -> Self {
                Self(number)
            }
        }

        impl From<$name> for u32 {
            fn from(number: $name) -> Self {
                number.0
            }
        }
    )*};
}

record_numbers! {
    /// A customer, in order of appearance.
    CustomerNo,
    /// A server, in order of creation.
    EndpointNo,
    /// An Allowed Ports rule, in order of creation.
    RuleNo,
    /// A port alert, in the order in which they were raised.
    AlertNo,
    /// An API key, in order of issue.
    KeyNo,
    /// A domain, in order of creation.
    DomainNo,
    /// A domain alert, in the order in which they were raised.
    DomainAlertNo,
    /// A sign-in token, in order of issue.
    TokenNo,
}

fn to_json(value: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("records have text keys and no failing serializer")
}

fn changes_of<K: Key, V: Serialize>(
    table: Table,
    touched: &mut Vec<K>,
    get: impl Fn(&K) -> Option<V>,
) -> Vec<Change> {
    touched.sort_unstable();
    touched.dedup();
    touched
        .drain(..)
        .map(|key| Change {
            table,
            key: key.text(),
            value: get(&key).map(|value| to_json(&value)),
        })
        .collect()
}

/// What every kind of table can do for a store.
pub(crate) trait Durable {
    /// The records that changed since the last time this was asked.
    fn take_changes(&mut self, table: Table) -> Vec<Change>;
    /// Forgets what changed, when nobody stores it.
    fn forget_changes(&mut self);
    /// Every record, as if all of them had changed.
    fn snapshot(&self, table: Table) -> Vec<Change>;
}

/// One record that is always there.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Single<T> {
    value: T,
    touched: Vec<()>,
}

impl Key for () {
    fn text(&self) -> String {
        "account".to_owned()
    }

    fn parse(text: &str) -> Option<Self> {
        (text == "account").then_some(())
    }
}

impl<T> Single<T> {
    pub(crate) fn new(value: T) -> Self {
        Self {
            value,
            touched: vec![()],
        }
    }

    pub(crate) fn edit(&mut self) -> &mut T {
        self.touched.push(());
        &mut self.value
    }
}

impl<T> Deref for Single<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Serialize> Durable for Single<T> {
    fn take_changes(&mut self, table: Table) -> Vec<Change> {
        let value = &self.value;
        changes_of(table, &mut self.touched, |_| Some(value))
    }

    fn forget_changes(&mut self) {
        self.touched.clear();
    }

    fn snapshot(&self, table: Table) -> Vec<Change> {
        changes_of(table, &mut vec![()], |_| Some(&self.value))
    }
}

/// Records that come and go.
#[derive(Clone, Debug)]
pub(crate) struct Map<K, V> {
    records: BTreeMap<K, V>,
    touched: Vec<K>,
}

impl<K: Key, V> Map<K, V> {
    pub(crate) fn new() -> Self {
        Self {
            records: BTreeMap::new(),
            touched: Vec::new(),
        }
    }

    pub(crate) fn edit(&mut self, key: K) -> Option<&mut V> {
        let record = self.records.get_mut(&key)?;
        self.touched.push(key);
        Some(record)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        self.touched.push(key.clone());
        self.records.insert(key, value);
    }

    pub(crate) fn remove(&mut self, key: K) -> Option<V> {
        let record = self.records.remove(&key)?;
        self.touched.push(key);
        Some(record)
    }

    pub(crate) fn clear(&mut self) {
        self.touched.extend(self.records.keys().cloned());
        self.records.clear();
    }
}

impl<K, V> Deref for Map<K, V> {
    type Target = BTreeMap<K, V>;

    fn deref(&self) -> &BTreeMap<K, V> {
        &self.records
    }
}

impl<K: Key, V: Serialize> Durable for Map<K, V> {
    fn take_changes(&mut self, table: Table) -> Vec<Change> {
        let records = &self.records;
        changes_of(table, &mut self.touched, |key| records.get(key))
    }

    fn forget_changes(&mut self) {
        self.touched.clear();
    }

    fn snapshot(&self, table: Table) -> Vec<Change> {
        let mut keys = self.records.keys().cloned().collect();
        changes_of(table, &mut keys, |key| self.records.get(key))
    }
}

/// Records per allocation of [`Rows`]: growth never moves or doubles them.
const CHUNK: usize = 256;

/// Records that only ever grow in number, each known by its place.
#[derive(Clone, Debug)]
pub(crate) struct Rows<N, T> {
    chunks: Vec<Vec<T>>,
    touched: Vec<N>,
}

impl<N: Key + Copy + From<u32> + Into<u32>, T> Rows<N, T> {
    pub(crate) fn new() -> Self {
        Self {
            chunks: Vec::new(),
            touched: Vec::new(),
        }
    }

    pub(crate) fn len(&self) -> u32 {
        let last = self.chunks.last().map_or(0, Vec::len);
        (self.chunks.len().saturating_sub(1) * CHUNK + last) as u32
    }

    pub(crate) fn get(&self, number: N) -> Option<&T> {
        let place = number.into() as usize;
        self.chunks.get(place / CHUNK)?.get(place % CHUNK)
    }

    /// The record for writing. The number must be of a record of this table,
    /// as every number inside the engine is.
    pub(crate) fn edit(&mut self, number: N) -> &mut T {
        if self.touched.last() != Some(&number) {
            self.touched.push(number);
        }
        let place = number.into() as usize;
        &mut self.chunks[place / CHUNK][place % CHUNK]
    }

    pub(crate) fn push(&mut self, record: T) -> N {
        let number = N::from(self.len());
        self.touched.push(number);
        match self.chunks.last_mut() {
            Some(chunk) if chunk.len() < CHUNK => chunk.push(record),
            _ => self.chunks.push(vec![record]),
        }
        number
    }

    pub(crate) fn numbers(&self) -> impl Iterator<Item = N> + use<N, T> {
        (0..self.len()).map(N::from)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (N, &T)> {
        self.numbers().zip(self.chunks.iter().flatten())
    }

    pub(crate) fn clear(&mut self) {
        self.touched.extend(self.numbers());
        self.chunks.clear();
    }
}

impl<N: Key + Copy + From<u32> + Into<u32>, T> Index<N> for Rows<N, T> {
    type Output = T;

    fn index(&self, number: N) -> &T {
        let place = number.into() as usize;
        &self.chunks[place / CHUNK][place % CHUNK]
    }
}

impl<N: Key + Copy + From<u32> + Into<u32>, T: Serialize> Durable for Rows<N, T> {
    fn take_changes(&mut self, table: Table) -> Vec<Change> {
        let mut touched = std::mem::take(&mut self.touched);
        let changes = changes_of(table, &mut touched, |number| self.get(*number));
        self.touched = touched;
        changes
    }

    fn forget_changes(&mut self) {
        self.touched.clear();
    }

    fn snapshot(&self, table: Table) -> Vec<Change> {
        let mut numbers = self.numbers().collect();
        changes_of(table, &mut numbers, |number| self.get(*number))
    }
}

/// Why stored or imported state was refused: one clear sentence.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RestoreError(pub(crate) String);

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RestoreError {}

/// The stored records of one account, by table, each read once.
pub(crate) struct StoredTables {
    tables: BTreeMap<Table, BTreeMap<String, Vec<u8>>>,
}

impl StoredTables {
    pub(crate) fn new(
        records: impl IntoIterator<Item = StoredRecord>,
    ) -> Result<Self, RestoreError> {
        let mut tables: BTreeMap<Table, BTreeMap<String, Vec<u8>>> = BTreeMap::new();
        for StoredRecord { table, key, value } in records {
            let name = format!("{}/{key}", table.name());
            if tables
                .entry(table)
                .or_default()
                .insert(key, value)
                .is_some()
            {
                return Err(RestoreError(format!("The record {name} is there twice.")));
            }
        }
        Ok(Self { tables })
    }

    fn take<K: Key, V: DeserializeOwned>(
        &mut self,
        table: Table,
    ) -> Result<BTreeMap<K, V>, RestoreError> {
        let stored = self.tables.remove(&table).unwrap_or_default();
        stored
            .into_iter()
            .map(|(text, value)| {
                let broken = |reason: &dyn fmt::Display| {
                    RestoreError(format!(
                        "The record {}/{text} cannot be read: {reason}.",
                        table.name()
                    ))
                };
                let key = K::parse(&text)
                    .filter(|key| key.text() == text)
                    .ok_or_else(|| broken(&"its key has the wrong form"))?;
                let record = serde_json::from_slice(&value).map_err(|error| broken(&error))?;
                Ok((key, record))
            })
            .collect()
    }

    pub(crate) fn single<T: DeserializeOwned>(
        &mut self,
        table: Table,
    ) -> Result<Single<T>, RestoreError> {
        let mut records = self.take::<(), T>(table)?;
        let value = records.remove(&()).ok_or_else(|| {
            RestoreError(format!("The record {}/account is missing.", table.name()))
        })?;
        Ok(Single {
            value,
            touched: Vec::new(),
        })
    }

    pub(crate) fn map<K: Key, V: DeserializeOwned>(
        &mut self,
        table: Table,
    ) -> Result<Map<K, V>, RestoreError> {
        Ok(Map {
            records: self.take(table)?,
            touched: Vec::new(),
        })
    }

    pub(crate) fn rows<N: Key + Copy + From<u32> + Into<u32>, T: DeserializeOwned>(
        &mut self,
        table: Table,
    ) -> Result<Rows<N, T>, RestoreError> {
        let mut rows = Rows::new();
        for (number, record) in self.take::<N, T>(table)? {
            if number.into() != rows.len() {
                return Err(RestoreError(format!(
                    "The record {}/{} is missing.",
                    table.name(),
                    rows.len()
                )));
            }
            rows.push(record);
        }
        rows.touched.clear();
        Ok(rows)
    }
}
