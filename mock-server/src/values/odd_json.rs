//! JSON that is valid and that a [`Value`] cannot hold: numbers beyond every double, lone
//! surrogates in strings, arrays in arrays in arrays. A field that nobody looks at may be such;
//! any other is wrong by itself, and not the whole body (A8, A9).

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Objects and arrays inside each other that are looked into: deeper ones than `services[]` of
/// sync-services has no operation.
const DEEPEST: usize = 3;

/// The body, with a stand-in wherever something cannot be held.
///
/// # Errors
///
/// When it is not valid JSON.
pub(crate) fn value(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    let raw: &RawValue = serde_json::from_slice(bytes)?;
    Ok(held(raw, DEEPEST))
}

fn held(raw: &RawValue, deepest: usize) -> Value {
    let text = raw.get();
    if let Ok(value) = serde_json::from_str(text) {
        return value;
    }
    let Some(deeper) = deepest.checked_sub(1) else {
        return stand_in();
    };
    if let Ok(fields) = serde_json::from_str::<BTreeMap<Name, &RawValue>>(text) {
        let fields = fields
            .into_iter()
            .map(|(Name(name), raw)| (name, held(raw, deeper)));
        return Value::Object(fields.collect::<Map<_, _>>());
    }
    match serde_json::from_str::<Vec<&RawValue>>(text) {
        Ok(items) => items.into_iter().map(|raw| held(raw, deeper)).collect(),
        Err(_) => stand_in(),
    }
}

/// A value that no field takes: no integer, and beyond the bounds of every number.
pub(crate) fn stand_in() -> Value {
    f64::MAX.into()
}

/// The name of a field; as it is written where it is no text, and so the name of no field.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Name(String);

impl<'de> Deserialize<'de> for Name {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = <&RawValue>::deserialize(deserializer)?.get();
        let text = serde_json::from_str(written);
        Ok(Self(text.unwrap_or_else(|_| written.to_owned())))
    }
}
