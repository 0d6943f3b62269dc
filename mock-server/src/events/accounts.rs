//! Accounts that come, go or are replaced, their clocks, and what falls due in them by the clock: looked at once for all
//! who listen, since a look passes over all accounts.

use std::collections::BTreeMap;
use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{LOOK, time_of};
use crate::admin::shown_account;
use crate::mock::Mock;
use crate::partner::{Partner, lock};

/// The accounts, as they were told of last.
#[derive(Debug, Default)]
pub(crate) struct AccountWatch {
    looked: Option<Instant>,
    accounts: BTreeMap<String, SeenAccount>,
}

#[derive(Debug)]
struct SeenAccount {
    /// Another one of the same name is another account.
    partner: Weak<Partner>,
    clock: Duration,
}

impl SeenAccount {
    fn of(partner: &Arc<Partner>) -> Self {
        Self {
            partner: Arc::downgrade(partner),
            clock: partner.clock_offset(),
        }
    }
}

/// What is told of an account: whose, what kind of event, and the event.
type Told = (String, &'static str, Value);

/// Tells what has become of the accounts, unless somebody has just looked.
pub(super) fn look(mock: &Mock) {
    let mut watch = lock(mock.account_watch());
    if watch.looked.is_some_and(|at| at.elapsed() < LOOK) {
        return;
    }
    let is_first = watch.looked.is_none();
    let told = watch.compare(mock);
    // A look that takes long is not taken all the time.
    watch.looked = Some(Instant::now());
    drop(watch);
    // Before the first look nobody listened.
    if !is_first && let Some(mut ring) = mock.events() {
        for (tenant, kind, data) in told {
            ring.tell(tenant, kind, &data);
        }
    }
}

impl AccountWatch {
    fn compare(&mut self, mock: &Mock) -> Vec<Told> {
        let partners: Vec<_> = mock.registry().all_partners().cloned().collect();
        let now = mock.now();
        let mut before = std::mem::take(&mut self.accounts);
        let mut told = Vec::new();
        for partner in &partners {
            mock.catch_up(partner, now);
            let known = before.remove(partner.name());
            let seen = SeenAccount::of(partner);
            let is_known = known
                .as_ref()
                .is_some_and(|known| known.partner.ptr_eq(&seen.partner));
            if !is_known {
                told.push(changed(partner.name(), Some(partner)));
            }
            if known.is_some_and(|known| known.clock != seen.clock) {
                told.push((
                    partner.name().to_owned(),
                    "clock",
                    time_of(mock, Some(partner)),
                ));
            }
            self.accounts.insert(partner.name().to_owned(), seen);
        }
        told.extend(before.into_keys().map(|name| changed(&name, None)));
        told
    }
}

/// An account that came, or came anew, or is gone.
fn changed(name: &str, now: Option<&Arc<Partner>>) -> Told {
    let now = now.map(|partner| shown_account(partner));
    let data = json!({ "tenant": name, "request": null, "kind": "tenant", "key": name, "id": name, "now": now });
    (name.to_owned(), "change", data)
}
