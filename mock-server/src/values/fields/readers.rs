//! Readers: one field's text or JSON value in, the typed value or the rest of a sentence out.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};
use uuid::Uuid;

use super::Raw;

/// What a reader gives: the value, or what the field `must` be.
pub(crate) type Read<T> = Result<T, String>;

/// The bounds of identifiers that the partner gives: integers from 1.
pub(crate) const IDENTIFIER: RangeInclusive<i64> = 1..=i64::MAX;

/// An integer within `bounds`. A number with a fraction or an exponent is none.
pub(crate) fn integer(bounds: RangeInclusive<i64>) -> impl Fn(Raw) -> Read<i64> {
    move |raw| {
        let number = match raw {
            Raw::Json(value) => value.as_i64(),
            Raw::Text(text) => text.parse().ok(),
        };
        number
            .filter(|number| bounds.contains(number))
            .ok_or_else(|| match (*bounds.start(), *bounds.end()) {
                (low, i64::MAX) => format!("must be an integer of at least {low}."),
                (low, high) => format!("must be an integer from {low} to {high}."),
            })
    }
}

/// A customer, client or service number: an integer of at least 1.
pub(crate) fn identifier(raw: Raw) -> Read<u64> {
    integer(IDENTIFIER)(raw).map(i64::unsigned_abs)
}

/// A number within `bounds`.
pub(crate) fn number(bounds: RangeInclusive<f64>) -> impl Fn(Raw) -> Read<f64> {
    move |raw| {
        let number = match raw {
            Raw::Json(value) => value.as_f64(),
            Raw::Text(text) => text.parse().ok(),
        };
        number
            .filter(|number| bounds.contains(number))
            .ok_or_else(|| {
                format!(
                    "must be a number from {} to {}.",
                    bounds.start(),
                    bounds.end()
                )
            })
    }
}

/// A string of any length.
pub(crate) fn string(raw: Raw<'_>) -> Read<&str> {
    match raw {
        Raw::Json(value) => value.as_str().ok_or_else(|| "must be a string.".to_owned()),
        Raw::Text("") => Err("must not be empty.".to_owned()),
        Raw::Text(text) => Ok(text),
    }
}

/// A string whose length, in Unicode scalar values, is within `lengths`.
pub(crate) fn text(lengths: RangeInclusive<usize>) -> impl Fn(Raw) -> Read<String> {
    move |raw| {
        let text = string(raw)?;
        let length = text.chars().count();
        if lengths.contains(&length) {
            return Ok(text.to_owned());
        }
        Err(match *lengths.start() {
            0 => format!("must be at most {} characters.", lengths.end()),
            low => format!("must be {low} to {} characters.", lengths.end()),
        })
    }
}

/// A UUID in its hyphenated form, in any case.
pub(crate) fn uuid(raw: Raw) -> Read<Uuid> {
    parse_uuid(string(raw)?).ok_or_else(|| "must be a valid UUID.".to_owned())
}

/// A UUID in its hyphenated form only: the other forms that the library reads are no ids here.
pub(crate) fn parse_uuid(text: &str) -> Option<Uuid> {
    const HYPHENATED_LENGTH: usize = 36;
    (text.len() == HYPHENATED_LENGTH)
        .then(|| Uuid::try_parse(text).ok())
        .flatten()
}

/// One of some names; `names` lists them for the sentence.
pub(crate) fn named<T>(
    from_name: impl Fn(&str) -> Option<T>,
    names: &'static str,
) -> impl Fn(Raw) -> Read<T> {
    move |raw| from_name(string(raw)?).ok_or_else(|| format!("must be one of {names}."))
}

/// `true` or `false`; in a query also `1` and `0`.
pub(crate) fn boolean(raw: Raw) -> Read<bool> {
    let truth = match raw {
        Raw::Json(value) => value.as_bool(),
        Raw::Text("true" | "1") => Some(true),
        Raw::Text("false" | "0") => Some(false),
        Raw::Text(_) => None,
    };
    truth.ok_or_else(|| "must be true or false.".to_owned())
}

/// A JSON object.
pub(crate) fn object(raw: Raw<'_>) -> Read<&Map<String, Value>> {
    match raw {
        Raw::Json(Value::Object(object)) => Ok(object),
        _ => Err("must be an object.".to_owned()),
    }
}

/// A JSON array of `sizes` items.
pub(crate) fn array(sizes: RangeInclusive<usize>) -> impl Fn(Raw) -> Read<&[Value]> {
    move |raw| match raw {
        Raw::Json(Value::Array(items)) if sizes.contains(&items.len()) => Ok(items),
        _ => Err(format!(
            "must be an array of {} to {} items.",
            sizes.start(),
            sizes.end()
        )),
    }
}
