//! The journal: the last calls of an account as they came in and were answered (M1, M6).

pub(crate) mod entry;
pub(crate) mod headers;
pub(crate) mod query;
pub(crate) mod redaction;
pub(crate) mod shown;

use std::collections::VecDeque;
use std::sync::Arc;

use tokio::sync::watch;

use entry::Entry;

/// Calls that an account's journal holds.
const CAPACITY: usize = 1000;

/// Bytes that the entries of a journal hold.
const HELD: usize = 64 * 1024 * 1024;

/// The last calls of one account, or of the calls without one.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    entries: VecDeque<Arc<Entry>>,
    held: usize,
    dropped: u64,
    /// Calls that who waits for some was not told of yet.
    untold: Vec<u64>,
    /// Ends with the journal.
    life: watch::Sender<()>,
}

impl Journal {
    /// Records a call, at the place of its number.
    pub(crate) fn record(&mut self, entry: Entry) -> Arc<Entry> {
        let entry = Arc::new(entry);
        let later = self.entries.iter().rev();
        let later = later.take_while(|other| other.id > entry.id).count();
        let place = self.entries.len() - later;
        self.held += entry.size();
        self.entries.insert(place, Arc::clone(&entry));
        while self.entries.len() > CAPACITY || self.held > HELD {
            let Some(oldest) = self.entries.pop_front() else {
                break;
            };
            self.held -= oldest.size();
            self.dropped += 1;
        }
        self.untold.push(entry.id);
        entry
    }

    /// Who waits for calls was told of this one.
    pub(crate) fn told(&mut self, id: u64) {
        self.untold.retain(|untold| *untold != id);
    }

    /// Those that who waits from now on is not told of any more.
    pub(crate) fn told_entries(&self) -> impl Iterator<Item = &Arc<Entry>> {
        let told = |entry: &&Arc<Entry>| !self.untold.contains(&entry.id);
        self.entries.iter().filter(told)
    }

    /// Changes, to an error, when the journal is no more.
    pub(crate) fn life(&self) -> watch::Receiver<()> {
        self.life.subscribe()
    }

    /// Oldest first. They are shared: to show them takes long, and calls that come in meanwhile must not wait.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Arc<Entry>> {
        self.entries.iter().cloned()
    }

    /// Calls that the journal held once and holds no more.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Forgets the calls; who waits for some goes on waiting.
    pub(crate) fn clear(&mut self) {
        *self = Self {
            life: std::mem::take(&mut self.life),
            untold: std::mem::take(&mut self.untold),
            ..Self::default()
        };
    }
}
