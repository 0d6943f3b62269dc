//! The names that each operation knows, by its description.

use std::collections::BTreeSet;

use http::StatusCode;
use serde_json::{Map, Value};

/// A client that misspells a hundred names knows enough when it hears of some.
pub(crate) const MOST_NAMES: usize = 8;

/// The names that an operation knows, by its description.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    parameters: &'static [&'static str],
    fields: &'static [&'static str],
    /// Those of the fields, in their order; empty where the description does not say.
    types: &'static [&'static str],
    /// `403 ENDPOINT_LIMIT_EXCEEDED`, or `200` where there is no code.
    pub(crate) outcomes: &'static [&'static str],
}

const TABLE: &[(&str, Known)] = include!(concat!(env!("OUT_DIR"), "/known.rs"));

impl Known {
    /// None where the description has no such operation.
    pub(crate) fn by(operation: &str) -> Option<Self> {
        let (_, known) = TABLE.iter().find(|(name, _)| *name == operation)?;
        Some(*known)
    }

    /// The parameters of its query.
    pub(crate) fn parameters(self) -> &'static [&'static str] {
        self.parameters
    }

    /// The members of its body, those of inner objects behind a dot.
    pub(crate) fn fields(self) -> &'static [&'static str] {
        self.fields
    }

    /// The types of a member of its body, as `string or null`; none where it has no such member, or the description does
    /// not say.
    pub(crate) fn types_of(self, field: &str) -> Option<&'static str> {
        let place = self.fields.iter().position(|name| *name == field)?;
        self.types
            .get(place)
            .copied()
            .filter(|types| !types.is_empty())
    }
}

/// Whether the description of any operation has this outcome, such as `503 SCANNING_UNAVAILABLE`.
pub(crate) fn is_documented(outcome: &str) -> bool {
    let mut operations = TABLE.iter();
    operations.any(|(_, known)| known.outcomes.contains(&outcome))
}

/// The codes that operations are documented to have beside this status.
pub(crate) fn documented_codes(status: StatusCode) -> BTreeSet<&'static str> {
    let outcomes = TABLE.iter().flat_map(|(_, known)| known.outcomes);
    let with_code = outcomes.filter_map(|outcome| outcome.split_once(' '));
    let of_status = with_code.filter(|(number, _)| *number == status.as_str());
    of_status.map(|(_, code)| code).collect()
}

/// The fields of a body that its operation does not know, those of inner objects behind a dot.
pub(crate) fn unknown_fields(body: &Map<String, Value>, known: &[&str]) -> Vec<String> {
    let mut unknown = Vec::new();
    collect_members(body, "", known, &mut unknown);
    unknown
}

fn collect_members(
    members: &Map<String, Value>,
    prefix: &str,
    known: &[&str],
    unknown: &mut Vec<String>,
) {
    for (name, value) in members {
        let name = format!("{prefix}{name}");
        if known.contains(&name.as_str()) {
            collect_inner(value, &format!("{name}."), known, unknown);
        } else if unknown.len() < MOST_NAMES && !unknown.contains(&name) {
            unknown.push(name);
        }
    }
}

fn collect_inner(value: &Value, prefix: &str, known: &[&str], unknown: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for item in items {
                collect_inner(item, prefix, known, unknown);
            }
        }
        Value::Object(members) => collect_members(members, prefix, known, unknown),
        _ => {}
    }
}
