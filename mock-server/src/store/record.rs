//! Records, as they go into a store and come back.

use secmon_engine::Change;

/// Where a record is kept: whose it is, in which table, under which key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    /// The account's name; empty for the records of the server itself.
    pub(crate) owner: String,
    /// The table's name.
    pub(crate) table: String,
    /// The record's key in that table.
    pub(crate) key: String,
}

/// A record that was written or, without a value, removed.
#[derive(Clone)]
pub(crate) struct Put {
    pub(crate) place: Place,
    pub(crate) value: Option<Vec<u8>>,
}

/// A record as it was read back.
#[derive(Clone)]
pub(crate) struct Kept {
    pub(crate) place: Place,
    pub(crate) value: Vec<u8>,
}

impl Put {
    /// What the engine says about a record of an account.
    pub(crate) fn of(owner: &str, change: Change) -> Self {
        let (owner, table) = (owner.to_owned(), change.table.name().to_owned());
        let (key, value) = (change.key, change.value);
        let place = Place { owner, table, key };
        Self { place, value }
    }

    /// Takes the same record out of the store.
    pub(crate) fn removal(self) -> Self {
        let (place, value) = (self.place, None);
        Self { place, value }
    }
}
