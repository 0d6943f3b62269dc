//! Everything that an error can show.

use std::collections::BTreeSet;
use std::error::Error as _;
use std::fmt::{Debug, Display};

use secmon::{Client, Error, Event};

use super::secrets::Secret;

/// One text, and where it was read.
pub type Shown = (&'static str, String);

/// What a program reads as data, as it came but for secrets: the details of an error.
pub const DATA: &str = "a detail";
/// What may have more lines than one: `{:#?}`, the log.
pub const LAID_OUT: &str = "laid out";

/// Every text that an error gives to whoever asks.
pub fn of_error(error: &Error) -> Vec<Shown> {
    let mut shown = both("error", error);
    shown.push((LAID_OUT, format!("{error:#?}")));
    shown.push((
        "request_id",
        error.request_id().unwrap_or_default().to_owned(),
    ));
    shown.push((
        "body_snippet",
        error.body_snippet().unwrap_or_default().to_owned(),
    ));
    shown.push(("path", error.path().unwrap_or_default().to_owned()));
    for (name, value) in error.headers().into_iter().flatten() {
        shown.push(("a header's name", name.to_string()));
        shown.push((
            "a header",
            String::from_utf8_lossy(value.as_bytes()).into_owned(),
        ));
        shown.push(("a header's Debug", format!("{value:?}")));
    }
    if let Some(api) = error.api() {
        shown.extend(both("api", api));
        shown.push(("message", api.message.clone()));
    }
    if let Some(code) = error.code() {
        shown.extend(both("code", code));
    }
    if let Some(details) = error.details() {
        shown.push(("details' Debug", format!("{details:?}")));
        for (name, value) in details.as_map() {
            shown.push((DATA, name.clone()));
            shown.push((
                DATA,
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned),
            ));
        }
    }
    if let Some(fields) = error.field_errors() {
        shown.extend(both("field_errors", fields));
        for (field, sentences) in fields.iter() {
            shown.push(("a field's name", field.to_owned()));
            shown.extend(
                sentences
                    .iter()
                    .map(|sentence| ("a field's sentence", sentence.clone())),
            );
        }
    }
    let mut source = error.source();
    while let Some(cause) = source {
        shown.extend(both("source", cause));
        source = cause.source();
    }
    shown
}

pub fn of_client(client: &Client) -> Vec<Shown> {
    vec![
        ("client", format!("{client:?}")),
        (LAID_OUT, format!("{client:#?}")),
    ]
}

pub fn of_event(event: &Event) -> Shown {
    ("an event", format!("{event:?}"))
}

fn both<T: Display + Debug + ?Sized>(what: &'static str, value: &T) -> Vec<Shown> {
    vec![(what, value.to_string()), (what, format!("{value:?}"))]
}

/// What of these texts must not be there.
pub fn faults(seen: &[Shown], secret: &Secret) -> Option<String> {
    // The same text comes many times: in an error, in its Debug, in its parts.
    let mut searched = BTreeSet::new();
    seen.iter().find_map(|shown| {
        let (place, text) = shown;
        let no_line = is_no_line(shown).map(|why| format!("{place}: {why}: {text:.200?}"));
        let piece = searched
            .insert(text)
            .then(|| secret.found_in(text))
            .flatten();
        no_line.or_else(|| piece.map(|piece| format!("{place} shows `{piece}`: {text:.300}")))
    })
}

/// Why a text is no line of at most 4 KiB, if it is none and should be one.
fn is_no_line((place, text): &Shown) -> Option<String> {
    const LONGEST: usize = 4 * 1024;
    if matches!(*place, DATA | LAID_OUT) {
        return None;
    }
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    match text.chars().find(|c| breaks(*c)) {
        Some(c) => Some(format!("it has a {c:?} in it")),
        None if text.len() > LONGEST => Some(format!("it has {} bytes", text.len())),
        None => None,
    }
}
