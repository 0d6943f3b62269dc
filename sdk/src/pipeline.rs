//! The way of a call: pace, attempt, decide, wait, attempt again.
//!
//! Nothing here knows the type of a request or of a result, so it is compiled once.

pub mod pacer;
pub(crate) mod retry;
pub(crate) mod retry_after;
mod run;
pub mod transport;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, Uri};
use tracing::field::Empty;
use tracing::{Instrument, Span};

use crate::answer::{Answer, Earlier};
use crate::envelope::{Envelope, Misfit};
use crate::error::{CallFacts, Error, ErrorCode, ErrorKind, Sent};
use crate::event::{Event, Observer, WaitReason};
use crate::operation::{Group, OperationInfo, RateGroup, RetrySafety};
use crate::secret::{ApiKey, KeyProvider};
use crate::settings::Settings;
use pacer::Budget;
use retry::RetryBudget;
use run::Run;
pub(crate) use run::unanswered;
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
    pub(crate) settings: Arc<Settings>,
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
            && answer.earlier == Earlier::AnswerLost
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

    /// The span of the call: OpenTelemetry's names, and neither identifiers nor headers nor bodies.
    fn span(&self) -> Span {
        tracing::debug_span!(
            "secmon.call",
            otel.name = self.name(),
            otel.kind = "client",
            http.request.method = self.method.as_str(),
            url.template = self.operation.map(|operation| operation.path),
            server.address = self.uri.host(),
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

/// What all calls of a client share.
pub(crate) struct Pipeline {
    pub(crate) keys: Box<dyn KeyProvider>,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) budget: Arc<dyn Budget>,
    pub(crate) observer: Option<Observer>,
    pub(crate) retry_budget: RetryBudget,
    /// The key that the service refused with a 401.
    pub(crate) rejected: Mutex<Option<ApiKey>>,
}

impl Pipeline {
    /// Sends the call until there is a result or no further attempt is right, and lets `read` judge the result.
    pub(crate) async fn run<T>(
        &self,
        call: &Call,
        read: impl FnOnce(Answer) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let span = call.span();
        let mut run = Run::new(self, call);
        let ended = match run.attempts().instrument(span.clone()).await {
            Err(Failure {
                answer: Some(answer),
                ..
            }) if call.was_deleted_before(&answer) => Ok(*answer),
            ended => ended,
        };
        let status = ended.as_ref().ok().map(|answer| answer.status);
        let result = ended.and_then(read);
        self.end(
            &run,
            &span,
            status,
            result.as_ref().err().map(|failure| &failure.error),
        );
        result
    }

    /// Tells span and observer how the call ended.
    fn end(&self, run: &Run<'_>, span: &Span, status: Option<StatusCode>, error: Option<&Error>) {
        let status = status.or_else(|| error?.status());
        span.record(
            "http.response.status_code",
            status.map(|status| status.as_u16()),
        );
        span.record("http.request.resend_count", run.attempts.saturating_sub(1));
        span.record("error.type", error.map(|error| error.kind().as_str()));
        self.tell(|| Event::Ended {
            operation: run.call.name(),
            attempts: run.attempts,
            status,
            error: error.map(Error::kind),
            elapsed: run.started.elapsed(),
        });
    }

    /// Whether the service refused the key that was last in use.
    pub(crate) fn key_rejected(&self) -> bool {
        self.rejected().is_some()
    }

    /// Whether this key is the one that was refused; another one takes its place, and what is known of the old is void.
    fn refuses(&self, key: &ApiKey) -> bool {
        let mut rejected = self.rejected();
        let same = rejected.as_ref().is_some_and(|rejected| rejected == key);
        if !same {
            *rejected = None;
        }
        same
    }

    pub(crate) fn set_rejected(&self, key: Option<ApiKey>) {
        *self.rejected() = key;
    }

    fn rejected(&self) -> std::sync::MutexGuard<'_, Option<ApiKey>> {
        self.rejected.lock().unwrap_or_else(PoisonError::into_inner)
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
    pub(crate) fn error_of(&self, answer: &Answer, misfit: Option<&Misfit>) -> Error {
        let api = answer.api_error(self.operation);
        let status = answer.status;
        let error = match (api, misfit) {
            _ if status.is_redirection() => Error::new(
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
                "a proxy on the way wants credentials, and passed nothing on",
            ),
            (Some(api), _) => Error::refused_by_service(api),
            (None, Some(misfit)) => unreadable(&answer.unreadable(misfit, self.is_secret())),
            (None, None) => {
                let problem = if answer.body.is_empty() {
                    "it is empty"
                } else {
                    "it is no error of the service"
                };
                unreadable(&answer.unreadable(&Misfit::whole(problem), self.is_secret()))
            }
        };
        let sent = match error.kind() {
            _ if answer.earlier != Earlier::Nothing => Sent::Maybe,
            ErrorKind::Proxy => Sent::No,
            _ if says_what_happened(answer, &error) => Sent::Yes,
            _ => Sent::Maybe,
        };
        error.about(CallFacts {
            answer: Some(answer.facts(self.operation)),
            ..self.facts(sent, answer.attempts, answer.elapsed, answer.key.as_ref())
        })
    }

    /// What an error tells of the call itself.
    pub(crate) fn facts(
        &self,
        sent: Sent,
        attempts: u32,
        elapsed: Duration,
        key: Option<&ApiKey>,
    ) -> CallFacts {
        CallFacts {
            operation: self.operation,
            method: self.method.clone(),
            path: crate::redact::Redactor::of(key).shown(self.uri.path(), 1024),
            safety: self.safety,
            sent,
            attempts,
            elapsed,
            answer: None,
        }
    }
}

fn unreadable(reason: &str) -> Error {
    Error::new(
        ErrorKind::Decode,
        format!("the answer cannot be read: {reason}"),
    )
}

/// Whether an answer tells what became of the request: a redirect or a page of a proxy does not, nor does a 5xx without
/// one of the service's own codes; a 429 was not processed, whatever its body says (F5).
fn says_what_happened(answer: &Answer, error: &Error) -> bool {
    match error.kind() {
        _ if answer.status == StatusCode::TOO_MANY_REQUESTS => true,
        ErrorKind::Api => {
            !answer.status.is_server_error() || error.code().is_some_and(ErrorCode::is_named)
        }
        _ => false,
    }
}
