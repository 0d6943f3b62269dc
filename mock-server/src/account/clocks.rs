//! The time of the server and of its accounts, moved (M3).

use std::time::Duration;

use secmon_engine::Instant;

use super::accounts::Accounts;
use super::records::moment_put;
use super::shared::SharedAccount;
use crate::store::commit::Commit;
use crate::values::admin_error::AdminError;
use crate::values::clock::{FURTHEST, Movement};

impl Accounts {
    /// Moves every account's time; what was due until then has happened when this returns.
    pub(crate) fn move_all_clocks(&self, movement: Movement) -> Result<Commit, AdminError> {
        let registry = self.registry();
        let span = span(movement, self.now())?;
        self.move_clock(span);
        let server = self.server_record(&registry).put();
        let mut commit = self.store.save(vec![server, moment_put(self.now())]);
        for shared in registry.accounts() {
            let mut account = shared.lock();
            account.advance(shared.time(self.now()));
            // The store applies changes in order: the last commit stands for all before it.
            commit = self.save(shared.name(), &mut account);
        }
        Ok(commit)
    }

    /// Moves one account's time.
    pub(crate) fn move_clock_of(
        &self,
        name: &str,
        movement: Movement,
    ) -> Result<Commit, AdminError> {
        let shared = self.account(name)?;
        let mut account = shared.lock();
        let span = span(movement, shared.time(self.now()))?;
        shared.set_clock_offset(shared.clock_offset().saturating_add(span));
        account.advance(shared.time(self.now()));
        Ok(self.save_with_entry(&shared, &mut account))
    }

    /// Lets happen what is due by now, as the next call would.
    pub(crate) fn catch_up(&self, shared: &SharedAccount, now: Instant) {
        let mut account = shared.lock();
        let now = shared.time(now);
        if !account.is_due(now) {
            return;
        }
        account.advance(now);
        // Nobody is answered, so nobody waits for it to be durable.
        drop(self.save(shared.name(), &mut account));
    }
}

/// How far a movement goes from `now`.
fn span(movement: Movement, now: Instant) -> Result<Duration, AdminError> {
    let bad = |sentence: &str| AdminError::BadInput(sentence.to_owned());
    match movement.span(now) {
        Some(span) if span <= FURTHEST => Ok(span),
        Some(_) => Err(bad(
            "Time moves at most ten years (3660 days) in one call; move it in several.",
        )),
        None => Err(bad(
            "Time only moves forward; give a later moment, or reset.",
        )),
    }
}
