//! Durable state: memory is the truth, the store keeps what changed, and a change is answered for
//! only after it is committed.

#[cfg(feature = "durable")]
mod checksum;
mod commit;
#[cfg(feature = "durable")]
mod commits;
#[cfg(feature = "durable")]
mod file;
#[cfg(not(feature = "durable"))]
#[path = "no_file.rs"]
mod file;
#[cfg(feature = "durable")]
mod state_file;
#[cfg(feature = "durable")]
mod watched;
#[cfg(feature = "durable")]
mod writer;

use secmon_engine::{Account, Change};

pub(crate) use commit::{Commit, NotSaved, wait};
pub(crate) use file::{open, open_to_read};
#[cfg(feature = "durable")]
pub(crate) use writer::FileStore;

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

/// Where changes go.
pub(crate) trait Store: Send + Sync {
    /// Hands changes over, in order; the commit tells when they, and all that was handed over
    /// before, are durable. Does not block.
    fn save(&self, changes: Vec<Put>) -> Commit;

    /// Hands over what changed in an account, and `beside` it where something did. Called with the
    /// account's lock held, so that the order of changes in the store is their order in memory.
    fn save_account(&self, name: &str, account: &mut Account, beside: &dyn Fn() -> Put) -> Commit;

    /// Tells when all that was handed over so far is durable: whatever is said about the state in
    /// memory may be said then.
    fn settled(&self) -> Commit {
        self.save(Vec::new())
    }

    /// The same, and whether what is durable is still in its place.
    fn checked(&self) -> Commit;

    /// Saves what was handed over and gives the file back. Later changes are refused.
    fn close(&self);
}

/// No durable state: what is in memory is all there is.
pub(crate) struct Memory;

impl Store for Memory {
    fn save(&self, _: Vec<Put>) -> Commit {
        Commit::done()
    }

    fn save_account(&self, _: &str, account: &mut Account, _: &dyn Fn() -> Put) -> Commit {
        account.forget_changes();
        Commit::done()
    }

    fn checked(&self) -> Commit {
        Commit::done()
    }

    fn close(&self) {}
}
