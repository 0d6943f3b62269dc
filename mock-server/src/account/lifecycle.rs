//! Accounts that are made, removed, or taken back to their start (M3, M4).

use std::sync::Arc;
use std::time::Duration;

use secmon_engine::{Account, AccountSettings};

use super::accounts::Accounts;
use super::admin_error::AdminError;
use super::entry::{Entry, Expires, Origin, Removed};
use super::options::TenantOptions;
use super::records::{
    ServerRecord, moment_put, partner_put, removals, removed_put, removed_puts, unsaved_account,
    whole_account,
};
use super::registry::{Registry, base_settings, configured_account};
use super::shared::Partner;
use crate::configuration::checks;
use crate::observation::notices::history::CallHistory;
use crate::store::commit::Commit;
use crate::store::record::Put;

/// An account just made, with its first key.
pub(crate) struct NewTenant {
    pub(crate) partner: Arc<Partner>,
    pub(crate) api_key: String,
}

/// What an account is made from, before the options are looked at.
struct Beginning {
    settings: AccountSettings,
    /// The account that it is a copy of.
    original: Option<Arc<Partner>>,
}

impl Beginning {
    fn account(&self, options: &TenantOptions) -> Result<Account, AdminError> {
        let settings = options.clone().settings(self.settings.clone());
        let Some(original) = &self.original else {
            return Ok(Account::new(settings));
        };
        let copied = original.account().copied(settings);
        copied.map_err(|error| AdminError::Conflict(error.to_string()))
    }

    fn clock_offset_ms(&self) -> u64 {
        let original = self.original.as_ref();
        original.map_or(0, |original| original.entry().clock_offset_ms)
    }
}

impl Accounts {
    /// Makes an account of its own, so that tests run side by side on one server.
    pub(crate) fn add_tenant(
        &self,
        options: TenantOptions,
    ) -> Result<(NewTenant, Commit), AdminError> {
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
        let partner = registry.add(account, entry);
        if entry.expires_at.is_some() {
            self.expiries.tell();
        }
        let mut changes = vec![self.server_record(&registry).put()];
        // Nothing of a copy was saved under its name.
        changes.extend(whole_account(&partner));
        partner.account().forget_changes();
        let commit = self.store.save(changes);
        Ok((NewTenant { partner, api_key }, commit))
    }

    /// What a new account begins with. It is filled without the lock, since calls of others wait for that.
    fn beginning(&self, options: &TenantOptions) -> Result<Beginning, AdminError> {
        let mut registry = self.registry_mut();
        let named = |like: &String| {
            registry
                .partner(like)
                .cloned()
                .ok_or_else(|| unknown_tenant(like))
        };
        let original = options.like.as_ref().map(named).transpose()?;
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
    pub(crate) fn remove_tenant(&self, name: &str) -> Result<Commit, AdminError> {
        let mut registry = self.registry_mut();
        let partner = registry.remove(name).ok_or_else(|| unknown_tenant(name))?;
        self.faults().clear_tenant(name);
        let mut changes = removals(&partner);
        changes.extend(removed_put(&registry, name));
        Ok(self.store.save(changes))
    }

    /// Everything back to the start (M3).
    pub(crate) fn reset(&self) -> Commit {
        let mut registry = self.registry_mut();
        let mut changes: Vec<Put> = registry
            .partners()
            .into_iter()
            .flat_map(|partner| removals(partner))
            .chain(removed_puts(&registry).map(Put::removal))
            .collect();
        self.faults().clear();
        self.unattributed().clear();
        self.rejected_key.clear();
        self.restart_counters();
        *registry = Registry::new(0, Removed::new());
        for tenant in self.settings.config.tenants() {
            let account = configured_account(&self.settings, &tenant, self.seed());
            let partner = registry.add(account, Entry::of(Origin::Configured));
            changes.extend(unsaved_account(&partner));
        }
        if let Some(first) = registry.partners().first() {
            // The start applied them already; what cannot be applied now leaves the account empty.
            let _ = self.fill(first);
            changes.extend(unsaved_account(first));
        }
        changes.push(self.server_record(&registry).put());
        changes.push(moment_put(self.now()));
        self.store.save(changes)
    }

    /// Gives an account what `--fixtures` says.
    pub(super) fn fill(&self, first: &Partner) -> Result<(), AdminError> {
        match &self.settings.fixtures {
            Some(fixtures) => fixtures.apply(&mut first.account(), first.time(self.now())),
            None => Ok(()),
        }
    }

    /// One account back to its start; its keys stay (M3).
    pub(crate) fn reset_tenant(&self, name: &str) -> Result<Commit, AdminError> {
        let partner = self.partner(name)?;
        self.faults().clear_tenant(name);
        partner.journal().clear();
        *partner.history() = CallHistory::default();
        let mut account = partner.account();
        account.reset();
        if let Some(mut watch) = partner.watch() {
            watch.end();
        }
        partner.set_clock_offset(Duration::ZERO);
        Ok(self.save_with_entry(&partner, &mut account))
    }

    pub(crate) fn partner(&self, name: &str) -> Result<Arc<Partner>, AdminError> {
        self.registry()
            .partner(name)
            .cloned()
            .ok_or_else(|| unknown_tenant(name))
    }

    pub(super) fn server_record(&self, registry: &Registry) -> ServerRecord {
        ServerRecord {
            seed: self.seed(),
            clock_offset_ms: self.clock_offset_ms(),
            made_up_names: registry.made_up_names,
        }
    }

    /// Hands over what changed in an account, and its own clock.
    pub(super) fn save_with_entry(&self, partner: &Partner, account: &mut Account) -> Commit {
        let entry = partner_put(partner.name(), Some(partner.entry()));
        // The store applies changes in order: the last commit stands for all before it.
        drop(self.store.save(vec![entry]));
        self.save(partner.name(), account)
    }
}

fn free_name(registry: &Registry, name: String) -> Result<String, AdminError> {
    checks::account_name(&name)
        .map_err(|reason| AdminError::BadInput(format!("The name {reason}.")))?;
    match registry.partner(&name) {
        Some(_) => Err(AdminError::Conflict(format!(
            "The name `{name}` is taken; choose another one."
        ))),
        None => Ok(name),
    }
}

pub(super) fn unknown_tenant(name: &str) -> AdminError {
    AdminError::Unknown(format!("There is no account `{name}`."))
}
