//! What a client did in its playbook: the calls that came, and the states that the records went through. It is kept by
//! the run itself, so that neither the journal's length nor who clears it changes a verdict (M8).

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash, Hasher};

use memchr::memmem;
use secmon_engine::Account;
use serde::Serialize;

use super::book::{Expected, Never, Playbook, Wanted};
use super::hints::Hints;
use super::hints::refusal;
use super::records::{self, Record};
use crate::observation::journal::entry::Entry;

/// So long a call may have been on its way when the answer to one beside it went out.
const ON_ITS_WAY_MILLIS: i64 = 500;

/// Reasons that are told.
const TOLD: usize = 20;

/// Different calls, and answers, that are remembered of a pattern.
const REMEMBERED: usize = 10_000;

/// How far somebody got.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    Passed,
    Failed,
    Running,
}

/// Whether the client is still at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Client {
    AtWork,
    Finished,
}

/// A verdict and its reasons.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Judgement {
    pub(crate) verdict: Verdict,
    pub(crate) findings: Vec<String>,
}

/// The record that a run keeps.
#[derive(Debug)]
pub(crate) struct Watch {
    playbook: &'static Playbook,
    records: BTreeMap<String, Record>,
    /// The states of each record so far.
    states: BTreeMap<String, Vec<String>>,
    calls: u64,
    /// What scans had found before the client began.
    findings: Vec<Record>,
    /// How many of the calls that must come have come.
    met: usize,
    /// The records that calls have shown so far.
    shown: BTreeSet<String>,
    /// By the calls that must never come.
    counted: Vec<Counted>,
    /// Why it has failed; nothing takes that back.
    failed: Vec<Failure>,
    hints: Hints,
}

/// A reason for a failure, and how often it came.
#[derive(Debug)]
struct Failure {
    /// What came, whichever call it was.
    kind: String,
    /// The first of them.
    sentence: String,
    times: u64,
}

impl Failure {
    fn told(&self) -> String {
        match self.times {
            1 => self.sentence.clone(),
            times => format!("{} ({} more of this kind)", self.sentence, times - 1),
        }
    }
}

/// The calls of a pattern.
#[derive(Debug, Default)]
struct Counted {
    /// How often each came.
    times: HashMap<u64, usize>,
    /// What may not come soon after the last of them.
    answers: VecDeque<Answered>,
}

/// A call after which others must wait.
#[derive(Clone, Copy, Debug)]
struct Answered {
    call: u64,
    at: i64,
    /// In milliseconds.
    wait: i64,
}

impl Watch {
    /// Of an account that is prepared.
    pub(super) fn new(
        playbook: &'static Playbook,
        account: &mut Account,
        findings: Vec<Record>,
    ) -> Self {
        let mut watch = Self {
            playbook,
            records: BTreeMap::new(),
            states: BTreeMap::new(),
            calls: 0,
            findings,
            met: 0,
            shown: BTreeSet::new(),
            counted: playbook.never.iter().map(|_| Counted::default()).collect(),
            failed: Vec::new(),
            hints: Hints::default(),
        };
        watch.see(records::of(account));
        watch
    }

    fn see(&mut self, records: BTreeMap<String, Record>) {
        let gone = self
            .records
            .keys()
            .filter(|place| !records.contains_key(*place));
        let gone = gone.map(|place| (place, "gone"));
        let there = records
            .iter()
            .map(|(place, record)| (place, record.state.as_str()));
        for (place, state) in gone.chain(there) {
            let states = self.states.entry(place.clone()).or_default();
            if states.last().is_none_or(|last| last != state) {
                states.push(state.to_owned());
            }
        }
        self.records = records;
    }

    /// Looks at what a call made of the account, while nobody else has it.
    pub(crate) fn look(&mut self, call: u64, line: &str, account: &mut Account) {
        let records = records::of(account);
        let places: BTreeSet<&String> = self.records.keys().chain(records.keys()).collect();
        let changed = places.into_iter().filter_map(|place| {
            let (before, after) = (self.records.get(place), records.get(place));
            let verb = match (before, after) {
                (None, _) => "made",
                (_, None) => "removed",
                _ => "changed",
            };
            let record = after.or(before).filter(|_| before != after)?;
            Some((verb, record))
        });
        let wanted = |record: &Record| {
            let mut wanted = self.playbook.records.iter();
            wanted.any(|wanted| wanted.may_change() && wanted.is(&record.members))
        };
        let strange = changed.filter(|(_, record)| !wanted(record));
        let strange: Vec<(String, String)> = strange
            .map(|(verb, record)| {
                let beside = self.beside(record);
                let name = &record.name;
                let sentence = format!(
                    "Call {call}, {line}, {verb} {name}, which the goal leaves alone{beside}."
                );
                (name.clone(), sentence)
            })
            .collect();
        for (name, sentence) in strange {
            self.fail(&name, sentence);
        }
        self.see(records);
    }

    /// What the goal has instead of a record that it does not have, where that is of the same kind and customer.
    fn beside(&self, record: &Record) -> String {
        let mut wanted = self.playbook.records.iter();
        let wanted = wanted.find(|wanted| wanted.may_change() && wanted.is_beside(&record.members));
        wanted.map_or_else(String::new, |wanted| {
            format!("; the goal has {}", wanted.what)
        })
    }

    /// Hears of a call that is over.
    pub(crate) fn hear(&mut self, entry: &Entry) {
        self.calls += 1;
        let Entry {
            id, method, path, ..
        } = entry;
        let never = self.playbook.never.iter().zip(&mut self.counted);
        let broken =
            never.filter_map(|(never, counted)| counted.is_broken(never, entry).then_some(never));
        let broken: Vec<&Never> = broken.collect();
        let why = refusal(entry).map_or_else(String::new, |why| format!(" ({why})"));
        for Never { what, instead, .. } in broken {
            let sentence = format!("Call {id}, {method} {path}, {what}{why}. {instead}");
            self.fail(what, sentence);
        }
        let expected = self.playbook.calls.get(self.met);
        if let Some(expected) = expected
            && expected.pattern.meets(entry)
            && self.tells(expected, entry)
        {
            self.met += 1;
            self.shown.clear();
            self.hints.settle();
        } else {
            self.hints.see(entry, expected);
        }
    }

    /// Whether a call has what is expected of it beside its pattern.
    fn tells(&mut self, expected: &Expected, entry: &Entry) -> bool {
        let holds = |bytes: &[u8], id: &str| memmem::find(bytes, id.as_bytes()).is_some();
        if let Some(what) = &expected.about {
            let query = entry.query.as_deref().unwrap_or_default();
            let sent = [entry.path.as_bytes(), query.as_bytes(), &entry.body];
            let named = |id: &String| sent.iter().any(|part| holds(part, id));
            return self.ids(what).iter().any(named);
        }
        if let Some(what) = &expected.shows {
            let ids = self.ids(what);
            let shown = ids.iter().filter(|id| holds(&entry.response, id));
            self.shown.extend(shown.cloned());
            return !ids.is_empty() && ids.iter().all(|id| self.shown.contains(id));
        }
        true
    }

    /// The ids of the records that the goal has a name for.
    fn ids(&self, what: &str) -> Vec<String> {
        let wanted = self.playbook.records.iter();
        let wanted: Vec<&Wanted> = wanted.filter(|wanted| wanted.what == what).collect();
        let records = self.records.values().chain(&self.findings);
        let named = records.filter(|record| wanted.iter().any(|one| one.is(&record.members)));
        named.map(|record| record.id.clone()).collect()
    }

    fn fail(&mut self, kind: &str, sentence: String) {
        let before = self.failed.iter_mut().find(|failure| failure.kind == kind);
        if let Some(failure) = before {
            failure.times += 1;
        } else if self.failed.len() < TOLD {
            self.failed.push(Failure {
                kind: kind.to_owned(),
                sentence,
                times: 1,
            });
        }
    }

    /// The account was taken back to its start: nothing that follows belongs to the playbook.
    pub(crate) fn end(&mut self) {
        let sentence = "The account was reset.";
        self.fail(sentence, sentence.to_owned());
    }

    /// How it stands.
    pub(crate) fn judge(&mut self, client: Client) -> Judgement {
        let unmet = self.unmet();
        if client == Client::Finished && self.failed.is_empty() {
            for sentence in &unmet {
                self.fail(sentence, sentence.clone());
            }
        }
        let failed = self.failed.iter().map(Failure::told);
        let (verdict, findings) = match (self.failed.is_empty(), unmet.is_empty()) {
            (false, _) => (Verdict::Failed, failed.collect()),
            (true, true) => (Verdict::Passed, Vec::new()),
            (true, false) => (Verdict::Running, Vec::new()),
        };
        Judgement { verdict, findings }
    }

    /// What of the goal is not reached.
    fn unmet(&self) -> Vec<String> {
        if self.calls == 0 {
            return vec!["No call came.".to_owned()];
        }
        let records = self.playbook.records.iter();
        let records = records.flat_map(|wanted| self.unmet_states(wanted));
        let calls = self.playbook.calls.iter().skip(self.met).take(1);
        let calls = calls.map(|expected| {
            let mut sentence = format!("It was not seen that {}", expected.what);
            if let Some(what) = &expected.shows {
                let of = self.ids(what).len();
                let _ = write!(sentence, " ({} of {of} were shown)", self.shown.len());
            }
            format!("{sentence}. {}", expected.send)
        });
        let unmet: Vec<String> = records.chain(calls).collect();
        match unmet.is_empty() {
            true => unmet,
            false => unmet.into_iter().chain(self.hints.sentences()).collect(),
        }
    }

    fn unmet_states(&self, wanted: &Wanted) -> Vec<String> {
        let named = self.records.iter();
        let named = named.filter(|(_, record)| wanted.is(&record.members));
        let named: Vec<_> = named.collect();
        let what = &wanted.what;
        let stands = wanted.stands.iter().filter_map(|(state, many)| {
            let are = named.iter().filter(|(_, record)| record.state == *state);
            let are = are.count();
            let of = named.len();
            (are != *many).then(|| match of {
                0 => format!("Not found: {what}; the goal has {many} {state}."),
                _ => format!("Of {what}, {are} of {of} are {state}; the goal has {many}."),
            })
        });
        let goes = wanted.goes.iter().flat_map(|goes| {
            let none = named.is_empty().then(|| format!("Not found: {what}."));
            let others = named.iter().filter_map(move |(place, record)| {
                let states = self.states.get(*place).filter(|states| *states != goes)?;
                let (was, shall) = (states.join(", "), goes.join(", "));
                Some(format!("{} was {was}; the goal has {shall}.", record.name))
            });
            none.into_iter().chain(others)
        });
        let send = wanted.send.as_deref().unwrap_or_default();
        let unmet = stands.chain(goes);
        unmet.map(|sentence| format!("{sentence} {send}")).collect()
    }
}

impl Counted {
    /// Counts a call, and says whether it is one too many or too early.
    fn is_broken(&mut self, never: &Never, entry: &Entry) -> bool {
        let call = fingerprint(entry);
        let at = entry.at.unix_millis();
        if let Some(span) = never.within {
            let is_early = self.answers.iter().any(|answered| {
                let waited = at - answered.at;
                waited < answered.wait && (waited > ON_ITS_WAY_MILLIS || call == answered.call)
            });
            if never.pattern.meets(entry) {
                let wait = span.millis(entry);
                self.answers.push_back(Answered { call, at, wait });
                if self.answers.len() > REMEMBERED {
                    self.answers.pop_front();
                }
            }
            return is_early;
        }
        if !never.pattern.meets(entry) {
            return false;
        }
        let kind = if never.same { call } else { 0 };
        if self.times.len() >= REMEMBERED && !self.times.contains_key(&kind) {
            return false;
        }
        let times = self.times.entry(kind).or_default();
        *times += 1;
        *times > never.most
    }
}

/// The same for calls that ask for the same.
fn fingerprint(entry: &Entry) -> u64 {
    let mut hasher = DefaultHasher::new();
    (&entry.method, &entry.path, &entry.query, &entry.body).hash(&mut hasher);
    hasher.finish()
}
