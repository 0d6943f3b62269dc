//! Where records are kept, so that none can change unseen.
//!
//! A record is only reached for writing through `edit`, `insert`, `push` or
//! `remove`, and each of them notes the record's key. What is noted is what a
//! store has to write.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, Index};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A key of a table, and its text.
pub(crate) trait Key: Clone + Ord {
    fn text(&self) -> String;
    fn parse(text: &str) -> Option<Self>;
}

impl Key for () {
    fn text(&self) -> String {
        "account".to_owned()
    }

    fn parse(text: &str) -> Option<Self> {
        (text == "account").then_some(())
    }
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

/// The text of a record's key, with its content as JSON text where there is one.
pub(crate) type Row = (String, Option<Vec<u8>>);

/// The rows of a table as a store has them.
pub(crate) type StoredRows = BTreeMap<String, Vec<u8>>;

/// What every kind of table can do for a store.
pub(crate) trait Storage: Sized {
    type Key: Key;
    type Record: Serialize;

    /// The keys of the records that changed, in any order, some twice.
    fn touched(&mut self) -> &mut Vec<Self::Key>;
    fn record(&self, key: &Self::Key) -> Option<&Self::Record>;
    fn every_key(&self) -> Vec<Self::Key>;
    /// Builds the table `name` from its stored rows.
    fn restore(name: &str, rows: StoredRows) -> Result<Self, RestoreError>;

    /// The keys of the records that changed since the last time they were taken or forgotten.
    fn changed_keys(&mut self) -> &[Self::Key] {
        let touched = self.touched();
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    /// Those records.
    fn changes(&mut self) -> Vec<Row> {
        let keys = self.changed_keys().to_vec();
        keys.iter().map(|key| self.row(key)).collect()
    }

    /// The same, which are taken by it.
    fn take_changes(&mut self) -> Vec<Row> {
        let rows = self.changes();
        self.touched().clear();
        rows
    }

    /// Forgets what changed, when nobody stores it.
    fn forget_changes(&mut self) {
        self.touched().clear();
    }

    /// Every record, as if all of them had changed.
    fn every_row(&self) -> Vec<Row> {
        let keys = self.every_key();
        keys.iter().map(|key| self.row(key)).collect()
    }

    fn row(&self, key: &Self::Key) -> Row {
        let json = |record| {
            serde_json::to_vec(record).expect("records have text keys and no failing serializer")
        };
        (key.text(), self.record(key).map(json))
    }
}

/// One record that is always there.
#[derive(Clone, Debug)]
pub(crate) struct Single<T> {
    value: T,
    touched: Vec<()>,
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

impl<T: Serialize + DeserializeOwned> Storage for Single<T> {
    type Key = ();
    type Record = T;

    fn touched(&mut self) -> &mut Vec<()> {
        &mut self.touched
    }

    fn record(&self, _: &()) -> Option<&T> {
        Some(&self.value)
    }

    fn every_key(&self) -> Vec<()> {
        vec![()]
    }

    fn restore(name: &str, rows: StoredRows) -> Result<Self, RestoreError> {
        let mut records = read::<(), T>(name, rows)?;
        let value = records
            .remove(&())
            .ok_or_else(|| missing(name, &().text()))?;
        Ok(Self {
            value,
            touched: Vec::new(),
        })
    }
}

/// Records that come and go.
#[derive(Clone, Debug)]
pub(crate) struct Map<K, V> {
    records: BTreeMap<K, V>,
    touched: Vec<K>,
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Self {
            records: BTreeMap::new(),
            touched: Vec::new(),
        }
    }
}

impl<K: Key, V> Map<K, V> {
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

impl<K: Key, V: Serialize + DeserializeOwned> Storage for Map<K, V> {
    type Key = K;
    type Record = V;

    fn touched(&mut self) -> &mut Vec<K> {
        &mut self.touched
    }

    fn record(&self, key: &K) -> Option<&V> {
        self.records.get(key)
    }

    fn every_key(&self) -> Vec<K> {
        self.records.keys().cloned().collect()
    }

    fn restore(name: &str, rows: StoredRows) -> Result<Self, RestoreError> {
        Ok(Self {
            records: read(name, rows)?,
            touched: Vec::new(),
        })
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

/// The number of a record of [`Rows`].
pub(crate) trait Number: Key + Copy + From<u32> + Into<u32> {}

impl<N: Key + Copy + From<u32> + Into<u32>> Number for N {}

impl<N, T> Default for Rows<N, T> {
    fn default() -> Self {
        Self {
            chunks: Vec::new(),
            touched: Vec::new(),
        }
    }
}

impl<N: Number, T> Rows<N, T> {
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

impl<N: Number, T> Index<N> for Rows<N, T> {
    type Output = T;

    fn index(&self, number: N) -> &T {
        let place = number.into() as usize;
        &self.chunks[place / CHUNK][place % CHUNK]
    }
}

impl<N: Number, T: Serialize + DeserializeOwned> Storage for Rows<N, T> {
    type Key = N;
    type Record = T;

    fn touched(&mut self) -> &mut Vec<N> {
        &mut self.touched
    }

    fn record(&self, number: &N) -> Option<&T> {
        self.get(*number)
    }

    fn every_key(&self) -> Vec<N> {
        self.numbers().collect()
    }

    fn restore(name: &str, rows: StoredRows) -> Result<Self, RestoreError> {
        let mut table = Self::default();
        for (number, record) in read::<N, T>(name, rows)? {
            if number.into() != table.len() {
                return Err(missing(name, &table.len().to_string()));
            }
            table.push(record);
        }
        table.forget_changes();
        Ok(table)
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

fn missing(table: &str, key: &str) -> RestoreError {
    RestoreError(format!("The record {table}/{key} is missing."))
}

/// The records of the table `name`; a key must be written as this version
/// writes it.
fn read<K: Key, V: DeserializeOwned>(
    name: &str,
    rows: StoredRows,
) -> Result<BTreeMap<K, V>, RestoreError> {
    rows.into_iter()
        .map(|(text, value)| {
            let broken = |reason: &dyn fmt::Display| {
                RestoreError(format!(
                    "The record {name}/{text} cannot be read: {reason}."
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
