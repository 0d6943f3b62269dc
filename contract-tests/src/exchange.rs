//! A call and its answer, as they went over the wire.

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode};
use serde_json::Value;

/// Whether a fault of the case's own made the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forced {
    /// The service answered of itself.
    No,
    /// A status fault may have answered, in the documented shape.
    Status,
    /// A body fault may have answered, with whatever the case wrote.
    Body,
}

/// A call and its answer.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The HTTP method.
    pub method: Method,
    /// The path, without the query.
    pub path: String,
    /// The query, empty without one.
    pub query: String,
    /// The JSON body that was sent; null when it was none.
    pub sent: Value,
    /// The answer's status.
    pub status: StatusCode,
    /// The answer's headers.
    pub headers: HeaderMap,
    /// The answer's body.
    pub body: Bytes,
    /// The answer's body as JSON; null when it is none.
    pub json: Value,
    /// Who made the answer.
    pub forced: Forced,
}

impl Exchange {
    /// What the table calls this answer.
    pub fn outcome(&self) -> String {
        outcome(self.status, &self.json)
    }
}

/// What the table calls an answer.
pub(crate) fn outcome(status: StatusCode, json: &Value) -> String {
    match mark(status, json) {
        Some(mark) => format!("{} {mark}", status.as_u16()),
        None => status.as_u16().to_string(),
    }
}

fn mark(status: StatusCode, json: &Value) -> Option<String> {
    let code = &json["error"]["code"];
    let fixed = if json["status"] == "error" {
        validation_shape(status)
    } else if let Some(code) = code.as_str() {
        return Some(code.to_owned());
    } else if code.is_number() {
        "number"
    } else if status == StatusCode::SERVICE_UNAVAILABLE && json["success"] == true {
        "unreachable"
    } else if status.is_success() {
        return variant(&json["data"]).map(str::to_owned);
    } else {
        "in no documented shape"
    };
    Some(fixed.to_owned())
}

fn validation_shape(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 => "key",
        413 => "size",
        422 => "fields",
        429 => "window",
        _ => "in the validation shape",
    }
}

/// What a success says beside having succeeded.
fn variant(data: &Value) -> Option<&'static str> {
    let is_false = |member: &str| data[member] == false;
    if data.get("note").is_some() {
        Some("note")
    } else if is_false("changed") {
        Some("unchanged")
    } else if is_false("subscribed") {
        Some("unsubscribed")
    } else if is_false("enabled") {
        Some("unconfigured")
    } else if data["enforcement"].is_array() {
        Some("no enforcement")
    } else {
        None
    }
}
