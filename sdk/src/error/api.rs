//! The service's own account of what went wrong.

use std::fmt::{self, Write};

use http::StatusCode;
use serde_json::{Map, Value};

use super::{ErrorCode, FieldErrors};
use crate::envelope::json;
use crate::model::tolerant_value::{flag, whole_number};
use crate::redact::{Redactor, one_line, shown};

/// Longest message and longest code that are kept, in bytes.
const LONGEST_MESSAGE: usize = 1024;
const LONGEST_CODE: usize = 128;

/// An error answer of the service, read from any of its documented shapes.
#[derive(Clone, PartialEq, Eq)]
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
    /// Whether it is in one of the service's own shapes: an `error` with a code, or `status: error`. A `message` alone is
    /// what any gateway says.
    pub(crate) is_documented: bool,
}

impl ApiError {
    /// Reads an error answer; `None` when it has neither a code nor a message.
    pub(crate) fn parse(status: StatusCode, body: &[u8], redactor: &Redactor) -> Option<Self> {
        let Ok(Value::Object(answer)) = json::parse(body) else {
            return None;
        };
        let mut answer = Value::Object(answer);
        redactor.redact_json(&mut answer);
        let errors = FieldErrors::from_json(&answer["errors"]);
        // What calls itself a success and an error says nothing for certain.
        let has_data = answer["data"]
            .as_object()
            .is_some_and(|data| !data.is_empty());
        let says_success = has_data || flag(&answer["success"]) == Some(true);
        let (code, message, details) = match answer["error"].take() {
            Value::Object(mut error) => (
                error.get("code").and_then(read_code),
                error
                    .get("message")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
                error.remove("details"),
            ),
            _ => (None, answer["message"].as_str().map(str::to_owned), None),
        };
        if code.is_none() && message.is_none() {
            return None;
        }
        Some(Self {
            status,
            is_documented: !says_success && (code.is_some() || answer["status"] == "error"),
            code,
            message: redactor.shown(&message.unwrap_or_default(), LONGEST_MESSAGE),
            details: match details {
                Some(Value::Object(details)) => Details(details),
                _ => Details::default(),
            },
            errors,
        })
    }

    /// The same without a text of the service, for an operation whose answers hold secrets: a token or a record could
    /// stand in any of them. What is left is what this crate knows itself: named codes, the request's own fields, and
    /// numbers of the documented details.
    pub(crate) fn without_the_services_words(self, fields: &[&str]) -> Self {
        let code = self
            .code
            .filter(|code| !matches!(code, ErrorCode::Unknown(_)));
        let reason = self.status.canonical_reason().unwrap_or("refused");
        let numbers = Details::NAMES.map(|name| Some((name, self.details.number(name)?)));
        let numbers = numbers.into_iter().flatten();
        Self {
            status: self.status,
            message: format!(
                "{reason} (the service's words are withheld: answers to this operation hold secrets)"
            ),
            details: Details(
                numbers
                    .map(|(name, number)| (name.to_owned(), number.into()))
                    .collect(),
            ),
            errors: self.errors.only(fields),
            is_documented: self.is_documented,
            code,
        }
    }
}

fn read_code(code: &Value) -> Option<ErrorCode> {
    match (whole_number(code), code) {
        (Some(number), _) => Some(ErrorCode::from(number.to_string())),
        (None, Value::String(name)) => Some(ErrorCode::from(one_line(name, LONGEST_CODE).as_ref())),
        (None, Value::Number(number)) => Some(ErrorCode::from(number.to_string())),
        _ => None,
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shown(f, |text| {
            let named = self.code.as_ref();
            if let Some(code) = named.filter(|code| !matches!(code, ErrorCode::Number(_))) {
                write!(text, "{code}: ")?;
            }
            text.push_str(&self.message);
            match self.errors.is_empty() {
                true => Ok(()),
                false => write!(text, " ({})", self.errors),
            }
        })
    }
}

impl fmt::Debug for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shown(f, |text| {
            let (status, details) = (self.status.as_u16(), &self.details);
            write!(text, "ApiError({status} {self} {details:?})")
        })
    }
}

/// The `details` of an error envelope: the documented ones by name, all others by [`get`](Details::get).
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Details(Map<String, Value>);

impl Details {
    /// The documented ones, all of them numbers.
    const NAMES: [&'static str; 4] = ["retry_after_seconds", "current_usage", "new_limit", "limit"];

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
        whole_number(self.get(name)?)?.as_u64()
    }
}

impl IntoIterator for Details {
    type Item = (String, Value);
    type IntoIter = serde_json::map::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Debug for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shown(f, |text| write!(text, "{:?}", self.0))
    }
}
