//! What a call can end with instead of its result.

mod api;
mod code;
mod field_errors;

use std::fmt;
use std::time::Duration;

use http::{HeaderMap, Method, StatusCode};

pub use api::{ApiError, Details};
pub use code::ErrorCode;
pub use field_errors::FieldErrors;

use crate::operation::{OperationInfo, RetrySafety};
use crate::pipeline::retry;

/// Why a call gave no result; one pointer wide.
///
/// Ask [`kind`](Error::kind) what happened, [`sent`](Error::sent) whether the service may have acted, and
/// [`code`](Error::code) what the service says. `Display` is one line that names the call and the reason. The key
/// appears nowhere in it.
pub struct Error(Box<Inner>);

struct Inner {
    cause: Cause,
    call: Option<CallFacts>,
}

/// What an error was about; `non_exhaustive`, so match with a last arm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Refused by this crate before anything was sent; see [`Error::field_errors`].
    Validation,
    /// The service refused; see [`Error::api`].
    Api,
    /// No connection: nothing was sent.
    Connect,
    /// An attempt ran out of time; the service may have acted.
    Timeout,
    /// The connection was lost, or the answer was cut; the service may have acted.
    Interrupted,
    /// The answer is not in the service's format; see [`Error::body_snippet`].
    Decode,
    /// The answer points elsewhere; it is never followed, because the key would travel along.
    Redirect,
    /// The answer is larger than the client takes.
    BodyTooLarge,
    /// The rate budget would have made the call wait longer than the client's `max_wait`; nothing was sent.
    MaxWait,
    /// The rate budget itself could not be asked; nothing was sent.
    Budget,
    /// The time for the whole operation is over.
    Deadline,
    /// The service refused the key earlier (401); nothing was sent. See `Client::reset_key_rejection`.
    KeyRejected,
    /// Client or call are set up in a way that cannot work; nothing was sent.
    Configuration,
    /// The caller's own transport refused to send.
    Refused,
}

/// Whether a request reached the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sent {
    /// Nothing left: the service cannot have acted.
    No,
    /// An attempt left, and its answer was lost or does not say what happened: the service may have acted.
    Maybe,
    /// The service answered, and its answer says what happened.
    Yes,
}

/// The reason with what belongs to it.
#[derive(Debug)]
pub(crate) enum Cause {
    Validation(FieldErrors),
    Api(ApiError),
    Connect(String),
    Timeout(String),
    Interrupted(String),
    Decode(String),
    Redirect(Option<String>),
    BodyTooLarge(String),
    MaxWait(Option<Duration>),
    Budget(String),
    Deadline(Duration),
    KeyRejected,
    Configuration(String),
    Refused(String),
}

/// The call that an error is about.
pub(crate) struct CallFacts {
    pub(crate) operation: Option<&'static OperationInfo>,
    pub(crate) method: Method,
    pub(crate) path: String,
    /// Whether the call may be sent again when nobody knows what the first one did.
    pub(crate) safety: RetrySafety,
    pub(crate) sent: Sent,
    pub(crate) attempts: u32,
    pub(crate) elapsed: Duration,
    pub(crate) answer: Option<AnswerFacts>,
}

/// What is kept of an answer that is an error.
pub(crate) struct AnswerFacts {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) snippet: String,
}

impl Error {
    pub(crate) fn new(cause: Cause, call: CallFacts) -> Self {
        Self(Box::new(Inner {
            cause,
            call: Some(call),
        }))
    }

    /// An error of the set-up, before there is a call.
    pub(crate) fn configuration(message: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            cause: Cause::Configuration(message.into()),
            call: None,
        }))
    }

    /// What happened, in one word.
    pub fn kind(&self) -> ErrorKind {
        match self.0.cause {
            Cause::Validation(_) => ErrorKind::Validation,
            Cause::Api(_) => ErrorKind::Api,
            Cause::Connect(_) => ErrorKind::Connect,
            Cause::Timeout(_) => ErrorKind::Timeout,
            Cause::Interrupted(_) => ErrorKind::Interrupted,
            Cause::Decode(_) => ErrorKind::Decode,
            Cause::Redirect(_) => ErrorKind::Redirect,
            Cause::BodyTooLarge(_) => ErrorKind::BodyTooLarge,
            Cause::MaxWait(_) => ErrorKind::MaxWait,
            Cause::Budget(_) => ErrorKind::Budget,
            Cause::Deadline(_) => ErrorKind::Deadline,
            Cause::KeyRejected => ErrorKind::KeyRejected,
            Cause::Configuration(_) => ErrorKind::Configuration,
            Cause::Refused(_) => ErrorKind::Refused,
        }
    }

    /// The service's own account, when it gave one.
    pub fn api(&self) -> Option<&ApiError> {
        match &self.0.cause {
            Cause::Api(error) => Some(error),
            _ => None,
        }
    }

    /// The service's code, when its answer has one.
    pub fn code(&self) -> Option<&ErrorCode> {
        self.api()?.code.as_ref()
    }

    /// The details of the service's error envelope.
    pub fn details(&self) -> Option<&Details> {
        self.api().map(|error| &error.details)
    }

    /// The fields at fault, whether this crate or the service refused them.
    pub fn field_errors(&self) -> Option<&FieldErrors> {
        match &self.0.cause {
            Cause::Validation(errors) => Some(errors),
            Cause::Api(error) if !error.errors.is_empty() => Some(&error.errors),
            _ => None,
        }
    }

    /// The HTTP status, when the service answered.
    pub fn status(&self) -> Option<StatusCode> {
        self.answer().map(|answer| answer.status)
    }

    /// The answer's headers, when the service answered; values that held the key are masked.
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.answer().map(|answer| &answer.headers)
    }

    /// How long to wait before another try: from the `Retry-After` header, the details, or the own rate budget.
    pub fn retry_after(&self) -> Option<Duration> {
        let own = match self.0.cause {
            Cause::MaxWait(wait) => wait,
            _ => None,
        };
        let header = || self.answer()?.retry_after;
        let detail = || Some(Duration::from_secs(self.details()?.retry_after_seconds()?));
        own.or_else(header).or_else(detail)
    }

    /// Whether a request reached the service; [`Sent::Maybe`] as soon as one attempt's answer was lost, or when
    /// the last one does not say what happened: a page of a proxy, a 5xx without a code of the service.
    pub fn sent(&self) -> Sent {
        self.0.call.as_ref().map_or(Sent::No, |call| call.sent)
    }

    /// How many requests were tried; 0 when the call ended before the first.
    pub fn attempts(&self) -> u32 {
        self.0.call.as_ref().map_or(0, |call| call.attempts)
    }

    /// Time from the start of the call to this error, waits included.
    pub fn elapsed(&self) -> Duration {
        self.0
            .call
            .as_ref()
            .map_or(Duration::ZERO, |call| call.elapsed)
    }

    /// The operation; none for errors of the set-up and for raw requests to unknown paths.
    pub fn operation(&self) -> Option<&'static OperationInfo> {
        self.0.call.as_ref()?.operation
    }

    /// The HTTP method; none for errors of the set-up.
    pub fn method(&self) -> Option<&Method> {
        self.0.call.as_ref().map(|call| &call.method)
    }

    /// The path that was called, without the query; none for errors of the set-up.
    pub fn path(&self) -> Option<&str> {
        self.0.call.as_ref().map(|call| call.path.as_str())
    }

    /// The answer's `X-Request-Id`, should the service send one.
    pub fn request_id(&self) -> Option<&str> {
        self.headers()?.get("x-request-id")?.to_str().ok()
    }

    /// The first 2 KiB of the answer, the key masked.
    pub fn body_snippet(&self) -> Option<&str> {
        self.answer().map(|answer| answer.snippet.as_str())
    }

    /// Whether the same call, as it is, may be sent again later: what stopped it passes by itself, and sending it
    /// again cannot act twice.
    ///
    /// What passes is a missing connection, a time-out, a rate limit, a scan's cooldown and an outage. What cannot act
    /// twice is a call that was provably not processed, or one whose operation is
    /// [`Repeatable`](RetrySafety::Repeatable). So it is false for any other operation as soon as
    /// [`sent`](Error::sent) is [`Sent::Maybe`]: look what became of the first call before you send a second. And it
    /// is false for the 500s that the service documents, [`UserNotFound`](ErrorCode::UserNotFound) and
    /// [`ScanDispatchFailed`](ErrorCode::ScanDispatchFailed), which the client does not try again either (F5).
    pub fn is_retryable(&self) -> bool {
        let Some(call) = &self.0.call else {
            return false;
        };
        let passes = match &self.0.cause {
            Cause::Connect(_)
            | Cause::Timeout(_)
            | Cause::Interrupted(_)
            | Cause::MaxWait(_)
            | Cause::Budget(_)
            | Cause::Deadline(_) => true,
            Cause::Api(_) | Cause::Decode(_) => self
                .status()
                .is_some_and(|status| retry::passes(status, self.code(), call.safety)),
            _ => false,
        };
        passes && (call.sent != Sent::Maybe || call.safety == RetrySafety::Repeatable)
    }

    pub(crate) fn answer(&self) -> Option<&AnswerFacts> {
        self.0.call.as_ref()?.answer.as_ref()
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(call) = &self.0.call {
            match call.operation {
                Some(operation) => write!(f, "{}: ", operation.name)?,
                None => write!(f, "{} {}: ", call.method, call.path)?,
            }
            if let Some(answer) = &call.answer {
                write!(f, "{} ", answer.status.as_u16())?;
            }
        }
        self.0.cause.fmt(f)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Validation(errors) => write!(f, "not sent, because of {errors}"),
            Self::Api(error) => write_api(f, error),
            Self::Connect(reason) => write!(f, "no connection to the service: {reason}"),
            Self::Timeout(reason) => f.write_str(reason),
            Self::Interrupted(reason) => write!(f, "the connection was lost: {reason}"),
            Self::Decode(reason) => write!(f, "the answer cannot be read: {reason}"),
            Self::Redirect(Some(location)) => {
                write!(f, "the answer points to {location}; redirects are never followed")
            }
            Self::Redirect(None) => write!(f, "the answer is a redirect; they are never followed"),
            Self::BodyTooLarge(reason) => f.write_str(reason),
            Self::MaxWait(Some(wait)) => write!(
                f,
                "not sent: the rate limit's next free slot is {wait:?} away, longer than the wait allowed"
            ),
            Self::MaxWait(None) => {
                write!(f, "not sent: the rate limit has no free slot within the wait allowed")
            }
            Self::Budget(reason) => write!(f, "not sent: the rate budget cannot be asked: {reason}"),
            Self::Deadline(limit) => write!(f, "the operation's time of {limit:?} is over"),
            Self::KeyRejected => f.write_str(
                "not sent: the service has refused this API key (401); build a client with a valid key",
            ),
            Self::Configuration(reason) => f.write_str(reason),
            Self::Refused(reason) => write!(f, "not sent: {reason}"),
        }
    }
}

fn write_api(f: &mut fmt::Formatter<'_>, error: &ApiError) -> fmt::Result {
    if let Some(code) = error
        .code
        .as_ref()
        .filter(|code| !matches!(code, ErrorCode::Number(_)))
    {
        write!(f, "{code}: ")?;
    }
    f.write_str(&error.message)?;
    if !error.errors.is_empty() {
        write!(f, " ({})", error.errors)?;
    }
    Ok(())
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.kind())
            .field("message", &self.to_string())
            .field("sent", &self.sent())
            .field("attempts", &self.attempts())
            .finish_non_exhaustive()
    }
}
