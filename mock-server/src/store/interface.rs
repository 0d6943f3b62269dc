//! Where changes go.

use secmon_engine::Account;

use super::commit::Commit;
use super::record::Put;

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
