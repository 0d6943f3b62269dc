//! A successful answer with what came along.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::envelope;

/// The result of a call, and how it came about.
#[derive(Clone)]
pub struct Response<T> {
    /// The result.
    pub data: T,
    pub(crate) answer: Answer,
    pub(crate) note: OnceLock<Option<String>>,
}

/// A complete answer, whatever its status.
#[derive(Clone)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) attempts: u32,
    pub(crate) elapsed: Duration,
    pub(crate) history: History,
}

/// Whether every earlier attempt of the call is accounted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum History {
    /// No attempt before this answer can have been processed.
    Clear,
    /// An attempt before this answer left, and nobody knows what it did.
    AnswerLost,
}

impl<T> Response<T> {
    pub(crate) fn new(data: T, answer: Answer) -> Self {
        Self {
            data,
            answer,
            note: OnceLock::new(),
        }
    }

    /// The result alone.
    pub fn into_data(self) -> T {
        self.data
    }

    /// The HTTP status.
    pub fn status(&self) -> StatusCode {
        self.answer.status
    }

    /// Whether the call made a new record (201), and did not find it already there.
    pub fn created(&self) -> bool {
        self.answer.status == StatusCode::CREATED
    }

    /// The service's remark when the record was already there, or already in the state asked for.
    pub fn note(&self) -> Option<&str> {
        self.note
            .get_or_init(|| envelope::note(&self.answer.body))
            .as_deref()
    }

    /// The answer's headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.answer.headers
    }

    /// How many requests it took.
    pub fn attempts(&self) -> u32 {
        self.answer.attempts
    }

    /// Time from the start of the call to the answer, waits included.
    pub fn elapsed(&self) -> Duration {
        self.answer.elapsed
    }

    /// The body as it came; empty with a 204.
    pub fn raw(&self) -> &Bytes {
        &self.answer.body
    }

    /// A member of the body that the typed result has no field for, by its JSON pointer (`/data/new_field`).
    ///
    /// The body is parsed at each call; the typed result does not pay for it.
    pub fn raw_field(&self, pointer: &str) -> Option<Value> {
        let mut body: Value = serde_json::from_slice(&self.answer.body).ok()?;
        body.pointer_mut(pointer).map(Value::take)
    }

    /// The same answer with another view of its result.
    pub fn map<U>(self, view: impl FnOnce(T) -> U) -> Response<U> {
        Response {
            data: view(self.data),
            answer: self.answer,
            note: self.note,
        }
    }
}

impl<T: fmt::Debug> fmt::Debug for Response<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("data", &self.data)
            .field("status", &self.answer.status)
            .field("attempts", &self.answer.attempts)
            .field("elapsed", &self.answer.elapsed)
            .finish_non_exhaustive()
    }
}
