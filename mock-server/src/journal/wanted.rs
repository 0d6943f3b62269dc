//! Which calls of a journal somebody asks for (M1, M11).

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Value;

use super::{Entry, Journal, JournalEntry, Redaction};
use crate::faults::wildcard;
use crate::subset::holds;

/// What calls must be like; what is not said does not matter.
#[derive(Default)]
pub(crate) struct Wanted {
    pub(crate) method: Option<String>,
    pub(crate) path: Option<String>,
    pub(crate) status: Option<u16>,
    /// Calls with a higher number.
    pub(crate) since: u64,
    /// A part of the body.
    pub(crate) body: Option<Value>,
}

impl Wanted {
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
    pub(crate) fn takes_shown(&self, entry: &JournalEntry) -> bool {
        let pattern = self.path.as_deref();
        pattern.is_none_or(|pattern| wildcard(pattern, &entry.path))
            && self
                .body
                .as_ref()
                .is_none_or(|part| holds(&entry.body, part))
    }
}

/// What somebody who waits has seen so far.
#[derive(Default)]
pub(crate) struct Lookout {
    /// Calls are not recorded in the order of their numbers, so each that was judged is known.
    judged: HashSet<u64>,
    pub(crate) found: usize,
}

impl Lookout {
    /// The calls that were not judged yet, as many as there is room for.
    pub(crate) fn unjudged(
        &mut self,
        wanted: &Wanted,
        journal: &Journal,
        room: usize,
    ) -> Vec<Arc<Entry>> {
        let taken = journal.entries().filter(|entry| wanted.takes(entry));
        taken
            .filter(|entry| self.judged.insert(entry.id))
            .take(room)
            .collect()
    }

    /// Counts those of these calls that are wanted.
    pub(crate) fn judge(
        &mut self,
        wanted: &Wanted,
        entries: &[Arc<Entry>],
        redaction: &Redaction<'_>,
    ) {
        let shown = entries
            .iter()
            .map(|entry| JournalEntry::new(None, entry, redaction));
        self.found += shown.filter(|entry| wanted.takes_shown(entry)).count();
    }
}
