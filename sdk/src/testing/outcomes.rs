//! Results and errors as a client gives them, made without one.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Uri};

use crate::answer::{Answer, PriorAttempts};
use crate::client::call::conclude;
use crate::envelope;
use crate::error::{CallFacts, Error, ErrorKind};
use crate::operation::Operation;
use crate::pipeline::{Call, unanswered};
use crate::redact::Redactor;
use crate::request_options::RequestOptions;
use crate::response::Response;
use crate::transport::{TransportError, TransportErrorKind};

/// The result that a client gives for this answer to an operation.
///
/// # Panics
/// When the answer is an error, with its sentence.
#[track_caller]
pub fn response<O: Operation>(answer: http::Response<Bytes>) -> Response<O::Output> {
    match outcome::<O>(answer) {
        Ok(response) => response,
        Err(error) => panic!("the answer is no result: {error}"),
    }
}

/// The error that a client gives for this answer to an operation, for tests of what a program makes of it.
///
/// ```
/// use http::StatusCode;
/// use secmon::operations::SuspendEndpoint;
/// use secmon::{ErrorCode, testing};
///
/// let answer = testing::api_error(StatusCode::NOT_FOUND, "ENDPOINT_NOT_FOUND", "No such endpoint.");
/// let error = testing::error::<SuspendEndpoint>(answer);
/// assert_eq!(error.code(), Some(&ErrorCode::EndpointNotFound));
/// ```
///
/// # Panics
/// When the answer is a result.
#[track_caller]
pub fn error<O: Operation>(answer: http::Response<Bytes>) -> Error {
    match outcome::<O>(answer) {
        Ok(_) => panic!("the answer is a result of {}, and no error", O::INFO.name),
        Err(error) => error,
    }
}

/// The error that a client gives when an attempt of an operation ends without an answer.
pub fn failure<O: Operation>(kind: TransportErrorKind) -> Error {
    let error = TransportError::new(kind, "as the test says");
    let (error, sent) = unanswered(error, &Redactor::of(None));
    error.about(call::<O>().facts(sent, 1, Duration::ZERO, None))
}

/// An error of any kind, as a call of an operation ends with it before anything is sent: the rate budget, the key, the
/// time.
pub fn unsent<O: Operation>(kind: ErrorKind) -> Error {
    Error::new(kind, "as the test says").about(CallFacts::of(O::INFO))
}

fn outcome<O: Operation>(answer: http::Response<Bytes>) -> Result<Response<O::Output>, Error> {
    let (parts, body) = answer.into_parts();
    let answer = Answer {
        status: parts.status,
        headers: parts.headers,
        body,
        attempts: 1,
        elapsed: Duration::ZERO,
        prior_attempts: PriorAttempts::Nothing,
        key: None,
    };
    if !envelope::is_result(Some(O::INFO.envelope), answer.status, &answer.body) {
        return Err(call::<O>().error_of(&answer, None));
    }
    conclude::<O>(&call::<O>(), None, answer).map_err(|failure| failure.error)
}

fn call<O: Operation>() -> Call {
    Call {
        operation: Some(O::INFO),
        method: O::INFO.method.clone(),
        uri: Uri::from_static("https://portal.example.com/"),
        headers: HeaderMap::new(),
        body: Bytes::new(),
        rate_group: O::INFO.rate_group(),
        safety: O::INFO.safety,
        settings: Arc::new(RequestOptions::default()),
    }
}
