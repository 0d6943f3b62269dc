//! What two estates show, made comparable: identifiers and numbers have the names there that their sample account knows them by.

use std::collections::BTreeMap;

use chrono::DateTime;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::sample_account::SampleAccount;
use crate::service::Pace;

/// The names of a sample account's things, by how they are written.
pub(crate) struct Names {
    names: BTreeMap<String, String>,
    /// Whether two estates show the same times.
    time_stands: bool,
}

impl Names {
    pub(crate) fn of(sample: &SampleAccount) -> Self {
        let known = sample.known().into_iter();
        let names = known.filter_map(|(name, value)| match value {
            Value::String(text) if Uuid::parse_str(&text).is_ok() => {
                Some((text.to_ascii_lowercase(), name))
            }
            Value::Number(number) => Some((number.to_string(), name)),
            _ => None,
        });
        Self {
            names: names.collect(),
            time_stands: sample.account.pace() == Pace::Stands,
        }
    }

    /// With a name for one more value.
    pub(crate) fn and(mut self, value: &Value, name: &str) -> Self {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        self.names
            .insert(text.to_ascii_lowercase(), name.to_owned());
        self
    }

    pub(crate) fn put(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => json!(self.put_in(text)),
            Value::Number(number) => match self.names.get(&number.to_string()) {
                Some(name) => json!(format!("${name}")),
                None => value.clone(),
            },
            Value::Array(items) => items.iter().map(|item| self.put(item)).collect(),
            Value::Object(members) => {
                let members = members.iter().map(|(name, member)| {
                    let member = match name.as_str() {
                        "token" => json!("$token"),
                        _ => self.put(member),
                    };
                    (self.put_in(name), member)
                });
                Value::Object(members.collect())
            }
            other => other.clone(),
        }
    }

    pub(crate) fn put_in(&self, text: &str) -> String {
        if !self.time_stands && DateTime::parse_from_rfc3339(text).is_ok() {
            return "$time".to_owned();
        }
        let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '-';
        let mut named = String::new();
        let mut rest = text;
        while let Some(start) = rest.find(is_part) {
            let (before, from) = rest.split_at(start);
            let end = from.find(|sign| !is_part(sign)).unwrap_or(from.len());
            let (part, after) = from.split_at(end);
            named.push_str(before);
            match self.names.get(&part.to_ascii_lowercase()) {
                Some(name) => named.push_str(&format!("${name}")),
                None if part.len() == 36 && Uuid::parse_str(part).is_ok() => named.push_str("$new"),
                None => named.push_str(part),
            }
            rest = after;
        }
        named + rest
    }
}
