//! A call of an operation, ready to be sent.

use std::fmt;

use http::Method;
use serde_json::Value;

use crate::account::Account;
use crate::http_calls::{RawAnswer, RawCall};
use crate::recipe::{Members, NOTHING, placeholder, text};
use crate::table::Row;

/// A call of an operation, with everything in it that it needs.
#[derive(Debug, Clone)]
pub struct Request {
    /// The HTTP method.
    pub method: Method,
    /// The path, with its identifiers.
    pub path: String,
    /// The query's parameters.
    pub query: Vec<(String, String)>,
    /// The JSON body, where the operation takes one.
    pub body: Option<Value>,
}

impl Request {
    /// A call with these members.
    pub fn of(row: &Row, mut members: Members) -> Self {
        members.retain(|_, value| value.as_str() != Some(NOTHING));
        let parts = row.path.split('/').map(|part| match placeholder(part) {
            Some("namespace") => row.namespace.to_owned(),
            Some(name) => text(&members.remove(name).unwrap_or_default()),
            None => part.to_owned(),
        });
        let path = parts.collect::<Vec<_>>().join("/");
        let (query, body) = match row.takes_body() {
            true => (Vec::new(), Some(Value::Object(members))),
            false => {
                let pairs = members
                    .iter()
                    .map(|(name, value)| (name.clone(), text(value)));
                (pairs.collect(), None)
            }
        };
        Self {
            method: row.http_method(),
            path,
            query,
            body,
        }
    }

    /// The query's parameters as they are written.
    pub(crate) fn written_query(&self) -> Vec<(String, String)> {
        let pairs = self.query.iter();
        let pairs = pairs.map(|(name, value)| (name.clone(), escaped(value)));
        pairs.collect()
    }

    /// Path and query.
    pub fn target(&self) -> String {
        target(&self.path, &self.written_query())
    }

    /// The call, to be changed before it is sent.
    pub fn call(&self, account: &Account) -> RawCall {
        let call = account.raw(self.method.clone(), &self.target());
        match &self.body {
            Some(body) => call.json(body),
            None => call,
        }
    }

    /// Sends it.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn send(&self, account: &Account) -> RawAnswer {
        let answer = self.call(account).send().await;
        answer.unwrap_or_else(|error| panic!("{} {}: {error}", self.method, self.path))
    }
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.target())?;
        match &self.body {
            Some(body) => write!(f, " {body}"),
            None => Ok(()),
        }
    }
}

/// A path with the parameters of its query, as they are written.
pub fn target(path: &str, query: &[(String, String)]) -> String {
    let pairs = query.iter().map(|(name, value)| format!("{name}={value}"));
    match pairs.collect::<Vec<_>>().join("&") {
        query if query.is_empty() => path.to_owned(),
        query => format!("{path}?{query}"),
    }
}

/// A text as it stands in a query.
fn escaped(text: &str) -> String {
    let mut safe = String::new();
    for byte in text.bytes() {
        match byte {
            byte if byte.is_ascii_alphanumeric() || b"-._~:".contains(&byte) => {
                safe.push(byte.into())
            }
            byte => safe.push_str(&format!("%{byte:02X}")),
        }
    }
    safe
}
