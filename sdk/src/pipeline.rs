//! The way of a call: pace, attempt, decide, wait, attempt again.
//!
//! Nothing here knows the type of a request or of a result, so it is compiled once.

pub mod pacer;
pub(crate) mod retry;
mod run;
pub(crate) mod runtime;
pub mod transport;

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::uri::Scheme;
use http::{HeaderMap, Method, StatusCode, Uri};
use tracing::field::Empty;
use tracing::{Instrument, Span};

use crate::answer::{Answer, PriorAttempts};
use crate::envelope::{DecodeProblem, Envelope};
use crate::error::{CallFacts, Delivery, Error, ErrorCode, ErrorKind};
use crate::event::{Event, Observer, WaitReason};
use crate::operation_info::{Group, OperationInfo, RateGroup, RetrySafety};
use crate::request_options::RequestOptions;
use crate::secret::{ApiKey, KeyProvider};
use pacer::RateLimiter;
use retry::RetryBudget;
use run::CallRun;
#[cfg(feature = "test-util")]
pub(crate) use run::unanswered;
use runtime::RuntimeCheck;
use transport::Transport;

/// A request that is ready to go, as often as needed.
pub(crate) struct Call {
    pub(crate) operation: Option<&'static OperationInfo>,
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    /// All but the key.
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) rate_group: Option<RateGroup>,
    pub(crate) safety: RetrySafety,
    pub(crate) settings: Arc<RequestOptions>,
}

impl Call {
    pub(crate) fn name(&self) -> &'static str {
        self.operation.map_or("raw", |operation| operation.name)
    }

    /// The health check goes without the key.
    fn takes_the_key(&self) -> bool {
        self.operation
            .is_none_or(|operation| operation.group != Group::Health)
    }

    /// A deletion whose first answer was lost finds nothing left to delete: that is its success. Only the record's own
    /// 404, which has a number for its code, says so (A11); that of an unknown path has a name (A6).
    fn was_deleted_before(&self, answer: &Answer) -> bool {
        self.operation
            .is_some_and(|operation| operation.envelope == Envelope::Empty)
            && answer.status == StatusCode::NOT_FOUND
            && answer.prior_attempts == PriorAttempts::AnswerLost
            && answer
                .api_error(self.operation)
                .is_some_and(|error| error.code == Some(ErrorCode::Number(404)))
    }

    fn is_secret(&self) -> bool {
        self.operation.is_some_and(|operation| operation.secret)
    }

    fn request(&self, key: Option<&ApiKey>) -> Result<http::Request<Bytes>, Error> {
        let mut request = http::Request::new(self.body.clone());
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        if let Some(operation) = self.operation {
            request.extensions_mut().insert(operation);
        }
        if let Some(key) = key.filter(|_| self.takes_the_key()) {
            let authorization = key.authorization()?;
            request
                .headers_mut()
                .insert(http::header::AUTHORIZATION, authorization);
        }
        Ok(request)
    }

    fn port(&self) -> u16 {
        let usual = if self.uri.scheme() == Some(&Scheme::HTTP) {
            80
        } else {
            443
        };
        self.uri.port_u16().unwrap_or(usual)
    }

    /// The span of the call: OpenTelemetry's names, and neither identifiers nor headers nor bodies.
    fn span(&self) -> Span {
        tracing::debug_span!(
            "secmon.call",
            otel.name = self.name(),
            otel.kind = "client",
            http.request.method = self.method.as_str(),
            url.template = self.operation.map(|operation| operation.path),
            server.address = self.uri.host(),
            server.port = self.port(),
            otel.status_code = Empty,
            http.response.status_code = Empty,
            http.request.resend_count = Empty,
            error.r#type = Empty,
        )
    }
}

/// A call without a result: the error, and the answer behind it where there was one.
pub(crate) struct Failure {
    pub(crate) error: Error,
    pub(crate) answer: Option<Box<Answer>>,
}

/// What is known of the key in use.
#[derive(Default)]
pub(crate) enum KeyStanding {
    /// Nothing against it.
    #[default]
    Accepted,
    /// A 401 came that is not in the service's shape: something between may be what refuses, so another call tells.
    Doubted(ApiKey),
    /// The service refused it.
    Refused(ApiKey),
}

/// Whether a failure may be followed by another attempt.
pub(crate) type RetryFilter = Arc<dyn Fn(&Error) -> bool + Send + Sync>;

/// The service's code, if it is one that this crate has a name for: no text of the service is told.
fn named_code(error: &Error) -> Option<&ErrorCode> {
    error.code().filter(|code| code.is_named())
}

/// What went wrong, as OpenTelemetry has it: the service's code, else the status, else the kind.
fn error_type(error: &Error) -> Cow<'_, str> {
    match (named_code(error), error.status()) {
        (Some(code), _) => code.to_str(),
        (None, Some(status)) => status.as_u16().to_string().into(),
        (None, None) => error.kind().as_str().into(),
    }
}

/// What all calls of a client share.
pub(crate) struct Pipeline {
    pub(crate) keys: Box<dyn KeyProvider>,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) rate_limiter: Arc<dyn RateLimiter>,
    pub(crate) observer: Option<Observer>,
    pub(crate) retry_budget: RetryBudget,
    pub(crate) retry_filter: Option<RetryFilter>,
    pub(crate) runtime: RuntimeCheck,
    /// What the last 401 says of the key that was sent.
    pub(crate) key_standing: Mutex<KeyStanding>,
}

impl Pipeline {
    /// Sends the call until there is a result or no further attempt is right, and lets `read` judge the result.
    pub(crate) async fn run<T>(
        &self,
        call: &Call,
        read: impl FnOnce(Answer) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let span = call.span();
        let mut run = CallRun::new(self, call);
        self.tell(|| Event::Started {
            operation: call.name(),
        });
        let ended = match run.attempts().instrument(span.clone()).await {
            Err(Failure {
                answer: Some(answer),
                ..
            }) if call.was_deleted_before(&answer) => Ok(*answer),
            ended => ended,
        };
        let status = ended.as_ref().ok().map(|answer| answer.status);
        let result = ended.and_then(read);
        run.has_ended = true;
        self.end(
            &run,
            &span,
            status,
            result.as_ref().err().map(|failure| &failure.error),
        );
        result
    }

    /// Tells span and observer how the call ended.
    fn end(
        &self,
        run: &CallRun<'_>,
        span: &Span,
        status: Option<StatusCode>,
        error: Option<&Error>,
    ) {
        let status = status.or_else(|| error?.status());
        span.record(
            "http.response.status_code",
            status.map(|status| status.as_u16()),
        );
        span.record("http.request.resend_count", run.attempts.saturating_sub(1));
        if let Some(error) = error {
            span.record("otel.status_code", "ERROR");
            span.record("error.type", error_type(error).as_ref());
        }
        self.tell(|| Event::Ended {
            operation: run.call.name(),
            attempts: run.attempts,
            status,
            error: error.map(Error::kind),
            code: error.and_then(named_code).cloned(),
            elapsed: run.started.elapsed(),
        });
    }

    /// Tells of a call that ended before there was anything to send.
    pub(crate) fn refused(&self, operation: &'static str, error: &Error) {
        let span = tracing::debug_span!(
            "secmon.call",
            otel.name = operation,
            otel.kind = "client",
            otel.status_code = "ERROR",
            error.r#type = error_type(error).as_ref(),
        );
        let _inside = span.enter();
        self.tell(|| Event::Started { operation });
        self.tell(|| Event::Ended {
            operation,
            attempts: 0,
            status: None,
            error: Some(error.kind()),
            code: None,
            elapsed: Duration::ZERO,
        });
    }

    fn may_retry(&self, error: &Error) -> bool {
        (self.retry_filter.as_ref()).is_none_or(|may_retry| may_retry(error))
    }

    /// Whether the service refused the key that was last in use.
    pub(crate) fn key_rejected(&self) -> bool {
        matches!(*self.key_standing(), KeyStanding::Refused(_))
    }

    /// Whether this key is the one that was refused; what is known of another one is void.
    fn refuses(&self, key: &ApiKey) -> bool {
        let mut standing = self.key_standing();
        match &*standing {
            KeyStanding::Refused(refused) if refused == key => true,
            KeyStanding::Doubted(doubted) if doubted == key => false,
            _ => {
                *standing = KeyStanding::Accepted;
                false
            }
        }
    }

    /// A call with this key was answered. A 401 counts where it is the service's own, or the second in a row (F13).
    fn note_answer(&self, key: &ApiKey, status: StatusCode, is_the_services: bool) {
        let mut standing = self.key_standing();
        let doubted = matches!(&*standing, KeyStanding::Doubted(doubted) if doubted == key);
        match status {
            StatusCode::UNAUTHORIZED if is_the_services || doubted => {
                *standing = KeyStanding::Refused(key.clone());
            }
            StatusCode::UNAUTHORIZED => *standing = KeyStanding::Doubted(key.clone()),
            _ if doubted => *standing = KeyStanding::Accepted,
            _ => {}
        }
    }

    /// Forgets what is known against the key.
    pub(crate) fn reset_key(&self) {
        *self.key_standing() = KeyStanding::Accepted;
    }

    fn key_standing(&self) -> std::sync::MutexGuard<'_, KeyStanding> {
        let standing = self.key_standing.lock();
        standing.unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, event: impl FnOnce() -> Event) {
        if let Some(observer) = &self.observer {
            observer(&event());
        }
    }

    fn tell_of_wait(&self, call: &Call, reason: WaitReason, duration: Duration) {
        tracing::debug!(
            operation = call.name(),
            reason = reason.as_str(),
            seconds = duration.as_secs_f64(),
            "waiting"
        );
        self.tell(|| Event::Waiting {
            operation: call.name(),
            reason,
            duration,
        });
    }
}

impl Call {
    /// The error that an answer is: the service's own account, a redirect, a proxy's 407, or an answer that nobody can
    /// read, for the reason given.
    pub(crate) fn error_of(&self, answer: &Answer, problem: Option<&DecodeProblem>) -> Error {
        let api = answer.api_error(self.operation);
        let status = answer.status;
        let error = match (api, problem) {
            _ if points_elsewhere(answer) => Error::new(
                ErrorKind::Redirect,
                match answer.location(self.is_secret()) {
                    Some(target) => {
                        format!("the answer points to {target}; redirects are never followed")
                    }
                    None => "the answer is a redirect; they are never followed".to_owned(),
                },
            ),
            _ if status == StatusCode::PROXY_AUTHENTICATION_REQUIRED => Error::new(
                ErrorKind::Proxy,
                "something on the way answered in the service's place: it wants a proxy's credentials",
            ),
            (Some(api), None) if !api.is_documented && comes_from_a_gateway(status) => {
                Error::new(ErrorKind::Gateway, of_a_gateway(&api.message))
            }
            (Some(api), _) => Error::refused_by_service(api),
            (None, Some(problem)) => {
                no_result(problem, &answer.unreadable(problem, self.is_secret()))
            }
            (None, None) => {
                let problem = match answer.body.is_empty() {
                    true => "it is empty",
                    false => "it is no error of the service",
                };
                let problem = DecodeProblem::whole(problem);
                let reason = answer.unreadable(&problem, self.is_secret());
                match comes_from_a_gateway(status) {
                    true => Error::new(ErrorKind::Gateway, of_a_gateway(&reason)),
                    false => no_result(&problem, &reason),
                }
            }
        };
        let delivery = match error.kind() {
            _ if answer.prior_attempts != PriorAttempts::Nothing => Delivery::Maybe,
            _ if says_what_happened(answer, &error) => Delivery::Answered,
            _ => Delivery::Maybe,
        };
        error.about(CallFacts {
            answer: Some(answer.facts(self.operation)),
            ..self.facts(
                delivery,
                answer.attempts,
                answer.elapsed,
                answer.key.as_ref(),
            )
        })
    }

    /// What an error tells of the call itself.
    pub(crate) fn facts(
        &self,
        delivery: Delivery,
        attempts: u32,
        elapsed: Duration,
        key: Option<&ApiKey>,
    ) -> CallFacts {
        CallFacts {
            operation: self.operation,
            method: self.method.clone(),
            path: crate::redact::Redactor::of(key).shown(self.uri.path(), 1024),
            safety: self.safety,
            delivery,
            attempts,
            elapsed,
            answer: None,
        }
    }
}

fn no_result(problem: &DecodeProblem, reason: &str) -> Error {
    Error::new(
        ErrorKind::Decode,
        format!("{}: {reason}", problem.complaint),
    )
}

fn of_a_gateway(reason: &str) -> String {
    format!("something on the way to the service answered in its place: {reason}")
}

/// A status of what stands between client and service, where the answer is in none of the service's shapes (F13).
fn comes_from_a_gateway(status: StatusCode) -> bool {
    matches!(status.as_u16(), 408 | 421 | 425) || status.is_server_error()
}

/// A redirect. 304 is none, and the other 3xx are one where they say where to.
fn points_elsewhere(answer: &Answer) -> bool {
    match answer.status.as_u16() {
        301 | 302 | 303 | 307 | 308 => true,
        300 | 305 | 306 => answer.headers.contains_key(http::header::LOCATION),
        _ => false,
    }
}

/// Whether an answer tells what became of the request: a redirect or a page of a proxy does not, nor does what is in none
/// of the service's shapes, nor a 5xx without one of the service's own codes; a 429 was not processed, whatever its body says (F5).
fn says_what_happened(answer: &Answer, error: &Error) -> bool {
    match error.kind() {
        _ if answer.status == StatusCode::TOO_MANY_REQUESTS => true,
        ErrorKind::Api if !error.is_the_services_own() => false,
        ErrorKind::Api => {
            !answer.status.is_server_error() || error.code().is_some_and(ErrorCode::is_named)
        }
        _ => false,
    }
}
