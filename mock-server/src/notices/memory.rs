//! Notices that take an earlier call to see: what its answer asked for, or that it had none.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::time::{Duration, Instant as Real};

use http::{Method, StatusCode};
use secmon_engine::{Instant, RateGroup};

use super::Notice;
use crate::journal::Entry;

/// Answers of one account that are remembered.
const REMEMBERED: usize = 1000;

/// How long other calls may be on their way when an answer asks for a pause. Who sends the refused call itself again has
/// read the answer.
const ON_THE_WAY: Duration = Duration::from_millis(500);

/// Operations that F5 does not send twice: a repeat could act again, or hide that the first call did.
const NOT_TWICE: [&str; 9] = [
    "release_domain",
    "change_subscription",
    "create_rule",
    "scan_endpoint",
    "create_sso_token",
    "acknowledge_domain_alert",
    "resolve_domain_alert",
    "resolve_port_alert",
    "ingest_firewall",
];

/// Until when an answer asked a client to wait, by the account's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pause {
    pub(crate) until: Instant,
    /// The rate window that is full; without one, only the same call is to wait.
    pub(crate) window: Option<RateGroup>,
}

/// What the memory is told of a call, beside its entry.
pub(crate) struct Heard<'a> {
    pub(crate) operation: &'a str,
    pub(crate) key: &'a str,
    pub(crate) window: Option<RateGroup>,
    /// When it came in, in real time.
    pub(crate) came: Real,
    /// What its answer asked for.
    pub(crate) pause: Option<Pause>,
}

/// What later calls are held against.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    /// Calls that must not be sent twice, and had no answer.
    lost: Vec<(u64, Fingerprint)>,
    paused: Vec<Paused>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fingerprint(u64);

#[derive(Debug)]
struct Paused {
    asked_by: u64,
    until: Instant,
    /// When the answer was given, in real time: calls on their way then could not know.
    since: Real,
    /// The call that was answered so.
    call: Fingerprint,
    who: Fingerprint,
}

impl Paused {
    /// Whether who sent this call could know of the pause.
    fn was_known(&self, call: Fingerprint, came: Real) -> bool {
        let on_the_way = if call == self.call {
            Duration::ZERO
        } else {
            ON_THE_WAY
        };
        self.since + on_the_way < came
    }
}

impl Memory {
    /// Hears of a call that ended, and says what earlier ones make of it.
    pub(crate) fn hear(&mut self, entry: &Entry, heard: &Heard<'_>) -> Vec<Notice> {
        let call = fingerprint(&(
            heard.key,
            entry.method.as_str(),
            &entry.path,
            &entry.query,
            &entry.body,
        ));
        let early = self.too_early(entry, heard, call);
        let unsafe_repeat = self.unsafe_repeat(entry, heard, call);
        if let Some(pause) = heard.pause
            && self.paused.len() < REMEMBERED
        {
            let who = pause.window.map(|window| of_window(heard.key, window));
            self.paused.push(Paused {
                asked_by: entry.id,
                until: pause.until,
                since: Real::now(),
                call,
                who: who.unwrap_or(call),
            });
        }
        early.into_iter().chain(unsafe_repeat).collect()
    }

    fn too_early(&mut self, entry: &Entry, heard: &Heard<'_>, call: Fingerprint) -> Option<Notice> {
        self.paused.retain(|paused| paused.until > entry.at);
        let window = heard.window.map(|window| of_window(heard.key, window));
        let is_meant = |who| who == call || Some(who) == window;
        let paused = (self.paused.iter())
            .find(|paused| is_meant(paused.who) && paused.was_known(call, heard.came))?;
        let left = paused.until.unix_millis() - entry.at.unix_millis();
        let sentence = format!(
            "it comes {:.1} s too early: call {} was answered with Retry-After",
            left as f64 / 1000.0,
            paused.asked_by
        );
        Some(Notice::new("too_early", sentence))
    }

    fn unsafe_repeat(
        &mut self,
        entry: &Entry,
        heard: &Heard<'_>,
        call: Fingerprint,
    ) -> Option<Notice> {
        if entry.method == Method::GET && entry.status == Some(StatusCode::OK) {
            // Somebody reads back.
            self.lost.clear();
        }
        if !NOT_TWICE.contains(&heard.operation) {
            return None;
        }
        let repeated = self.lost.iter().find(|(_, lost)| *lost == call);
        let notice = repeated.map(|(id, _)| {
            let sentence = format!(
                "it repeats call {id}, whose answer was lost and which may have acted: read back first"
            );
            Notice::new("unsafe_repeat", sentence)
        });
        if entry.status.is_none() && self.lost.len() < REMEMBERED {
            self.lost.push((entry.id, call));
        }
        notice
    }
}

fn of_window(key: &str, window: RateGroup) -> Fingerprint {
    fingerprint(&(key, window as u8))
}

fn fingerprint(of: &impl Hash) -> Fingerprint {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    Fingerprint(hasher.finish())
}
