//! The way of a call: pace, attempt, decide, wait, attempt again.
//!
//! Nothing here knows the type of a request or of a result, so it is compiled once.

pub mod pacer;
pub(crate) mod retry;
pub(crate) mod retry_after;
mod run;
pub mod transport;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, Uri, header};
use tracing::Instrument;
use tracing::field::Empty;

use crate::envelope;
use crate::error::{AnswerFacts, ApiError, CallFacts, Cause, Error, ErrorCode, Sent};
use crate::event::{Event, Observer, WaitReason};
use crate::operation::{OperationInfo, RateGroup, RetrySafety};
use crate::response::{Answer, History};
use crate::secret::ApiKey;
use pacer::Budget;
use retry::{Cooldown, RetryBudget};
use retry_after::retry_after;
use run::Run;
use transport::Transport;

/// How much of an unreadable answer an error keeps, in bytes.
const SNIPPET: usize = 2 * 1024;
/// An error answer beyond this is no answer of the service, and is not searched for one.
const LARGEST_ERROR_BODY: usize = 1024 * 1024;

/// A request that is ready to go, as often as needed.
pub(crate) struct Call {
    pub(crate) operation: Option<&'static OperationInfo>,
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) rate_group: Option<RateGroup>,
    pub(crate) safety: RetrySafety,
    pub(crate) cooldown: Cooldown,
    /// The time for everything, waits included.
    pub(crate) total_time: Duration,
}

impl Call {
    fn name(&self) -> &'static str {
        self.operation.map_or("raw", |operation| operation.name)
    }

    fn is_authenticated(&self) -> bool {
        self.headers.contains_key(header::AUTHORIZATION)
    }

    fn request(&self) -> http::Request<Bytes> {
        let mut request = http::Request::new(self.body.clone());
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.uri.clone();
        *request.headers_mut() = self.headers.clone();
        request
    }
}

/// What all calls of a client share.
pub(crate) struct Pipeline {
    pub(crate) key: ApiKey,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) budget: Arc<dyn Budget>,
    pub(crate) observer: Option<Observer>,
    pub(crate) attempt_timeout: Duration,
    pub(crate) max_wait: Duration,
    pub(crate) max_retries: u32,
    pub(crate) retry_budget: RetryBudget,
    pub(crate) key_rejected: AtomicBool,
}

impl Pipeline {
    /// Sends the call until there is an answer that counts, error statuses included, or no further attempt is right.
    ///
    /// The span has OpenTelemetry's names, and neither identifiers nor headers nor bodies.
    pub(crate) async fn run(&self, call: &Call) -> Result<Answer, Error> {
        let span = tracing::debug_span!(
            "secmon.call",
            otel.name = call.name(),
            otel.kind = "client",
            http.request.method = call.method.as_str(),
            url.template = call.operation.map(|operation| operation.path),
            http.response.status_code = Empty,
            http.request.resend_count = Empty,
        );
        let result = self.attempts(call).instrument(span.clone()).await;
        let (status, attempts) = match &result {
            Ok(answer) => (Some(answer.status), answer.attempts),
            Err(error) => (error.status(), error.attempts()),
        };
        span.record(
            "http.response.status_code",
            status.map(|status| status.as_u16()),
        );
        span.record("http.request.resend_count", attempts.saturating_sub(1));
        result
    }

    async fn attempts(&self, call: &Call) -> Result<Answer, Error> {
        let mut run = Run::new(self, call);
        if call.is_authenticated() && self.key_rejected.load(Ordering::Relaxed) {
            return Err(run.error(Cause::KeyRejected));
        }
        loop {
            let permit = run.permit().await?;
            let attempted = run.attempt(permit).await;
            if let Some(result) = run.judge(attempted).await {
                return result;
            }
        }
    }

    /// An error about an answer: the service's own account if it has one, else why the answer cannot be read.
    pub(crate) fn answer_error(&self, call: &Call, answer: &Answer, unreadable: String) -> Error {
        let cause = match self.api_error(answer.status, &answer.body) {
            Some(error) => Cause::Api(error),
            None => Cause::Decode(unreadable),
        };
        self.error_of(call, answer, cause)
    }

    /// An error about an answer, for a reason of the caller's.
    pub(crate) fn error_of(&self, call: &Call, answer: &Answer, cause: Cause) -> Error {
        let sent = match answer.history {
            History::Clear if says_what_happened(answer.status, &cause) => Sent::Yes,
            History::Clear | History::AnswerLost => Sent::Maybe,
        };
        Error::new(
            cause,
            CallFacts {
                operation: call.operation,
                method: call.method.clone(),
                path: call.uri.path().to_owned(),
                safety: call.safety,
                sent,
                attempts: answer.attempts,
                elapsed: answer.elapsed,
                answer: Some(self.facts(call, answer)),
            },
        )
    }

    fn facts(&self, call: &Call, answer: &Answer) -> AnswerFacts {
        let mut headers = answer.headers.clone();
        for value in headers.values_mut() {
            let text = String::from_utf8_lossy(value.as_bytes()).into_owned();
            let clean = self.key.redact(&text);
            if clean != text {
                *value = header::HeaderValue::from_str(&clean)
                    .unwrap_or(header::HeaderValue::from_static("****"));
            }
        }
        AnswerFacts {
            status: answer.status,
            retry_after: retry_after(&headers, SystemTime::now().into()),
            headers,
            snippet: self.snippet(call, answer),
        }
    }

    /// The start of the answer, without the key; nothing of a result that holds secrets of its own.
    fn snippet(&self, call: &Call, answer: &Answer) -> String {
        let holds_secrets = call.operation.is_some_and(OperationInfo::answers_secrets);
        let may_be_a_result =
            answer.status.is_success() || answer.status == StatusCode::SERVICE_UNAVAILABLE;
        if holds_secrets && may_be_a_result {
            return "(withheld, because a result of this operation holds secrets)".to_owned();
        }
        let start = &answer.body[..answer.body.len().min(SNIPPET)];
        self.key.redact(&String::from_utf8_lossy(start))
    }

    fn api_error(&self, status: StatusCode, body: &[u8]) -> Option<ApiError> {
        if body.len() > LARGEST_ERROR_BODY {
            return None;
        }
        let text = self.key.redact(std::str::from_utf8(body).ok()?);
        envelope::decode_error(status, &text)
    }

    fn tell(&self, call: &Call, reason: WaitReason, duration: Duration) {
        tracing::debug!(
            operation = call.name(),
            reason = reason.as_str(),
            seconds = duration.as_secs_f64(),
            "waiting"
        );
        if let Some(observer) = &self.observer {
            observer(&Event::Waiting {
                operation: call.name(),
                reason,
                duration,
            });
        }
    }
}

/// Whether an answer tells what became of the request: a page of a proxy does not, nor does a 5xx without one of the
/// service's own codes; a 429 was not processed, whatever its body says (F5).
fn says_what_happened(status: StatusCode, cause: &Cause) -> bool {
    match cause {
        Cause::Decode(_) => status == StatusCode::TOO_MANY_REQUESTS,
        Cause::Api(error) => {
            !status.is_server_error() || error.code.as_ref().is_some_and(ErrorCode::is_named)
        }
        _ => true,
    }
}
