//! Names in a request that its operation does not know.

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
    // What was sent already is not what was meant.
    let is_sent = |name: &str| {
        call.query.contains_key(name) || call.body.is_some_and(|body| body.contains_key(name))
    };
    let left = |known: &[&'static str]| -> Vec<&'static str> {
        known
            .iter()
            .copied()
            .filter(|name| !is_sent(name))
            .collect()
    };
    let instead = |name: &str, known: &[&'static str]| match nearest(name, left(known).into_iter())
    {
        _ if parameters.contains(&name) => "send it in the query".to_owned(),
        "" => "it has none, leave it out".to_owned(),
        nearest => format!("did you mean {nearest}?"),
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

/// What is shown of a name or path. A key must not be cut: half of it would be told.
pub(super) fn shown(call: &CallContext<'_>, text: &str) -> String {
    let shown = match call.key {
        "" => text.to_owned(),
        key => text.replace(key, "****"),
    };
    shown.chars().take(SHOWN).collect()
}
