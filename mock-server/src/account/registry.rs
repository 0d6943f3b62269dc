//! Which accounts there are and whose keys are whose.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use secmon_engine::{Account, AccountSettings, Switch, made_up_name, seed_after};
use uuid::Uuid;

use super::entry::{Entry, Removed};
use crate::account::shared::SharedAccount;
use crate::configuration::checks;
use crate::configuration::config::TenantConfig;
use crate::configuration::settings::{RateLimit, Settings};
use crate::observation::journal::redaction::is_made_key;
use crate::values::admin_error::AdminError;

/// The key that exists but resolves to no account (A2).
const ORPHAN_KEY: &str = "test_key_orphan";

/// Whose a key is.
#[derive(Clone, Debug)]
pub(crate) enum Holder {
    /// An account's; with the key's id.
    Account(Arc<SharedAccount>, Uuid),
    /// The key exists and resolves to no account.
    Nobody,
}

impl Holder {
    pub(crate) fn account(&self) -> Option<&Arc<SharedAccount>> {
        match self {
            Self::Account(shared, _) => Some(shared),
            Self::Nobody => None,
        }
    }
}

/// The accounts of a server.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    accounts: BTreeMap<String, Arc<SharedAccount>>,
    keys: HashMap<String, Holder>,
    /// Keys whose text somebody chose, also those that were revoked: no pattern tells what they
    /// are, and the journal must not keep them (M6).
    chosen_keys: BTreeSet<String>,
    next_order: u64,
    /// How many accounts of each name were removed: the next one must not give out what they gave.
    removed: Removed,
    /// How many names were made up since the start or the last reset (M9).
    pub(super) made_up_names: u32,
}

impl Registry {
    /// No account yet, and the key of nobody.
    pub(super) fn new(made_up_names: u32, removed: Removed) -> Self {
        Self {
            removed,
            keys: HashMap::from([(ORPHAN_KEY.to_owned(), Holder::Nobody)]),
            chosen_keys: BTreeSet::from([ORPHAN_KEY.to_owned()]),
            made_up_names,
            ..Self::default()
        }
    }

    /// The same, of a file or a document.
    pub(super) fn with_history(made_up_names: u32, removed: Removed) -> Result<Self, String> {
        checks::count(made_up_names).map_err(|reason| format!("made_up_names {reason}."))?;
        for (name, times) in &removed {
            checks::account_name(name)
                .map_err(|reason| format!("The name of a removed account {reason}."))?;
            checks::count(*times)
                .map_err(|reason| format!("How often `{name}` was removed {reason}."))?;
        }
        Ok(Self::new(made_up_names, removed))
    }

    /// Whose this key is, if anybody knows it.
    pub(crate) fn holder(&self, key: &str) -> Option<&Holder> {
        self.keys.get(key)
    }

    /// The journal shows the keys of another registry no more than its own.
    pub(super) fn keep_out_keys_of(&mut self, other: &Self) {
        self.chosen_keys.extend(other.chosen_keys.iter().cloned());
    }

    pub(crate) fn chosen_keys(&self) -> impl Iterator<Item = &str> {
        self.chosen_keys.iter().map(String::as_str)
    }

    pub(crate) fn account(&self, name: &str) -> Option<&Arc<SharedAccount>> {
        self.accounts.get(name)
    }

    /// The account of this name; it is an error of the admin API that there is none.
    pub(crate) fn named(&self, name: &str) -> Result<Arc<SharedAccount>, AdminError> {
        let named = self.account(name).cloned();
        named.ok_or_else(|| unknown_account(name))
    }

    /// Every account, by name.
    pub(crate) fn all_accounts(&self) -> impl Iterator<Item = &Arc<SharedAccount>> {
        self.accounts.values()
    }

    /// Every account, oldest first.
    pub(crate) fn accounts(&self) -> Vec<&Arc<SharedAccount>> {
        let mut accounts: Vec<_> = self.accounts.values().collect();
        accounts.sort_by_key(|shared| shared.entry().order);
        accounts
    }

    /// Whether an account has this portal domain.
    #[cfg(feature = "tls")]
    pub(crate) fn has_portal_domain(&self, name: &str) -> bool {
        let mut accounts = self.accounts.values();
        accounts.any(|shared| shared.settings().portal_domain.eq_ignore_ascii_case(name))
    }

    /// Takes on an account that exists already, with its keys.
    pub(super) fn adopt(&mut self, account: Account, entry: Entry) -> Arc<SharedAccount> {
        self.take_on(SharedAccount::new(account, entry))
    }

    fn take_on(&mut self, shared: SharedAccount) -> Arc<SharedAccount> {
        let entry = shared.entry();
        let keys: Vec<(Uuid, String)> = shared
            .lock()
            .keys()
            .map(|(id, text)| (id, text.to_owned()))
            .collect();
        let shared = Arc::new(shared);
        for (id, text) in keys {
            if !is_made_key(&text) {
                self.chosen_keys.insert(text.clone());
            }
            self.keys
                .insert(text, Holder::Account(Arc::clone(&shared), id));
        }
        self.next_order = self.next_order.max(entry.order + 1);
        self.accounts
            .insert(shared.name().to_owned(), Arc::clone(&shared));
        shared
    }

    /// Takes on an account that a file or a document has, if the admin API would take it.
    pub(super) fn admit(&mut self, account: Account, entry: Entry) -> Result<(), String> {
        self.check(&account, entry)?;
        self.adopt(account, entry);
        Ok(())
    }

    /// Whether an account may be taken on, in the place of the one of its name if there is one.
    pub(super) fn check(&self, account: &Account, entry: Entry) -> Result<(), String> {
        let settings = account.settings();
        let wrong = |reason: String| format!("Account `{}`: {reason}.", settings.name);
        // The name stands in the sentence only once it is known to be one.
        checks::account_name(&settings.name)
            .map_err(|reason| format!("The name of an account {reason}."))?;
        checks::settings(settings).map_err(wrong)?;
        for (_, key) in account.keys() {
            checks::api_key(key).map_err(|reason| wrong(format!("a key {reason}")))?;
            if let Some(Holder::Account(other, _)) = self.keys.get(key)
                && other.name() != settings.name
            {
                let reason = format!("the account `{}` has one of its keys", other.name());
                return Err(wrong(reason));
            }
        }
        checks::count(entry.order).map_err(|reason| wrong(format!("order: {reason}")))
    }

    /// Puts an account in the place of the one of its name.
    pub(super) fn replace(&mut self, old: &Arc<SharedAccount>, new: SharedAccount) {
        self.forget_keys_of(old);
        self.take_on(new);
    }

    fn forget_keys_of(&mut self, shared: &Arc<SharedAccount>) {
        self.keys.retain(|_, holder| match holder {
            Holder::Account(owner, _) => !Arc::ptr_eq(owner, shared),
            Holder::Nobody => true,
        });
    }

    /// Adds a new account, the youngest of all.
    pub(super) fn add(&mut self, account: Account, entry: Entry) -> Arc<SharedAccount> {
        let order = self.next_order;
        self.adopt(account, Entry { order, ..entry })
    }

    /// What an account of this name derives its ids and keys from.
    pub(super) fn seed_for(&self, name: &str, seed: u64) -> u64 {
        seed_after(seed, self.removed.get(name).copied().unwrap_or(0))
    }

    pub(super) fn removed(&self) -> &Removed {
        &self.removed
    }

    /// Removes an account; its keys are unknown from now on.
    pub(super) fn remove(&mut self, name: &str) -> Option<Arc<SharedAccount>> {
        let shared = self.accounts.remove(name)?;
        self.forget_keys_of(&shared);
        *self.removed.entry(name.to_owned()).or_default() += 1;
        Some(shared)
    }

    pub(super) fn add_key(&mut self, shared: &Arc<SharedAccount>, id: Uuid, text: &str) {
        self.keys
            .insert(text.to_owned(), Holder::Account(Arc::clone(shared), id));
    }

    pub(super) fn remove_key(&mut self, text: &str) {
        self.keys.remove(text);
    }

    /// A name for an account whose maker gave none (M4, M9).
    pub(super) fn made_up_name(&mut self, seed: u64) -> String {
        loop {
            let name = made_up_name(seed, self.made_up_names);
            self.made_up_names += 1;
            if !self.accounts.contains_key(&name) {
                return name;
            }
        }
    }
}

/// The settings that every account of this server starts from.
pub(super) fn base_settings(server: &Settings, name: &str, seed: u64) -> AccountSettings {
    AccountSettings {
        rate_limit: match server.rate_limit {
            RateLimit::On => Switch::On,
            RateLimit::Off => Switch::Off,
        },
        limits: server.config.limits,
        timings: server.config.timings,
        rate_limits: server.config.rate_limits,
        dns: lower_case_names(server),
        catalogue: server.config.products.clone(),
        scenario: server.scenario,
        ..AccountSettings::new(name, &portal_domain(name), seed)
    }
}

fn lower_case_names(server: &Settings) -> BTreeMap<String, std::net::IpAddr> {
    let names = server.config.dns.iter();
    names
        .map(|(name, address)| (name.to_ascii_lowercase(), *address))
        .collect()
}

fn portal_domain(name: &str) -> String {
    format!("portal.{name}.test")
}

/// The settings of an account from the configuration.
pub(super) fn configured_settings(
    server: &Settings,
    tenant: &TenantConfig,
    seed: u64,
) -> AccountSettings {
    let base = base_settings(server, &tenant.name, seed);
    AccountSettings {
        portal_domain: tenant.portal_domain.clone().unwrap_or(base.portal_domain),
        sandbox: tenant.sandbox.into(),
        suspended: tenant.suspended.into(),
        scenario: tenant.scenario.unwrap_or(base.scenario),
        ..base
    }
}

/// A new account from the configuration, with its keys.
pub(super) fn configured_account(server: &Settings, tenant: &TenantConfig, seed: u64) -> Account {
    let mut account = Account::new(configured_settings(server, tenant, seed));
    for key in &tenant.keys {
        account.add_key(key.expose());
    }
    account
}

pub(super) fn unknown_account(name: &str) -> AdminError {
    AdminError::Unknown(format!("There is no account `{name}`."))
}
