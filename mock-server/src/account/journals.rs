//! The journals of accounts (M1).

use super::accounts::Accounts;
use crate::observation::journal::Journal;
use crate::observation::notices::history::CallHistory;
use crate::values::admin_error::AdminError;

impl Accounts {
    /// Forgets the calls that a tenant filter selects, and what later ones are held against.
    pub(crate) fn clear_journals(&self, tenant: Option<&str>) -> Result<(), AdminError> {
        self.with_journals(tenant, |name, journal| {
            journal.clear();
            name.map(str::to_owned)
        })?
        .into_iter()
        .flatten()
        .filter_map(|name| self.account(&name).ok())
        .for_each(|shared| *shared.history() = CallHistory::default());
        Ok(())
    }

    /// The journals that a tenant filter selects: one account's, or all.
    pub(crate) fn with_journals<T>(
        &self,
        tenant: Option<&str>,
        mut visit: impl FnMut(Option<&str>, &mut Journal) -> T,
    ) -> Result<Vec<T>, AdminError> {
        match tenant {
            Some(name) => Ok(vec![visit(tenant, &mut self.account(name)?.journal())]),
            None => {
                let registry = self.registry();
                let mut seen: Vec<T> = registry
                    .accounts()
                    .into_iter()
                    .map(|shared| visit(Some(shared.name()), &mut shared.journal()))
                    .collect();
                seen.push(visit(None, &mut self.unattributed()));
                Ok(seen)
            }
        }
    }
}
