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

/// Bytes that are looked at beyond those: a secret at the cut is found whole, however it is escaped.
const BEYOND: usize = 16 * 1024;

/// Bytes that the entries of a journal hold.
const HELD: usize = 64 * 1024 * 1024;

impl Entry {
    /// This entry without the texts that must not be kept, cut, and copied to size: what is kept holds nothing else
    /// in memory.
    fn kept(mut self, redaction: &Redaction<'_>) -> Self {
        let in_text = |text: &mut String| redaction.apply(text);
        let in_body = |text: &mut String| redaction.apply_to_body(text);
        self.path = kept(self.path.as_bytes(), in_text);
        self.query = self.query.map(|query| kept(query.as_bytes(), in_text));
        self.body = kept(&self.body, in_body).into();
        self.response = kept(&self.response, in_body).into();
        self
    }

    /// Bytes that it holds.
    fn size(&self) -> usize {
        let query = self.query.as_ref().map_or(0, String::len);
        size_of::<Self>() + self.path.len() + query + self.body.len() + self.response.len()
    }
}

/// What stays of a text once the secrets are taken out of it.
fn kept(bytes: &[u8], take_out: impl Fn(&mut String)) -> String {
    let seen = &bytes[..bytes.len().min(BODY_CAP + BEYOND)];
    let mut text = String::from_utf8_lossy(seen).into_owned();
    take_out(&mut text);
    if bytes.len() > BODY_CAP {
        let fits = |end: &usize| text.is_char_boundary(*end);
        let end = (0..=BODY_CAP.min(text.len())).rev().find(fits);
        text.truncate(end.unwrap_or(0));
    }
    text.into_boxed_str().into_string()
}

/// The last calls of one account, or of the calls without one.
#[derive(Debug, Default)]
pub(crate) struct Journal {
    entries: VecDeque<Entry>,
    held: usize,
    dropped: u64,
}

impl Journal {
    /// Records a call without the secrets that stand in it, at the place of its number.
    pub(crate) fn record(&mut self, entry: Entry, redaction: &Redaction<'_>) {
        let later = self.entries.iter().rev();
        let later = later.take_while(|other| other.id > entry.id).count();
        let place = self.entries.len() - later;
        let entry = entry.kept(redaction);
        self.held += entry.size();
        self.entries.insert(place, entry);
        while self.entries.len() > CAPACITY || self.held > HELD {
            let Some(oldest) = self.entries.pop_front() else {
                break;
            };
            self.held -= oldest.size();
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
