//! The journal: the last calls of an account as they came in and were answered (M1, M6).

mod headers;
mod redaction;
mod shown;
mod wanted;

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use http::{Method, StatusCode};
use secmon_engine::{Instant, SandboxHeader};
use tokio::sync::watch;

use crate::observation::notice::Notice;
pub(crate) use headers::Headers;
pub(crate) use redaction::{Redaction, is_made_key};
pub use shown::JournalEntry;
pub(crate) use shown::WrittenEntry;
use shown::{shown_body, shown_text};
pub(crate) use wanted::{ShownCall, Waiters, Wanted};

/// Calls that an account's journal holds.
const CAPACITY: usize = 1000;

/// Bytes of a body that the journal shows.
const BODY_CAP: usize = 64 * 1024;

/// Bytes that are kept beyond those: a secret at the cut is found whole, however it is escaped.
const BEYOND: usize = 16 * 1024;

/// Bytes that the entries of a journal hold.
const HELD: usize = 64 * 1024 * 1024;

/// One call as it came. What must not be shown is taken out where it is shown: [`JournalEntry::new`] is the only way.
#[derive(Debug)]
pub(crate) struct Entry {
    /// Rises by one with every call that the server records, in the order of their effects.
    pub(crate) id: u64,
    pub(crate) at: Instant,
    pub(crate) method: Method,
    pub(crate) path: Box<str>,
    pub(crate) query: Option<Box<str>>,
    pub(crate) headers: Headers,
    pub(crate) body: Bytes,
    /// None when nothing was answered.
    pub(crate) status: Option<StatusCode>,
    pub(crate) response_headers: Headers,
    pub(crate) response: Bytes,
    /// Where nothing was answered, whether it was done all the same.
    pub(crate) processed: Option<bool>,
    /// The fault that acted on it.
    pub(crate) fault: Option<u64>,
    pub(crate) sandbox: SandboxHeader,
    /// Texts that must not be shown and that nothing but this call tells.
    pub(crate) secrets: Vec<String>,
    pub(crate) notices: Vec<Notice>,
    /// Its notices are told only to tests of the command line itself.
    pub(crate) is_by_staff: bool,
    pub(crate) duration_us: u64,
}

impl Entry {
    /// Bytes that it holds.
    pub(crate) fn size(&self) -> usize {
        let query = self.query.as_ref().map_or(0, |query| query.len());
        let secrets: usize = self.secrets.iter().map(String::len).sum();
        let headers = self.headers.size() + self.response_headers.size();
        let notices: usize = (self.notices.iter())
            .map(|notice| notice.sentence.len())
            .sum();
        let head = self.method.as_str().len() + self.path.len() + query + headers + secrets;
        let head = head + notices;
        size_of::<Self>() + head + self.body.len() + self.response.len()
    }
}

/// What the journal keeps of a body: as much as it may show, and nothing of the buffer that it was read into.
pub(crate) fn kept(body: &[u8]) -> Bytes {
    Bytes::copy_from_slice(&body[..body.len().min(BODY_CAP + BEYOND)])
}

/// The same of an answer, which has a buffer of its own.
pub(crate) fn kept_answer(body: &Bytes) -> Bytes {
    if body.len() <= BODY_CAP + BEYOND {
        body.clone()
    } else {
        kept(body)
    }
}

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

/// Tells who listens that something happened.
#[derive(Debug, Default)]
pub(crate) struct News(watch::Sender<()>);

impl News {
    pub(crate) fn tell(&self) {
        // Most of the time nobody listens.
        if self.0.receiver_count() > 0 {
            self.0.send_replace(());
        }
    }

    pub(crate) fn listen(&self) -> watch::Receiver<()> {
        self.0.subscribe()
    }
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
