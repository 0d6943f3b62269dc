//! What tests assert about answers.

use serde_json::Value;

use crate::service::Repeatability;
use crate::stage::STAGE;

/// Asserts the members of an object, whatever their order. Somebody else's service may have more of them (F1).
///
/// # Panics
/// When it is no object, or has others.
#[track_caller]
pub fn assert_keys(object: &Value, expected: &[&str]) {
    let Some(object) = object.as_object() else {
        panic!("no object: {object}");
    };
    let mut keys: Vec<&str> = object.keys().map(String::as_str).collect();
    let mut expected = expected.to_vec();
    let of_somebody_else =
        STAGE.try_with(|stage| stage.service.repeatability == Repeatability::Loose);
    // Checks that are no cases have no stage.
    if of_somebody_else.unwrap_or(false) {
        keys.retain(|key| expected.contains(key));
    }
    keys.sort_unstable();
    expected.sort_unstable();
    assert_eq!(keys, expected);
}
