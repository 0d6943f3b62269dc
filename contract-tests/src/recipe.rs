//! How an operation is called, as `contract.toml` has it.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::need::Need;

/// What takes a member out of a request.
pub const NOTHING: &str = "$nothing";

/// Members of a request by name: of its path, its query or its body.
pub type Members = Map<String, Value>;

/// How an operation is called.
#[derive(Debug, Clone, Deserialize)]
pub struct Recipe {
    /// A request that succeeds in a sample account.
    pub send: Members,
    /// What it may have besides.
    #[serde(default)]
    pub optional: Members,
    /// Members of `send` that the service can derive from others.
    #[serde(default)]
    pub derived: Vec<String>,
    /// The outcome of the same request sent twice.
    pub again: String,
    /// Whether it touches the whole account, so that it must be the case's own.
    #[serde(default)]
    account: Reach,
    /// Requests by their outcome that leave everything as it is: members over those of `send`.
    #[serde(default)]
    pub still: BTreeMap<String, Vec<Members>>,
    /// Things that must be there besides those that it names.
    #[serde(default)]
    pub there: Vec<String>,
    /// Members whose number may be any: they name no record that must be there.
    #[serde(default)]
    pub free: Vec<String>,
    /// The outcome of a request that names this thing, where it is not that of an unknown one; `home` where it is not
    /// strange here.
    #[serde(default)]
    pub strange: BTreeMap<String, String>,
    /// How it gives its records, where it lists some.
    pub list: Option<Listing>,
}

/// How an operation lists records.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Listing {
    /// What stands beside the records.
    pub shape: Shape,
    /// Where the records stand.
    pub items: String,
    /// How many a page has where nobody says.
    pub size: Option<usize>,
    /// Whether that is our own mock's choice.
    #[serde(default)]
    pub size_is_assumed: bool,
    /// How many a page has at most, where a caller may say.
    pub largest: Option<usize>,
    /// How many are shown at most, where there are no pages.
    pub most: Option<usize>,
    /// What comes first, where a document says so.
    pub order: Option<Order>,
    /// Members by which records of one moment count as made one after the other.
    #[serde(default)]
    pub one_moment: Vec<String>,
    /// What each value of a parameter selects: the members of such records.
    #[serde(default)]
    pub filters: BTreeMap<String, BTreeMap<String, Members>>,
}

/// What stands beside the records of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Nothing: it has no pages.
    Whole,
    /// `links` and `meta` of the resource envelope.
    Linked,
    /// `total`, `current_page`, `last_page` and `has_more`.
    Counted,
    /// `total`, `page` and `page_size`.
    Leaks,
}

/// What comes first in a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum Order {
    /// The record that was made first.
    #[serde(rename = "oldest first")]
    OldestFirst,
    /// The record that was made last.
    #[serde(rename = "newest first")]
    NewestFirst,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Reach {
    #[default]
    Shared,
    Own,
}

/// What a member may not be, whatever the operation.
#[derive(Debug)]
pub struct Bad {
    /// In a body.
    pub body: Members,
    /// In a query.
    pub query: Members,
}

impl Recipe {
    /// What a service must be able to do for a call with these members.
    pub fn needs(&self, members: &Members) -> Option<Need> {
        let needed = Self::needs_when_refused(members);
        needed.or((self.account == Reach::Own).then_some(Need::Accounts))
    }

    /// The same for a call that does nothing, so that the account may be everybody's.
    pub fn needs_when_refused(members: &Members) -> Option<Need> {
        let names = names_in(&Value::Object(members.clone()));
        names.iter().find_map(|name| Need::of_thing(name))
    }

    /// The members of `send` and `optional`.
    pub fn full(&self) -> Members {
        self.with(&self.optional)
    }

    /// The members of `send` with others over them.
    pub fn with(&self, over: &Members) -> Members {
        let mut members = self.send.clone();
        members.extend(over.clone());
        members
    }

    /// The members without which the call is refused.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        let names = self.send.keys().map(String::as_str);
        names.filter(|name| !self.derived.iter().any(|derived| derived == name))
    }
}

/// The names of a sample account's things in a value.
pub fn names_in(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => text
            .strip_prefix('$')
            .map(str::to_owned)
            .into_iter()
            .collect(),
        Value::Array(items) => items.iter().flat_map(names_in).collect(),
        Value::Object(members) => members.values().flat_map(names_in).collect(),
        _ => Vec::new(),
    }
}

/// The name in a part of a path such as `{endpoint}`.
pub fn placeholder(part: &str) -> Option<&str> {
    part.strip_prefix('{')?.strip_suffix('}')
}

/// A value as it stands in a path, a query or a name.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
