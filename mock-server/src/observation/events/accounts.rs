//! Accounts that come, go or are replaced, their clocks, and what falls due in them by the clock: looked at once for all
//! who listen, since a look passes over all accounts.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use secmon_engine::Timestamp;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::account::accounts::Accounts;
use crate::account::shared::Partner;
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
    partner: Weak<Partner>,
    clock: Duration,
}

impl KnownAccount {
    fn of(partner: &Arc<Partner>) -> Self {
        Self {
            partner: Arc::downgrade(partner),
            clock: partner.clock_offset(),
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
        let partners: Vec<_> = accounts.registry().all_partners().cloned().collect();
        let now = accounts.now();
        let mut before = std::mem::take(&mut self.accounts);
        let mut events = Vec::new();
        for partner in &partners {
            accounts.catch_up(partner, now);
            let known = before.remove(partner.name());
            let seen = KnownAccount::of(partner);
            let is_known = known
                .as_ref()
                .is_some_and(|known| known.partner.ptr_eq(&seen.partner));
            if !is_known {
                events.push(account_changed(partner.name(), Some(partner)));
            }
            if known.is_some_and(|known| known.clock != seen.clock) {
                events.push(AccountEvent {
                    tenant: partner.name().to_owned(),
                    kind: "clock",
                    data: time_of(accounts, Some(partner)),
                });
            }
            self.accounts.insert(partner.name().to_owned(), seen);
        }
        events.extend(before.into_keys().map(|name| account_changed(&name, None)));
        events
    }
}

/// An account that came, or came anew, or is gone.
fn account_changed(name: &str, now: Option<&Arc<Partner>>) -> AccountEvent {
    let now = now.map(|partner| partner.shown());
    let data = json!({ "tenant": name, "request": null, "kind": "tenant", "key": name, "id": name, "now": now });
    AccountEvent {
        tenant: name.to_owned(),
        kind: "change",
        data,
    }
}

/// The time of an account, or of the server.
pub(super) fn time_of(accounts: &Accounts, partner: Option<&Partner>) -> Value {
    let now = accounts.now();
    let now = partner.map_or(now, |partner| partner.time(now));
    json!({
        "tenant": partner.map(Partner::name),
        "now": Timestamp(now).to_string(),
        "mode": accounts.settings.time.name(),
    })
}
