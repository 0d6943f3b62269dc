//! Texts that the journal must not keep, and how they are found in what was sent: as they are,
//! percent-encoded, or escaped in a JSON string (M6).

use std::ops::Range;

use memchr::memchr2;
use memchr::memmem::{self, Finder};
use serde::de::IgnoredAny;

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

    /// These secrets and some more.
    pub(super) fn with<'b>(&self, more: &'b [String]) -> Redaction<'b>
    where
        'a: 'b,
    {
        let known = self.secrets.iter().cloned();
        Redaction {
            secrets: known.chain(more.iter().map(Finder::new)).collect(),
        }
    }

    /// Takes the secrets out of a text. It costs what the text is long, whatever stands in it.
    pub(crate) fn apply(&self, text: &mut String) {
        replace(text, self.found(text));
    }

    /// Takes the secrets out of a body. JSON stays JSON: they are looked for in its strings.
    pub(crate) fn apply_to_body(&self, text: &mut String) {
        let mut found = self.found(text);
        if !found.is_empty() && serde_json::from_str::<IgnoredAny>(text).is_ok() {
            found = within(found, &strings(text));
        }
        replace(text, found);
    }

    /// Where the secrets stand, as they are or escaped; from the first on, those that touch as one.
    fn found(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = self.places(text.as_bytes());
        if memchr2(b'%', b'\\', text.as_bytes()).is_some() {
            let unescaped = decoded(text, json_escape);
            let plain = decoded(&unescaped.text, percent_escape);
            for place in self.places(unescaped.text.as_bytes()) {
                found.push(unescaped.origin(&place));
            }
            for place in self.places(plain.text.as_bytes()) {
                found.push(unescaped.origin(&plain.origin(&place)));
            }
        }
        joined(found)
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

fn replace(text: &mut String, places: Vec<Range<usize>>) {
    if places.is_empty() {
        return;
    }
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for place in places {
        kept += &text[from..place.start];
        kept += REDACTED;
        from = place.end;
    }
    kept += &text[from..];
    *text = kept;
}

/// The insides of the strings of a JSON text.
fn strings(text: &str) -> Vec<Range<usize>> {
    let (mut strings, mut begun) = (Vec::new(), None);
    let mut bytes = text.bytes().enumerate();
    while let Some((at, byte)) = bytes.next() {
        match (byte, begun) {
            (b'"', None) => begun = Some(at + 1),
            (b'"', Some(start)) => {
                strings.push(start..at);
                begun = None;
            }
            (b'\\', Some(_)) => drop(bytes.next()),
            _ => {}
        }
    }
    strings
}

/// The places that stand in one of these parts; both are in order.
fn within(places: Vec<Range<usize>>, parts: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut parts = parts.iter().peekable();
    let mut stands_within = |place: &Range<usize>| {
        while parts.next_if(|part| part.end < place.end).is_some() {}
        parts.peek().is_some_and(|part| part.start <= place.start)
    };
    places
        .into_iter()
        .filter(|place| stands_within(place))
        .collect()
}

/// A text without its encoding, and where each byte of it, and its end, came from.
struct Decoded {
    text: String,
    origins: Vec<usize>,
}

impl Decoded {
    /// Where a part of it came from.
    fn origin(&self, place: &Range<usize>) -> Range<usize> {
        self.origins[place.start]..self.origins[place.end]
    }
}

/// Decodes what `escape` finds at the beginning of a text: what it stands for, and how long it is. Only ASCII is decoded:
/// keys that can be sent have nothing else.
fn decoded(text: &str, escape: fn(&str) -> Option<(char, usize)>) -> Decoded {
    let mut decoded = String::with_capacity(text.len());
    let mut origins = Vec::with_capacity(text.len() + 1);
    let mut at = 0;
    while let Some(next) = text[at..].chars().next() {
        let (character, length) = escape(&text[at..]).unwrap_or((next, next.len_utf8()));
        decoded.push(character);
        origins.resize(decoded.len(), at);
        at += length;
    }
    origins.push(text.len());
    Decoded {
        text: decoded,
        origins,
    }
}

fn percent_escape(text: &str) -> Option<(char, usize)> {
    Some((ascii(text.strip_prefix('%')?.get(..2)?)?, 3))
}

fn json_escape(text: &str) -> Option<(char, usize)> {
    let escape = text.strip_prefix('\\')?;
    match escape.chars().next()? {
        'u' => Some((ascii(escape.get(1..5)?.strip_prefix("00")?)?, 6)),
        plain @ ('/' | '\\' | '"') => Some((plain, 2)),
        _ => None,
    }
}

fn ascii(digits: &str) -> Option<char> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let byte = u8::from_str_radix(digits, 16).ok()?;
    (plain && byte.is_ascii()).then_some(char::from(byte))
}
