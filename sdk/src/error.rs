//! What a call can end with instead of its result.

mod api;
mod code;
mod field_errors;
mod named;

use std::error::Error as StdError;
use std::fmt::{self, Write};
use std::time::Duration;

use http::{HeaderMap, Method, StatusCode};

pub use api::{ApiError, Details};
pub use code::ErrorCode;
pub use field_errors::FieldErrors;
use named::named_enum;

use crate::operation_info::{OperationInfo, RetrySafety};
use crate::redact::{LONGEST_TEXT, Redactor, shown};
use crate::retry_after::LONGEST;

/// Why a call gave no result; one pointer wide.
///
/// Ask [`kind`](Error::kind) what happened, [`delivery`](Error::delivery) whether the service may have acted, and
/// [`code`](Error::code) what the service says. `Display` is one line of at most 4 KiB that names the call and the
/// reason; neither the key, nor a sign-in token, nor a leaked record is in it, nor in any other text of an error.
pub struct Error(Box<Inner>);

struct Inner {
    kind: ErrorKind,
    /// The reason in words; empty where `api` or `fields` say it.
    reason: String,
    api: Option<ApiError>,
    fields: FieldErrors,
    /// When the own rate budget could have let the call go.
    free_in: Option<Duration>,
    source: Option<Box<dyn StdError + Send + Sync>>,
    call: Option<CallFacts>,
}

named_enum! {
    /// What an error was about; `non_exhaustive`, so match with a last arm.
    ///
    /// A kind that says that nothing was sent speaks of the attempt that it ended. Attempts before that one are in
    /// [`Error::attempts`], and [`Error::delivery`] speaks of the whole call.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    ErrorKind {
        /// Refused by this crate before anything was sent; see [`Error::field_errors`].
        Validation = "validation",
        /// The service refused; see [`Error::api`].
        Api = "api",
        /// No connection: nothing was sent.
        Connect = "connect",
        /// The server's certificate was refused, or TLS failed in another way: nothing was sent, and a repeat will not help.
        Tls = "tls",
        /// A proxy wants credentials (407), and a repeat will not help. Where the proxy refused the connection nothing was
        /// sent; where a 407 came as the answer itself, [`Error::delivery`] says so.
        Proxy = "proxy",
        /// An attempt ran out of time; the service may have acted.
        Timeout = "timeout",
        /// The connection was lost, or the answer was cut; the service may have acted.
        Interrupted = "interrupted",
        /// The answer is not in the service's format, is not about what was asked, or a list contradicts itself; see
        /// [`Error::body_snippet`]. On a call that acts, the service may have acted.
        Decode = "decode",
        /// Something between answered in the service's place: a page of HTML, or another text in none of the service's
        /// shapes, with 408, 421, 425 or a 5xx. The service may have acted.
        Gateway = "gateway",
        /// Records came and went while a list was read, so often that no two readings were the same; see
        /// [`Pages::collect_stable`](crate::Pages::collect_stable).
        ListMoved = "list_moved",
        /// The source behind a list is down (credential leaks), so that the list says nothing about what there is.
        LeakSourceUnavailable = "leak_source_unavailable",
        /// The source behind a list is not configured for the account (credential leaks), so that the list says nothing about
        /// what there is; waiting does not change that.
        LeakSourceNotConfigured = "leak_source_not_configured",
        /// The answer points elsewhere; it is never followed, because the key would travel along.
        Redirect = "redirect",
        /// The answer is larger than the client takes.
        BodyTooLarge = "body_too_large",
        /// The rate budget would have made the call, or its next attempt after a 429, wait longer than the client's
        /// `queue_timeout`; nothing was sent.
        QueueTimeout = "queue_timeout",
        /// The rate budget itself could not be asked; nothing was sent.
        RateLimiter = "rate_limiter",
        /// The time for the whole operation is over.
        Deadline = "deadline",
        /// The service refused the key earlier (401); nothing was sent. See `Client::reset_key_rejection`.
        KeyRejected = "key_rejected",
        /// The [`KeyProvider`](crate::KeyProvider) has no key to give; nothing was sent.
        NoKey = "no_key",
        /// Client or call are set up in a way that cannot work, or there is no tokio runtime with time and I/O
        /// ([`blocking`](crate::guides::blocking)); nothing was sent.
        Configuration = "configuration",
        /// The caller's own transport refused to send.
        Refused = "refused",
    }
}

impl ErrorKind {
    /// The kind as one word, for logs and spans.
    pub fn as_str(self) -> &'static str {
        self.text().unwrap_or_default()
    }
}

/// Whether a request reached the service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// Nothing left: the service cannot have acted.
    NotSent,
    /// An attempt left, and its answer was lost or does not say what happened: the service may have acted.
    Maybe,
    /// The service answered, and its answer says what happened.
    Answered,
}

/// The call that an error is about.
pub(crate) struct CallFacts {
    pub(crate) operation: Option<&'static OperationInfo>,
    pub(crate) method: Method,
    pub(crate) path: String,
    /// Whether the call may be sent again when nobody knows what the first one did.
    pub(crate) safety: RetrySafety,
    pub(crate) delivery: Delivery,
    pub(crate) attempts: u32,
    pub(crate) elapsed: Duration,
    pub(crate) answer: Option<AnswerFacts>,
}

impl CallFacts {
    /// A call that was never tried.
    pub(crate) fn of(info: &'static OperationInfo) -> Self {
        Self {
            operation: Some(info),
            method: info.method.clone(),
            path: info.path.to_owned(),
            safety: info.safety,
            delivery: Delivery::NotSent,
            attempts: 0,
            elapsed: Duration::ZERO,
            answer: None,
        }
    }
}

/// What is kept of an answer that is an error.
pub(crate) struct AnswerFacts {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) retry_after: Option<Duration>,
    pub(crate) snippet: String,
}

impl Error {
    /// An error without a call yet. What came from outside must be redacted and bounded already.
    pub(crate) fn new(kind: ErrorKind, reason: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            kind,
            reason: reason.into(),
            api: None,
            fields: FieldErrors::default(),
            free_in: None,
            source: None,
            call: None,
        }))
    }

    /// An error of the set-up, before there is a call.
    pub(crate) fn configuration(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Configuration, message)
    }

    pub(crate) fn validation(fields: FieldErrors) -> Self {
        let mut error = Self::new(ErrorKind::Validation, "");
        error.0.fields = fields;
        error
    }

    pub(crate) fn refused_by_service(api: ApiError) -> Self {
        let mut error = Self::new(ErrorKind::Api, "");
        error.0.api = Some(api);
        error
    }

    pub(crate) fn about(mut self, call: CallFacts) -> Self {
        self.0.call = Some(call);
        self
    }

    pub(crate) fn free_in(mut self, wait: Option<Duration>) -> Self {
        self.0.free_in = wait;
        self
    }

    /// Keeps the cause: as it is when it shows nothing it must not, else its texts alone.
    pub(crate) fn caused_by(
        mut self,
        source: Option<Box<dyn StdError + Send + Sync>>,
        redactor: &Redactor,
    ) -> Self {
        self.0.source = source.map(|source| Cause::of(source, redactor));
        self
    }

    /// What happened, in one word.
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The service's own account, when it gave one.
    pub fn api(&self) -> Option<&ApiError> {
        self.0.api.as_ref()
    }

    /// Whether the answer is in one of the service's own shapes.
    pub(crate) fn is_the_services_own(&self) -> bool {
        self.api().is_some_and(|api| api.is_documented)
    }

    /// The service's code, when its answer has one.
    ///
    /// It speaks of the last attempt. Where [`delivery`](Error::delivery) is [`Delivery::Maybe`] an attempt before it may have done
    /// what the code denies: a renamed domain then already exists, by this very call.
    pub fn code(&self) -> Option<&ErrorCode> {
        self.api()?.code.as_ref()
    }

    /// The details of the service's error envelope.
    pub fn details(&self) -> Option<&Details> {
        self.api().map(|error| &error.details)
    }

    /// The fields at fault, whether this crate or the service refused them.
    pub fn field_errors(&self) -> Option<&FieldErrors> {
        let fields = self.api().map_or(&self.0.fields, |error| &error.errors);
        (!fields.is_empty()).then_some(fields)
    }

    /// Whether the service answers with a 404, whatever it did not find: the record, the product, the service, or the
    /// path itself. Whether it is the record that the call names, [`is_record_not_found`](Error::is_record_not_found)
    /// tells.
    pub fn is_not_found(&self) -> bool {
        self.kind() == ErrorKind::Api && self.status() == Some(StatusCode::NOT_FOUND)
    }

    /// Whether the service says that it does not have the record that the call names: the server, domain, subscription,
    /// alert or rule, or the domain that an alert belongs to. So a termination has nothing left to end.
    ///
    /// It is false for a 404 about anything else, after which the record may well be there: an unknown product
    /// ([`ProductNotFound`](ErrorCode::ProductNotFound)), a customer without that service
    /// ([`BillingClientNotFound`](ErrorCode::BillingClientNotFound)), a path that the service does not have
    /// ([`NotFound`](ErrorCode::NotFound)). The service believes what the call says: another customer's number, or another
    /// product of the same service, names another record. Only where [`delivery`](Error::delivery) is
    /// [`Delivery::Answered`] it was so before the call: an earlier attempt may have removed it.
    pub fn is_record_not_found(&self) -> bool {
        let (Some(operation), Some(code)) = (self.operation(), self.code()) else {
            return false;
        };
        self.is_not_found() && code.says_no_record_of(operation)
    }

    /// Whether the key's rate window is full: a 429 of the service, or the own budget's refusal to wait that long
    /// ([`ErrorKind::QueueTimeout`]). [`retry_after`](Error::retry_after) may say when to come again. The cooldown of a scan
    /// is none: see [`is_scan_cooldown`](Error::is_scan_cooldown).
    pub fn is_throttled(&self) -> bool {
        let refused = self.status() == Some(StatusCode::TOO_MANY_REQUESTS);
        self.kind() == ErrorKind::QueueTimeout || (refused && !self.is_scan_cooldown())
    }

    /// Whether the server was scanned a moment ago ([`ErrorCode::RateLimited`]): only another scan of this server has to
    /// wait, for [`retry_after`](Error::retry_after); all other calls may go on.
    pub fn is_scan_cooldown(&self) -> bool {
        self.code() == Some(&ErrorCode::RateLimited)
    }

    /// Whether the service refuses the key: a 401, or [`ErrorKind::KeyRejected`], with which the client ends every call
    /// after one. A key that may not do this one thing is a 403, and no such error.
    pub fn is_unauthorized(&self) -> bool {
        self.kind() == ErrorKind::KeyRejected || self.status() == Some(StatusCode::UNAUTHORIZED)
    }

    /// Whether time ran out: for an attempt ([`ErrorKind::Timeout`]) or for the whole call ([`ErrorKind::Deadline`]).
    /// [`delivery`](Error::delivery) tells whether the service may have acted.
    pub fn is_timeout(&self) -> bool {
        matches!(self.kind(), ErrorKind::Timeout | ErrorKind::Deadline)
    }

    /// The HTTP status, when the service answered.
    pub fn status(&self) -> Option<StatusCode> {
        self.answer().map(|answer| answer.status)
    }

    /// The answer's headers, when the service answered; values that held the key are masked. Empty for an operation
    /// whose answers hold secrets.
    pub fn headers(&self) -> Option<&HeaderMap> {
        self.answer().map(|answer| &answer.headers)
    }

    /// How long to wait before another try: from the own rate budget, or from the `Retry-After` header or the details of
    /// the answer, which count for at most a day.
    pub fn retry_after(&self) -> Option<Duration> {
        let header = || self.answer()?.retry_after;
        let detail =
            || Some(Duration::from_secs(self.details()?.retry_after_seconds()?).min(LONGEST));
        self.0.free_in.or_else(header).or_else(detail)
    }

    /// Whether a request reached the service; [`Delivery::Maybe`] as soon as one attempt's answer was lost, or when
    /// the last one does not say what happened: a redirect, a page of a proxy, a 5xx without a code of the service.
    pub fn delivery(&self) -> Delivery {
        self.0
            .call
            .as_ref()
            .map_or(Delivery::NotSent, |call| call.delivery)
    }

    /// How many requests were tried; 0 when the call ended before the first. One that found no connection, or no runtime with
    /// I/O, was tried and not sent.
    pub fn attempts(&self) -> u32 {
        self.0.call.as_ref().map_or(0, |call| call.attempts)
    }

    /// Time from the start of the call to this error, waits included.
    pub fn elapsed(&self) -> Duration {
        let call = self.0.call.as_ref();
        call.map_or(Duration::ZERO, |call| call.elapsed)
    }

    /// The operation; `None` for errors of the set-up and for raw requests to unknown paths.
    pub fn operation(&self) -> Option<&'static OperationInfo> {
        self.0.call.as_ref()?.operation
    }

    /// The HTTP method; `None` for errors of the set-up.
    pub fn method(&self) -> Option<&Method> {
        self.0.call.as_ref().map(|call| &call.method)
    }

    /// The path that was called, without the query; `None` for errors of the set-up.
    pub fn path(&self) -> Option<&str> {
        self.0.call.as_ref().map(|call| call.path.as_str())
    }

    /// The answer's `X-Request-Id`, should the service send one.
    pub fn request_id(&self) -> Option<&str> {
        self.headers()?.get("x-request-id")?.to_str().ok()
    }

    /// The first 2 KiB of the answer as one line, the key masked. Withheld for an operation whose answers
    /// hold secrets, and for a 2xx about domains, which may quote a leak.
    pub fn body_snippet(&self) -> Option<&str> {
        self.answer().map(|answer| answer.snippet.as_str())
    }

    /// Whether the same call, as it is, may be sent again: what stopped it passes by itself, and sending it again cannot
    /// act twice. Where something else may have changed the service meanwhile, look first: a late repeat undoes that.
    ///
    /// What passes is a missing connection, a time-out, a rate limit, a scan's cooldown and an outage. What cannot act
    /// twice is a call that was provably not processed, or one whose operation is
    /// [`Repeatable`](RetrySafety::Repeatable). So it is false for any other operation as soon as
    /// [`delivery`](Error::delivery) is [`Delivery::Maybe`]: look what became of the first call before you send a second. And it
    /// is false for the 500s that the service documents, [`UserNotFound`](ErrorCode::UserNotFound) and
    /// [`ScanDispatchFailed`](ErrorCode::ScanDispatchFailed), which the client does not try again either.
    pub fn is_retryable(&self) -> bool {
        let Some(call) = &self.0.call else {
            return false;
        };
        let repeatable = call.safety == RetrySafety::Repeatable;
        (repeatable || call.delivery != Delivery::Maybe) && self.passes(repeatable)
    }

    /// Whether what stopped the call passes by itself.
    fn passes(&self, repeatable: bool) -> bool {
        match (self.kind(), self.status()) {
            (
                ErrorKind::Connect
                | ErrorKind::Timeout
                | ErrorKind::Interrupted
                | ErrorKind::QueueTimeout
                | ErrorKind::RateLimiter
                | ErrorKind::Deadline
                | ErrorKind::NoKey
                | ErrorKind::ListMoved
                | ErrorKind::LeakSourceUnavailable,
                _,
            ) => true,
            (ErrorKind::Gateway, _) => repeatable,
            (ErrorKind::Api | ErrorKind::Decode, Some(status)) => {
                let documented =
                    self.is_the_services_own() && self.code().is_some_and(ErrorCode::is_named);
                match status {
                    StatusCode::TOO_MANY_REQUESTS => true,
                    StatusCode::SERVICE_UNAVAILABLE => documented || repeatable,
                    StatusCode::INTERNAL_SERVER_ERROR => repeatable && !documented,
                    StatusCode::BAD_GATEWAY | StatusCode::GATEWAY_TIMEOUT => repeatable,
                    _ => false,
                }
            }
            _ => false,
        }
    }

    fn answer(&self) -> Option<&AnswerFacts> {
        self.0.call.as_ref()?.answer.as_ref()
    }

    fn write(&self, f: &mut impl Write) -> fmt::Result {
        if let Some(call) = &self.0.call {
            match call.operation {
                Some(operation) => write!(f, "{}: ", operation.name)?,
                None => write!(f, "{} {}: ", call.method, call.path)?,
            }
            if let Some(answer) = &call.answer {
                write!(f, "{} ", answer.status.as_u16())?;
            }
        }
        match &self.0.api {
            Some(api) => write!(f, "{api}"),
            None if self.0.kind == ErrorKind::Validation => {
                write!(f, "not sent, because of {}", self.0.fields)
            }
            None => f.write_str(&self.0.reason),
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as _)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shown(f, |text| self.write(text))
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shown(f, |text| {
            let (kind, sent, attempts) = (self.kind(), self.delivery(), self.attempts());
            write!(text, "Error({kind:?}, sent {sent:?}, {attempts} attempts: ")?;
            self.write(text)?;
            text.write_char(')')
        })
    }
}

/// The texts of a cause that itself would have shown the key.
struct Cause {
    text: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Cause {
    fn of(
        source: Box<dyn StdError + Send + Sync>,
        redactor: &Redactor,
    ) -> Box<dyn StdError + Send + Sync> {
        match is_clean(&*source, redactor) {
            true => source,
            false => Box::new(Self::texts_of(&*source, redactor)),
        }
    }

    fn texts_of(error: &(dyn StdError + 'static), redactor: &Redactor) -> Self {
        let next = error
            .source()
            .map(|source| Box::new(Self::texts_of(source, redactor)));
        Self {
            text: redactor.shown(&error.to_string(), LONGEST_TEXT),
            source: next.map(|next| next as _),
        }
    }
}

/// Whether nothing that a cause or its own causes can show has to be changed.
fn is_clean(error: &(dyn StdError + 'static), redactor: &Redactor) -> bool {
    let clean = |text: String| redactor.shown(&text, LONGEST_TEXT) == text;
    clean(error.to_string())
        && clean(format!("{error:?}"))
        && error
            .source()
            .is_none_or(|source| is_clean(source, redactor))
}

impl StdError for Cause {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

impl fmt::Debug for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shown(f, |text| write!(text, "Cause({self}, {:?})", self.source))
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
