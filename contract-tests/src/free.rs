//! What the documents leave free. Answers, accounts, runs and snapshots that differ in it alone say the same, and every
//! comparison of two of them knows it from here.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::description;

/// Sentences, which each answer may choose anew; all texts below `errors` are some, too.
const SENTENCES: [&str; 3] = ["message", "note", "explanation"];

/// Sets, whose order nobody fixes (E5). The leaked records of `items` are a set, too.
const SETS: [&str; 5] = [
    "open_ports",
    "new_ports",
    "closed_ports",
    "unknown_services",
    "whitelisted_ports",
];

/// Maps from names or ids to values: a further entry of theirs says something.
const MAPS: [&str; 3] = ["errors", "enforcement", "status_counts"];

/// The records of a dump, of which no document shows the members.
const LEAKS: &str = "items";

/// What a record may have of its own, so that it is another in another account.
struct OfRecord {
    /// The member that only such a record has.
    known_by: &'static str,
    free: &'static [&'static str],
}

const OF_RECORDS: [OfRecord; 6] = [
    // A port alert.
    OfRecord {
        known_by: "risk_level",
        free: &["title", "service"],
    },
    // A domain alert.
    OfRecord {
        known_by: "monitored_domain_id",
        free: &["details"],
    },
    // A dark-web mention.
    OfRecord {
        known_by: "source_name",
        free: &[
            "author",
            "content_preview",
            "published_at",
            "source_name",
            "title",
        ],
    },
    // A server.
    OfRecord {
        known_by: "nmap_cooldown_seconds",
        free: &["platform"],
    },
    // A domain.
    OfRecord {
        known_by: "employees_compromised",
        free: &["password_strength"],
    },
    // A scan of a server.
    OfRecord {
        known_by: "scan_duration_ms",
        free: &["scan_duration_ms"],
    },
];

/// What stands in the place of what is free.
const FREE: &str = "$free";

/// The members that the description names; any other is one more (F1), and says what it likes.
static DOCUMENTED: LazyLock<BTreeSet<&'static str>> = LazyLock::new(description::members);

/// Whether two values are one, however they are written: identifiers in any case, instants in any zone and precision.
pub(crate) fn are_one(one: &Value, other: &Value) -> bool {
    one == other || spelled(one) == spelled(other)
}

/// Whether two lists are one set of numbers (E5).
pub(crate) fn are_one_set(one: &[Value], other: &[Value]) -> bool {
    let all_are_numbers = one.iter().chain(other).all(Value::is_u64);
    all_are_numbers && sorted(one.to_vec()) == sorted(other.to_vec())
}

/// The first place where two answers do not say the same, and what each says there.
pub fn difference(was: &Value, is: &Value) -> Option<Difference> {
    differing(String::new(), said("", was), said("", is))
}

/// The first place where two values are not the same to the letter.
pub(crate) fn exact_difference(was: &Value, is: &Value) -> Option<Difference> {
    differing(String::new(), was.clone(), is.clone())
}

/// A place where two values differ, and both values there.
#[derive(Debug, PartialEq)]
pub struct Difference {
    /// Where, as a JSON pointer.
    pub place: String,
    /// What was there.
    pub was: Value,
    /// What is there.
    pub is: Value,
}

/// The first place where two reads of one record do not say the same of it, of the members that both show: some reads show
/// more than others.
pub fn disagreement(one: &Value, other: &Value) -> Option<Difference> {
    disagreeing(String::new(), said("", one), said("", other))
}

fn disagreeing(place: String, one: Value, other: Value) -> Option<Difference> {
    match (one, other) {
        (Value::Object(one), Value::Object(mut other)) => {
            let both = one
                .into_iter()
                .filter_map(|(name, value)| Some((other.remove(&name)?, name, value)));
            let mut found = both
                .map(|(other, name, value)| disagreeing(format!("{place}/{name}"), value, other));
            found.find_map(|difference| difference)
        }
        (one, other) => differing(place, one, other),
    }
}

/// What stands at a place without further members, to be held against a later answer.
pub fn documented(value: &Value) -> Value {
    documented_in("", value)
}

fn documented_in(name: &str, value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(documented).collect(),
        Value::Object(members) => {
            let members = documented_members(name, members);
            let members =
                members.map(|(member, value)| (member.clone(), documented_in(member, value)));
            Value::Object(members.collect())
        }
        value => value.clone(),
    }
}

/// The members of what stands under a name that say what the documents have them say.
fn documented_members<'a>(
    name: &str,
    members: &'a Map<String, Value>,
) -> impl Iterator<Item = (&'a String, &'a Value)> {
    let is_map = MAPS.contains(&name);
    let members = members.iter();
    members.filter(move |(member, _)| is_map || DOCUMENTED.contains(member.as_str()))
}

/// An answer without what each record may have of its own, to be held against one of another account.
pub fn without_own(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(without_own).collect(),
        Value::Object(members) => {
            let own = own(members);
            let members = members.iter().map(|(name, member)| {
                let member = match (name.as_str(), member) {
                    (name, _) if own.contains(&name) => json!(FREE),
                    (LEAKS, Value::Array(leaks)) => leaks.iter().map(|_| json!(FREE)).collect(),
                    (_, member) => without_own(member),
                };
                (name.clone(), member)
            });
            Value::Object(members.collect())
        }
        value => value.clone(),
    }
}

fn own(members: &Map<String, Value>) -> BTreeSet<&'static str> {
    let records = OF_RECORDS.iter();
    let records = records.filter(|record| members.contains_key(record.known_by));
    let mut own: BTreeSet<&str> = records.flat_map(|record| record.free).copied().collect();
    if members.get("auto_suggested") == Some(&json!(true)) {
        own.insert("justification");
    }
    own
}

/// What a value says: sentences are one, sets have no order, and further members are none of it.
fn said(name: &str, value: &Value) -> Value {
    match value {
        Value::String(_) if SENTENCES.contains(&name) => json!(FREE),
        Value::Array(items) if name == LEAKS => sorted(items.clone()),
        Value::Array(items) => {
            let items = items.iter().map(|item| said("", item)).collect();
            match SETS.contains(&name) {
                true => sorted(items),
                false => Value::Array(items),
            }
        }
        Value::Object(members) => {
            let members = documented_members(name, members).map(|(member, value)| {
                let value = match name {
                    "errors" => json!(FREE),
                    _ => said(member, value),
                };
                (member.clone(), value)
            });
            Value::Object(members.collect())
        }
        value => spelled(value),
    }
}

/// A set in the one order in which it is compared.
pub(crate) fn sorted(mut items: Vec<Value>) -> Value {
    items.sort_by_key(Value::to_string);
    Value::Array(items)
}

/// An identifier in small letters, an instant in UTC; anything else as it is.
fn spelled(value: &Value) -> Value {
    let Some(text) = value.as_str() else {
        return value.clone();
    };
    if let Ok(id) = Uuid::parse_str(text) {
        return json!(id);
    }
    match DateTime::parse_from_rfc3339(text) {
        Ok(time) => json!(time.with_timezone(&Utc).to_rfc3339()),
        Err(_) => value.clone(),
    }
}

fn differing(place: String, was: Value, is: Value) -> Option<Difference> {
    match (was, is) {
        (Value::Object(was), Value::Object(is)) => {
            let names: BTreeSet<&String> = was.keys().chain(is.keys()).collect();
            let at = |members: &Map<String, Value>, name: &str| {
                members.get(name).cloned().unwrap_or_default()
            };
            let mut found = names
                .into_iter()
                .map(|name| differing(format!("{place}/{name}"), at(&was, name), at(&is, name)));
            found.find_map(|difference| difference)
        }
        (Value::Array(was), Value::Array(is)) if was.len() == is.len() => {
            let mut pairs = was.into_iter().zip(is).enumerate();
            pairs.find_map(|(at, (was, is))| differing(format!("{place}/{at}"), was, is))
        }
        (was, is) => (was != is).then_some(Difference { place, was, is }),
    }
}
