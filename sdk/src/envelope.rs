//! The shapes of the service's answers; the only place that knows them.
//!
//! An operation's row of the table names its shape, and the status tells a result from an error: no shape is guessed
//! from the members an answer happens to have. Why an answer cannot be read is said by place and type, never by a value
//! of it (F2).

pub(crate) mod json;
mod problem;
mod status_members;

use http::StatusCode;
use memchr::memmem;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::model::tolerant_value::{TolerantValue, flag};
pub(crate) use problem::DecodeProblem;
use status_members::{StatusMembers, is_no, objection};

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
struct EnvelopeBody<T> {
    success: Option<Value>,
    error: Option<Value>,
    errors: Option<Value>,
    status: Option<Value>,
    data: T,
}

impl<T> EnvelopeBody<T> {
    fn objection(&self) -> Option<DecodeProblem> {
        let members = [
            ("error", self.error.as_ref()),
            ("errors", self.errors.as_ref()),
            ("success", self.success.as_ref()),
            ("status", self.status.as_ref()),
        ];
        objection(true, &members)
    }
}

/// Whether an answer is a result: by its status, or by its own word where the shape allows that.
pub(crate) fn is_result(envelope: Option<Envelope>, status: StatusCode, body: &[u8]) -> bool {
    let says_success =
        || json::parse(body).is_ok_and(|answer| flag(&answer["success"]) == Some(true));
    status.is_success()
        || (envelope == Some(Envelope::SuccessOrUnavailable)
            && status == StatusCode::SERVICE_UNAVAILABLE
            && says_success())
}

/// Reads the result out of a successful answer.
///
/// # Errors
/// Where and how the answer differs from the operation's shape.
pub(crate) fn decode<T: DeserializeOwned>(
    envelope: Envelope,
    status: StatusCode,
    body: &[u8],
) -> Result<T, DecodeProblem> {
    if !is_documented(envelope, status) {
        return Err(DecodeProblem::whole(format!(
            "its status {} is none that the operation has",
            status.as_u16()
        )));
    }
    match envelope {
        Envelope::Empty if status == StatusCode::NO_CONTENT => nothing(),
        Envelope::Empty => Err(DecodeProblem::whole(
            "only a status of 204 says that it is done",
        )),
        Envelope::Document => match objection_to_document(body) {
            Ok(None) => read(body),
            Ok(Some(objection)) => Err(objection),
            Err(unreadable) => Err(read::<T>(body).err().unwrap_or(unreadable)),
        },
        Envelope::SuccessOrUnavailable if status == StatusCode::SERVICE_UNAVAILABLE => {
            decode(Envelope::Success, StatusCode::OK, &with_a_reason(body))
        }
        Envelope::Success | Envelope::SuccessOrUnavailable | Envelope::Resource => {
            let answer: EnvelopeBody<T> = read(body)?;
            match answer.objection() {
                Some(objection) => Err(objection),
                None => Ok(answer.data),
            }
        }
    }
}

/// A part of a content (206), a list of outcomes (207) or a result of somebody else's (203) is not the operation's result.
fn is_documented(envelope: Envelope, status: StatusCode) -> bool {
    match envelope {
        Envelope::Empty => true,
        Envelope::SuccessOrUnavailable if status == StatusCode::SERVICE_UNAVAILABLE => true,
        _ => matches!(status.as_u16(), 200 | 201 | 202 | 204),
    }
}

/// The same of a document, which is read twice only where such a word may stand in it: hardly any has one. `status: error`
/// has the second in it, and the letters of a name can be written as `\u` escapes alone.
///
/// # Errors
/// When nobody can tell.
fn objection_to_document(body: &[u8]) -> Result<Option<DecodeProblem>, DecodeProblem> {
    let words: [&[u8]; 3] = [b"\"success\"", b"\"error", b"\\u"];
    if words.iter().all(|word| memmem::find(body, word).is_none()) {
        return Ok(None);
    }
    match json::parse_as::<StatusMembers>(body) {
        Ok(words) => Ok(words.objection()),
        Err(_) => Err(DecodeProblem::whole(
            "what it says of itself cannot be read",
        )),
    }
}

/// The answer with what an outage need not tell: that there is such a list, its first page, and a sentence of this
/// crate where there is none, without which it would read as an empty list (F3).
fn with_a_reason(body: &[u8]) -> Vec<u8> {
    let mut answer = json::parse(body).unwrap_or_default();
    if let Some(data) = answer.get_mut("data").and_then(Value::as_object_mut) {
        let has_reason = |name: &str| {
            data.get(name)
                .is_some_and(|reason| reason.is_string() || reason.is_number())
        };
        if !has_reason("error") && !has_reason("message") {
            data.remove("message");
            data.insert("error".to_owned(), "The service does not say why.".into());
        }
        data.entry("enabled").or_insert(true.into());
        data.entry("page").or_insert(1.into());
    }
    answer.to_string().into_bytes()
}

/// What stands for the result of a deletion that another attempt of the same call has made.
pub(crate) fn nothing<T: DeserializeOwned>() -> Result<T, DecodeProblem> {
    read(b"null")
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, DecodeProblem> {
    let body = json::without_byte_order_mark(body);
    if body.is_empty() {
        return Err(DecodeProblem::whole("it is empty"));
    }
    // Its items would be taken for the members in order.
    if body.trim_ascii_start().starts_with(b"[") {
        return Err(DecodeProblem::whole("a list where an object was expected"));
    }
    read_as_documented(body).or_else(|error| read_tolerantly(body, &error))
}

fn read_as_documented<T: DeserializeOwned>(body: &[u8]) -> Result<T, serde_json::Error> {
    let mut reader = serde_json::Deserializer::from_slice(body);
    let read = T::deserialize(&mut reader)?;
    reader.end().map(|()| read)
}

/// The first reading keeps no path and no tree, because they cost more than the call.
#[cold]
fn read_tolerantly<T: DeserializeOwned>(
    body: &[u8],
    error: &serde_json::Error,
) -> Result<T, DecodeProblem> {
    // Of a member that stands there twice nobody knows which one holds.
    if let Some(name) = json::parse_as::<StatusMembers>(body)
        .ok()
        .and_then(|words| words.doubled())
    {
        return Err(DecodeProblem::whole(format!("duplicate field `{name}`")));
    }
    match json::parse(body) {
        Ok(answer) if !error.to_string().starts_with("duplicate field") => {
            serde_path_to_error::deserialize(TolerantValue(&answer)).map_err(|error| {
                let place = error.path().to_string();
                DecodeProblem {
                    complaint: DecodeProblem::UNREADABLE,
                    place: if place == "." { String::new() } else { place },
                    problem: without_values(error.inner()),
                }
            })
        }
        _ => Err(DecodeProblem::whole(without_values(error))),
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
fn without_values(error: &serde_json::Error) -> String {
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
    let answer = json::parse(body).unwrap_or_default();
    let says_error = answer["error"].is_object() || answer["status"] == "error";
    is_no(&answer["success"]) || (says_error && answer["data"].is_null())
}

/// The service's remark on a call that found its work already done, wherever the answer has it.
pub(crate) fn note(body: &[u8]) -> Option<String> {
    let mut answer = json::parse(body).ok()?;
    let mut note_in = |pointer| match answer.pointer_mut(pointer).map(Value::take) {
        Some(Value::String(note)) => Some(note),
        _ => None,
    };
    note_in("/data/note").or_else(|| note_in("/note"))
}
