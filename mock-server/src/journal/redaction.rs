//! Texts that the journal must not keep, and how they are found in what was sent: as they are,
//! percent-encoded, or escaped in a JSON string (M6).

use std::ops::Range;

use bytes::Bytes;
use memchr::memchr2;
use memchr::memmem::{self, Finder};
use serde_json::Value;

/// What stands where a key or a token stood.
const REDACTED: &str = "****";

/// How the keys begin that are made here; digits follow.
const MADE_KEY: &str = "test_key_";

const MADE_KEY_DIGITS: usize = 32;

/// The texts to look for. What looks like a key that is made here is one of them, whoever made it.
pub(crate) struct Redaction<'a> {
    secrets: Vec<Finder<'a>>,
}

impl<'a> Redaction<'a> {
    pub(crate) fn new(secrets: impl Iterator<Item = &'a str>) -> Self {
        Self {
            secrets: secrets
                .filter(|secret| !secret.is_empty())
                .map(Finder::new)
                .collect(),
        }
    }

    /// Takes the secrets out of a text.
    pub(super) fn apply(&self, text: &mut String) {
        let mut found = self.places(text.as_bytes());
        if text.contains('%') {
            let (decoded, origins) = percent_decoded(text);
            let places = self.places(decoded.as_bytes()).into_iter();
            found.extend(places.map(|place| origins[place.start]..origins[place.end]));
        }
        for place in joined(found).into_iter().rev() {
            text.replace_range(place, REDACTED);
        }
    }

    /// Takes the secrets out of a body. JSON stays JSON: they are looked for in its strings.
    pub(super) fn apply_to_body(&self, body: &mut Bytes) {
        if memchr2(b'%', b'\\', body).is_none() && self.places(body).is_empty() {
            return;
        }
        let text = String::from_utf8_lossy(body);
        let redacted = match serde_json::from_str::<Value>(&text) {
            Ok(value) => self.without_secrets(value).to_string(),
            Err(_) => {
                let mut text = text.into_owned();
                self.apply(&mut text);
                text
            }
        };
        *body = Bytes::from(redacted);
    }

    fn without_secrets(&self, value: Value) -> Value {
        let redacted = |mut text: String| {
            self.apply(&mut text);
            text
        };
        match value {
            Value::String(text) => Value::String(redacted(text)),
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.without_secrets(item))
                .collect(),
            Value::Object(fields) => fields
                .into_iter()
                .map(|(name, value)| (redacted(name), self.without_secrets(value)))
                .collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }

    fn places(&self, text: &[u8]) -> Vec<Range<usize>> {
        let known = self.secrets.iter().flat_map(|secret| {
            let starts = secret.find_iter(text);
            starts.map(|start| start..start + secret.needle().len())
        });
        let made = memmem::find_iter(text, MADE_KEY).filter_map(|start| {
            let end = start + MADE_KEY.len() + MADE_KEY_DIGITS;
            let key = std::str::from_utf8(text.get(start..end)?).ok()?;
            is_made_key(key).then_some(start..end)
        });
        known.chain(made).collect()
    }
}

/// Whether a key was made here, or looks like it.
pub(crate) fn is_made_key(text: &str) -> bool {
    text.strip_prefix(MADE_KEY).is_some_and(|digits| {
        digits.len() == MADE_KEY_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// Places that touch are one.
fn joined(mut places: Vec<Range<usize>>) -> Vec<Range<usize>> {
    places.sort_unstable_by_key(|place| place.start);
    let mut joined: Vec<Range<usize>> = Vec::new();
    for place in places {
        match joined.last_mut() {
            Some(last) if place.start <= last.end => last.end = last.end.max(place.end),
            _ => joined.push(place),
        }
    }
    joined
}

/// A text without its percent-encoding, and where each byte of it, and its end, came from. Only
/// ASCII is decoded: keys that can be sent have nothing else.
fn percent_decoded(text: &str) -> (String, Vec<usize>) {
    let mut decoded = String::with_capacity(text.len());
    let mut origins = Vec::with_capacity(text.len() + 1);
    let mut rest = text.char_indices();
    while let Some((at, character)) = rest.next() {
        let encoded = (character == '%').then(|| ascii(text.get(at + 1..at + 3)?));
        let character = match encoded.flatten() {
            Some(encoded) => {
                rest.nth(1);
                encoded
            }
            None => character,
        };
        decoded.push(character);
        origins.resize(decoded.len(), at);
    }
    origins.push(text.len());
    (decoded, origins)
}

fn ascii(digits: &str) -> Option<char> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let byte = u8::from_str_radix(digits, 16).ok()?;
    (plain && byte.is_ascii()).then_some(char::from(byte))
}
