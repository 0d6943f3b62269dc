//! Accounts that are made, removed, or taken back to their start (M3, M4).

use std::sync::Arc;
use std::time::Duration;

use secmon_engine::{Account, AccountSettings};

use super::accounts::Accounts;
use super::entry::{Entry, Expires, Origin, Removed};
use super::options::TenantOptions;
use super::records::{
    ServerRecord, entry_put, moment_put, removals, removed_put, removed_puts, unsaved_account,
    whole_account,
};
use super::registry::{Registry, base_settings, configured_account, unknown_account};
use super::shared::SharedAccount;
use crate::configuration::checks;
use crate::observation::notices::history::CallHistory;
use crate::store::commit::Commit;
use crate::store::record::Put;
use crate::values::admin_error::AdminError;

/// An account just made, with its first key.
pub(crate) struct NewAccount {
    pub(crate) shared: Arc<SharedAccount>,
    pub(crate) api_key: String,
}

/// What an account is made from, before the options are looked at.
struct Beginning {
    settings: AccountSettings,
    /// The account that it is a copy of.
    original: Option<Arc<SharedAccount>>,
}

impl Beginning {
    fn account(&self, options: &TenantOptions) -> Result<Account, AdminError> {
        let settings = options.clone().settings(self.settings.clone());
        let Some(original) = &self.original else {
            return Ok(Account::new(settings));
        };
        let copied = original.lock().copied(settings);
        copied.map_err(|error| AdminError::Conflict(error.to_string()))
    }

    fn clock_offset_ms(&self) -> u64 {
        let original = self.original.as_ref();
        original.map_or(0, |original| original.entry().clock_offset_ms)
    }
}

impl Accounts {
    /// Makes an account of its own, so that tests run side by side on one server.
    pub(crate) fn add_account(
        &self,
        options: TenantOptions,
    ) -> Result<(NewAccount, Commit), AdminError> {
        options.check()?;
        let beginning = self.beginning(&options)?;
        let mut account = beginning.account(&options)?;
        let api_key = account.issue_key();
        let clock_offset_ms = beginning.clock_offset_ms();
        if let Some(fixtures) = &options.fixtures {
            let now = self.now().plus(Duration::from_millis(clock_offset_ms));
            fixtures.apply(&mut account, now)?;
        }
        let entry = Entry {
            clock_offset_ms,
            expires_at: options.expires_in.map(Expires::after),
            ..Entry::of(Origin::Made)
        };
        let mut registry = self.registry_mut();
        // Somebody may have taken the name meanwhile.
        free_name(&registry, beginning.settings.name)?;
        let shared = registry.add(account, entry);
        if entry.expires_at.is_some() {
            self.expiries.tell();
        }
        let mut changes = vec![self.server_record(&registry).put()];
        // Nothing of a copy was saved under its name.
        changes.extend(whole_account(&shared));
        shared.lock().forget_changes();
        let commit = self.store.save(changes);
        Ok((NewAccount { shared, api_key }, commit))
    }

    /// What a new account begins with. It is filled without the lock, since calls of others wait for that.
    fn beginning(&self, options: &TenantOptions) -> Result<Beginning, AdminError> {
        let mut registry = self.registry_mut();
        let original = options.like.as_ref().map(|like| registry.named(like));
        let original = original.transpose()?;
        let name = match &options.name {
            Some(name) => free_name(&registry, name.clone())?,
            None => registry.made_up_name(self.seed()),
        };
        let seed = registry.seed_for(&name, self.seed());
        let own = base_settings(&self.settings, &name, seed);
        let settings = match &original {
            Some(original) => AccountSettings {
                name: own.name,
                portal_domain: own.portal_domain,
                seed,
                ..original.settings().clone()
            },
            None => own,
        };
        Ok(Beginning { settings, original })
    }

    /// Removes an account with all its records; its keys are unknown from now on (M3).
    pub(crate) fn remove_account(&self, name: &str) -> Result<Commit, AdminError> {
        let mut registry = self.registry_mut();
        let shared = registry.remove(name).ok_or_else(|| unknown_account(name))?;
        self.faults().clear_account(name);
        let mut changes = removals(&shared);
        changes.extend(removed_put(&registry, name));
        Ok(self.store.save(changes))
    }

    /// Everything back to the start (M3).
    pub(crate) fn reset(&self) -> Commit {
        let mut registry = self.registry_mut();
        let mut changes: Vec<Put> = registry
            .accounts()
            .into_iter()
            .flat_map(|shared| removals(shared))
            .chain(removed_puts(&registry).map(Put::removal))
            .collect();
        self.faults().clear();
        self.unattributed().clear();
        self.rejected_key.clear();
        self.restart_counters();
        *registry = Registry::new(0, Removed::new());
        for tenant in self.settings.config.tenants() {
            let account = configured_account(&self.settings, &tenant, self.seed());
            let shared = registry.add(account, Entry::of(Origin::Configured));
            changes.extend(unsaved_account(&shared));
        }
        if let Some(first) = registry.accounts().first() {
            // The start applied them already; what cannot be applied now leaves the account empty.
            let _ = self.fill(first);
            changes.extend(unsaved_account(first));
        }
        changes.push(self.server_record(&registry).put());
        changes.push(moment_put(self.now()));
        self.store.save(changes)
    }

    /// Gives an account what `--fixtures` says.
    pub(super) fn fill(&self, first: &SharedAccount) -> Result<(), AdminError> {
        match &self.settings.fixtures {
            Some(fixtures) => fixtures.apply(&mut first.lock(), first.time(self.now())),
            None => Ok(()),
        }
    }

    /// One account back to its start; its keys stay (M3).
    pub(crate) fn reset_account(&self, name: &str) -> Result<Commit, AdminError> {
        let shared = self.account(name)?;
        self.faults().clear_account(name);
        shared.journal().clear();
        *shared.history() = CallHistory::default();
        let mut account = shared.lock();
        account.reset();
        if let Some(mut watch) = shared.watch() {
            watch.end();
        }
        shared.set_clock_offset(Duration::ZERO);
        Ok(self.save_with_entry(&shared, &mut account))
    }

    pub(crate) fn account(&self, name: &str) -> Result<Arc<SharedAccount>, AdminError> {
        self.registry().named(name)
    }

    pub(super) fn server_record(&self, registry: &Registry) -> ServerRecord {
        ServerRecord {
            seed: self.seed(),
            clock_offset_ms: self.clock_offset_ms(),
            made_up_names: registry.made_up_names,
        }
    }

    /// Hands over what changed in an account, and its own clock.
    pub(super) fn save_with_entry(&self, shared: &SharedAccount, account: &mut Account) -> Commit {
        let entry = entry_put(shared.name(), Some(shared.entry()));
        // The store applies changes in order: the last commit stands for all before it.
        drop(self.store.save(vec![entry]));
        self.save(shared.name(), account)
    }
}

fn free_name(registry: &Registry, name: String) -> Result<String, AdminError> {
    checks::account_name(&name)
        .map_err(|reason| AdminError::BadInput(format!("The name {reason}.")))?;
    match registry.account(&name) {
        Some(_) => Err(AdminError::Conflict(format!(
            "The name `{name}` is taken; choose another one."
        ))),
        None => Ok(name),
    }
}
