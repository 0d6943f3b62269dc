//! A fault: which calls it is for, and what it does to them (M5).

use std::time::Duration;

use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::effect::{CloseAt, Effect, TlsTrouble, usual_retry_after};
use super::fields::{field_readers, read_field};
use crate::values::fields::Raw;
use crate::values::fields::readers::{self, Read, integer, number, text};
use crate::values::odd_json::stand_in;

/// A fault to be placed: by default it hits the next call of any method and path, once. It is written, as JSON or TOML,
/// the way the admin API takes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    #[serde(default, deserialize_with = "tenant")]
    pub(crate) tenant: Option<String>,
    #[serde(
        default,
        deserialize_with = "operation",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) operation: Option<String>,
    #[serde(default, deserialize_with = "method")]
    pub(crate) method: Option<String>,
    #[serde(default, deserialize_with = "path")]
    pub(crate) path: Option<String>,
    #[serde(
        rename = "match",
        default,
        deserialize_with = "matching",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) matching: Option<Map<String, Value>>,
    #[serde(default = "once", deserialize_with = "times")]
    pub(crate) times: u64,
    #[serde(default, deserialize_with = "after")]
    pub(crate) after: u64,
    #[serde(
        default,
        deserialize_with = "probability",
        skip_serializing_if = "Option::is_none"
    )]
    pub(crate) probability: Option<f64>,
    pub(crate) effect: Effect,
}

field_readers! {
    tenant: String = "tenant", text(0..=usize::MAX);
    operation: String = "operation", text(1..=100);
    method: String = "method", upper_case;
    path: String = "path", text(1..=4096);
    matching: Map<String, Value> = "match", possible_match;
    probability: f64 = "probability", number(0.0..=1.0);
}

fn once() -> u64 {
    1
}

fn times<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let times = read_field(deserializer, "times", integer(0..=i64::MAX))?;
    Ok(times.map_or_else(once, i64::unsigned_abs))
}

fn after<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let after = read_field(deserializer, "after", integer(0..=i64::MAX))?;
    Ok(after.map_or(0, i64::unsigned_abs))
}

fn upper_case(raw: Raw) -> Read<String> {
    Ok(text(1..=32)(raw)?.to_ascii_uppercase())
}

/// A match without members that no body holds as they are written.
fn possible_match(raw: Raw) -> Read<Map<String, Value>> {
    let matching = readers::object(raw)?;
    match matching.iter().find(|(_, part)| holds_stand_in(part)) {
        Some((name, _)) => Err(format!(
            "cannot be met. No call can say {name} as this match has it: it is nested too deep, or a number in it is too large."
        )),
        None => Ok(matching.clone()),
    }
}

fn holds_stand_in(part: &Value) -> bool {
    match part {
        Value::Array(items) => items.iter().any(holds_stand_in),
        Value::Object(members) => members.values().any(holds_stand_in),
        part => *part == stand_in(),
    }
}

impl Fault {
    /// A fault with this effect.
    pub fn new(effect: Effect) -> Self {
        Self {
            tenant: None,
            operation: None,
            method: None,
            path: None,
            matching: None,
            times: 1,
            after: 0,
            probability: None,
            effect,
        }
    }

    /// Answers with `status` in the shape that the path's group has for it.
    pub fn status(status: StatusCode) -> Self {
        Self::new(Effect::Status {
            status,
            code: None,
            retry_after: usual_retry_after(status),
        })
    }

    /// Answers with `status` and the documented envelope of `code`.
    pub fn code(status: StatusCode, code: impl Into<String>) -> Self {
        Self::new(Effect::Status {
            status,
            code: Some(code.into()),
            retry_after: usual_retry_after(status),
        })
    }

    /// Delays the answer.
    pub fn latency(wait: Duration) -> Self {
        Self::new(Effect::Latency(wait))
    }

    /// Ends the connection without a whole answer.
    pub fn close(at: CloseAt) -> Self {
        Self::new(Effect::Close(at))
    }

    /// Answers with a raw body.
    pub fn body(status: StatusCode, body: impl Into<String>) -> Self {
        Self::new(Effect::Body {
            status,
            body: body.into(),
        })
    }

    /// Hits calls of this method and path only; `*` in the path stands for any text, `/` too.
    #[must_use]
    pub fn on(mut self, method: &str, path: &str) -> Self {
        self.method = Some(method.to_ascii_uppercase());
        self.path = Some(path.to_owned());
        self
    }

    /// Hits calls of this operation only, in both namespaces: a name that `secmon-mock routes` prints.
    #[must_use]
    pub fn operation(mut self, name: impl Into<String>) -> Self {
        self.operation = Some(name.into());
        self
    }

    /// Hits only calls that say this: the member of their JSON body holds it, or the parameter of their path or query is
    /// it (M11). Of several, all must be said.
    #[must_use]
    pub fn matching(mut self, name: impl Into<String>, said: impl Into<Value>) -> Self {
        let all = self.matching.get_or_insert_default();
        all.insert(name.into(), said.into());
        self
    }

    /// Hits a matching call with this probability, from 0 to 1; the server's seed decides which.
    #[must_use]
    pub fn probability(mut self, probability: f64) -> Self {
        self.probability = Some(probability);
        self
    }

    /// Hits this many calls; 0 stands for every call until the fault is removed.
    #[must_use]
    pub fn times(mut self, times: u64) -> Self {
        self.times = times;
        self
    }

    /// Lets this many matching calls pass first.
    #[must_use]
    pub fn after(mut self, passes: u64) -> Self {
        self.after = passes;
        self
    }

    /// A fault as it is sent.
    pub(crate) fn parse(sent: &Map<String, Value>) -> Result<Self, String> {
        let read: Result<Self, _> = serde_json::from_value(Value::Object(sent.clone()));
        let fault = read.map_err(|error| match error.to_string() {
            // Ours.
            sentence if sentence.ends_with('.') => sentence,
            reason => format!("This is no fault: {reason}."),
        })?;
        match fault.aim_at_a_call() {
            Some(aim) if fault.is_for_handshakes() => Err(format!(
                "A tls fault hits a handshake, which comes before any call is known, so it takes no {aim}; leave it out."
            )),
            _ => Ok(fault),
        }
    }

    /// The first field, if any, that tells calls apart.
    fn aim_at_a_call(&self) -> Option<&'static str> {
        let aims = [
            ("tenant", self.tenant.is_some()),
            ("operation", self.operation.is_some()),
            ("method", self.method.is_some()),
            ("path", self.path.is_some()),
            ("match", self.matching.is_some()),
        ];
        let mut aims = aims.into_iter();
        aims.find_map(|(name, is_given)| is_given.then_some(name))
    }

    pub(crate) fn is_for_handshakes(&self) -> bool {
        self.tls_trouble().is_some()
    }

    /// What is wrong with the certificate of a handshake, where that is what it does.
    pub(super) fn tls_trouble(&self) -> Option<TlsTrouble> {
        match self.effect {
            Effect::Tls(trouble) => Some(trouble),
            _ => None,
        }
    }
}
