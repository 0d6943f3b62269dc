//! Every operation, every documented shape of an error, every member of it: whatever is wrong there, the call ends with
//! an error that tells what is left. Nothing makes a result of it.

use secmon::{Error, ErrorCode, ErrorKind, OperationInfo};
use serde_json::{Value, json};

use super::Desk;
use crate::specified::answers;

/// What the caller reads of an error answer.
#[derive(Debug, Clone, PartialEq)]
struct Read {
    code: Option<String>,
    message: String,
    details: Value,
    errors: Value,
}

/// One documented shape: its status, and the whole answer.
type Shape = (&'static str, u16, Value);

fn shapes() -> Vec<Shape> {
    let meta = json!({"version": "v1", "timestamp": "2026-03-14T09:26:53+00:00"});
    let details = json!({"current_usage": 8, "new_limit": 5});
    let named = json!({"code": "DOWNGRADE_USAGE_EXCEEDED", "message": "Too much in use.", "details": details});
    let numbered = json!({"code": 404, "message": "No such record."});
    let fields = json!({"client_id": ["It is required."], "billing_customer_id": ["It is required.", "It is late."]});
    let plain = |message: &str, errors: &Value| json!({"status": "error", "message": message, "errors": errors});
    vec![
        (
            "envelope",
            422,
            json!({"success": false, "error": named, "meta": meta}),
        ),
        (
            "validation",
            422,
            plain("The given data was invalid.", &fields),
        ),
        ("authentication", 401, plain("Unauthenticated.", &json!({}))),
        ("throttle", 429, plain("Too Many Attempts.", &json!({}))),
        (
            "alerts",
            404,
            json!({"success": false, "error": numbered, "meta": meta}),
        ),
        ("crud", 404, json!({"error": numbered})),
    ]
}

/// What stands in a member's place; the last is what it was, in a list.
fn wrong_values(good: &Value) -> Vec<Option<Value>> {
    let values = [
        json!(null),
        json!("A sentence."),
        json!(""),
        json!(7),
        json!(70_000),
        json!(-1.5),
        json!(true),
        json!([]),
        json!(["A sentence."]),
        json!({}),
        json!({"canary": 3}),
        json!([good]),
    ];
    std::iter::once(None).chain(values.map(Some)).collect()
}

/// The places of an answer as JSON pointers, the outer ones first.
fn places(answer: &Value, at: &str, found: &mut Vec<String>) {
    let Value::Object(members) = answer else {
        return;
    };
    for (name, value) in members {
        let place = format!("{at}/{name}");
        found.push(place.clone());
        places(value, &place, found);
    }
}

/// The answer with something else in one place, or without it.
fn changed(answer: &Value, place: &str, value: Option<Value>) -> Value {
    let mut changed = answer.clone();
    let (parent, name) = place.rsplit_once('/').expect("a place");
    let parent = changed.pointer_mut(parent).and_then(Value::as_object_mut);
    let parent = parent.expect("an object");
    match value {
        Some(value) => parent.insert(name.to_owned(), value),
        None => parent.remove(name),
    };
    changed
}

/// The good answer as the caller reads it.
fn read_well(answer: &Value) -> Read {
    let error = &answer["error"];
    let message = if error.is_null() {
        &answer["message"]
    } else {
        &error["message"]
    };
    Read {
        code: code(&error["code"]),
        message: message.as_str().unwrap_or_default().to_owned(),
        details: members(&error["details"]),
        errors: sentences(&answer["errors"]),
    }
}

/// What is read of an answer with something else in one place; none where it is nobody's error without that.
fn expected(place: &str, changed: &Value) -> Option<Read> {
    let readable = match place {
        // There is neither code nor message.
        "/error" => false,
        "/message" => changed["message"].is_string(),
        _ => true,
    };
    readable.then(|| read_well(changed))
}

/// A code is a text or a number; anything else says nothing.
fn code(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn members(value: &Value) -> Value {
    if value.is_object() {
        value.clone()
    } else {
        json!({})
    }
}

/// Every field with its sentences, null being none; what else is no text is shown as it came.
fn sentences(errors: &Value) -> Value {
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let told = |problem: &&Value| !problem.is_null();
    let of_field = |problems: &Value| -> Vec<String> {
        match problems {
            Value::Array(problems) => problems.iter().filter(told).map(text).collect(),
            single => Some(single).filter(told).map(text).into_iter().collect(),
        }
    };
    let fields = errors.as_object().into_iter().flatten();
    let fields = fields.map(|(field, problems)| (field.clone(), json!(of_field(problems))));
    fields.collect::<serde_json::Map<_, _>>().into()
}

/// What is left of it for an operation whose answers hold secrets: nothing that the service worded (F2).
fn without_words(read: Read, info: &OperationInfo) -> Read {
    const NUMBERS: [&str; 4] = ["retry_after_seconds", "current_usage", "new_limit", "limit"];
    let mut details = read.details;
    let mut errors = read.errors;
    if let (Value::Object(details), Value::Object(errors)) = (&mut details, &mut errors) {
        details.retain(|name, value| NUMBERS.contains(&name.as_str()) && value.is_u64());
        errors.retain(|field, _| info.fields.contains(&field.as_str()));
        errors
            .values_mut()
            .for_each(|sentences| *sentences = json!(["The service refuses it."]));
    }
    let named = |code: &String| !matches!(ErrorCode::from(code.as_str()), ErrorCode::Unknown(_));
    Read {
        code: read
            .code
            .filter(|code| named(code) || code.parse::<u16>().is_ok()),
        message: String::new(),
        details,
        errors,
    }
}

/// What an error lets its caller read.
fn told(error: &Error, info: &OperationInfo) -> Option<Read> {
    let api = error.api()?;
    Some(Read {
        code: error.code().map(|code| code.to_str().into_owned()),
        // In its place stands a sentence of the client's own.
        message: if info.secret {
            String::new()
        } else {
            api.message.clone()
        },
        details: Value::Object(api.details.as_map().clone()),
        errors: json!(api.errors),
    })
}

/// What is wrong with the error that an answer ends in.
fn judge(
    info: &OperationInfo,
    status: u16,
    error: &Error,
    expected: Option<Read>,
) -> Result<(), String> {
    let kind = match expected {
        Some(_) => ErrorKind::Api,
        None => ErrorKind::Decode,
    };
    let expected = match info.secret {
        true => expected.map(|read| without_words(read, info)),
        false => expected,
    };
    let told = told(error, info);
    if error.kind() != kind || error.status().map(|status| status.as_u16()) != Some(status) {
        return Err(format!(
            "{:?} {:?}, not {kind:?} {status}",
            error.kind(),
            error.status()
        ));
    }
    match told == expected {
        true => Ok(()),
        false => Err(format!("told {told:?}, not {expected:?}")),
    }
}

#[test]
fn no_error_answer_of_any_operation_is_silently_wrong() {
    let desk = Desk::new();
    let (mut walked, mut wrong) = (0, Vec::new());
    let mut rows = answers::all();
    rows.dedup_by_key(|row| row.operation.name);
    for row in &rows {
        let info = row.operation;
        for (shape, status, answer) in shapes() {
            let mut all = Vec::new();
            places(&answer, "", &mut all);
            for (place, value) in all.iter().flat_map(|place| {
                let good = answer.pointer(place).expect("a place");
                wrong_values(good)
                    .into_iter()
                    .map(move |value| (place, value))
            }) {
                let body = changed(&answer, place, value.clone());
                walked += 1;
                let judged = match desk.answered(row, status, body.to_string()) {
                    Ok(done) => Err(format!("a result: {}", done.data)),
                    Err(error) => judge(info, status, &error, expected(place, &body)),
                };
                if let Err(problem) = judged {
                    wrong.push(format!(
                        "{} {shape} {place} {value:?}: {problem}",
                        info.name
                    ));
                }
            }
        }
    }
    super::assert_none_wrong(walked, &wrong);
}
