//! Accounts that come, go or are replaced, their clocks, and what falls due in them by the clock: looked at once for all
//! who listen, since a look passes over all accounts.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{LOOK, time_of};
use crate::account::Mock;
use crate::account::shared::{Partner, lock};
use crate::admin::shown_account;

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
pub(super) fn look(mock: &Mock) {
    let mut watch = lock(mock.account_watch());
    if watch.looked.is_some_and(|at| at.elapsed() < LOOK) {
        return;
    }
    let is_first = watch.looked.is_none();
    let events = watch.compare(mock);
    // Behind the look: one that takes long is not taken all the time.
    watch.looked = Some(Instant::now());
    drop(watch);
    // Before the first look nobody listened.
    if !is_first && let Some(mut ring) = mock.events() {
        for AccountEvent { tenant, kind, data } in events {
            ring.tell(tenant, kind, &data);
        }
    }
}

impl AccountWatch {
    fn compare(&mut self, mock: &Mock) -> Vec<AccountEvent> {
        let partners: Vec<_> = mock.registry().all_partners().cloned().collect();
        let now = mock.now();
        let mut before = std::mem::take(&mut self.accounts);
        let mut events = Vec::new();
        for partner in &partners {
            mock.catch_up(partner, now);
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
                    data: time_of(mock, Some(partner)),
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
    let now = now.map(|partner| shown_account(partner));
    let data = json!({ "tenant": name, "request": null, "kind": "tenant", "key": name, "id": name, "now": now });
    AccountEvent {
        tenant: name.to_owned(),
        kind: "change",
        data,
    }
}
