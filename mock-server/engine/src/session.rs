//! One call on its way through an account.

use std::ops::{Deref, DerefMut};

use crate::refusal::{Call, SandboxHeader};
use crate::state::Account;
use crate::time::Instant;

/// One call on its way through an account. Every operation is one of its
/// methods.
///
/// Opening it lets everything happen that was due until the call's time, in
/// the order in which it was due (A19). Its end settles what the call caused:
/// where capacity changed, records are paused or run again (B7), and what is
/// due by now happens. So an operation does neither, and can forget neither.
pub struct Session<'a> {
    account: &'a mut Account,
    pub(crate) call: Call,
}

impl Account {
    /// Opens a session for a call. Time never moves back: a call that is
    /// earlier than the one before counts as made at the same time.
    pub fn at(&mut self, call: impl Into<Call>) -> Session<'_> {
        let call = call.into();
        self.now = self.now.max(call.now);
        self.run_due();
        Session {
            account: self,
            call,
        }
    }

    /// Moves time forward, and lets happen what is due until then.
    pub fn advance(&mut self, now: Instant) {
        self.at(now);
    }
}

impl Session<'_> {
    /// Settles what the call caused so far, for an operation that then shows
    /// a record as it is in the end.
    pub(crate) fn settle(&mut self) {
        self.reconcile_changed();
        self.run_due();
    }

    /// Whether the call is to be simulated: it asks for it, and the account
    /// has sandbox mode (A14).
    pub(crate) fn is_simulated(&self) -> bool {
        self.call.sandbox == SandboxHeader::Simulate && self.records.settings.sandbox.is_on()
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        // A panic half-way through an operation is not carried on from here.
        if !std::thread::panicking() {
            self.settle();
        }
    }
}

impl Deref for Session<'_> {
    type Target = Account;

    fn deref(&self) -> &Account {
        self.account
    }
}

impl DerefMut for Session<'_> {
    fn deref_mut(&mut self) -> &mut Account {
        self.account
    }
}
