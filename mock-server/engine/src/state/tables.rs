//! The tables of an account's state. This is the one list of them: what is not
//! on it is not durable.

use std::collections::BTreeMap;
use std::fmt;

use crate::settings::AccountSettings;
use crate::state::records::{
    ApiKey, Controls, Customer, Domain, DomainAlert, Endpoint, ManualScans, PortAlert, Price,
    PriceKey, Rule, ServiceKey, SsoToken, Subscription, SubscriptionKey,
};
use crate::state::storage::{
    AlertNo, CustomerNo, DomainAlertNo, DomainNo, EndpointNo, Key, KeyNo, Map, RestoreError, Row,
    Rows, RuleNo, Single, Storage, StoredRows, TokenNo,
};
use crate::world::{DomainFindings, PortSet};

/// Makes the list: each table has a name in code, a stable name in stores and
/// exported state, which is its field's, and a kind.
macro_rules! tables {
    (
        always there { $($(#[$single_doc:meta])* $single:ident $single_field:ident: $record:ty,)* }
        come and go { $($(#[$doc:meta])* $table:ident $field:ident: $kind:ty,)* }
    ) => {
        /// The tables of an account's durable state.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Table {
            $($(#[$single_doc])* $single,)*
            $($(#[$doc])* $table,)*
        }

        impl Table {
            const ALL: &[Self] = &[$(Self::$single,)* $(Self::$table,)*];

            /// The stable name of the table, in stores and in exported state.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$single => stringify!($single_field),)*
                    $(Self::$table => stringify!($field),)*
                }
            }
        }

        /// The records of an account, by table.
        pub(crate) struct Records {
            $(pub(crate) $single_field: Single<$record>,)*
            $(pub(crate) $field: $kind,)*
        }

        impl Records {
            pub(crate) fn new($($single_field: $record,)*) -> Self {
                Self {
                    $($single_field: Single::new($single_field),)*
                    $($field: Default::default(),)*
                }
            }

            /// Removes every record that can come and go.
            pub(crate) fn clear(&mut self) {
                $(self.$field.clear();)*
            }

            /// What changed and was not taken or forgotten yet.
            pub(crate) fn changes(&mut self) -> Vec<Change> {
                let mut changes = Vec::new();
                $(changes.extend(in_table(Table::$single, self.$single_field.changes()));)*
                $(changes.extend(in_table(Table::$table, self.$field.changes()));)*
                changes
            }

            /// Which records changed and were not taken or forgotten yet.
            pub(crate) fn changed(&mut self) -> Vec<ChangedRecord> {
                let mut changed = Vec::new();
                $(changed.extend(keys_in(Table::$single, self.$single_field.changed_keys()));)*
                $(changed.extend(keys_in(Table::$table, self.$field.changed_keys()));)*
                changed
            }

            /// What changed since this was asked last.
            pub(crate) fn take_changes(&mut self) -> Vec<Change> {
                let mut changes = Vec::new();
                $(changes.extend(in_table(Table::$single, self.$single_field.take_changes()));)*
                $(changes.extend(in_table(Table::$table, self.$field.take_changes()));)*
                changes
            }

            pub(crate) fn forget_changes(&mut self) {
                $(self.$single_field.forget_changes();)*
                $(self.$field.forget_changes();)*
            }

            /// Every record, as if all of them had changed.
            pub(crate) fn all(&self) -> Vec<Change> {
                let mut changes = Vec::new();
                $(changes.extend(in_table(Table::$single, self.$single_field.every_row()));)*
                $(changes.extend(in_table(Table::$table, self.$field.every_row()));)*
                changes
            }

            /// Reads all tables from what a store kept.
            pub(crate) fn restore(
                records: impl IntoIterator<Item = StoredRecord>,
            ) -> Result<Self, RestoreError> {
                let mut stored = by_table(records)?;
                Ok(Self {
                    $($single_field: restored(Table::$single, &mut stored)?,)*
                    $($field: restored(Table::$table, &mut stored)?,)*
                })
            }
        }
    };
}

tables! {
    always there {
        /// What the account was made with: one record.
        Settings settings: AccountSettings,
        /// What was set while it runs, and the counters of ids: one record.
        Controls controls: Controls,
    }
    come and go {
        /// API keys.
        Keys keys: Map<KeyNo, ApiKey>,
        /// Customers.
        Customers customers: Rows<CustomerNo, Customer>,
        /// Monitored servers.
        Endpoints endpoints: Rows<EndpointNo, Endpoint>,
        /// Ports that were set for one server, in place of the scenario's.
        EndpointWorlds endpoint_worlds: Map<EndpointNo, PortSet>,
        /// Manual scans in flight and cooldowns, by server.
        ManualScans manual_scans: Map<EndpointNo, ManualScans>,
        /// Services of the billing system that stand for a server.
        ServiceLinks service_links: Map<ServiceKey, EndpointNo>,
        /// Allowed Ports rules.
        Rules rules: Map<RuleNo, Rule>,
        /// Port alerts.
        PortAlerts port_alerts: Rows<AlertNo, PortAlert>,
        /// Subscriptions, with their pro-rata windows.
        Subscriptions subscriptions: Map<SubscriptionKey, Subscription>,
        /// Prices of products and plans.
        Prices prices: Map<PriceKey, Price>,
        /// Monitored domains, with their scan history and mentions.
        Domains domains: Map<DomainNo, Domain>,
        /// Findings that were set for one domain, in place of the scenario's.
        DomainWorlds domain_worlds: Map<DomainNo, DomainFindings>,
        /// Domain alerts.
        DomainAlerts domain_alerts: Map<DomainAlertNo, DomainAlert>,
        /// Sign-in tokens that were not used yet.
        SsoTokens sso_tokens: Map<TokenNo, SsoToken>,
    }
}

impl Table {
    /// The table with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|table| table.name() == name)
    }
}

/// Which record a call made, changed or removed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedRecord {
    /// Where the record is.
    pub table: Table,
    /// Its key, unique in the table.
    pub key: String,
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

fn keys_in<K: Key>(table: Table, keys: &[K]) -> impl Iterator<Item = ChangedRecord> {
    keys.iter().map(move |key| ChangedRecord {
        table,
        key: key.text(),
    })
}

fn in_table(table: Table, rows: Vec<Row>) -> impl Iterator<Item = Change> {
    rows.into_iter()
        .map(move |(key, value)| Change { table, key, value })
}

/// Stored records, each of which may be there once.
fn by_table(
    records: impl IntoIterator<Item = StoredRecord>,
) -> Result<BTreeMap<Table, StoredRows>, RestoreError> {
    let mut tables: BTreeMap<Table, StoredRows> = BTreeMap::new();
    for record in records {
        let name = format!("{record:?}");
        let rows = tables.entry(record.table).or_default();
        if rows.insert(record.key, record.value).is_some() {
            return Err(RestoreError(format!("The record {name} is there twice.")));
        }
    }
    Ok(tables)
}

fn restored<S: Storage>(
    table: Table,
    stored: &mut BTreeMap<Table, StoredRows>,
) -> Result<S, RestoreError> {
    S::restore(table.name(), stored.remove(&table).unwrap_or_default())
}
