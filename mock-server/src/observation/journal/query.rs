//! Which calls of a journal somebody asks for, or waits for (M1, M11).

use std::cell::OnceCell;
use std::sync::Arc;

use serde_json::Value;
use tokio::sync::watch;

use super::redaction::Redaction;
use super::shown::{shown_body, shown_text};
use crate::observation::journal::entry::Entry;
use crate::values::subset::holds;
use crate::values::wildcard::wildcard;

/// What calls must be like; what is not said does not matter.
#[derive(Debug, Default)]
pub(crate) struct JournalQuery {
    pub(crate) method: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) status: Option<u16>,
    /// Calls with a higher number.
    pub(crate) since: u64,
    /// A part of the body.
    pub(crate) body: Option<Value>,
}

impl JournalQuery {
    /// What is told without showing the call.
    pub(crate) fn takes(&self, entry: &Entry) -> bool {
        let method = self.method.as_deref();
        entry.id > self.since
            && method.is_none_or(|method| method == entry.method.as_str())
            && self
                .status
                .is_none_or(|status| entry.status.is_some_and(|known| known == status))
    }

    /// Path and body are compared as they are shown: nobody finds out a key by looking for it.
    pub(crate) fn takes_shown(&self, call: &ShownCall<'_>) -> bool {
        let pattern = self.path.as_deref();
        pattern.is_none_or(|pattern| wildcard(pattern, call.path()))
            && self
                .body
                .as_ref()
                .is_none_or(|part| holds(call.body(), part))
    }
}

/// What a call is compared by, made once for all who compare it, and only where somebody does.
pub(crate) struct ShownCall<'a> {
    entry: &'a Entry,
    redaction: Redaction<'a>,
    path: OnceCell<String>,
    body: OnceCell<Value>,
}

impl<'a> ShownCall<'a> {
    pub(crate) fn new(entry: &'a Entry, redaction: &Redaction<'a>) -> Self {
        Self {
            entry,
            redaction: redaction.with(&entry.secrets),
            path: OnceCell::new(),
            body: OnceCell::new(),
        }
    }

    fn path(&self) -> &str {
        let shown = || shown_text(&self.entry.path, &self.redaction);
        self.path.get_or_init(shown)
    }

    fn body(&self) -> &Value {
        let shown = || shown_body(&self.entry.body, &self.redaction);
        self.body.get_or_init(shown)
    }
}

/// Who waits for calls that have not come yet.
#[derive(Debug, Default)]
pub(crate) struct Waiters(Vec<Waiter>);

#[derive(Debug)]
struct Waiter {
    /// The account whose calls count; without one, all do.
    tenant: Option<String>,
    query: Arc<JournalQuery>,
    /// How many came.
    came: watch::Sender<usize>,
}

impl Waiters {
    /// Waits for calls from now on; how many came is told as they do.
    pub(crate) fn add(
        &mut self,
        tenant: Option<&str>,
        query: &Arc<JournalQuery>,
    ) -> watch::Receiver<usize> {
        self.forget_gone();
        let (came, told) = watch::channel(0);
        self.0.push(Waiter {
            tenant: tenant.map(str::to_owned),
            query: Arc::clone(query),
            came,
        });
        told
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Tells those who wait for this call of it: it is compared with each once, and never looked for again.
    pub(crate) fn tell(&mut self, tenant: Option<&str>, call: &ShownCall<'_>) {
        self.forget_gone();
        for waiter in &self.0 {
            let is_heard = waiter.tenant.is_none() || waiter.tenant.as_deref() == tenant;
            if is_heard && waiter.query.takes(call.entry) && waiter.query.takes_shown(call) {
                waiter.came.send_modify(|came| *came += 1);
            }
        }
    }

    fn forget_gone(&mut self) {
        self.0.retain(|waiter| !waiter.came.is_closed());
    }
}
