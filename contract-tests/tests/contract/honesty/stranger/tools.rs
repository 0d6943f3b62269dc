//! What the stranger's bends share: reading a call, asking the right server, building answers, counting who is in flight.

pub use std::sync::{Arc, PoisonError};
pub use std::time::Duration;

pub use bytes::Bytes;
pub use http::{HeaderValue, Method, StatusCode, header};
pub use serde_json::{Map, Value, json};

pub use crate::honesty::{Bent, Breaks};
pub use secmon_contract_tests::proxy::{Answer, Behind, Bend, Passing};

/// The mock's configured cooldown of manual scans.
pub const COOLDOWN: i64 = 300;

// Reading.

/// Whether it is this call of the provisioning group, in either namespace.
pub fn provisioning(call: &Passing, verb: &str) -> bool {
    let rest = call
        .path
        .strip_prefix("/api/v1/billing/")
        .or_else(|| call.path.strip_prefix("/api/v1/provisioning/"));
    call.method == Method::POST && rest == Some(verb)
}

/// A string in a value; empty when there is none.
pub fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// An integer in a value; 0 when there is none.
pub fn number(value: &Value, pointer: &str) -> i64 {
    value
        .pointer(pointer)
        .and_then(Value::as_i64)
        .unwrap_or_default()
}

/// The items of a list in a value.
pub fn items(value: &Value, pointer: &str) -> Vec<Value> {
    let list = value.pointer(pointer).and_then(Value::as_array);
    list.cloned().unwrap_or_default()
}

/// A parameter of the query, the last of its name.
pub fn asked(call: &Passing, name: &str) -> Option<String> {
    let found = call.query.iter().rev().find(|(key, _)| key == name);
    found.map(|(_, value)| value.clone())
}

/// The customer that a call names, in body or query.
pub fn customer(call: &Passing) -> String {
    let body = call.json();
    let named = ["billing_customer_id", "client_id"]
        .iter()
        .find_map(|name| body[*name].as_i64());
    match named {
        Some(id) => id.to_string(),
        None => asked(call, "billing_customer_id").unwrap_or_default(),
    }
}

/// The caller's key.
pub fn account(call: &Passing) -> String {
    let value = call.headers.get(header::AUTHORIZATION);
    let value = value.and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_owned()
}

/// A name in the memory that belongs to the caller's account.
pub fn mine(call: &Passing, kind: &str, of: &str) -> String {
    format!("{kind} {of} {}", account(call))
}

/// The last part of a path.
pub fn last_part(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// The record's id in a path such as `/api/v1/domains/{id}/alerts`.
pub fn id_in<'a>(path: &'a str, group: &str) -> &'a str {
    let rest = path.strip_prefix(group).unwrap_or_default();
    rest.trim_start_matches('/')
        .split('/')
        .next()
        .unwrap_or_default()
}

/// The string code of an error envelope.
pub fn code(answer: &Answer) -> String {
    text(&answer.json(), "/error/code").to_owned()
}

/// Whether an answer is a success with a note.
pub fn noted(answer: &Answer) -> bool {
    answer.status.is_success() && answer.json().pointer("/data/note").is_some()
}

/// Whether a refusal names some of these fields and no other.
pub fn only(answer: &Answer, fields: &[&str]) -> bool {
    let body = answer.json();
    let Some(errors) = body["errors"].as_object() else {
        return false;
    };
    !errors.is_empty() && errors.keys().all(|field| fields.contains(&field.as_str()))
}

/// The instant that an answer shows; 0 when it shows none.
pub fn now_of(answer: &Answer) -> i64 {
    seconds(text(&answer.json(), "/meta/timestamp")).unwrap_or_default()
}

// Asking the right server.

/// A call of the same caller.
pub fn another(call: &Passing, method: Method, path: &str, body: &Value) -> Passing {
    Passing {
        method,
        path: path.to_owned(),
        query: Vec::new(),
        headers: call.headers.clone(),
        body: match body {
            Value::Null => Bytes::new(),
            body => body.to_string().into(),
        },
    }
}

/// A POST by the same caller.
pub async fn tell(behind: &Behind, call: &Passing, path: &str, body: Value) -> Option<Answer> {
    behind
        .answer(&another(call, Method::POST, path, &body))
        .await
}

/// A PUT by the same caller.
pub async fn put(behind: &Behind, call: &Passing, path: &str, body: Value) -> Option<Answer> {
    behind
        .answer(&another(call, Method::PUT, path, &body))
        .await
}

/// What a GET by the same caller answers; null when nothing came.
pub async fn ask(behind: &Behind, call: &Passing, path: &str, query: &[(&str, &str)]) -> Value {
    let mut other = another(call, Method::GET, path, &Value::Null);
    for (name, value) in query {
        other.query.push(((*name).to_owned(), (*value).to_owned()));
    }
    let answer = behind.answer(&other).await;
    answer.map(|answer| answer.json()).unwrap_or_default()
}

/// The time by the account's clock, in whole seconds (one call of the window of 100).
pub async fn now(behind: &Behind, call: &Passing) -> i64 {
    let query = [("billing_customer_id", "1")];
    let known = ask(behind, call, "/api/v1/whitelists/endpoint-summary", &query).await;
    seconds(text(&known, "/meta/timestamp")).unwrap_or_default()
}

/// Gives a customer its portal account, by a server that is deleted at once.
pub async fn give_access(behind: &Behind, call: &Passing, customer: &str) {
    let body = json!({
        "billing_customer_id": customer.parse::<i64>().unwrap_or(1),
        "ip_address": "192.0.2.253",
    });
    if let Some(made) = tell(behind, call, "/api/v1/endpoints", body).await {
        let path = format!("/api/v1/endpoints/{}", text(&made.json(), "/data/id"));
        let gone = another(call, Method::DELETE, &path, &Value::Null);
        behind.answer(&gone).await;
    }
}

// Memory.

/// What is kept under a name; it stays kept.
pub fn recall(behind: &Behind, name: &str) -> Value {
    let memory = behind.memory.lock();
    let memory = memory.unwrap_or_else(PoisonError::into_inner);
    memory.get(name).cloned().unwrap_or_default()
}

/// Adds to a number in the memory; gives what it is then.
pub fn add(behind: &Behind, name: &str, by: i64) -> i64 {
    let memory = behind.memory.lock();
    let mut memory = memory.unwrap_or_else(PoisonError::into_inner);
    let sum = memory[name].as_i64().unwrap_or_default() + by;
    memory[name] = json!(sum);
    sum
}

/// Whether it is the first time that this is asked of the name.
pub fn first(behind: &Behind, name: &str) -> bool {
    behind.keep(name, json!(true)).is_null()
}

/// An id that the right server never gave.
pub fn made_up(behind: &Behind) -> String {
    let n = add(behind, "made up", 1);
    format!("51ba9c01-77a2-4e0c-8f10-{n:012x}")
}

/// Enters a room, waits a moment, and says how many are in it. Leave it with [`leave`].
pub async fn crowd(behind: &Behind, room: &str) -> i64 {
    add(behind, room, 1);
    tokio::time::sleep(Duration::from_millis(20)).await;
    add(behind, room, 0)
}

/// Leaves a room.
pub fn leave(behind: &Behind, room: &str) {
    add(behind, room, -1);
}

// Building and changing answers.

/// The success envelope.
pub fn success(status: u16, data: Value, now: i64) -> Answer {
    let meta = json!({"version": "v1", "timestamp": instant(now)});
    Answer::new(
        status,
        &json!({"success": true, "data": data, "meta": meta}),
    )
}

/// The error envelope.
pub fn error(status: u16, code: &str, message: &str, details: Value, now: i64) -> Answer {
    let error = json!({"code": code, "message": message, "details": details});
    let meta = json!({"version": "v1", "timestamp": instant(now)});
    Answer::new(
        status,
        &json!({"success": false, "error": error, "meta": meta}),
    )
}

/// The error of endpoints and Allowed Ports.
pub fn bare(status: u16, message: &str) -> Answer {
    let error = json!({"code": status, "message": message});
    Answer::new(status, &json!({"error": error}))
}

/// The validation shape, for one field.
pub fn invalid(field: &str, sentence: &str) -> Answer {
    let errors = json!({field: [sentence]});
    Answer::new(
        422,
        &json!({"status": "error", "message": sentence, "errors": errors}),
    )
}

/// The refusal of a scan in cooldown.
pub fn cooling(left: i64, now: i64) -> Answer {
    let details = json!({"retry_after_seconds": left});
    let sentence = "The endpoint is in its scan cooldown.";
    let mut answer = error(429, "RATE_LIMITED", sentence, details, now);
    answer
        .headers
        .insert(header::RETRY_AFTER, HeaderValue::from(left));
    answer
}

/// Does this to every object in a value.
pub fn walk(value: &mut Value, change: &mut dyn FnMut(&mut Map<String, Value>)) {
    match value {
        Value::Object(map) => {
            change(map);
            for inner in map.values_mut() {
                walk(inner, change);
            }
        }
        Value::Array(list) => {
            for inner in list {
                walk(inner, change);
            }
        }
        _ => {}
    }
}

/// Does this to every endpoint resource in an answer, with its id.
pub fn each_endpoint(answer: &mut Answer, mut change: impl FnMut(&str, &mut Map<String, Value>)) {
    if !answer.json().is_object() {
        return;
    }
    answer.edit(|body| {
        walk(body, &mut |map| {
            let id = map.get("id").and_then(Value::as_str).map(str::to_owned);
            if let Some(id) = id
                && map.contains_key("nmap_cooldown_seconds")
            {
                change(&id, map);
            }
        });
    });
}

/// Sets a member that is there.
pub fn set(value: &mut Value, pointer: &str, to: Value) {
    if let Some(place) = value.pointer_mut(pointer) {
        *place = to;
    }
}

/// A list in a value, to change it.
pub fn list_mut<'a>(value: &'a mut Value, pointer: &str) -> Option<&'a mut Vec<Value>> {
    value.pointer_mut(pointer).and_then(Value::as_array_mut)
}

/// Takes members off an object.
pub fn without(mut body: Value, members: &[&str]) -> Value {
    if let Some(map) = body.as_object_mut() {
        map.retain(|name, _| !members.contains(&name.as_str()));
    }
    body
}

// Time.

/// The seconds since 1970 of a timestamp.
pub fn seconds(text: &str) -> Option<i64> {
    let part = |from: usize, to: usize| text.get(from..to)?.parse::<i64>().ok();
    let (year, month, day) = (part(0, 4)?, part(5, 7)?, part(8, 10)?);
    let (hour, minute, second) = (part(11, 13)?, part(14, 16)?, part(17, 19)?);
    let rest = text.get(19..)?;
    let zone = rest.trim_start_matches(|sign: char| sign == '.' || sign.is_ascii_digit());
    let offset = match zone {
        "Z" => 0,
        zone => {
            let hours = zone.get(1..3)?.parse::<i64>().ok()?;
            let minutes = zone.get(4..6)?.parse::<i64>().ok()?;
            let size = hours * 3600 + minutes * 60;
            if zone.starts_with('-') { -size } else { size }
        }
    };
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    let days = era * 146_097 + day_of_era - 719_468;
    Some(days * 86_400 + hour * 3600 + minute * 60 + second - offset)
}

/// A timestamp in UTC.
pub fn instant(seconds: i64) -> String {
    let (days, rest) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}+00:00")
}

/// A text with its percent escapes read.
pub fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%')
            .then(|| text.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        plain.push(escaped.unwrap_or(bytes[at]));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&plain).into_owned()
}
