//! What a client did, and what it left.

use std::sync::MutexGuard;

use secmon_engine::{
    Account, Call, ClientId, DomainList, Instant, ListEndpoints, Page, SandboxHeader,
};
use serde_json::Value;

use crate::journal::{Entry, JournalEntry};
use crate::partner::Partner;

/// So long a call may have been on its way when the answer to one beside it went out.
const ON_ITS_WAY_MILLIS: i64 = 500;

/// A call of the client.
pub(super) struct Seen {
    at: Instant,
    entry: JournalEntry,
}

impl Seen {
    fn new(entry: &Entry) -> Self {
        Self {
            at: entry.at,
            entry: entry.into(),
        }
    }

    pub(super) fn is(&self, method: &str, ending: &str) -> bool {
        self.entry.method == method && self.entry.path.ends_with(ending)
    }

    pub(super) fn answered(&self, status: u16) -> bool {
        self.entry.status == Some(status)
    }

    pub(super) fn succeeded(&self) -> bool {
        self.entry
            .status
            .is_some_and(|status| (200..300).contains(&status))
    }

    pub(super) fn refused(&self) -> bool {
        self.entry
            .status
            .is_some_and(|status| (400..500).contains(&status))
    }

    fn repeats(&self, earlier: &Self) -> bool {
        let (one, other) = (&self.entry, &earlier.entry);
        (&one.method, &one.path) == (&other.method, &other.path)
            && (&one.query, &one.body) == (&other.query, &other.body)
    }

    pub(super) fn sent(&self, field: &str) -> &Value {
        &self.entry.body[field]
    }

    pub(super) fn query(&self) -> Option<&str> {
        self.entry.query.as_deref()
    }

    pub(super) fn response(&self) -> &Value {
        &self.entry.response
    }
}

/// The calls of an account, oldest first, and its state now.
pub(super) struct Evidence<'a> {
    pub(super) calls: Vec<Seen>,
    account: MutexGuard<'a, Account>,
    now: Instant,
}

impl<'a> Evidence<'a> {
    pub(super) fn new(partner: &'a Partner, now: Instant) -> Self {
        let calls = partner.journal().entries().map(Seen::new).collect();
        Self {
            calls,
            account: partner.account(),
            now,
        }
    }

    /// How many calls there were to this operation.
    pub(super) fn count(&self, method: &str, ending: &str) -> usize {
        self.calls
            .iter()
            .filter(|call| call.is(method, ending))
            .count()
    }

    /// Whether these calls succeeded in this order, whatever else was called in between.
    pub(super) fn succeeded_in_order(&self, wanted: &[(&str, &str)]) -> bool {
        let mut calls = self.calls.iter();
        wanted
            .iter()
            .all(|(method, ending)| calls.any(|call| call.is(method, ending) && call.succeeded()))
    }

    /// Whether a call came within this many milliseconds after an answer of this status: the same once more, or another
    /// that cannot have been on its way already.
    pub(super) fn hurried_after(&self, status: u16, millis: i64) -> bool {
        let too_soon = |answered: &Seen, next: &Seen| {
            let waited = next.at.unix_millis() - answered.at.unix_millis();
            waited < millis && (waited > ON_ITS_WAY_MILLIS || next.repeats(answered))
        };
        self.calls.iter().enumerate().any(|(place, call)| {
            let mut later = self.calls.iter().skip(place + 1);
            call.answered(status) && later.any(|next| too_soon(call, next))
        })
    }

    /// Servers that customer 42 has.
    pub(super) fn servers(&mut self) -> u64 {
        let request = ListEndpoints {
            client: customer(),
            status: None,
            page: Page::new(1, 1),
        };
        let call = self.call();
        self.account.list_endpoints(&call, request).endpoints.total
    }

    /// The domains and slots of customer 42.
    pub(super) fn domains(&mut self) -> Option<DomainList> {
        let call = self.call();
        customer().map(|client| self.account.list_domains(&call, client))
    }

    fn call(&self) -> Call {
        let key = self.account.keys().next().map(|(id, _)| id);
        Call {
            now: self.now,
            key: key.unwrap_or_default(),
            sandbox: SandboxHeader::Absent,
        }
    }
}

/// The customer that every playbook is about.
pub(super) fn customer() -> Option<ClientId> {
    ClientId::new(42)
}
