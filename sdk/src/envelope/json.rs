//! JSON as services really send it.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Parses a body. A byte-order mark before it is passed over, and what is no Unicode is replaced, so that a broken
/// letter in a message costs neither the code nor the rest (F12).
///
/// # Errors
/// That of the body as it came.
pub(crate) fn parse(body: &[u8]) -> Result<Value, serde_json::Error> {
    parse_as(body)
}

/// The same, as another type.
///
/// # Errors
/// As for [`parse`].
pub(crate) fn parse_as<T: DeserializeOwned>(body: &[u8]) -> Result<T, serde_json::Error> {
    let body = without_byte_order_mark(body);
    serde_json::from_slice(body).or_else(|error| {
        let text = String::from_utf8_lossy(body);
        serde_json::from_str(&without_lone_surrogates(&text)).map_err(|_| error)
    })
}

pub(crate) fn without_byte_order_mark(body: &[u8]) -> &[u8] {
    body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body)
}

/// Escapes of half a character (`\ud83d` alone) become the sign of a lost one.
fn without_lone_surrogates(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('\\') {
        let (before, escape) = rest.split_at(start);
        kept.push_str(before);
        let length = match (code_unit(escape), escape.get(6..).and_then(code_unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                kept.push_str("\\ufffd");
                rest = &escape[6..];
                continue;
            }
            _ => escape.chars().take(2).map(char::len_utf8).sum(),
        };
        kept.push_str(&escape[..length]);
        rest = &escape[length..];
    }
    kept.push_str(rest);
    kept
}

/// The code unit of the escape that the text begins with.
fn code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    let all_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u16::from_str_radix(digits, 16).ok().filter(|_| all_hex)
}
