//! One who listens: what it has seen, and what is to be said next.

use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use super::accounts;
use super::accounts::{LOOK, time_of};
use super::ring::{Event, EventKind};
use crate::mock::Mock;
use crate::observation::journal::redaction::Redaction;
use crate::observation::journal::shown::JournalEntry;
use crate::values::admin_error::AdminError;

/// Events that are told before others are looked at.
const AT_ONCE: usize = 64;

/// An event as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SseEvent {
    /// Who says this number later hears what came after it.
    pub(crate) number: u64,
    /// `request`, `change`, `clock`, `fault` or `gap`.
    pub(crate) kind: &'static str,
    pub(crate) data: String,
}

/// Hears of one account, or of all.
pub(crate) struct EventListener {
    mock: Arc<Mock>,
    tenant: Option<String>,
    /// The number of the next event.
    next: u64,
    changes: watch::Receiver<()>,
    /// When it last looked for what is in no event.
    looked: Option<Instant>,
    seen: Seen,
    to_say: VecDeque<SseEvent>,
}

/// What is compared, as it was told last.
#[derive(Default)]
struct Seen {
    clock: Option<i64>,
    faults: Option<u64>,
}

impl EventListener {
    /// Listens from now on, or behind the event of this number.
    pub(crate) fn new(
        mock: &Arc<Mock>,
        tenant: Option<String>,
        last: Option<u64>,
    ) -> Result<Self, AdminError> {
        if let Some(name) = &tenant {
            mock.accounts.account(name)?;
        }
        // What nobody was told of yet is not told to who begins now.
        drop(mock.accounts.events_from_now());
        accounts::look(mock.account_watch(), &mock.accounts);
        let ring = mock.accounts.events_from_now();
        let next = last.map_or(ring.last + 1, |last| last.saturating_add(1));
        let is_gone = next < ring.first() || next > ring.last + 1;
        let mut listener = Self {
            mock: Arc::clone(mock),
            tenant,
            next: if is_gone { ring.last + 1 } else { next },
            changes: ring.notifier.listen(),
            looked: None,
            seen: Seen::default(),
            to_say: VecDeque::new(),
        };
        drop(ring);
        if is_gone {
            listener.say("gap", &json!({}));
        }
        Ok(listener)
    }

    /// The next event, once there is one; none when the server stops.
    pub(crate) async fn next(&mut self) -> Option<SseEvent> {
        loop {
            if let Some(said) = self.to_say.pop_front() {
                return Some(said);
            }
            if !self.hear() {
                return None;
            }
            if self.to_say.is_empty() {
                let until_look = self
                    .looked
                    .map_or(LOOK, |at| LOOK.saturating_sub(at.elapsed()));
                // Woken or too late: either way it hears again.
                let _ = timeout(until_look, self.changes.changed()).await;
            }
        }
    }

    /// Hears what there is; whether there will be more.
    fn hear(&mut self) -> bool {
        let mock = Arc::clone(&self.mock);
        let Some(ring) = mock.accounts.events() else {
            return false;
        };
        if ring.is_closed {
            return false;
        }
        let is_gone = self.next < ring.first();
        if is_gone {
            self.next = ring.last + 1;
        }
        let heard: Vec<Event> = ring.from(self.next, AT_ONCE).cloned().collect();
        drop(ring);
        if is_gone {
            self.say("gap", &json!({}));
        }
        self.tell(heard);
        if self.looked.is_none_or(|at| at.elapsed() >= LOOK) {
            self.looked = Some(Instant::now());
            self.look();
        }
        true
    }

    fn look(&mut self) {
        accounts::look(self.mock.account_watch(), &self.mock.accounts);
        self.see_clock();
        self.see_faults();
    }

    fn tell(&mut self, heard: Vec<Event>) {
        let Some(last) = heard.last() else {
            return;
        };
        self.next = last.number + 1;
        let secrets = self.mock.accounts.secrets();
        let redaction = Redaction::new(secrets.iter().map(String::as_str));
        for event in heard {
            if self.tenant.is_some() && self.tenant != event.tenant {
                continue;
            }
            let (kind, data) = match event.kind {
                EventKind::Call(entry) => {
                    let tenant = event.tenant.as_deref();
                    let shown = JournalEntry::new(tenant, &entry, &redaction);
                    ("request", serde_json::to_string(&shown).unwrap_or_default())
                }
                EventKind::Other(kind, shown) => {
                    let mut shown = shown.into_string();
                    redaction.apply_to_body(&mut shown);
                    (kind, shown)
                }
            };
            self.to_say.push_back(SseEvent {
                number: event.number,
                kind,
                data,
            });
        }
    }

    fn see_clock(&mut self) {
        let offset = self.mock.accounts.clock_offset_ms();
        if self.seen.clock.replace(offset) != Some(offset) {
            let time = time_of(&self.mock.accounts, None);
            self.say("clock", &time);
        }
    }

    fn see_faults(&mut self) {
        let faults = self.mock.accounts.faults();
        let version = faults.version();
        if self.seen.faults.replace(version) == Some(version) {
            return;
        }
        let shown = faults.shown(self.tenant.as_deref());
        drop(faults);
        self.say("fault", &shown);
    }

    fn say(&mut self, kind: &'static str, data: &Value) {
        self.to_say.push_back(SseEvent {
            number: self.next - 1,
            kind,
            data: data.to_string(),
        });
    }
}
