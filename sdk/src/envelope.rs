//! The shapes of the service's answers; the only place that knows them.
//!
//! An operation's row of the table names its shape, and the status tells a result from an error: no shape is guessed
//! from the members an answer happens to have.

use http::StatusCode;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::error::ApiError;

/// The shape of a successful answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Envelope {
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
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
struct Enveloped<T> {
    #[serde(default)]
    success: Option<bool>,
    data: T,
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

/// Reads the result out of a successful answer.
///
/// # Errors
/// A sentence that says where the body differs from the operation's shape.
pub(crate) fn decode<T: DeserializeOwned>(envelope: Envelope, body: &[u8]) -> Result<T, String> {
    match envelope {
        Envelope::Empty if calls_itself_an_error(body) => {
            Err("it has a success status but is an error".to_owned())
        }
        Envelope::Empty => read(b"null"),
        Envelope::Document => read(body),
        Envelope::Success | Envelope::SuccessOrUnavailable | Envelope::Resource => {
            let answer: Enveloped<T> = read(body)?;
            match answer.success {
                Some(false) => Err("it has a success status but says `success: false`".to_owned()),
                _ => Ok(answer.data),
            }
        }
    }
}

fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, String> {
    if body.is_empty() {
        return Err("it is empty".to_owned());
    }
    serde_json::from_slice(body).map_err(|error| error.to_string())
}

/// Reads an error answer; none when it is in none of the documented shapes.
///
/// With a success status only what calls itself an error is taken for one.
pub(crate) fn decode_error(status: StatusCode, body: &str) -> Option<ApiError> {
    if status.is_success() && !calls_itself_an_error(body.as_bytes()) {
        return None;
    }
    ApiError::parse(status, body)
}

fn calls_itself_an_error(body: &[u8]) -> bool {
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    answer["error"].is_object() || answer["success"] == false || answer["status"] == "error"
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
