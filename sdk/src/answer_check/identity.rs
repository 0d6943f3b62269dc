//! Whom and what an answer is about, wherever it says so (F11).

use std::borrow::Cow;
use std::fmt;

use memchr::memmem;
use serde::Deserialize;
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::envelope::json;
use crate::model::tolerant_value::TolerantValue;
use crate::model::{CustomerId, EndpointId};

/// The members of a request that name a record, and what an answer calls each of them; `endpoint.id` is the `id` of what
/// stands under `endpoint`.
const NAMES: [(&str, &[&str]); 9] = [
    ("client_id", &["client_id", "billing_customer_id"]),
    ("billing_customer_id", &["client_id", "billing_customer_id"]),
    ("service_id", &["service_id"]),
    ("endpoint_id", &["endpoint_id", "endpoint.id"]),
    ("domain_id", &["domain_id", "monitored_domain_id"]),
    ("monitored_domain_id", &["domain_id", "monitored_domain_id"]),
    ("alert_id", &["alert_id", "alert.id"]),
    ("rule_id", &["rule_id"]),
    ("product_slug", &["product_slug"]),
];

/// Members whose own members the specification does not give: what leaked may have a `client_id` of its own.
const FREE: [&str; 3] = ["details", "items", "password_strength"];

/// What a request names: its customer, its service, its records.
pub(crate) struct Identity(Vec<(&'static [&'static str], Value)>);

impl Identity {
    pub(crate) fn of(request: &Map<String, Value>) -> Self {
        let named = NAMES.iter();
        let named = named.filter_map(|(name, repeated)| Some((*repeated, request.get(*name)?)));
        Self(
            named
                .map(|(repeated, value)| (repeated, value.clone()))
                .collect(),
        )
    }

    /// The first place of an answer that names another record; a path that the result has no field for counts, too.
    pub(super) fn contradicted_at(&self, body: &[u8]) -> Option<String> {
        if self.0.is_empty() || self.is_written_as_asked(body) {
            return None;
        }
        let root = Search {
            asked: self,
            path: JsonPath::Root,
        };
        // What cannot be read was no result before it came here.
        json::parse_with(body, root).unwrap_or_default()
    }

    /// Whether the letters of an answer show that each such member has the value that was asked for, as written by the
    /// service's own hand. Nearly every answer does, and reading it a second time would cost more than the call.
    fn is_written_as_asked(&self, body: &[u8]) -> bool {
        let is_plain = memmem::find(body, b"\\u").is_none();
        is_plain
            && self.0.iter().all(|(names, asked)| {
                let mut names = names.iter();
                names.all(|name| has_only(body, name, &asked.to_string()))
            })
    }

    /// What the request has for a member of an answer.
    fn asked_at(&self, path: &JsonPath<'_>) -> Option<&Value> {
        let is_it = |names: &[&str]| names.iter().any(|name| path.is_called(name));
        let asked = self.0.iter().find(|(names, _)| is_it(names));
        asked.map(|(_, value)| value)
    }
}

/// Whether this value, in these letters, follows each time that the name stands in an answer; of a nested name whether
/// nothing stands in it that has such a member.
fn has_only(body: &[u8], name: &str, value: &str) -> bool {
    if let Some((above, _)) = name.split_once('.') {
        return memmem::find(body, format!("\"{above}\"").as_bytes()).is_none();
    }
    let name = format!("\"{name}\"");
    memmem::find_iter(body, name.as_bytes()).all(|at| {
        let rest = body[at + name.len()..].trim_ascii_start();
        let rest = rest.strip_prefix(b":").map(<[u8]>::trim_ascii_start);
        let rest = rest.and_then(|rest| rest.strip_prefix(value.as_bytes()));
        rest.is_some_and(|rest| matches!(rest.first(), Some(b',' | b'}' | b' ' | b'\n' | b'\r')))
    })
}

/// Whether an answer names another record; what cannot be read as what the request has tells nothing (F12).
fn names_another(asked: &Value, answered: &Value) -> bool {
    match asked {
        // Services are numbered as customers are.
        Value::Number(_) => differ::<CustomerId>(asked, answered),
        Value::String(text) if Uuid::parse_str(text).is_ok() => {
            differ::<EndpointId>(asked, answered)
        }
        Value::String(asked) => answered
            .as_str()
            .is_some_and(|answered| !asked.trim().eq_ignore_ascii_case(answered.trim())),
        _ => false,
    }
}

fn differ<T: PartialEq + DeserializeOwned>(asked: &Value, answered: &Value) -> bool {
    let read = |value| T::deserialize(TolerantValue(value)).ok();
    read(asked)
        .zip(read(answered))
        .is_some_and(|(asked, answered)| asked != answered)
}

/// Where in an answer, from there to its root.
#[derive(Clone, Copy)]
enum JsonPath<'p> {
    Root,
    Member(&'p JsonPath<'p>, &'p str),
    Item(&'p JsonPath<'p>, usize),
}

impl JsonPath<'_> {
    fn is_called(&self, name: &str) -> bool {
        match (self, name.split_once('.')) {
            (Self::Member(_, own), None) => *own == name,
            (Self::Member(parent, own), Some((above, name))) => {
                *own == name && parent.is_called(above)
            }
            _ => false,
        }
    }
}

impl fmt::Display for JsonPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member(Self::Root, name) => f.write_str(name),
            Self::Member(parent, name) => write!(f, "{parent}.{name}"),
            Self::Item(parent, position) => write!(f, "{parent}[{position}]"),
        }
    }
}

/// Finds the first place of an answer that names another record, without keeping the answer: a list may have many.
#[derive(Clone, Copy)]
struct Search<'s> {
    asked: &'s Identity,
    path: JsonPath<'s>,
}

/// A member's name, which is copied only where it has escapes.
#[derive(Deserialize)]
struct Name<'n>(#[serde(borrow)] Cow<'n, str>);

impl<'de> DeserializeSeed<'de> for Search<'_> {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Search<'_> {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(Name(name)) = members.next_key()? {
            let path = JsonPath::Member(&self.path, &name);
            let here = if let Some(asked) = self.asked.asked_at(&path) {
                names_another(asked, &members.next_value()?).then(|| path.to_string())
            } else if FREE.contains(&name.as_ref()) {
                members.next_value::<IgnoredAny>()?;
                None
            } else {
                members.next_value_seed(Search { path, ..self })?
            };
            found = found.or(here);
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let (mut found, mut position) = (None, 0);
        while let Some(here) = items.next_element_seed(Search {
            path: JsonPath::Item(&self.path, position),
            ..self
        })? {
            found = found.or(here);
            position += 1;
        }
        Ok(found)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
}
