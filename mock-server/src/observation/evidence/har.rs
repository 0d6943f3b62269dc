//! Calls as an HTTP archive (HAR 1.2), which browsers' tools open.

use std::collections::BTreeMap;

use http::StatusCode;
use serde_json::{Value, json};

use crate::observation::journal::shown::JournalEntry;

/// Where the calls went: the archive wants whole addresses, and the journal keeps paths.
const ORIGIN: &str = "http://secmon-mock";

pub(super) fn archive(calls: &[JournalEntry]) -> Value {
    json!({
        "log": {
            "version": "1.2",
            "creator": { "name": "secmon-mock", "version": env!("CARGO_PKG_VERSION") },
            "entries": calls.iter().map(entry).collect::<Vec<_>>(),
        }
    })
}

fn entry(call: &JournalEntry) -> Value {
    let query = call.query.as_deref().unwrap_or_default();
    let mark = if query.is_empty() { "" } else { "?" };
    let pairs = form_urlencoded::parse(query.as_bytes());
    let milliseconds = call.duration_us as f64 / 1000.0;
    let mut request = json!({
        "method": call.method,
        "url": format!("{ORIGIN}{}{mark}{query}", call.path),
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": headers(&call.request_headers),
        "queryString": pairs
            .map(|(name, value)| json!({ "name": name, "value": value }))
            .collect::<Vec<_>>(),
        "headersSize": -1,
        "bodySize": body(&call.body).len(),
    });
    if !call.body.is_null() {
        let text = body(&call.body);
        request["postData"] =
            json!({ "mimeType": content_type(&call.request_headers), "text": text });
    }
    // The archive's way to say that nothing was answered.
    let status = call.status.unwrap_or(0);
    let reason = StatusCode::from_u16(status).ok();
    let text = body(&call.response);
    json!({
        "startedDateTime": call.at,
        "time": milliseconds,
        "request": request,
        "response": {
            "status": status,
            "statusText": reason.and_then(|status| status.canonical_reason()).unwrap_or_default(),
            "httpVersion": "HTTP/1.1",
            "cookies": [],
            "headers": headers(&call.response_headers),
            "content": { "size": text.len(), "mimeType": content_type(&call.response_headers), "text": text },
            "redirectURL": "",
            "headersSize": -1,
            "bodySize": text.len(),
        },
        "cache": {},
        "timings": { "send": 0, "wait": milliseconds, "receive": 0 },
        "comment": format!("call {} of {}", call.id, call.tenant.as_deref().unwrap_or("no account")),
    })
}

type Headers = BTreeMap<String, Vec<String>>;

fn headers(headers: &Headers) -> Vec<Value> {
    let values = |(name, values): (&String, &Vec<String>)| {
        let pair = |value| json!({ "name": name, "value": value });
        values.iter().map(pair).collect::<Vec<_>>()
    };
    headers.iter().flat_map(values).collect()
}

/// Empty where nothing says it, as the archive has it.
fn content_type(headers: &Headers) -> &str {
    let first = headers
        .get("content-type")
        .and_then(|values| values.first());
    first.map_or("", String::as_str)
}

/// A body as text: JSON again, where it was JSON.
fn body(body: &Value) -> String {
    match body {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        body => body.to_string(),
    }
}
