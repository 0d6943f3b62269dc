//! Names in a request that its operation does not know.

use super::call_context::CallContext;
use crate::observation::notice::{Notice, NoticeCode};
use crate::operations::known_names::{MOST_NAMES, unknown_fields};
use crate::values::nearest::nearest;

/// Characters of a name that are shown.
const SHOWN: usize = 64;

/// The names in a request that its operation does not know.
pub(super) fn unknown(call: &CallContext<'_>) -> Vec<Notice> {
    let Some(known) = call.known else {
        return Vec::new();
    };
    let (parameters, fields) = (known.parameters(), known.fields());
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
