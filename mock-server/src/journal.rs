//! The journal: the last calls of an account as they came in and were answered (M1, M6).

mod headers;
mod redaction;
mod wanted;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use bytes::Bytes;
use http::{Method, StatusCode};
use secmon_engine::{Instant, SandboxHeader, Timestamp};
use serde::Serialize;
use serde_json::Value;
use tokio::sync::watch;

use crate::http::body::{MOST_VALUES, has_more_values};
use crate::notice::Notice;
pub(crate) use headers::Headers;
pub(crate) use redaction::{Redaction, is_made_key};
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

/// An entry as the admin API shows it, without keys and sign-in tokens.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct JournalEntry {
    /// Rises by one with every call that the server records.
    pub id: u64,
    /// When the call came in, by the account's clock: `2026-01-01T00:00:00+00:00`.
    pub at: String,
    /// The account of the call's key, or of the sign-in's token, if it has one.
    pub tenant: Option<String>,
    /// The HTTP method.
    pub method: String,
    /// The path without the query.
    pub path: String,
    /// The raw query without `?`.
    pub query: Option<String>,
    /// The request's headers, in lower case, with every value of each; credentials are `****`.
    pub request_headers: BTreeMap<String, Vec<String>>,
    /// The request's body: the JSON value when it parses, else a string; null when empty.
    pub body: Value,
    /// The HTTP status; none when nothing was answered.
    pub status: Option<u16>,
    /// The answer's headers, written like `request_headers`; empty when nothing was answered.
    pub response_headers: BTreeMap<String, Vec<String>>,
    /// The answer's body, written like `body`.
    pub response: Value,
    /// Where nothing was answered, whether the call was processed all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processed: Option<bool>,
    /// The id of the fault that acted on the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<u64>,
    /// Whether the call was sent with `X-Sandbox: true`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sandbox: bool,
    /// What the service tolerated, and the client should hear of (M10).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
    /// How long the call took, in microseconds of real time.
    pub duration_us: u64,
}

impl JournalEntry {
    /// What of an entry may be shown.
    pub(crate) fn new(tenant: Option<&str>, entry: &Entry, redaction: &Redaction<'_>) -> Self {
        let redaction = &redaction.with(&entry.secrets);
        let in_text = |text: &str| shown_text(text, redaction);
        let in_body = |body: &Bytes| shown_body(body, redaction);
        Self {
            id: entry.id,
            at: Timestamp(entry.at).to_string(),
            tenant: tenant.map(str::to_owned),
            method: in_text(entry.method.as_str()),
            path: in_text(&entry.path),
            query: entry.query.as_deref().map(in_text),
            request_headers: entry.headers.shown(in_text),
            body: in_body(&entry.body),
            status: entry.status.map(|status| status.as_u16()),
            response_headers: entry.response_headers.shown(in_text),
            response: in_body(&entry.response),
            processed: entry.processed,
            fault: entry.fault,
            sandbox: entry.sandbox == SandboxHeader::Simulate,
            notices: (entry.notices.iter())
                .map(|notice| Notice {
                    sentence: in_text(&notice.sentence),
                    ..*notice
                })
                .collect(),
            duration_us: entry.duration_us,
        }
    }
}

fn shown_text(text: &str, redaction: &Redaction<'_>) -> String {
    shown(text.as_bytes(), |text| redaction.apply(text))
}

fn shown_body(body: &Bytes, redaction: &Redaction<'_>) -> Value {
    value(shown(body, |text| redaction.apply_to_body(text)))
}

/// What stays of a text once the secrets are taken out of it.
fn shown(bytes: &[u8], take_out: impl Fn(&mut String)) -> String {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    take_out(&mut text);
    if bytes.len() > BODY_CAP {
        let fits = |end: &usize| text.is_char_boundary(*end);
        let end = (0..=BODY_CAP.min(text.len())).rev().find(fits);
        text.truncate(end.unwrap_or(0));
    }
    text
}

fn value(text: String) -> Value {
    if text.is_empty() {
        return Value::Null;
    }
    // No operation reads so many, and each costs many times its text.
    if has_more_values(text.as_bytes(), MOST_VALUES) {
        return Value::String(text);
    }
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}
