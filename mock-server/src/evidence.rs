//! What a run met: every call with its operation and outcome, also of accounts that are gone (`exec --report`).

mod har;
mod report;

use std::collections::{BTreeMap, BTreeSet};

use crate::http::routes::{self, Route};
use crate::journal::JournalEntry;
pub(crate) use report::escaped;

/// Bytes of bodies that are kept; later calls are counted only.
const KEPT: usize = 256 * 1024 * 1024;

/// Calls that are kept.
const MOST: usize = 100_000;

/// Gathers while a command runs.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    calls: Vec<JournalEntry>,
    bytes: usize,
    not_kept: u64,
    /// How often each operation ended each way.
    met: BTreeMap<(&'static str, String), u64>,
    /// How often each notice was given, with the first call that it was about.
    notices: BTreeMap<(&'static str, String), (u64, u64)>,
}

impl Evidence {
    /// Hears of a call, and how many bytes its bodies have.
    pub(crate) fn hear(&mut self, route: Option<&Route>, call: JournalEntry, bytes: usize) {
        let operation = route.map_or("no operation", |route| route.operation);
        let outcome = outcome(route, &call);
        *self.met.entry((operation, outcome)).or_default() += 1;
        for notice in &call.notices {
            let about = (notice.code, notice.sentence.clone());
            self.notices.entry(about).or_insert((0, call.id)).0 += 1;
        }
        if self.calls.len() < MOST && self.bytes + bytes <= KEPT {
            self.bytes += bytes;
            self.calls.push(call);
        } else {
            self.not_kept += 1;
        }
    }

    /// Which of these statuses and codes no call met.
    pub(crate) fn missing<'a>(&self, required: &'a [String]) -> Vec<&'a str> {
        let met: BTreeSet<&str> = (self.met.keys())
            .flat_map(|(_, outcome)| outcome.split(' '))
            .collect();
        let required = required.iter().map(String::as_str);
        required.filter(|outcome| !met.contains(outcome)).collect()
    }

    /// Each notice as a sentence.
    pub(crate) fn noticed(&self) -> Vec<String> {
        let told = self
            .notices
            .iter()
            .map(|((code, sentence), (times, call))| {
                let often = match times {
                    1 => String::new(),
                    times => format!(", and {} more times", times - 1),
                };
                format!("{code}: {sentence} (call {call}{often})")
            });
        told.collect()
    }

    /// Each documented outcome of each operation, with how often it was met.
    fn documented(&self) -> Vec<(&'static str, &'static str, u64)> {
        let mut documented = Vec::new();
        let mut named = BTreeSet::new();
        for route in routes::all()
            .into_iter()
            .filter(|route| named.insert(route.operation))
        {
            for outcome in route.known.into_iter().flat_map(|known| known.outcomes) {
                let met = self.met.get(&(route.operation, (*outcome).to_owned()));
                documented.push((route.operation, *outcome, met.copied().unwrap_or(0)));
            }
        }
        documented
    }
}

/// Whether anybody could meet this status or code.
pub(crate) fn is_outcome(name: &str) -> bool {
    let documented = routes::all().into_iter().filter_map(|route| route.known);
    let mut outcomes = documented.flat_map(|known| known.outcomes);
    outcomes.any(|outcome| outcome.split(' ').any(|part| part == name))
}

/// How a call ended: the status, with its string code where the documentation has one.
fn outcome(route: Option<&Route>, call: &JournalEntry) -> String {
    let Some(status) = call.status else {
        return "no answer".to_owned();
    };
    let status = status.to_string();
    let Some(code) = call.response["error"]["code"].as_str() else {
        return status;
    };
    let with_code = format!("{status} {code}");
    let known = route.and_then(|route| route.known);
    let is_documented =
        |outcome: &str| known.is_some_and(|known| known.outcomes.contains(&outcome));
    if is_documented(&status) && !is_documented(&with_code) {
        status
    } else {
        with_code
    }
}
