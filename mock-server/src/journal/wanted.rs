//! Which calls of a journal somebody asks for (M1, M11).

use std::collections::HashSet;

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
    /// The calls of a journal that are wanted, newest first.
    pub(crate) fn of<'a>(
        &'a self,
        tenant: Option<&'a str>,
        journal: &'a Journal,
        redaction: &'a Redaction<'_>,
    ) -> impl Iterator<Item = JournalEntry> + 'a {
        let taken = journal.entries().rev().filter(|entry| self.takes(entry));
        let shown = taken.map(move |entry| JournalEntry::new(tenant, entry, redaction));
        shown.filter(|entry| self.takes_shown(entry))
    }

    fn takes(&self, entry: &Entry) -> bool {
        let method = self.method.as_deref();
        entry.id > self.since
            && method.is_none_or(|method| method == entry.method.as_str())
            && self
                .status
                .is_none_or(|status| entry.status.is_some_and(|known| known == status))
    }

    /// Path and body are compared as they are shown: nobody finds out a key by looking for it.
    fn takes_shown(&self, entry: &JournalEntry) -> bool {
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
    /// Judges calls that were not judged yet, as many as there is room for.
    pub(crate) fn look(
        &mut self,
        wanted: &Wanted,
        journal: &Journal,
        redaction: &Redaction<'_>,
        room: &mut usize,
    ) {
        for entry in journal.entries().filter(|entry| wanted.takes(entry)) {
            if *room == 0 {
                break;
            }
            if self.judged.insert(entry.id) {
                *room -= 1;
                let shown = JournalEntry::new(None, entry, redaction);
                self.found += usize::from(wanted.takes_shown(&shown));
            }
        }
    }
}
