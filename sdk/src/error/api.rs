//! The service's own account of what went wrong.

use http::StatusCode;
use serde_json::{Map, Value};

use super::{ErrorCode, FieldErrors};

/// An error answer of the service, read from any of its documented shapes.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ApiError {
    /// The HTTP status.
    pub status: StatusCode,
    /// The code; none in the shape that validation, authentication and the rate window use.
    pub code: Option<ErrorCode>,
    /// The message for a person.
    pub message: String,
    /// The details of the error envelope; empty elsewhere.
    pub details: Details,
    /// The fields that were refused; empty elsewhere.
    pub errors: FieldErrors,
}

impl ApiError {
    /// Reads an error answer; none when the text is in none of the documented shapes.
    pub(crate) fn parse(status: StatusCode, body: &str) -> Option<Self> {
        let answer: Value = serde_json::from_str(body).ok()?;
        let member = |name: &str| answer.get(name).unwrap_or(&Value::Null);
        let envelope = member("error");
        let (code, message, details) = match envelope {
            Value::Object(error) => (
                error.get("code").and_then(read_code),
                error.get("message").and_then(Value::as_str),
                error.get("details").and_then(Value::as_object).cloned(),
            ),
            _ => (None, member("message").as_str(), None),
        };
        if code.is_none() && message.is_none() {
            return None;
        }
        Some(Self {
            status,
            code,
            message: message.unwrap_or_default().to_owned(),
            details: Details(details.unwrap_or_default()),
            errors: FieldErrors::from_json(member("errors")),
        })
    }
}

fn read_code(code: &Value) -> Option<ErrorCode> {
    match code {
        Value::String(name) => Some(ErrorCode::from(name.as_str())),
        Value::Number(number) => Some(
            number
                .as_u64()
                .and_then(|number| u16::try_from(number).ok())
                .map_or_else(|| ErrorCode::Unknown(number.to_string()), ErrorCode::Number),
        ),
        _ => None,
    }
}

/// The `details` of an error envelope: the documented ones by name, all others by [`get`](Details::get).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Details(Map<String, Value>);

impl Details {
    /// Seconds until the server may be scanned again, with `RATE_LIMITED`.
    pub fn retry_after_seconds(&self) -> Option<u64> {
        self.number("retry_after_seconds")
    }

    /// How much is in use, with `DOWNGRADE_USAGE_EXCEEDED` and the limit codes.
    pub fn current_usage(&self) -> Option<u64> {
        self.number("current_usage")
    }

    /// How much the new plan or quantity would allow, with `DOWNGRADE_USAGE_EXCEEDED`.
    pub fn new_limit(&self) -> Option<u64> {
        self.number("new_limit")
    }

    /// How much is allowed, with the limit codes (assumed).
    pub fn limit(&self) -> Option<u64> {
        self.number("limit")
    }

    /// Any detail by its name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// All details.
    pub fn as_map(&self) -> &Map<String, Value> {
        &self.0
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.get(name).and_then(Value::as_u64)
    }
}
