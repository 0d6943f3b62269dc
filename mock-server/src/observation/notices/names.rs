//! Names in a request that its operation does not know.

use serde_json::{Map, Value};

use super::CallContext;
use crate::observation::notice::{Notice, NoticeCode};
use crate::values::nearest::nearest;

/// A client that misspells a hundred names knows enough when it hears of some.
const MOST_NAMES: usize = 8;

/// Characters of a name that are shown.
const SHOWN: usize = 64;

/// The names that an operation knows, by its description.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    parameters: &'static [&'static str],
    fields: &'static [&'static str],
    /// `403 ENDPOINT_LIMIT_EXCEEDED`, or `200` where there is no code.
    pub(crate) outcomes: &'static [&'static str],
}

type Row = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

const TABLE: &[Row] = include!(concat!(env!("OUT_DIR"), "/known.rs"));

impl Known {
    /// None where the description has no such operation.
    pub(crate) fn by(operation: &str) -> Option<Self> {
        let (_, parameters, fields, outcomes) = TABLE.iter().find(|row| row.0 == operation)?;
        Some(Self {
            parameters,
            fields,
            outcomes,
        })
    }

    /// The parameters of its query.
    pub(crate) fn parameters(self) -> &'static [&'static str] {
        self.parameters
    }

    /// The members of its body, those of inner objects behind a dot.
    pub(crate) fn fields(self) -> &'static [&'static str] {
        self.fields
    }
}

/// The names in a request that its operation does not know.
pub(super) fn unknown(call: &CallContext<'_>) -> Vec<Notice> {
    let Some(Known {
        parameters, fields, ..
    }) = call.known
    else {
        return Vec::new();
    };
    let instead = |name: &str, known: &[&str]| match nearest(name, known.iter().copied()) {
        _ if parameters.contains(&name) => "send it in the query".to_owned(),
        "" => "it has none, leave it out".to_owned(),
        nearest => format!("did you mean {nearest}?"),
    };
    let notice = |code, kind: &str, name: &str, known: &[&str]| {
        // A key must not be cut: half of it would be told.
        let shown = match call.key {
            "" => name.to_owned(),
            key => name.replace(key, "****"),
        };
        let shown: String = shown.chars().take(SHOWN).collect();
        let instead = instead(name, known);
        let operation = call.operation;
        call.notice(
            code,
            &format!("{operation} has no {kind} {shown}; {instead}"),
        )
    };
    let wrong = |name: &&String| !parameters.contains(&name.as_str());
    let mut notices: Vec<Notice> = (call.query.keys())
        .filter(wrong)
        .map(|name| notice(NoticeCode::UnknownParameter, "parameter", name, parameters))
        .take(MOST_NAMES)
        .collect();
    let names = call
        .body
        .map_or_else(Vec::new, |body| unknown_fields(body, fields));
    let fields = (names.iter()).map(|name| notice(NoticeCode::UnknownField, "field", name, fields));
    notices.extend(fields);
    notices
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
