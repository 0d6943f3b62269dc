//! What of a call is shown, and how: nothing that is a secret.

use std::collections::BTreeMap;
use std::fmt;

use bytes::Bytes;
use secmon_engine::{ChangedRecord, SandboxHeader, Table, Timestamp};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Serialize, de};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use super::entry::BODY_CAP;
use super::redaction::Redaction;
use crate::observation::journal::entry::Entry;
use crate::observation::notice::Notice;

/// A record that a call made, changed or removed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ChangedKey {
    /// Its table in the exported state: `endpoints`.
    pub kind: &'static str,
    /// Its key there.
    pub key: String,
}

/// An entry as the admin API shows it, without keys and sign-in tokens.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct JournalEntry<Body = Value> {
    /// Rises by one with every call that the server records.
    pub id: u64,
    /// When the call came in, by the account's clock: `2026-01-01T00:00:00+00:00`.
    pub at: String,
    /// The account of the call's key, or of the sign-in's token, if it has one.
    pub tenant: Option<String>,
    /// The HTTP method.
    pub method: String,
    /// The path without the query.
    pub path: String,
    /// The raw query without `?`.
    pub query: Option<String>,
    /// The request's headers, in lower case, with every value of each; credentials are `****`.
    pub request_headers: BTreeMap<String, Vec<String>>,
    /// The request's body: the JSON value when it parses, else a string; null when empty.
    pub body: Body,
    /// The HTTP status; none when nothing was answered.
    pub status: Option<u16>,
    /// The answer's headers, written like `request_headers`; empty when nothing was answered.
    pub response_headers: BTreeMap<String, Vec<String>>,
    /// The answer's body, written like `body`.
    pub response: Body,
    /// Where nothing was answered, whether the call was processed all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processed: Option<bool>,
    /// The id of the fault that acted on the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<u64>,
    /// Whether the call was sent with `X-Sandbox: true`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub sandbox: bool,
    /// The records that the call made, changed or removed, as the exported state names them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<ChangedKey>,
    /// What the service tolerated, and the client should hear of (M10).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notices: Vec<Notice>,
    /// Those of a call by staff, which are shown nowhere.
    #[serde(skip)]
    pub(crate) staff_notices: Vec<Notice>,
    /// How long the call took, in microseconds of real time.
    pub duration_us: u64,
}

/// An entry that is only written out: its bodies stay the texts that they are.
pub(crate) type WrittenEntry = JournalEntry<Option<Box<RawValue>>>;

impl JournalEntry {
    /// What of an entry may be shown.
    pub(crate) fn new(tenant: Option<&str>, entry: &Entry, redaction: &Redaction<'_>) -> Self {
        Self::of(tenant, entry, redaction, value)
    }
}

impl WrittenEntry {
    /// The same, to be written out: to read a body of many values into memory costs many times its text.
    pub(crate) fn to_write(tenant: Option<&str>, entry: &Entry, redaction: &Redaction<'_>) -> Self {
        Self::of(tenant, entry, redaction, written)
    }
}

impl<Body> JournalEntry<Body> {
    fn of(
        tenant: Option<&str>,
        entry: &Entry,
        redaction: &Redaction<'_>,
        body: impl Fn(String) -> Body,
    ) -> Self {
        let redaction = &redaction.with(&entry.secrets);
        let in_text = |text: &str| shown_text(text, redaction);
        let in_body = |bytes: &Bytes| body(text_of_body(bytes, redaction));
        let notices = entry.notices.iter().map(|notice| Notice {
            sentence: in_text(&notice.sentence),
            ..*notice
        });
        let (staff_notices, notices) = notices.partition(|_| entry.is_by_staff);
        Self {
            id: entry.id,
            at: Timestamp(entry.at).to_string(),
            tenant: tenant.map(str::to_owned),
            method: in_text(entry.method.as_str()),
            path: in_text(&entry.path),
            query: entry.query.as_deref().map(in_text),
            request_headers: entry.headers.shown(in_text),
            body: in_body(&entry.body),
            status: entry.status.map(|status| status.as_u16()),
            response_headers: entry.response_headers.shown(in_text),
            response: in_body(&entry.response),
            processed: entry.processed,
            fault: entry.fault,
            sandbox: entry.sandbox == SandboxHeader::Simulate,
            changed: changed(entry, in_text),
            notices,
            staff_notices,
            duration_us: entry.duration_us,
        }
    }
}

/// The counters of an account change with every record that is new, and say nothing; what is secret has no name.
fn changed(entry: &Entry, in_text: impl Fn(&str) -> String) -> Vec<ChangedKey> {
    const UNTOLD: [Table; 3] = [Table::Controls, Table::Keys, Table::SsoTokens];
    let told = entry
        .changed
        .iter()
        .filter(|record| !UNTOLD.contains(&record.table));
    let key = |record: &ChangedRecord| ChangedKey {
        kind: record.table.name(),
        key: in_text(&record.key),
    };
    told.map(key).collect()
}

pub(super) fn shown_text(text: &str, redaction: &Redaction<'_>) -> String {
    shown(text.as_bytes(), |text| redaction.apply(text))
}

pub(super) fn shown_body(body: &Bytes, redaction: &Redaction<'_>) -> Value {
    value(text_of_body(body, redaction))
}

fn text_of_body(body: &Bytes, redaction: &Redaction<'_>) -> String {
    shown(body, |text| redaction.apply_to_body(text))
}

/// What stays of a text once the secrets are taken out of it.
fn shown(bytes: &[u8], take_out: impl Fn(&mut String)) -> String {
    let mut text = String::from_utf8_lossy(bytes).into_owned();
    take_out(&mut text);
    if bytes.len() > BODY_CAP {
        let fits = |end: &usize| text.is_char_boundary(*end);
        let end = (0..=BODY_CAP.min(text.len())).rev().find(fits);
        text.truncate(end.unwrap_or(0));
    }
    text
}

fn value(text: String) -> Value {
    if text.is_empty() {
        return Value::Null;
    }
    serde_json::from_str(&text).unwrap_or(Value::String(text))
}

/// The same as text: what a reader of values would refuse is a string here too.
fn written(text: String) -> Option<Box<RawValue>> {
    if text.is_empty() {
        return None;
    }
    match serde_json::from_str::<Readable>(&text) {
        Ok(Readable) => RawValue::from_string(text).ok(),
        Err(_) => to_raw_value(&text).ok(),
    }
}

/// JSON that can be read as a [`Value`], and is not kept.
struct Readable;

impl<'de> Deserialize<'de> for Readable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Readable {
    type Value = Self;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E: de::Error>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self, A::Error> {
        while items.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self, A::Error> {
        while members.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }
}
