//! Whether a JSON value holds another (M11): how faults and the journal's filter pick calls by what they say.

use serde_json::Value;

/// Objects hold fewer members, arrays hold items in any place; everything else is equal.
pub(crate) fn holds(whole: &Value, part: &Value) -> bool {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            let found = |(name, part)| whole.get(name).is_some_and(|whole| holds(whole, part));
            part.iter().all(found)
        }
        (Value::Array(whole), Value::Array(part)) => part
            .iter()
            .all(|part| whole.iter().any(|whole| holds(whole, part))),
        (whole, part) => whole == part,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::holds;

    #[test]
    fn a_part_leaves_members_and_items_out_and_nothing_else() {
        let whole = json!({ "client_id": 42, "services": [{ "id": 1 }, { "id": 2, "at": null }] });
        for (part, held) in [
            (json!({}), true),
            (json!({ "client_id": 42 }), true),
            (json!({ "client_id": "42" }), false),
            (json!({ "client": 42 }), false),
            (json!({ "services": [{ "id": 2 }] }), true),
            (json!({ "services": [{ "at": null }] }), true),
            (json!({ "services": [{ "id": 2 }, { "id": 3 }] }), false),
            (json!({ "services": [] }), true),
            (json!({ "services": {} }), false),
            (Value::Null, false),
        ] {
            assert_eq!(holds(&whole, &part), held, "{part}");
        }
    }
}
