//! Unkind answers: nothing in them is forbidden, and careless clients trip over them early. What no document fixes is drawn:
//! words, texts of findings, the order of members and of sets, further members.

use std::time::Duration;

use secmon_engine::{Instant, hash_pair};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};

use super::reply::Reply;

/// How long the first byte of an answer is held back.
pub(super) const SLOWNESS: Duration = Duration::from_millis(25);

/// A field that no documentation knows.
const EXTRA_FIELD: &str = "added_later";

/// More of them, of which an object has one or none.
const EXTRA_FIELDS: [&str; 4] = ["_links", "etag", "object", "region"];

/// Fields with a value that no documentation knows, where a kind answer has the second one.
const NEW_VALUES: [(&str, &str, &str); 3] = [
    ("severity", "low", "notice"),
    ("risk_level", "low", "notice"),
    ("scan_status", "completed", "completed_partially"),
];

/// These map names or client ids to values: a further entry would say something.
const MAPS: [&str; 3] = ["errors", "enforcement", "status_counts"];

/// Sets, whose order nobody fixes (E5).
const SETS: [&str; 4] = [
    "open_ports",
    "new_ports",
    "closed_ports",
    "unknown_services",
];

/// Records without an id, which nothing but all that they show tells apart.
const LEAKS: &str = "items";

/// Sentences for people.
const SENTENCES: [&str; 3] = ["message", "note", "explanation"];

/// Sentences that documents fix.
const FIXED: [&str; 3] = ["Unauthenticated.", "Access denied", "Too Many Attempts."];

/// Texts of findings, by the field that only such a record has.
const TEXTS: [(&str, &[&str]); 2] = [
    ("risk_level", &["title", "service"]),
    (
        "source_name",
        &["author", "content_preview", "source_name", "title"],
    ),
];

/// What has a value of any shape, or none, by the field that only such a record has.
const SHAPELESS: [(&str, &str); 2] = [
    ("monitored_domain_id", "details"),
    ("employees_compromised", "password_strength"),
];

/// A text of a server, or none.
const PLATFORM: (&str, &str) = ("nmap_cooldown_seconds", "platform");

const WORDS: [&str; 16] = [
    "adipiscing",
    "aliqua",
    "consectetur",
    "dolor",
    "eiusmod",
    "élan",
    "größer",
    "incididunt",
    "ipsum",
    "labore",
    "lorem",
    "magna",
    "naïve",
    "sed",
    "tempor",
    "łatwy",
];

/// What decides: a record keeps its own, an answer has its own each time.
#[derive(Clone, Copy)]
pub(super) struct Lot {
    records: u64,
    answer: u64,
}

impl Lot {
    /// Of an answer to an account, at an instant.
    pub(super) fn new(seed: u64, account: &str, now: Instant) -> Self {
        let records = drawn(seed, account);
        let answer = hash_pair(records, now.unix_millis().unsigned_abs());
        Self { records, answer }
    }

    /// For records that are the same in each answer.
    fn of_records(self) -> Self {
        Self {
            answer: self.records,
            ..self
        }
    }
}

/// The number that a lot has for a text.
fn drawn(lot: u64, text: &str) -> u64 {
    text.bytes()
        .fold(lot, |lot, byte| hash_pair(lot, u64::from(byte)))
}

/// The same answer as a later or stranger version of the service may give it. Bodies that are no JSON stay as they are.
pub(super) fn extended(mut reply: Reply, lot: Lot) -> Reply {
    if let Ok(mut body) = serde_json::from_slice(&reply.body) {
        extend("", &mut body, lot);
        let shuffled = Shuffled {
            value: &body,
            lot: lot.answer,
        };
        if let Ok(text) = serde_json::to_vec(&shuffled) {
            reply.body = text.into();
        }
    }
    reply
}

fn extend(name: &str, value: &mut Value, lot: Lot) {
    match value {
        Value::Array(items) => {
            if SETS.contains(&name) {
                items.sort_by_key(|item| drawn(lot.answer, &item.to_string()));
            }
            items.iter_mut().for_each(|item| extend("", item, lot));
        }
        Value::String(text) if SENTENCES.contains(&name) && !FIXED.contains(&text.as_str()) => {
            *text = sentence(drawn(lot.answer, text));
        }
        Value::Object(fields) if name == "errors" => fields.values_mut().for_each(|sentences| {
            *sentences = complaints(drawn(lot.answer, &sentences.to_string()))
        }),
        Value::Object(fields) => {
            renew(fields, lot);
            for (name, field) in fields.iter_mut() {
                let lot = match name.as_str() {
                    LEAKS => lot.of_records(),
                    _ => lot,
                };
                extend(name, field, lot);
            }
            if !MAPS.contains(&name) {
                add(fields, lot);
            }
        }
        _ => {}
    }
}

/// Values and texts that a client does not know.
fn renew(fields: &mut Map<String, Value>, lot: Lot) {
    for (name, known, new) in NEW_VALUES {
        if fields.get(name).is_some_and(|value| value == known) {
            fields.insert(name.to_owned(), new.into());
        }
    }
    let own = drawn(lot.records, fields.get("id").map_or("", text_of));
    for (known_by, names) in TEXTS {
        if fields.contains_key(known_by) {
            let names = names.iter();
            names.for_each(|name| reword(fields, name, drawn(own, name)));
        }
    }
    for (known_by, name) in SHAPELESS {
        if fields.contains_key(known_by) && fields.contains_key(name) {
            fields.insert(name.to_owned(), something(drawn(own, name)));
        }
    }
    let (known_by, platform) = PLATFORM;
    if fields.contains_key(known_by) {
        let number = drawn(own, platform);
        let text = number.is_multiple_of(2).then(|| words(number));
        fields.insert(platform.to_owned(), json!(text));
    }
}

fn reword(fields: &mut Map<String, Value>, name: &str, number: u64) {
    if let Some(Value::String(text)) = fields.get_mut(name) {
        *text = words(number);
    }
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Fields that came later.
fn add(fields: &mut Map<String, Value>, lot: Lot) {
    fields.insert(EXTRA_FIELD.to_owned(), true.into());
    let number = drawn(lot.answer, fields.get("id").map_or("", text_of));
    // Every second object has one more.
    if let Some(name) = EXTRA_FIELDS.get(number as usize % (2 * EXTRA_FIELDS.len())) {
        let added = fields.entry((*name).to_owned());
        added.or_insert_with(|| anything(hash_pair(number, 1)));
    }
}

/// An object, or null.
fn something(number: u64) -> Value {
    match number % 2 {
        0 => Value::Null,
        _ => json!({"score": number % 100, "kind": words(number)}),
    }
}

/// A value of any shape.
fn anything(number: u64) -> Value {
    match number % 5 {
        0 => Value::Null,
        1 => json!(number),
        2 => json!(words(number)),
        3 => json!([words(number), number % 100]),
        _ => json!({"score": number % 100, "kind": words(number)}),
    }
}

/// One sentence about a field, or two.
fn complaints(number: u64) -> Value {
    let count = 1 + number % 2;
    (0..count)
        .map(|at| sentence(hash_pair(number, at)))
        .collect()
}

fn sentence(number: u64) -> String {
    format!("{}.", words(number))
}

fn words(number: u64) -> String {
    let count = 2 + number % 5;
    let words = (0..count).map(|at| {
        let drawn = hash_pair(number, at) as usize;
        WORDS[drawn % WORDS.len()]
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A value whose members stand in an order that is drawn.
struct Shuffled<'a> {
    value: &'a Value,
    lot: u64,
}

impl Serialize for Shuffled<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let lot = self.lot;
        match self.value {
            Value::Object(members) => {
                let mut members: Vec<_> = members.iter().collect();
                members.sort_by_key(|(name, _)| drawn(lot, name));
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, &Shuffled { value, lot })?;
                }
                map.end()
            }
            Value::Array(items) => {
                serializer.collect_seq(items.iter().map(|value| Shuffled { value, lot }))
            }
            value => value.serialize(serializer),
        }
    }
}
