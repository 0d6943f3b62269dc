//! What a case saw, as text to be pinned: every answer in order. Identifiers and tokens are checked and then named,
//! times stand as offsets from the start of the embedded mock's clock.

use std::collections::HashMap;

use chrono::{DateTime, FixedOffset};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::exchange::{Exchange, Forced};
use crate::service::{START, Service};
use crate::stage::Event;
use crate::times::{is_time_member, time_of};

/// Writes a transcript. Problems are what stands where an identifier or a time should.
pub(crate) struct Transcript<'a> {
    service: &'a Service,
    names: HashMap<String, usize>,
    tokens: Vec<String>,
    pub(crate) problems: Vec<String>,
}

/// Members that hold an identifier of a record, or null.
const IDENTIFIERS: [&str; 10] = [
    "id",
    "endpoint_id",
    "monitored_domain_id",
    "subscription_id",
    "scan_id",
    "tenant_id",
    "created_by",
    "alert_id",
    "whitelist_id",
    "rule_id",
];

/// The member that holds a secret: something that nobody guesses, and that stands in an address as it is.
const TOKEN: &str = "token";

/// Shorter tokens could be guessed.
const SHORTEST_TOKEN: usize = 16;

/// Bodies up to this length stand on one line.
const ONE_LINE: usize = 240;

impl<'a> Transcript<'a> {
    pub(crate) fn new(service: &'a Service) -> Self {
        Self {
            service,
            names: HashMap::new(),
            tokens: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// The text; what repeats at once is counted.
    pub(crate) fn written(&mut self, events: &[Event]) -> String {
        let mut blocks: Vec<(String, usize)> = Vec::new();
        for event in events {
            let block = match event {
                Event::Answered(exchange) => self.exchange(exchange),
                Event::Lost(call, why) => format!("{}\nno answer: {why:?}\n", self.text(call)),
            };
            match blocks.last_mut() {
                Some((last, count)) if *last == block => *count += 1,
                _ => blocks.push((block, 1)),
            }
        }
        let blocks = blocks.into_iter().map(|(block, count)| match count {
            1 => block,
            count => format!("{block}({count} times)\n"),
        });
        blocks.collect::<Vec<_>>().join("\n")
    }

    /// One answer; that a body is JSON goes without saying.
    fn exchange(&mut self, exchange: &Exchange) -> String {
        let query = match exchange.query.as_str() {
            "" => String::new(),
            query => format!("?{query}"),
        };
        let call = self.text(&format!("{} {}{query}", exchange.method, exchange.path));
        let status = exchange.status.as_u16();
        if exchange.forced == Forced::Body {
            return format!("{call}\n{status}, as the case ordered\n");
        }
        let headers =
            ["content-type", "retry-after", "allow"].map(|name| match exchange.headers.get(name) {
                Some(value) if value == "application/json" => String::new(),
                Some(value) => format!("{name}: {}\n", value.to_str().unwrap_or("(no text)")),
                None => String::new(),
            });
        let body = self.value("", &exchange.json);
        let body = match exchange.body.is_empty() {
            true => String::new(),
            false if body.to_string().len() <= ONE_LINE => format!("{body}\n"),
            false => format!("{body:#}\n"),
        };
        format!("{call}\n{status}\n{}{body}", headers.concat())
    }

    fn value(&mut self, member: &str, value: &Value) -> Value {
        match value {
            // Sentences under the names of fields.
            Value::Object(_) if member == "errors" => value.clone(),
            Value::Object(members) => Value::Object(self.members(members)),
            Value::Array(items) => items.iter().map(|item| self.value(member, item)).collect(),
            Value::String(text) => self.leaf(member, text),
            other => other.clone(),
        }
    }

    fn members(&mut self, members: &Map<String, Value>) -> Map<String, Value> {
        let pairs = members
            .iter()
            .map(|(name, value)| (name.clone(), self.value(name, value)));
        pairs.collect()
    }

    fn leaf(&mut self, member: &str, text: &str) -> Value {
        if IDENTIFIERS.contains(&member) && Uuid::parse_str(text).is_err() {
            self.problems
                .push(format!("`{member}` holds {text:?}, which is no UUID"));
        }
        if is_time_member(member) {
            return Value::from(self.time(member, text));
        }
        if member == TOKEN {
            return Value::from(self.token(text));
        }
        Value::from(self.text(text))
    }

    fn time(&mut self, member: &str, text: &str) -> String {
        if let Some(time) = time_of(text) {
            return offset(time);
        }
        self.problems.push(format!(
            "`{member}` holds {text:?}, which is not a timestamp"
        ));
        text.to_owned()
    }

    /// A token by the order in which it first came.
    fn token(&mut self, text: &str) -> String {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        if text.len() < SHORTEST_TOKEN || !text.bytes().all(fits) {
            self.problems
                .push(format!("`{TOKEN}` can be guessed, or needs escapes"));
        }
        let known = self.tokens.iter().position(|known| known == text);
        let number = known.unwrap_or_else(|| {
            self.tokens.push(text.to_owned());
            self.tokens.len() - 1
        });
        format!("<token {}>", number + 1)
    }

    /// Every identifier in a text by the order in which it first came, the service's address by its name.
    fn text(&mut self, text: &str) -> String {
        let text = text.replace(&self.service.url, "<service>");
        let mut named = String::new();
        let mut rest = text.as_str();
        while let Some(at) = identifier_in(rest) {
            let known = self.names.len() + 1;
            let number = *self
                .names
                .entry(rest[at..at + 36].to_ascii_lowercase())
                .or_insert(known);
            named.push_str(&rest[..at]);
            named.push_str(&format!("<id {number}>"));
            rest = &rest[at + 36..];
        }
        named + rest
    }
}

/// Where the first UUID of a text begins.
fn identifier_in(text: &str) -> Option<usize> {
    let starts = text.char_indices().map(|(at, _)| at);
    let mut starts = starts.filter(|at| at + 36 <= text.len());
    starts.find(|at| {
        text.get(*at..at + 36)
            .is_some_and(|part| Uuid::parse_str(part).is_ok())
    })
}

/// A time by its distance from the start, as in `<start+2s>` and `<start-1d6h>`.
fn offset(time: DateTime<FixedOffset>) -> String {
    let mut left = time.timestamp() - START / 1000;
    let sign = match left.signum() {
        0 => return "<start>".to_owned(),
        -1 => '-',
        _ => '+',
    };
    left = left.abs();
    let units = [("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)];
    let parts = units.map(|(unit, seconds)| {
        let count = left / seconds;
        left %= seconds;
        match count {
            0 => String::new(),
            count => format!("{count}{unit}"),
        }
    });
    format!("<start{sign}{}>", parts.concat())
}
