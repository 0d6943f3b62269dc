//! Accounts that come, go or are replaced, their clocks, and what falls due in them by the clock: looked at once for all
//! who listen, since a look passes over all accounts.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use secmon_engine::Timestamp;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::account::accounts::Accounts;
use crate::account::shared::SharedAccount;
use crate::values::lock::lock;

/// How late a moved clock, a fault, an account, or a scan that comes to its end by the clock may be told. Calls that come
/// faster than this cause no look.
pub(super) const LOOK: Duration = Duration::from_millis(250);

/// The accounts, as they were told of last.
#[derive(Debug, Default)]
pub(crate) struct AccountWatch {
    looked: Option<Instant>,
    accounts: BTreeMap<String, KnownAccount>,
}

#[derive(Debug)]
struct KnownAccount {
    /// Another one of the same name is another account.
    account: Weak<SharedAccount>,
    clock: Duration,
}

impl KnownAccount {
    fn of(shared: &Arc<SharedAccount>) -> Self {
        Self {
            account: Arc::downgrade(shared),
            clock: shared.clock_offset(),
        }
    }
}

/// What is to be told of an account.
struct AccountEvent {
    tenant: String,
    kind: &'static str,
    data: Value,
}

/// Tells what has become of the accounts, unless somebody has just looked.
pub(super) fn look(watch: &Mutex<AccountWatch>, accounts: &Accounts) {
    let mut watch = lock(watch);
    if watch.looked.is_some_and(|at| at.elapsed() < LOOK) {
        return;
    }
    let is_first = watch.looked.is_none();
    let events = watch.compare(accounts);
    // Behind the look: one that takes long is not taken all the time.
    watch.looked = Some(Instant::now());
    drop(watch);
    // Before the first look nobody listened.
    if !is_first && let Some(mut ring) = accounts.events() {
        for AccountEvent { tenant, kind, data } in events {
            ring.tell(tenant, kind, &data);
        }
    }
}

impl AccountWatch {
    fn compare(&mut self, accounts: &Accounts) -> Vec<AccountEvent> {
        let there: Vec<_> = accounts.registry().all_accounts().cloned().collect();
        let now = accounts.now();
        let mut before = std::mem::take(&mut self.accounts);
        let mut events = Vec::new();
        for shared in &there {
            accounts.catch_up(shared, now);
            let known = before.remove(shared.name());
            let seen = KnownAccount::of(shared);
            let is_known = known
                .as_ref()
                .is_some_and(|known| known.account.ptr_eq(&seen.account));
            if !is_known {
                events.push(account_changed(shared.name(), Some(shared)));
            }
            if known.is_some_and(|known| known.clock != seen.clock) {
                events.push(AccountEvent {
                    tenant: shared.name().to_owned(),
                    kind: "clock",
                    data: time_of(accounts, Some(shared)),
                });
            }
            self.accounts.insert(shared.name().to_owned(), seen);
        }
        events.extend(before.into_keys().map(|name| account_changed(&name, None)));
        events
    }
}

/// An account that came, or came anew, or is gone.
fn account_changed(name: &str, now: Option<&Arc<SharedAccount>>) -> AccountEvent {
    let now = now.map(|shared| shared.shown());
    let data = json!({ "tenant": name, "request": null, "kind": "tenant", "key": name, "id": name, "now": now });
    AccountEvent {
        tenant: name.to_owned(),
        kind: "change",
        data,
    }
}

/// The time of an account, or of the server.
pub(super) fn time_of(accounts: &Accounts, shared: Option<&SharedAccount>) -> Value {
    let now = accounts.now();
    let now = shared.map_or(now, |shared| shared.time(now));
    json!({
        "tenant": shared.map(SharedAccount::name),
        "now": Timestamp(now).to_string(),
        "mode": accounts.settings.time.name(),
    })
}
