//! Whether two values say the same: identifiers in any case, instants in any zone and precision.

use chrono::DateTime;
use serde_json::Value;
use uuid::Uuid;

/// Whether two values are one, however they are written.
pub(crate) fn are_one(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::String(one), Value::String(other)) => {
            let ids = (Uuid::parse_str(one), Uuid::parse_str(other));
            let times = (
                DateTime::parse_from_rfc3339(one),
                DateTime::parse_from_rfc3339(other),
            );
            one == other
                || matches!(ids, (Ok(one), Ok(other)) if one == other)
                || matches!(times, (Ok(one), Ok(other)) if one == other)
        }
        (one, other) => one == other,
    }
}

/// Whether two lists are one set of numbers (E5).
pub(crate) fn are_one_set(one: &[Value], other: &[Value]) -> bool {
    let numbers = |list: &[Value]| {
        let numbers: Option<Vec<u64>> = list.iter().map(Value::as_u64).collect();
        numbers.map(|mut numbers| {
            numbers.sort_unstable();
            numbers
        })
    };
    matches!((numbers(one), numbers(other)), (Some(one), Some(other)) if one == other)
}
