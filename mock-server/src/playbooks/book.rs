//! The playbooks as they are written, in `playbooks.toml`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::faults::wildcard;
use crate::http::query;
use crate::journal::Entry;

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
    /// As the admin API takes them.
    #[serde(default)]
    pub(super) faults: Vec<Map<String, Value>>,
    pub(super) records: Vec<Wanted>,
    /// Calls that must come, in this order.
    #[serde(default)]
    pub(super) calls: Vec<Expected>,
    pub(super) never: Vec<Never>,
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

/// Records that the goal names.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Wanted {
    /// In a sentence.
    pub(super) what: String,
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
}

/// A call that must come.
#[derive(Debug, Deserialize)]
pub(super) struct Expected {
    /// In a sentence, once it has come.
    pub(super) what: String,
    #[serde(flatten)]
    pub(super) pattern: Pattern,
    /// It names one of the first records.
    #[serde(default)]
    pub(super) about: bool,
    /// Such calls together show each of the first records.
    #[serde(default)]
    pub(super) shows: bool,
}

/// A call that must not come, or not so often, or not so soon.
#[derive(Debug, Deserialize)]
pub(super) struct Never {
    /// What such a call did, in a sentence.
    pub(super) what: String,
    #[serde(flatten)]
    pub(super) pattern: Pattern,
    /// So many may come.
    #[serde(default)]
    pub(super) most: usize,
    /// Only equal calls count together.
    #[serde(default)]
    pub(super) same: bool,
    /// Not the calls of the pattern are meant, but those that come so soon after one.
    pub(super) seconds: Option<u64>,
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
}

impl Pattern {
    pub(super) fn meets(&self, entry: &Entry) -> bool {
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
            && self.was_sent(entry)
    }

    fn was_sent(&self, entry: &Entry) -> bool {
        if self.sent.is_empty() {
            return true;
        }
        let body: Value = serde_json::from_slice(&entry.body).unwrap_or_default();
        let query = query::parse(entry.query.as_deref());
        self.sent.iter().all(|(name, value)| {
            body[name] == *value || query.get(name) == Some(&value.to_string())
        })
    }
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
