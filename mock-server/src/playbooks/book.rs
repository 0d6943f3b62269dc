//! The playbooks as they are written, in `playbooks.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use secmon_engine::ClientId;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::faults::fault::Fault;
use crate::observation::journal::entry::Entry;
use crate::values::query;
use crate::values::wildcard::wildcard;

/// A playbook.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Playbook {
    pub(crate) name: String,
    /// What the client shall do.
    pub(crate) goal: String,
    /// Calls that fill the account.
    pub(super) prepare: Vec<Step>,
    /// Seconds that are left of the scan cooldown after them.
    pub(super) cooldown_left: Option<u32>,
    pub(super) leak_dataset: Option<String>,
    /// What a scan of every server and domain has found.
    pub(super) scanned: Option<Scanned>,
    #[serde(default)]
    pub(super) faults: Vec<Fault>,
    pub(super) records: Vec<Wanted>,
    /// Calls that must come, in this order.
    #[serde(default)]
    pub(super) calls: Vec<Expected>,
    pub(super) never: Vec<Never>,
}

impl Playbook {
    /// The customers of whom findings are to be read.
    pub(super) fn read_findings_of(&self) -> impl Iterator<Item = ClientId> {
        let are_findings =
            |wanted: &&Wanted| wanted.is["kind"] == "alert" || wanted.is["kind"] == "mention";
        let customers = self.records.iter().filter(are_findings);
        let customers = customers.filter_map(|wanted| wanted.is["customer"].as_i64());
        let customers: BTreeSet<i64> = customers.collect();
        customers.into_iter().filter_map(ClientId::new)
    }
}

/// A call that fills the account.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Step {
    pub(super) call: String,
    pub(super) body: Map<String, Value>,
    #[serde(default = "once")]
    pub(super) times: usize,
}

fn once() -> usize {
    1
}

/// What scans have found.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Scanned {
    /// The tcp ports that are open on each server, counted from 1.
    pub(super) ports: u16,
    /// The dark web mentions of each domain.
    pub(super) mentions: u32,
}

/// Records that the goal names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// In a sentence.
    pub(super) what: String,
    /// The way there, in sentences; of those that the goal has changed.
    pub(super) send: Option<String>,
    is: Map<String, Value>,
    /// The states that each goes through.
    pub(super) goes: Option<Vec<String>>,
    /// How many are in which state in the end.
    #[serde(default)]
    pub(super) stands: BTreeMap<String, usize>,
}

impl Wanted {
    /// Whether a record with these members is one of them.
    pub(super) fn is(&self, members: &Value) -> bool {
        self.is.iter().all(|(name, value)| match value {
            Value::Array(any) => any.contains(&members[name]),
            value => members[name] == *value,
        })
    }

    /// Whether the goal has them changed.
    pub(super) fn may_change(&self) -> bool {
        self.goes.is_some() || !self.stands.is_empty()
    }

    /// Whether a record is of the same kind and customer.
    pub(super) fn is_beside(&self, members: &Value) -> bool {
        let is_same = |name: &str| self.is.get(name) == Some(&members[name]);
        is_same("kind") && is_same("customer")
    }
}

/// A call that must come.
#[derive(Debug, Deserialize)]
pub(super) struct Expected {
    /// In a sentence, once it has come.
    pub(super) what: String,
    /// Such a call, in a sentence.
    pub(super) send: String,
    #[serde(flatten)]
    pub(super) pattern: Pattern,
    /// It names one of these records.
    pub(super) about: Option<String>,
    /// Such calls together show each of these records.
    pub(super) shows: Option<String>,
}

/// A call that must not come, or not so often, or not so soon.
#[derive(Debug, Deserialize)]
pub(super) struct Never {
    /// What such a call did, in a sentence.
    pub(super) what: String,
    /// What is to be sent instead, in a sentence.
    pub(super) instead: String,
    #[serde(flatten)]
    pub(super) pattern: Pattern,
    /// So many may come.
    #[serde(default)]
    pub(super) most: usize,
    /// Only equal calls count together.
    #[serde(default)]
    pub(super) same: bool,
    /// Not the calls of the pattern are meant, but those that come so soon after one.
    pub(super) within: Option<Span>,
}

/// How long something lasts.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Span {
    Seconds(u64),
    /// As long as the answer says.
    Header(HeaderName),
}

/// A header that says how long something lasts.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(super) enum HeaderName {
    #[serde(rename = "Retry-After")]
    RetryAfter,
}

impl Span {
    /// In milliseconds, of this answer.
    pub(super) fn millis(self, entry: &Entry) -> i64 {
        let seconds = match self {
            Self::Seconds(seconds) => seconds,
            Self::Header(HeaderName::RetryAfter) => {
                let told = entry.response_headers.first("retry-after");
                told.and_then(|told| told.parse().ok()).unwrap_or(0)
            }
        };
        i64::try_from(seconds.saturating_mul(1000)).unwrap_or(i64::MAX)
    }
}

/// Calls.
#[derive(Debug, Deserialize)]
pub(super) struct Pattern {
    /// Method and path.
    call: Option<String>,
    status: Option<String>,
    /// Members of the body, or of the query.
    #[serde(default)]
    sent: Map<String, Value>,
    /// It asks for a page after the last one.
    #[serde(default)]
    beyond_last: bool,
}

impl Pattern {
    pub(super) fn meets(&self, entry: &Entry) -> bool {
        self.meets_but_for_what_was_sent(entry)
            && self.missing(entry).is_empty()
            && (!self.beyond_last || is_beyond_last_page(entry))
    }

    /// Whether it is such a call, whatever it says.
    pub(super) fn meets_but_for_what_was_sent(&self, entry: &Entry) -> bool {
        let call = format!("{} {}", entry.method, entry.path);
        let status = match entry.status {
            None => "lost".to_owned(),
            Some(status) => status.as_str().to_owned(),
        };
        let is_status = |wanted: &String| match wanted.strip_suffix("xx") {
            Some(first) => status.starts_with(first),
            None => status == *wanted,
        };
        self.call
            .as_ref()
            .is_none_or(|wanted| wildcard(wanted, &call))
            && self.status.as_ref().is_none_or(is_status)
    }

    /// What a call does not say, of what such a call must: `billing_customer_id=42`.
    pub(super) fn missing(&self, entry: &Entry) -> Vec<String> {
        if self.sent.is_empty() {
            return Vec::new();
        }
        let body: Value = serde_json::from_slice(&entry.body).unwrap_or_default();
        let query = query::parse(entry.query.as_deref());
        let is_missing = |(name, value): &(&String, &Value)| {
            body[*name] != **value && query.get(*name) != Some(&value.to_string())
        };
        let missing = self.sent.iter().filter(is_missing);
        missing
            .map(|(name, value)| {
                let wanted = value.to_string();
                let as_number = match body[name] == Value::String(wanted.clone()) {
                    true => " as a number",
                    false => "",
                };
                format!("{name}={wanted}{as_number}")
            })
            .collect()
    }
}

/// Whether a list was asked for a page after the last one that its answer tells of. An answer may show another page than
/// the one that was asked for.
fn is_beyond_last_page(entry: &Entry) -> bool {
    let query = query::parse(entry.query.as_deref());
    let page: Option<u64> = query.get("page").and_then(|page| page.parse().ok());
    let answer: Value = serde_json::from_slice(&entry.response).unwrap_or_default();
    let last = last_page(&answer);
    last.is_some_and(|last| page.is_some_and(|page| page > last))
}

/// The number of the last page, as an answer tells it: a list of resources has only its total.
fn last_page(answer: &Value) -> Option<u64> {
    if let Some(last) = answer["data"]["last_page"].as_u64() {
        return Some(last);
    }
    let (total, size) = (&answer["meta"]["total"], &answer["meta"]["per_page"]);
    let (total, size) = (total.as_u64()?, size.as_u64()?);
    Some(total.div_ceil(size.max(1)).max(1))
}

#[derive(Deserialize)]
struct File {
    playbook: Vec<Playbook>,
}

/// Every playbook there is.
pub(crate) fn all() -> &'static [Playbook] {
    static ALL: LazyLock<Vec<Playbook>> = LazyLock::new(|| {
        let file: Result<File, _> = toml::from_str(include_str!("../../playbooks.toml"));
        // A test reads it as well: what is shipped can be read.
        file.map(|file| file.playbook).unwrap_or_default()
    });
    &ALL
}

/// The names of the playbooks.
pub(crate) fn names() -> Vec<&'static str> {
    all()
        .iter()
        .map(|playbook| playbook.name.as_str())
        .collect()
}
