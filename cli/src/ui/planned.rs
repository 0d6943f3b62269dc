//! What a dry run would send.

use bytes::Bytes;
use http::Method;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::fmt;

/// Fields of a rule that is replaced.
const REPLACED_VALUES: &[&str] = &["port_start", "port_end", "justification", "service"];

/// Fields that say what a record becomes.
const NEW_VALUES: [&str; 8] = [
    "nickname",
    "domain",
    "plan_slug",
    "new_plan_slug",
    "quantity",
    "new_quantity",
    "force",
    "mrr",
];

/// A write that a dry run did not send.
#[derive(Debug, Clone)]
pub struct Planned {
    /// Its method.
    pub method: Method,
    /// Its path, with the query.
    pub path: String,
    /// Its body as it would be sent: a tree of values is many times as large.
    pub body: Bytes,
    /// What it is about, in words.
    pub about: String,
    /// Whether the call would be marked as simulated.
    pub sandbox: bool,
}

impl Planned {
    /// The request as it would go out.
    pub fn to_json(&self) -> Value {
        json!({
            "method": self.method.as_str(),
            "path": self.path,
            "body": serde_json::from_slice(&self.body).unwrap_or(Value::Null),
            "headers": self.headers(),
        })
    }

    /// What it would set, where the words of the call do not say it.
    fn new_values(&self, body: &Value) -> Vec<String> {
        let told = NEW_VALUES.iter().chain(match self.method {
            Method::PUT => REPLACED_VALUES,
            _ => &[],
        });
        let told = told.filter_map(|field| Some((*field, body.get(*field)?)));
        let is_said = |value: &Value| value.as_str().is_some_and(|text| self.about.contains(text));
        let told = told.filter(|(_, value)| !value.is_null() && !is_said(value));
        told.map(|(field, value)| format!("{field} {value}"))
            .collect()
    }

    /// The last day of a rule, where it has one.
    fn last_day(body: &Value) -> Option<String> {
        let end = body.get("expires_at")?.as_str()?;
        // A day that was set as such comes back with its last second.
        Some(
            end.strip_suffix("T23:59:59+00:00")
                .unwrap_or(end)
                .to_owned(),
        )
    }

    fn headers(&self) -> Value {
        let mut headers = json!({ "authorization": "Bearer ****" });
        if self.sandbox {
            headers["x-sandbox"] = json!("true");
        }
        headers
    }
}

/// All that a dry run would send, as one value. Only one call at a time is a tree of values.
#[derive(Serialize)]
pub struct Plan<'a> {
    /// In the order in which they would go out.
    pub dry_run: &'a [Planned],
}

impl Serialize for Planned {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl fmt::Display for Planned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "would {} {}", self.method, self.path)?;
        // What `api` sends is about its own method and path.
        match self.about.starts_with(self.method.as_str()) {
            true => Ok(()),
            false => write!(f, " {}", self.about),
        }?;
        let body = serde_json::from_slice(&self.body).unwrap_or(Value::Null);
        if let Some(day) = Self::last_day(&body) {
            write!(f, " until {day}")?;
        }
        match self.new_values(&body).as_slice() {
            [] => Ok(()),
            values => write!(f, " ({})", values.join(", ")),
        }
    }
}
