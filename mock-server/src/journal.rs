//! The journal: the last calls of an account as they came in and were answered (M1, M6).

mod redaction;

use std::collections::VecDeque;

use bytes::Bytes;
use secmon_engine::{Instant, Timestamp};
use serde::Serialize;
use serde_json::Value;

pub(crate) use redaction::{Redaction, is_made_key};

/// Calls that an account's journal holds.
const CAPACITY: usize = 1000;

/// Bytes of a body that the journal keeps.
const BODY_CAP: usize = 64 * 1024;

/// One call. `id` rises by one with every call that the server records, in the order of their effects.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) id: u64,
    pub(crate) at: Instant,
    pub(crate) tenant: Option<String>,
    pub(crate) method: String,
    pub(crate) path: String,
    pub(crate) query: Option<String>,
    pub(crate) body: Bytes,
    /// None when nothing was answered.
    pub(crate) status: Option<u16>,
    pub(crate) response: Bytes,
    pub(crate) duration_us: u64,
}

impl Entry {
    /// This entry without the texts that must not be kept, and with its bodies cut.
    fn kept(mut self, redaction: &Redaction<'_>) -> Self {
        redaction.apply(&mut self.path);
        if let Some(query) = &mut self.query {
            redaction.apply(query);
        }
        for body in [&mut self.body, &mut self.response] {
            let whole = body.len() <= BODY_CAP;
            redaction.apply_to_body(body);
            if !whole {
                cut(body);
            }
        }
        self
    }
}

/// Copies what is kept, so that a long body's memory is given back.
fn cut(bytes: &mut Bytes) {
    *bytes = Bytes::copy_from_slice(&bytes[..bytes.len().min(BODY_CAP)]);
}

/// The last calls of one account, or of the calls without one.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    entries: VecDeque<Entry>,
    dropped: u64,
}

impl Journal {
    /// Records a call without the secrets that stand in it, at the place of its number.
    pub(crate) fn record(&mut self, entry: Entry, redaction: &Redaction<'_>) {
        let later = self.entries.iter().rev();
        let later = later.take_while(|other| other.id > entry.id).count();
        let place = self.entries.len() - later;
        self.entries.insert(place, entry.kept(redaction));
        if self.entries.len() > CAPACITY {
            self.entries.pop_front();
            self.dropped += 1;
        }
    }

    /// Oldest first.
    pub(crate) fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.entries.iter()
    }

    /// Calls that the journal held once and holds no more.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// An entry as the admin API shows it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JournalEntry {
    /// Rises by one with every call that the server records.
    pub id: u64,
    /// When the call came in, by the account's clock: `2026-01-01T00:00:00+00:00`.
    pub at: String,
    /// The account of the call's key, if it has one.
    pub tenant: Option<String>,
    /// The HTTP method.
    pub method: String,
    /// The path without the query.
    pub path: String,
    /// The raw query without `?`.
    pub query: Option<String>,
    /// The request's body: the JSON value when it parses, else a string; null when empty.
    pub body: Value,
    /// The HTTP status; none when nothing was answered.
    pub status: Option<u16>,
    /// The answer's body, written like `body`.
    pub response: Value,
    /// How long the call took, in microseconds of real time.
    pub duration_us: u64,
}

impl From<&Entry> for JournalEntry {
    fn from(entry: &Entry) -> Self {
        Self {
            id: entry.id,
            at: Timestamp(entry.at).to_string(),
            tenant: entry.tenant.clone(),
            method: entry.method.clone(),
            path: entry.path.clone(),
            query: entry.query.clone(),
            body: shown(&entry.body),
            status: entry.status,
            response: shown(&entry.response),
            duration_us: entry.duration_us,
        }
    }
}

fn shown(bytes: &Bytes) -> Value {
    if bytes.is_empty() {
        return Value::Null;
    }
    serde_json::from_slice(bytes)
        .unwrap_or_else(|_| Value::String(String::from_utf8_lossy(bytes).into_owned()))
}
