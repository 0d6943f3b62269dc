//! A successful answer with what came along.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use crate::answer::{Answer, PriorAttempts};
use crate::envelope;
use crate::error::{CallFacts, Delivery, Error, ErrorKind};
use crate::operation_info::OperationInfo;

/// The result of a call, and how it came about.
#[derive(Clone)]
pub struct Response<T> {
    /// The result.
    pub data: T,
    answer: Answer,
    note: OnceLock<Option<String>>,
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
    pub fn into_inner(self) -> T {
        self.data
    }

    /// The HTTP status; 404 for a deletion that an earlier attempt of the same call has made.
    pub fn status(&self) -> StatusCode {
        self.answer.status
    }

    /// Whether this call made a new record: yes with a status of 201; no where the service found the record there;
    /// `None` where an earlier attempt of the same call [may have made it](Response::may_have_acted_before).
    pub fn was_created(&self) -> Option<bool> {
        match self.answer.status == StatusCode::CREATED {
            true => Some(true),
            false if self.may_have_acted_before() => None,
            false => Some(false),
        }
    }

    /// Whether an earlier attempt of this call may have been acted on: its answer was lost, or did not say.
    ///
    /// Then what the service calls done before, in [`note`](Response::note) or by its status, may be this call's doing.
    pub fn may_have_acted_before(&self) -> bool {
        self.answer.prior_attempts != PriorAttempts::Nothing
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
    pub fn body(&self) -> &Bytes {
        &self.answer.body
    }

    /// A member of the body that the typed result has no field for, by its JSON pointer (`/data/new_field`).
    ///
    /// The body is parsed at each call; the typed result does not pay for it.
    pub fn raw_field(&self, pointer: &str) -> Option<Value> {
        let mut body = envelope::json::parse(&self.answer.body).ok()?;
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

    /// What is wrong with a page, for a reason that only shows beside the pages before it.
    pub(crate) fn list_error(
        &self,
        kind: ErrorKind,
        operation: &'static OperationInfo,
        reason: &str,
    ) -> Error {
        Error::new(kind, reason).about(CallFacts {
            delivery: Delivery::Answered,
            attempts: self.attempts(),
            elapsed: self.elapsed(),
            answer: Some(self.answer.facts(Some(operation))),
            ..CallFacts::of(operation)
        })
    }
}

impl<T: fmt::Debug> fmt::Debug for Response<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let data = match f.alternate() {
            true => format!("{:#?}", self.data),
            false => format!("{:?}", self.data),
        };
        write!(
            f,
            "Response({}, {} after {} attempts, {:?})",
            self.answer.redactor().redact(&data),
            self.answer.status,
            self.answer.attempts,
            self.answer.elapsed
        )
    }
}
