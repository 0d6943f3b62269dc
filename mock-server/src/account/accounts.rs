//! What all requests share: the accounts and whose keys are whose, the clock, the faults, the
//! journal of calls without an account, the store.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{
    Mutex, MutexGuard, OnceLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
};
use std::time::Duration;

use secmon_engine::{Account, Instant};

use super::records::{ServerRecord, moment_put};
use super::registry::Registry;
use crate::configuration::settings::Settings;
use crate::faults::placed::Faults;
use crate::observation::events::ring::Ring;
use crate::observation::journal::Journal;
use crate::observation::journal::query::Waiters;
use crate::observation::notices::rejected_key::RejectedKey;
use crate::store::commit::Commit;
use crate::store::interface::Store;
use crate::values::clock::SteadyClock;
use crate::values::lock::lock;
use crate::values::notifier::Notifier;

/// The accounts of a server, and what all of them share.
pub(crate) struct Accounts {
    pub(crate) settings: Settings,
    clock: SteadyClock,
    /// A state was there already, and won over the fixtures.
    pub(crate) fixtures_passed_over: bool,
    seed: AtomicU64,
    /// How far the server's clock is ahead of its time source; behind it, where an imported state is older (M2).
    clock_offset_ms: AtomicI64,
    registry: RwLock<Registry>,
    faults: Mutex<Faults>,
    /// Calls whose key is of no account.
    unattributed: Mutex<Journal>,
    /// The key that was refused last, whoever's it is.
    pub(crate) rejected_key: RejectedKey,
    /// Who waits for calls to come.
    pub(super) waiters: Mutex<Waiters>,
    /// What happens, once somebody has listened.
    events: OnceLock<Mutex<Ring>>,
    /// Tells of accounts that expire.
    pub(super) expiries: Notifier,
    calls: AtomicU64,
    pub(crate) store: Box<dyn Store>,
}

impl Accounts {
    pub(super) fn new(
        settings: Settings,
        server: ServerRecord,
        registry: Registry,
        store: Box<dyn Store>,
    ) -> Self {
        Self {
            clock: SteadyClock::new(settings.time),
            settings,
            fixtures_passed_over: false,
            seed: AtomicU64::new(server.seed),
            clock_offset_ms: AtomicI64::new(server.clock_offset_ms),
            registry: RwLock::new(registry),
            faults: Mutex::default(),
            unattributed: Mutex::default(),
            rejected_key: RejectedKey::default(),
            waiters: Mutex::default(),
            events: OnceLock::new(),
            expiries: Notifier::default(),
            calls: AtomicU64::new(0),
            store,
        }
    }

    /// The server's time: what accounts without an offset of their own live in.
    pub(crate) fn now(&self) -> Instant {
        let source = self.clock.now().unix_millis();
        Instant::from_unix_millis(source.saturating_add(self.clock_offset_ms()))
    }

    /// Moves the server's clock, and with it every account's.
    pub(crate) fn move_clock(&self, span: Duration) {
        let millis = i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
        let _ = self
            .clock_offset_ms
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |offset| {
                Some(offset.saturating_add(millis))
            });
    }

    pub(crate) fn clock_offset_ms(&self) -> i64 {
        self.clock_offset_ms.load(Ordering::Relaxed)
    }

    /// The offset under which the server's time is this moment.
    pub(super) fn offset_to(&self, moment: Instant) -> i64 {
        moment.unix_millis() - self.clock.now().unix_millis()
    }

    /// What chance is drawn from: the ids of new accounts, with their names, and which calls a fault hits.
    pub(crate) fn seed(&self) -> u64 {
        self.seed.load(Ordering::Relaxed)
    }

    /// Hands over what changed in an account, whose lock is held, and when it did.
    pub(crate) fn save(&self, name: &str, account: &mut Account) -> Commit {
        self.save_by(None, name, account)
    }

    /// The same, and by which call it did.
    pub(crate) fn save_by(&self, call: Option<u64>, name: &str, account: &mut Account) -> Commit {
        if let Some(mut events) = self.events() {
            events.changes(name, account, call);
        }
        self.store
            .save_account(name, account, &|| moment_put(self.now()))
    }

    /// Removes accounts when their time is over, for as long as it is polled (M11).
    pub(crate) async fn expire(&self) {
        let mut changes = self.expiries.listen();
        loop {
            let now = tokio::time::Instant::now();
            let next = self.remove_expired().map(|left| now + left);
            match next {
                // Woken, or too late: either way it is looked again.
                Some(next) => drop(tokio::time::timeout_at(next, changes.changed()).await),
                None => drop(changes.changed().await),
            }
        }
    }

    /// Removes the accounts whose time is over, and says when the next one's is.
    fn remove_expired(&self) -> Option<Duration> {
        let registry = self.registry();
        let expiring = registry.accounts().into_iter().filter_map(|shared| {
            let left = shared.entry().expires_at?.left();
            Some((shared.name().to_owned(), left))
        });
        let (over, waiting): (Vec<_>, Vec<_>) = expiring.partition(|(_, left)| left.is_zero());
        drop(registry);
        for (name, _) in over {
            // Nobody waits for it to be durable; if somebody else removed it, it is gone as well.
            drop(self.remove_account(&name));
        }
        waiting.into_iter().map(|(_, left)| left).min()
    }

    pub(super) fn adopt_server_record(&self, record: ServerRecord) {
        self.seed.store(record.seed, Ordering::Relaxed);
        self.clock_offset_ms
            .store(record.clock_offset_ms, Ordering::Relaxed);
    }

    /// The clock and the journal's numbers as they were at the start.
    pub(super) fn restart_counters(&self) {
        self.clock_offset_ms.store(0, Ordering::Relaxed);
        self.calls.store(0, Ordering::Relaxed);
    }

    pub(crate) fn registry(&self) -> RwLockReadGuard<'_, Registry> {
        self.registry.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn registry_mut(&self) -> RwLockWriteGuard<'_, Registry> {
        self.registry
            .write()
            .unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn faults(&self) -> MutexGuard<'_, Faults> {
        lock(&self.faults)
    }

    /// What happens, where somebody has listened.
    pub(crate) fn events(&self) -> Option<MutexGuard<'_, Ring>> {
        self.events.get().map(lock)
    }

    /// What happens from now on.
    pub(crate) fn events_from_now(&self) -> MutexGuard<'_, Ring> {
        lock(self.events.get_or_init(|| Mutex::new(Ring::new())))
    }

    pub(crate) fn unattributed(&self) -> MutexGuard<'_, Journal> {
        lock(&self.unattributed)
    }

    /// The number of the next call in the journal.
    pub(crate) fn next_call(&self) -> u64 {
        self.calls.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Whether a host name counts like loopback (A4, M7).
    pub(crate) fn counts_as_loopback(&self, host: &str) -> bool {
        is_loopback(host)
            || self
                .settings
                .hosts
                .iter()
                .any(|name| name.eq_ignore_ascii_case(host))
    }
}

/// Whether a host name is one of this computer's loopback names.
pub(crate) fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || bare
            .parse::<std::net::IpAddr>()
            .is_ok_and(|address| match address {
                std::net::IpAddr::V4(address) => address.is_loopback(),
                std::net::IpAddr::V6(address) => address.is_loopback(),
            })
}
