//! Whom and what an answer is about, wherever it says so (F11).

use memchr::memmem;
use serde::de::DeserializeOwned;
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
        // What cannot be read was no result before it came here.
        let answer = json::parse(body).ok()?;
        self.contradicted_in(&answer, "")
    }

    fn contradicted_in(&self, value: &Value, path: &str) -> Option<String> {
        match value {
            Value::Object(members) => members.iter().find_map(|(name, member)| {
                let path = match path {
                    "" => name.clone(),
                    path => format!("{path}.{name}"),
                };
                match self.asked_at(&path) {
                    Some(asked) => names_another(asked, member).then_some(path),
                    None if FREE.contains(&name.as_str()) => None,
                    None => self.contradicted_in(member, &path),
                }
            }),
            Value::Array(items) => items.iter().enumerate().find_map(|(position, item)| {
                self.contradicted_in(item, &format!("{path}[{position}]"))
            }),
            _ => None,
        }
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
    fn asked_at(&self, path: &str) -> Option<&Value> {
        let is_it = |name: &&str| {
            let above = path.strip_suffix(*name);
            above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
        };
        let asked = self.0.iter().find(|(names, _)| names.iter().any(is_it));
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
