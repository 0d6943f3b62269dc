//! Names in a request that its operation does not know.

use serde_json::{Map, Value};

use super::call_context::CallContext;
use crate::observation::notice::{Notice, NoticeCode};
use crate::operations::known_names::{MOST_NAMES, unknown_fields};
use crate::values::nearest::nearest;

/// Characters of a name or path that are shown: a path with two ids has a hundred.
const SHOWN: usize = 128;

/// The names in a request that its operation does not know.
pub(super) fn unknown(call: &CallContext<'_>) -> Vec<Notice> {
    let Some(known) = call.known else {
        return Vec::new();
    };
    let (parameters, fields) = (known.parameters(), known.fields());
    let instead = |name: &str, known: &[&'static str]| match nearest(name, known.iter().copied()) {
        _ if parameters.contains(&name) => "send it in the query".to_owned(),
        _ if known.is_empty() => "it has none, leave it out".to_owned(),
        None => "leave it out".to_owned(),
        Some(meant) if is_sent(call, meant) => {
            format!("{meant} was sent already, leave this one out")
        }
        Some(meant) => format!("did you mean {meant}?"),
    };
    let notice = |code, kind: &str, name: &str, known: &[&'static str]| {
        let shown = shown(call, name);
        let instead = match call.query.get(name) {
            Some(value) if !call.key.is_empty() && value.contains(call.key) => {
                "it holds the key, which logs keep of an address: send it in Authorization only"
                    .to_owned()
            }
            _ => instead(name, known),
        };
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

/// Whether a call has a parameter or a field of this name, an inner one behind a dot.
fn is_sent(call: &CallContext<'_>, name: &str) -> bool {
    call.query.contains_key(name) || call.body.is_some_and(|body| has_member(body, name))
}

fn has_member(members: &Map<String, Value>, name: &str) -> bool {
    match name.split_once('.') {
        None => members.contains_key(name),
        Some((outer, inner)) => match members.get(outer) {
            Some(Value::Object(members)) => has_member(members, inner),
            Some(Value::Array(items)) => {
                let mut objects = items.iter().filter_map(Value::as_object);
                objects.any(|members| has_member(members, inner))
            }
            _ => false,
        },
    }
}

/// What is shown of a name or path. A key must not be cut: half of it would be told.
pub(super) fn shown(call: &CallContext<'_>, text: &str) -> String {
    let shown = match call.key {
        "" => text.to_owned(),
        key => text.replace(key, "****"),
    };
    shown.chars().take(SHOWN).collect()
}
