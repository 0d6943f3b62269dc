//! Unkind answers: nothing in them is forbidden, and careless clients trip over them early.

use std::time::Duration;

use serde_json::Value;

use super::reply::Reply;

/// How long the first byte of an answer is held back.
pub(super) const SLOWNESS: Duration = Duration::from_millis(25);

/// A field that no documentation knows.
const EXTRA_FIELD: &str = "added_later";

/// Fields with a value that no documentation knows, where a kind answer has the second one.
const NEW_VALUES: [(&str, &str, &str); 3] = [
    ("severity", "low", "notice"),
    ("risk_level", "low", "notice"),
    ("scan_status", "completed", "completed_partially"),
];

/// The same answer with fields and enum values that came later than the client. Bodies that are
/// no JSON stay as they are.
pub(super) fn extended(mut reply: Reply) -> Reply {
    if let Ok(mut body) = serde_json::from_slice(&reply.body) {
        extend(&mut body);
        reply.body = body.to_string().into();
    }
    reply
}

fn extend(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(extend),
        Value::Object(fields) => {
            for (name, known, new) in NEW_VALUES {
                if fields.get(name).is_some_and(|value| value == known) {
                    fields.insert(name.to_owned(), new.into());
                }
            }
            for (name, field) in fields.iter_mut() {
                // These map names or client ids to values: a further entry would say something.
                if !["errors", "enforcement", "status_counts"].contains(&name.as_str()) {
                    extend(field);
                }
            }
            fields.insert(EXTRA_FIELD.to_owned(), true.into());
        }
        _ => {}
    }
}
