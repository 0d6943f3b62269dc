//! What a run met: every call with its operation and outcome, also of accounts that are gone (`exec --report`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::faults::aim::{Incoming, RequestParams};
use crate::faults::fault::Fault;
use crate::observation::denied_notices::DeniedNotices;
use crate::observation::journal::entry::Entry;
use crate::observation::journal::redaction::Redaction;
use crate::observation::journal::shown::JournalEntry;
use crate::observation::notice::Notice;
use crate::observation::notices::call_context::CallContext;
use crate::observation::notices::pages::UnreadPages;
use crate::observation::notices::short_looks::ShortLooks;
use crate::operations::catalogue;
use crate::operations::known_names::Known;
use crate::operations::paths::{Found, Paths};
use crate::values::query;

/// Bytes of bodies that are kept; later calls are counted only.
const KEPT: usize = 256 * 1024 * 1024;

/// Calls that are kept.
const MOST: usize = 100_000;

/// Gathers while a command runs.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    calls: Vec<SeenCall>,
    bytes: usize,
    pub(super) not_kept: u64,
    /// How often each operation ended each way.
    pub(super) met: BTreeMap<(String, String), u64>,
    /// How often each notice was given, with the first call that it was about.
    notices: BTreeMap<(&'static str, String), Noticed>,
    /// The first call beside the partner API, as it came.
    elsewhere: Option<String>,
    /// By account: the lists that are not read to their end.
    unread: BTreeMap<Option<String>, UnreadPages>,
    short_looks: ShortLooks,
    /// Keys that must not be shown, also those of accounts that are gone.
    secrets: BTreeSet<String>,
}

/// A call of an account, as it came.
#[derive(Debug)]
struct SeenCall {
    account: Option<String>,
    entry: Arc<Entry>,
}

/// Calls that got the same notice.
#[derive(Clone, Copy, Debug)]
struct Noticed {
    first_call: u64,
    times: u64,
}

impl Evidence {
    /// Of a run that begins now, where these keys must not be shown.
    pub(crate) fn begin(secrets: Vec<String>) -> Self {
        Self {
            secrets: secrets.into_iter().collect(),
            ..Self::default()
        }
    }

    /// Takes in a call. What is shown of it is made when it is shown: most runs show nothing.
    pub(crate) fn see(&mut self, call: &CallContext<'_>, entry: &Arc<Entry>) {
        let operation = match call.operation {
            "" => "no operation",
            operation => operation,
        };
        let met = (operation.to_owned(), outcome(call.known, entry));
        *self.met.entry(met).or_default() += 1;
        if !call.is_by_staff() {
            for notice in &entry.notices {
                self.take_in(entry.id, notice);
            }
            let account = call.account.map(str::to_owned);
            self.unread.entry(account).or_default().see(call);
            self.short_looks.see(call);
        }
        for secret in &entry.secrets {
            self.keep_secret(secret);
        }
        if call.account.is_some() {
            self.keep_secret(call.key);
        }
        if self.calls.len() < MOST && self.bytes + entry.size() <= KEPT {
            self.bytes += entry.size();
            self.calls.push(SeenCall {
                account: call.account.map(str::to_owned),
                entry: Arc::clone(entry),
            });
        } else {
            self.not_kept += 1;
        }
    }

    fn keep_secret(&mut self, secret: &str) {
        if !secret.is_empty() && !self.secrets.contains(secret) {
            self.secrets.insert(secret.to_owned());
        }
    }

    fn take_in(&mut self, call: u64, notice: &Notice) {
        let noticed = self.notices.entry((notice.code, notice.sentence.clone()));
        let noticed = noticed.or_insert(Noticed {
            first_call: call,
            times: 0,
        });
        noticed.times += 1;
    }

    /// Takes in that the client is done: what it has not read yet, it never will.
    pub(crate) fn end(&mut self, secrets: Vec<String>) {
        self.secrets.extend(secrets);
        for (account, unread) in std::mem::take(&mut self.unread) {
            for (call, notice) in unread.left(account.as_deref()) {
                self.take_in(call, &notice);
            }
        }
    }

    /// Takes in that a whole run is over: a list of which only a few records were looked at, nobody reads any more.
    pub(crate) fn end_of_run(&mut self, secrets: Vec<String>) {
        self.end(secrets);
        for (call, notice) in self.short_looks.left() {
            self.take_in(call, &notice);
        }
    }

    /// Takes in a call of a path that is none of the partner API's.
    pub(crate) fn see_elsewhere(&mut self, line: &str) {
        self.elsewhere.get_or_insert_with(|| line.to_owned());
    }

    /// Why nothing was met, where no call of the partner API came.
    pub(crate) fn silence(&self) -> Option<String> {
        let reason = match &self.elsewhere {
            Some(line) => {
                format!(
                    "no call came under /api/v1: the first was {line}; send it to SECMON_BASE_URL/api/v1/..."
                )
            }
            None => "no call came: does the command call SECMON_BASE_URL?".to_owned(),
        };
        self.met.is_empty().then(|| self.without_secrets(reason))
    }

    /// A fault that waited for something in vain, and the call that had most of it.
    pub(crate) fn never_hit(&self, fault: &Fault) -> String {
        let mut sentence = format!("a fault never hit: it waits for {}", fault.waits_for());
        let oldest_last = self.calls.iter().rev();
        if !fault.is_for_handshakes()
            && let Some(call) = oldest_last.max_by_key(|call| likeness(fault, call))
        {
            let Entry {
                id, method, path, ..
            } = &*call.entry;
            sentence += &format!("; the nearest call was {method} {path} (call {id})");
        }
        self.without_secrets(sentence)
    }

    fn without_secrets(&self, mut text: String) -> String {
        self.redaction().apply(&mut text);
        text
    }

    fn redaction(&self) -> Redaction<'_> {
        Redaction::new(self.secrets.iter().map(String::as_str))
    }

    /// The calls as the journal shows them.
    pub(super) fn shown(&self) -> Vec<JournalEntry> {
        let redaction = self.redaction();
        let calls = self.calls.iter();
        calls
            .map(|call| JournalEntry::new(call.account.as_deref(), &call.entry, &redaction))
            .collect()
    }

    /// The notices that are denied, each as a sentence.
    pub(crate) fn denied(&self, denied: &DeniedNotices) -> Vec<String> {
        let notices = self.notices.iter();
        let notices = notices.filter(|((code, _), _)| denied.names(code));
        notices
            .map(|(what, noticed)| self.without_secrets(line(what, *noticed)))
            .collect()
    }

    /// Whether any call met this status or code.
    pub(crate) fn has_met(&self, wanted: &str) -> bool {
        let mut outcomes = self.met.keys().map(|(_, outcome)| outcome);
        outcomes.any(|outcome| outcome.split(' ').any(|part| part == wanted))
    }

    /// Each notice as a sentence.
    pub(super) fn noticed(&self) -> Vec<String> {
        let notices = self.notices.iter();
        notices
            .map(|(what, noticed)| self.without_secrets(line(what, *noticed)))
            .collect()
    }

    /// Each documented outcome of each operation, with how often it was met.
    pub(super) fn documented(&self) -> Vec<(&'static str, &'static str, u64)> {
        let mut documented = Vec::new();
        let mut named = BTreeSet::new();
        for operation in catalogue::all()
            .into_iter()
            .filter(|operation| named.insert(operation.name))
        {
            for outcome in operation.known.into_iter().flat_map(|known| known.outcomes) {
                let met = (operation.name.to_owned(), (*outcome).to_owned());
                let met = self.met.get(&met);
                documented.push((operation.name, *outcome, met.copied().unwrap_or(0)));
            }
        }
        documented
    }
}

/// Whether anybody could meet this status or code.
pub(crate) fn is_outcome(name: &str) -> bool {
    let documented = catalogue::all()
        .into_iter()
        .filter_map(|operation| operation.known);
    let mut outcomes = documented.flat_map(|known| known.outcomes);
    outcomes.any(|outcome| outcome.split(' ').any(|part| part == name))
}

/// How much a call has of what a fault waits for, and then how much its path or operation reads like it.
fn likeness(fault: &Fault, call: &SeenCall) -> (usize, u64) {
    let entry = &call.entry;
    let Found {
        operations,
        segments,
    } = Paths::all().find(&entry.path);
    let called = operations
        .iter()
        .find(|operation| operation.method == entry.method);
    let query = query::parse(entry.query.as_deref());
    let parameter = |name: &str| {
        let of_query = || query.get(name).map(String::as_str);
        segments.get(name).or_else(of_query)
    };
    let body = serde_json::from_slice(&entry.body).ok();
    let operation = called.map(|operation| operation.name);
    let has = fault.likeness(&Incoming {
        tenant: call.account.as_deref(),
        operation,
        method: entry.method.as_str(),
        path: &entry.path,
        params: RequestParams {
            parameter: &parameter,
            body: &|| body.as_ref(),
        },
    });
    let reads_like = |wanted: &Option<String>, is: &str| {
        let wanted = wanted.as_deref().unwrap_or_default();
        (strsim::jaro_winkler(wanted, is) * 1000.0) as u64
    };
    let path = reads_like(&fault.path, &entry.path);
    let operation = reads_like(&fault.operation, operation.unwrap_or_default());
    (has, path + operation)
}

fn line((code, sentence): &(&'static str, String), noticed: Noticed) -> String {
    let Noticed { first_call, times } = noticed;
    let often = match times {
        1 => String::new(),
        2 => ", and once more".to_owned(),
        times => format!(", and {} more times", times - 1),
    };
    format!("{code}: {sentence} (call {first_call}{often})")
}

/// How a call ended: the status, with its string code where the documentation has one.
fn outcome(known: Option<Known>, entry: &Entry) -> String {
    let Some(status) = entry.status else {
        return "no answer".to_owned();
    };
    let (is_success, status) = (status.is_success(), status.as_str().to_owned());
    let answer: Value = match is_success {
        true => Value::Null,
        false => serde_json::from_slice(&entry.response).unwrap_or_default(),
    };
    let Some(code) = answer["error"]["code"].as_str() else {
        return status;
    };
    let with_code = format!("{status} {code}");
    let is_documented =
        |outcome: &str| known.is_some_and(|known| known.outcomes.contains(&outcome));
    if is_documented(&status) && !is_documented(&with_code) {
        status
    } else {
        with_code
    }
}
