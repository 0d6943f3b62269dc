//! The members by which an answer tells whether it is a result.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

use super::problem::DecodeProblem;
use crate::model::tolerant_value::flag;

const NAMES: [&str; 4] = ["error", "errors", "success", "status"];

/// Every such word of an answer, as often as it stands there.
#[derive(Default)]
pub(super) struct StatusMembers {
    found: Vec<(&'static str, Value)>,
    has_data: bool,
}

impl StatusMembers {
    pub(super) fn objection(&self) -> Option<DecodeProblem> {
        let found = self.found.iter().map(|(name, value)| (*name, Some(value)));
        let found: Vec<_> = found.collect();
        objection(self.has_data, &found)
    }

    /// A word that stands there more than once.
    pub(super) fn doubled(&self) -> Option<&'static str> {
        let times = |name: &str| {
            self.found
                .iter()
                .filter(|(found, _)| *found == name)
                .count()
        };
        NAMES.into_iter().find(|name| times(name) > 1)
    }
}

/// What an answer says against being a result. The health check has no data, and tells by such members how the service is.
pub(super) fn objection(has_data: bool, found: &[(&str, Option<&Value>)]) -> Option<DecodeProblem> {
    let says = |word: &str, is_against: fn(&Value) -> bool| {
        let mut named = found.iter().filter(|(name, _)| *name == word);
        named.any(|(_, value)| value.is_some_and(is_against))
    };
    let contradiction = if says("error", Value::is_object) {
        "an `error` stands in it"
    } else if has_data && says("errors", holds_something) {
        "`errors` stand beside its data"
    } else if has_data && says("success", is_no) {
        "it says `success: false`"
    } else if has_data && says("status", |status| status == "error") {
        "it says `status: error`"
    } else {
        return None;
    };
    let problem = format!("{contradiction}, whatever its status and its data say");
    Some(DecodeProblem::whole(problem))
}

/// Whether a value is a `false`, in any spelling (F12).
pub(super) fn is_no(value: &Value) -> bool {
    flag(value) == Some(false)
}

fn holds_something(value: &Value) -> bool {
    match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => false,
    }
}

impl<'de> Deserialize<'de> for StatusMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = StatusMembers;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut members: A,
            ) -> Result<StatusMembers, A::Error> {
                let mut status_members = StatusMembers::default();
                while let Some(name) = members.next_key::<String>()? {
                    if let Some(word) = NAMES.into_iter().find(|word| *word == name) {
                        status_members.found.push((word, members.next_value()?));
                    } else if name == "data" {
                        status_members.has_data |=
                            members.next_value::<Option<IgnoredAny>>()?.is_some();
                    } else {
                        members.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(status_members)
            }
        }

        deserializer.deserialize_map(Members)
    }
}
