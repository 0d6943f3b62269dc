//! One partner account being served: its state behind one short lock, its clock, its journal.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use secmon_engine::{Account, AccountSettings, Instant};
use serde_json::{Value, json};

use super::entry::{Entry, Expires, Origin};
use crate::observation::journal::Journal;
use crate::observation::notices::history::CallHistory;
use crate::playbooks::watch::Watch;
use crate::values::lock::lock;

/// An account that answers calls.
#[derive(Debug)]
pub(crate) struct SharedAccount {
    /// Settings do not change while an account lives, so they are read without the lock.
    settings: AccountSettings,
    order: u64,
    origin: Origin,
    expires_at: Option<Expires>,
    clock_offset_ms: AtomicU64,
    account: Mutex<Account>,
    journal: Mutex<Journal>,
    history: Mutex<CallHistory>,
    /// Who looks on, where the account is a playbook's.
    watch: OnceLock<Arc<Mutex<Watch>>>,
}

impl SharedAccount {
    pub(crate) fn new(account: Account, entry: Entry) -> Self {
        Self {
            settings: account.settings().clone(),
            order: entry.order,
            origin: entry.origin,
            expires_at: entry.expires_at,
            clock_offset_ms: AtomicU64::new(entry.clock_offset_ms),
            account: Mutex::new(account),
            journal: Mutex::default(),
            history: Mutex::default(),
            watch: OnceLock::new(),
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.settings.name
    }

    pub(crate) fn settings(&self) -> &AccountSettings {
        &self.settings
    }

    pub(crate) fn entry(&self) -> Entry {
        Entry {
            order: self.order,
            clock_offset_ms: self.clock_offset_ms.load(Ordering::Relaxed),
            origin: self.origin,
            expires_at: self.expires_at,
        }
    }

    /// The account's time when the server's clock shows `server_now`.
    pub(crate) fn time(&self, server_now: Instant) -> Instant {
        server_now.plus(self.clock_offset())
    }

    pub(crate) fn clock_offset(&self) -> Duration {
        Duration::from_millis(self.clock_offset_ms.load(Ordering::Relaxed))
    }

    /// Sets how far the account's clock is ahead of the server's.
    pub(crate) fn set_clock_offset(&self, offset: Duration) {
        let millis = u64::try_from(offset.as_millis()).unwrap_or(u64::MAX);
        self.clock_offset_ms.store(millis, Ordering::Relaxed);
    }

    /// The account itself. The lock is short: it is never held while waiting for anything.
    pub(crate) fn lock(&self) -> MutexGuard<'_, Account> {
        lock(&self.account)
    }

    pub(crate) fn journal(&self) -> MutexGuard<'_, Journal> {
        lock(&self.journal)
    }

    /// What its later calls are held against.
    pub(crate) fn history(&self) -> MutexGuard<'_, CallHistory> {
        lock(&self.history)
    }

    /// As lists and events have it.
    pub(crate) fn shown(&self) -> Value {
        let settings = &self.settings;
        json!({
            "name": settings.name,
            "portal_domain": settings.portal_domain,
            "sandbox": settings.sandbox.is_on(),
            "suspended": settings.suspended.is_on(),
        })
    }

    /// Lets a playbook look on from now on.
    pub(crate) fn watched_by(&self, watch: Arc<Mutex<Watch>>) {
        let _ = self.watch.set(watch);
    }

    pub(crate) fn watch(&self) -> Option<MutexGuard<'_, Watch>> {
        self.watch.get().map(|watch| lock(watch))
    }
}

/// Whether an account that was read from somewhere is the one of this name.
pub(crate) fn is_named(account: &Account, name: &str) -> bool {
    account.settings().name == name
}
