//! Reading what the admin API is sent: the first mistake is the answer.

use serde_json::{Map, Value};

use crate::values::admin_error::AdminError;
use crate::values::fields::{FieldErrors, Fields};

/// The first sentence about a wrong field.
pub(super) fn first_sentence(errors: &FieldErrors) -> AdminError {
    let sentence = errors.values().flatten().next().cloned();
    AdminError::BadInput(sentence.unwrap_or_else(|| "The call is not valid.".to_owned()))
}

/// The fields of a body that has no others than these: a misspelt one is not silently ignored.
pub(super) fn fields<'a>(body: &'a Map<String, Value>, known: &[&str]) -> Fields<'a> {
    let mut fields = Fields::of_body(body);
    for name in fields.names() {
        if !known.contains(&name) {
            let sentence = match known {
                [] => format!("There is no field {name}; there are none."),
                known => format!("There is no field {name}; there are {}.", known.join(", ")),
            };
            fields.reject(name, sentence);
        }
    }
    fields
}

/// The values that were read, or the first mistake.
pub(super) fn finish<T>(
    fields: Fields<'_>,
    build: impl FnOnce() -> Option<T>,
) -> Result<T, AdminError> {
    fields
        .finish(build)
        .map_err(|errors| first_sentence(&errors))
}
