//! The shapes of the service's answers; the only place that knows them.
//!
//! An operation's row of the table names its shape, and the status tells a result from an error: no shape is guessed
//! from the members an answer happens to have. Why an answer cannot be read is said by place and type, never by a value
//! of it (F2).

mod by_name;

use by_name::ByName;
use http::StatusCode;
use serde::Deserialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

/// The shape of a successful answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Envelope {
    /// `{success: true, data, meta}`: the result is `data`.
    Success,
    /// The same, also with status 503: the result then says that its source cannot be reached (credential leaks).
    SuccessOrUnavailable,
    /// `{data, meta}` of one record: the result is `data`.
    Resource,
    /// The result is the whole body: health, pages of the resource envelope, the detail read of a server.
    Document,
    /// No body (204).
    Empty,
}

#[derive(Deserialize)]
#[serde(
    bound(deserialize = "T: Deserialize<'de>"),
    expecting = "an object with `data`"
)]
struct Enveloped<T> {
    success: Option<bool>,
    error: Option<Value>,
    status: Option<Value>,
    data: T,
}

impl<T> Enveloped<T> {
    /// What the answer says against being a result. The health check has no data, and tells by such words how the service
    /// is.
    fn objection(&self, has_data: bool) -> Option<Misfit> {
        let contradiction = if self.error.as_ref().is_some_and(Value::is_object) {
            "an `error` stands in it"
        } else if has_data && self.success == Some(false) {
            "it says `success: false`"
        } else if has_data && self.status.as_ref().is_some_and(|status| status == "error") {
            "it says `status: error`"
        } else {
            return None;
        };
        let problem = format!("{contradiction}, whatever its status and its data say");
        Some(Misfit::whole(problem))
    }
}

/// Whether an answer is a result: by its status, or by its own word where the shape allows that.
pub(crate) fn is_result(envelope: Option<Envelope>, status: StatusCode, body: &[u8]) -> bool {
    let says_success =
        || serde_json::from_slice::<Value>(body).is_ok_and(|answer| answer["success"] == true);
    status.is_success()
        || (envelope == Some(Envelope::SuccessOrUnavailable)
            && status == StatusCode::SERVICE_UNAVAILABLE
            && says_success())
}

/// Why an answer is not in its operation's shape.
pub(crate) struct Misfit {
    /// Where, as in `data.endpoint_id`; empty for the answer as a whole.
    pub(crate) place: String,
    /// What is wrong there, without a value of the answer.
    pub(crate) problem: String,
}

impl Misfit {
    pub(crate) fn whole(problem: impl Into<String>) -> Self {
        Self {
            place: String::new(),
            problem: problem.into(),
        }
    }
}

/// Reads the result out of a successful answer.
///
/// # Errors
/// Where and how the answer differs from the operation's shape.
pub(crate) fn decode<T: DeserializeOwned>(
    envelope: Envelope,
    status: StatusCode,
    body: &[u8],
) -> Result<T, Misfit> {
    match envelope {
        Envelope::Empty if status == StatusCode::NO_CONTENT => nothing(),
        Envelope::Empty => Err(Misfit::whole("only a status of 204 says that it is done")),
        Envelope::Document => match objection_to_document(body) {
            Some(objection) => Err(objection),
            None => read(body),
        },
        Envelope::SuccessOrUnavailable if status == StatusCode::SERVICE_UNAVAILABLE => {
            decode(Envelope::Success, status, &with_a_reason(body))
        }
        Envelope::Success | Envelope::SuccessOrUnavailable | Envelope::Resource => {
            let answer: Enveloped<T> = read(body)?;
            match answer.objection(true) {
                Some(objection) => Err(objection),
                None => Ok(answer.data),
            }
        }
    }
}

/// The same of a document, which is read twice only where such a word stands in it: hardly any has one.
fn objection_to_document(body: &[u8]) -> Option<Misfit> {
    let text = std::str::from_utf8(body).ok()?;
    if !text.contains("\"success\"") && !text.contains("\"error\"") {
        return None;
    }
    let answer: Enveloped<Option<IgnoredAny>> = serde_json::from_str(text).ok()?;
    answer.objection(answer.data.is_some())
}

/// The answer with a sentence of this crate, where it tells of an outage without one: the specification does not name the
/// member, and without it an outage would read as an empty list (F3).
fn with_a_reason(body: &[u8]) -> Vec<u8> {
    let mut answer: Value = serde_json::from_slice(body).unwrap_or_default();
    if let Some(data) = answer.get_mut("data").and_then(Value::as_object_mut) {
        let told = |name: &str| data.get(name).is_some_and(|reason| !reason.is_null());
        if !told("error") && !told("message") {
            data.insert("error".to_owned(), "The service does not say why.".into());
        }
    }
    answer.to_string().into_bytes()
}

/// What stands for the result of a deletion that another attempt of the same call has made.
pub(crate) fn nothing<T: DeserializeOwned>() -> Result<T, Misfit> {
    read(b"null")
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, Misfit> {
    if body.is_empty() {
        return Err(Misfit::whole("it is empty"));
    }
    let mut reader = serde_json::Deserializer::from_slice(body);
    let read = T::deserialize(ByName(&mut reader));
    let whole = read.and_then(|read| reader.end().map(|()| read));
    whole.map_err(|_| misfit::<T>(body))
}

/// Reads again, for the place. The first reading keeps no path, because that costs more than the call.
#[cold]
fn misfit<T: DeserializeOwned>(body: &[u8]) -> Misfit {
    if body.trim_ascii_start().starts_with(b"[") {
        return Misfit::whole("a list where an object was expected");
    }
    let mut reader = serde_json::Deserializer::from_slice(body);
    match serde_path_to_error::deserialize::<_, T>(ByName(&mut reader)) {
        Ok(_) => Misfit::whole("something follows its end"),
        Err(error) => {
            let place = error.path().to_string();
            Misfit {
                place: if place == "." { String::new() } else { place },
                problem: problem(error.inner()),
            }
        }
    }
}

/// The kinds of values that a parser names.
const FOUND: [&str; 9] = [
    "null",
    "boolean",
    "integer",
    "floating point",
    "number",
    "string",
    "text",
    "sequence",
    "map",
];

/// What a parser says, less every value it quotes: serde puts what it found before `, expected`. A message of another
/// form could quote anything, and is replaced.
fn problem(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let text = text
        .rsplit_once(" at line ")
        .map_or(text.as_str(), |(reason, _)| reason);
    if error.is_syntax() || error.is_eof() {
        return format!("it is no JSON: {text}");
    }
    if text.starts_with("missing field") || text.starts_with("duplicate field") {
        return text.to_owned();
    }
    let standard = [
        "invalid type: ",
        "invalid value: ",
        "invalid length ",
        "unknown variant ",
    ];
    match text.rsplit_once(", expected ") {
        Some((found, expected)) if standard.iter().any(|start| found.starts_with(start)) => {
            match FOUND
                .iter()
                .find(|kind| found.contains(&format!(": {kind}")))
            {
                Some(kind) => format!("{kind} where {expected} was expected"),
                None => format!("{expected} was expected"),
            }
        }
        _ => "a value that does not fit".to_owned(),
    }
}

/// Whether an answer with a success status calls itself an error, and nothing else.
pub(crate) fn calls_itself_an_error(body: &[u8]) -> bool {
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    let says_error = answer["error"].is_object() || answer["status"] == "error";
    answer["success"] == false || (says_error && answer["data"].is_null())
}

/// The service's remark on a call that found its work already done, wherever the answer has it.
pub(crate) fn note(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Noted {
        note: Option<String>,
        data: Option<Inner>,
    }
    #[derive(Deserialize)]
    struct Inner {
        note: Option<String>,
    }
    let answer: Noted = serde_json::from_slice(body).ok()?;
    answer.data.and_then(|data| data.note).or(answer.note)
}
