//! A call and its answer as a report may show them: without the key, sign-in tokens and leak records.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::exchange::Exchange;

/// What stands for a secret.
const HIDDEN: &str = "(not shown)";

/// Characters of an answer that a report shows.
const LONGEST: usize = 4000;

/// A call, as text.
#[derive(Debug, Clone)]
pub struct Shown {
    /// Method, path and query, and the body below.
    pub request: String,
    /// Status, the headers that the contract knows, and the body below.
    pub answer: String,
    /// The call as a line for a shell.
    pub curl: String,
}

impl Shown {
    /// A call of a service at an address.
    pub fn of(exchange: &Exchange, url: &str) -> Self {
        let query = match exchange.query.as_str() {
            "" => String::new(),
            query => format!("?{query}"),
        };
        let target = format!("{}{query}", exchange.path);
        let body = match &exchange.sent {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let headers = ["content-type", "retry-after", "allow"].map(|name| {
            let value = exchange
                .headers
                .get(name)
                .and_then(|value| value.to_str().ok());
            value.map_or_else(String::new, |value| format!("{name}: {value}\n"))
        });
        let answer = match &exchange.json {
            Value::Null => format!("({} bytes that are no JSON)", exchange.body.len()),
            _ => format!("{:#}", open(exchange)),
        };
        let method = &exchange.method;
        Self {
            request: format!("{method} {target}\n{body}"),
            answer: cut(format!("{}\n{}{answer}", exchange.status, headers.concat())),
            curl: curl(method.as_str(), &format!("{url}{target}"), &body),
        }
    }
}

/// The beginning of a long text.
pub fn cut(text: String) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}\n(cut here)", &text[..end]),
        None => text,
    }
}

fn curl(method: &str, address: &str, body: &str) -> String {
    let mut line = format!("curl -X {method} -H \"Authorization: Bearer $SECMON_API_KEY\"");
    if !body.is_empty() {
        line += &format!(" -H 'Content-Type: application/json' -d {}", quoted(body));
    }
    format!("{line} {}", quoted(address))
}

/// One word for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Whether an answer may hold nothing but secrets: sign-in tokens and leaks.
fn is_secret(path: &str) -> bool {
    path.ends_with("/credential-leaks") || path.ends_with("/sso/token")
}

/// Members of an answer that say how it went, and hold no secret.
const OPEN: [&str; 6] = ["status", "success", "error", "errors", "message", "meta"];

/// The body of an answer, without words where those may be secrets.
pub fn open(exchange: &Exchange) -> Value {
    match (is_secret(&exchange.path), &exchange.json) {
        (true, Value::Object(members)) => {
            let members = members.iter().map(|(name, value)| {
                let value = match OPEN.contains(&name.as_str()) {
                    true => value.clone(),
                    false => without_words(value),
                };
                (name.clone(), value)
            });
            Value::Object(members.collect())
        }
        (true, other) => without_words(other),
        (false, open) => open.clone(),
    }
}

fn without_words(value: &Value) -> Value {
    match value {
        Value::String(_) => json!(HIDDEN),
        Value::Array(items) => items.iter().map(without_words).collect(),
        Value::Object(members) => {
            let members = members.iter();
            Value::Object(
                members
                    .map(|(name, value)| (name.clone(), without_words(value)))
                    .collect(),
            )
        }
        other => other.clone(),
    }
}

/// Words that no text of a report has in it.
#[derive(Debug, Default)]
pub struct Secrets(BTreeSet<String>);

/// Words of the specification that leak records hold.
const WELL_KNOWN: [&str; 3] = ["employees", "customers", "third_parties"];

/// Shorter words may stand anywhere.
const SHORTEST: usize = 6;

impl Secrets {
    /// The key, and what the secret answers among these said that was not known before.
    pub fn of<'a>(key: &str, exchanges: impl Iterator<Item = &'a Exchange> + Clone) -> Self {
        let mut secrets = Self::default();
        for exchange in exchanges.clone().filter(|call| is_secret(&call.path)) {
            match &exchange.json {
                Value::Object(members) => {
                    let closed = members.iter();
                    let closed = closed.filter(|(name, _)| !OPEN.contains(&name.as_str()));
                    closed.for_each(|(_, value)| secrets.learn(value));
                }
                other => secrets.learn(other),
            }
        }
        // A domain or an id that was sent is a secret to nobody, whatever leaks repeat it.
        if !secrets.0.is_empty() {
            exchanges.for_each(|call| secrets.forget_sent(call));
        }
        secrets.0.insert(key.to_owned());
        secrets
    }

    fn forget_sent(&mut self, call: &Exchange) {
        // A sign-in sends its token.
        if call.path == "/sso" {
            return;
        }
        for part in call.path.split('/') {
            self.0.remove(part);
        }
        for pair in call.query.split('&') {
            self.0
                .remove(pair.split_once('=').map_or(pair, |(_, value)| value));
        }
        self.forget(&call.sent);
    }

    fn forget(&mut self, value: &Value) {
        match value {
            Value::String(text) => drop(self.0.remove(text)),
            Value::Array(items) => items.iter().for_each(|item| self.forget(item)),
            Value::Object(members) => members.values().for_each(|member| self.forget(member)),
            _ => {}
        }
    }

    fn learn(&mut self, value: &Value) {
        match value {
            Value::String(text) if WELL_KNOWN.contains(&text.as_str()) => {}
            Value::String(text) if text.len() >= SHORTEST => drop(self.0.insert(text.clone())),
            Value::Array(items) => items.iter().for_each(|item| self.learn(item)),
            Value::Object(members) => members.values().for_each(|member| self.learn(member)),
            _ => {}
        }
    }

    /// A text without them.
    pub fn hide(&self, text: &str) -> String {
        let mut shown = text.to_owned();
        for secret in self.0.iter().filter(|secret| !secret.is_empty()) {
            if shown.contains(secret) {
                shown = shown.replace(secret, HIDDEN);
            }
        }
        shown
    }
}
