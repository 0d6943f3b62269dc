//! Which calls a fault is for.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::fault::Fault;
use crate::values::subset::holds;
use crate::values::wildcard::wildcard;

/// A call as faults see it: on arrival, before path, key and rate window are looked at.
pub(crate) struct Incoming<'a> {
    pub(crate) tenant: Option<&'a str>,
    pub(crate) operation: Option<&'static str>,
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) params: RequestParams<'a>,
}

/// What a call says, in its path, its query and its body.
pub(crate) struct RequestParams<'a> {
    /// The parameter of this name.
    pub(crate) parameter: &'a dyn Fn(&str) -> Option<&'a str>,
    /// The members of the body, read when a fault asks for them: most calls meet none.
    pub(crate) body: &'a dyn Fn() -> Option<&'a Map<String, Value>>,
}

impl RequestParams<'_> {
    fn holds(&self, name: &str, part: &Value) -> bool {
        let is_parameter = match part {
            Value::String(text) => (self.parameter)(name) == Some(text),
            Value::Number(_) | Value::Bool(_) => (self.parameter)(name) == Some(&part.to_string()),
            _ => false,
        };
        let member = || (self.body)().and_then(|body| body.get(name));
        is_parameter || member().is_some_and(|whole| holds(whole, part))
    }
}

impl Fault {
    pub(super) fn fits(&self, call: &Incoming<'_>) -> bool {
        self.fitting(call).all(|fits| fits)
    }

    /// How much of what is asked for a call has.
    pub(crate) fn likeness(&self, call: &Incoming<'_>) -> usize {
        self.fitting(call).filter(|fits| *fits).count()
    }

    /// Of each thing that is asked for, whether the call is so. The body is looked at last: most calls differ before.
    fn fitting<'a>(&'a self, call: &'a Incoming<'_>) -> impl Iterator<Item = bool> + 'a {
        let named = |wanted: &Option<String>, is: Option<&str>| {
            wanted.as_deref().map(|wanted| Some(wanted) == is)
        };
        let head = [
            named(&self.tenant, call.tenant),
            named(&self.operation, call.operation),
            named(&self.method, Some(call.method)),
            (self.path.as_deref()).map(|pattern| wildcard(pattern, call.path)),
        ];
        let params = self.matching.iter().flatten();
        let params = params.map(|(name, part)| call.params.holds(name, part));
        head.into_iter().flatten().chain(params)
    }

    /// What it waits for, for a person.
    pub(crate) fn waits_for(&self) -> String {
        if self.is_for_handshakes() {
            return "a TLS handshake".to_owned();
        }
        let matching = self.matching.as_ref();
        let matching = matching.map(|matching| Value::Object(matching.clone()).to_string());
        let asked = [
            ("operation", self.operation.as_deref()),
            ("method", self.method.as_deref()),
            ("path", self.path.as_deref()),
            ("match", matching.as_deref()),
            ("account", self.tenant.as_deref()),
        ];
        let asked = asked.iter();
        let asked = asked.filter_map(|(name, value)| value.map(|value| format!("{name} {value}")));
        let asked: Vec<String> = asked.collect();
        let mut sentence = match asked.is_empty() {
            true => "any call".to_owned(),
            false => asked.join(", "),
        };
        // Writing to a text does not fail.
        if self.after > 0 {
            let _ = write!(sentence, ", after {} such calls", self.after);
        }
        if let Some(probability) = self.probability {
            let _ = write!(sentence, ", with probability {probability}");
        }
        sentence
    }
}
