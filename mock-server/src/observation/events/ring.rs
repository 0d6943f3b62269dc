//! The last calls and changes of all accounts, kept once somebody has listened; before that nothing is kept, and nothing
//! costs time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use secmon_engine::{Account, Change, Table};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::observation::journal::entry::Entry;
use crate::values::notifier::Notifier;

/// Events that the ring holds.
const CAPACITY: usize = 4000;

/// Bytes that they hold.
const HELD: usize = 16 * 1024 * 1024;

/// The last calls and changes of all accounts.
#[derive(Debug)]
pub(crate) struct Ring {
    events: VecDeque<Event>,
    held: usize,
    /// The number of the youngest.
    pub(super) last: u64,
    pub(super) notifier: Notifier,
    pub(super) is_closed: bool,
}

/// Something that happened in an account, or to nobody's.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) number: u64,
    pub(super) tenant: Option<String>,
    pub(super) kind: EventKind,
}

#[derive(Clone, Debug)]
pub(super) enum EventKind {
    Call(Arc<Entry>),
    /// Of this kind, as JSON.
    Other(&'static str, Box<str>),
}

impl Event {
    fn size(&self) -> usize {
        let tenant = self.tenant.as_ref().map_or(0, String::len);
        let kind = match &self.kind {
            EventKind::Call(entry) => entry.size(),
            EventKind::Other(_, shown) => shown.len(),
        };
        size_of::<Self>() + tenant + kind
    }
}

impl Ring {
    /// An empty one. Its numbers are higher than those of any earlier start: who heard one of them is told of the gap.
    pub(crate) fn new() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        let micros = since.map_or(0, |since| since.as_micros());
        Self {
            events: VecDeque::new(),
            held: 0,
            last: u64::try_from(micros).unwrap_or(0),
            notifier: Notifier::default(),
            is_closed: false,
        }
    }

    /// A call that was recorded.
    pub(crate) fn call(&mut self, tenant: Option<&str>, entry: &Arc<Entry>) {
        self.push(
            tenant.map(str::to_owned),
            EventKind::Call(Arc::clone(entry)),
        );
        self.notifier.tell();
    }

    /// What changed in an account, whose lock is held, and by which call.
    pub(crate) fn changes(&mut self, tenant: &str, account: &mut Account, by: Option<u64>) {
        let before = self.last;
        for (change, id) in account.changes() {
            if let Some(shown) = shown(tenant, change, id.map(|id| id.to_string()), by) {
                self.push(
                    Some(tenant.to_owned()),
                    EventKind::Other("change", shown.into()),
                );
            }
        }
        if self.last > before {
            self.notifier.tell();
        }
    }

    /// Something else about an account.
    pub(super) fn tell(&mut self, tenant: String, kind: &'static str, data: &Value) {
        self.push(
            Some(tenant),
            EventKind::Other(kind, data.to_string().into()),
        );
        self.notifier.tell();
    }

    /// Ends what listens, for good.
    pub(crate) fn close(&mut self) {
        self.is_closed = true;
        self.notifier.tell();
    }

    fn push(&mut self, tenant: Option<String>, kind: EventKind) {
        self.last += 1;
        let event = Event {
            number: self.last,
            tenant,
            kind,
        };
        self.held += event.size();
        self.events.push_back(event);
        while self.events.len() > CAPACITY || self.held > HELD {
            let Some(oldest) = self.events.pop_front() else {
                break;
            };
            self.held -= oldest.size();
        }
    }

    /// The number of the oldest that is here, or of the next.
    pub(super) fn first(&self) -> u64 {
        self.events
            .front()
            .map_or(self.last + 1, |oldest| oldest.number)
    }

    /// Some of those from this number on, oldest first.
    pub(super) fn from(&self, number: u64, most: usize) -> impl Iterator<Item = &Event> {
        let passed = number.saturating_sub(self.first());
        let passed = usize::try_from(passed).unwrap_or(usize::MAX);
        self.events.iter().skip(passed).take(most)
    }
}

/// A change as it is told; none of what is a secret.
fn shown(tenant: &str, change: Change, id: Option<String>, by: Option<u64>) -> Option<String> {
    if matches!(change.table, Table::Keys | Table::SsoTokens) {
        return None;
    }
    let now: Option<Box<RawValue>> = match change.value {
        Some(value) => Some(RawValue::from_string(String::from_utf8(value).ok()?).ok()?),
        None => None,
    };
    let head = json!({
        "tenant": tenant,
        "request": by,
        "kind": change.table.name(),
        "key": change.key,
        "id": id,
    });
    with_now(head, now.as_deref())
}

/// The record stands last, as the text that it is.
fn with_now(head: Value, now: Option<&RawValue>) -> Option<String> {
    let head = head.to_string();
    let head = head.strip_suffix('}')?;
    Some(format!(
        "{head},\"now\":{}}}",
        now.map_or("null", RawValue::get)
    ))
}
