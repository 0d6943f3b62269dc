//! The way of a call: pace, attempt, decide, wait, attempt again.
//!
//! Nothing here knows the type of a request or of a result, so it is compiled once.

pub mod pacer;
pub(crate) mod retry;
pub(crate) mod retry_after;
pub mod transport;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::{HeaderMap, Method, StatusCode, Uri, header};
use tokio::time::{Instant, sleep, timeout};

use crate::envelope;
use crate::error::{AnswerFacts, ApiError, CallFacts, Cause, Error, ErrorCode, Sent};
use crate::event::{Event, Observer, WaitReason};
use crate::operation::{OperationInfo, RateGroup, RetrySafety};
use crate::response::{Answer, History};
use crate::secret::ApiKey;
use pacer::{Acquire, Budget, BudgetError, Permit, Settlement};
use retry::{Cooldown, Decision, Outcome, RetryBudget, Situation, Why};
use retry_after::retry_after;
use transport::{Transport, TransportError, TransportErrorKind};

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
    pub(crate) async fn run(&self, call: &Call) -> Result<Answer, Error> {
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
            History::Clear => Sent::Yes,
            History::AnswerLost => Sent::Maybe,
        };
        Error::new(
            cause,
            CallFacts {
                operation: call.operation,
                method: call.method.clone(),
                path: call.uri.path().to_owned(),
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

/// An attempt without a complete answer.
struct Failure {
    cause: Cause,
    outcome: Ending,
}

/// What a failed attempt means for the next one.
enum Ending {
    /// No byte left; another attempt may do better.
    NotSent,
    /// It left, and there is no complete answer.
    AnswerLost,
    /// It left, and the answer told nothing; another attempt would end the same way.
    Pointless,
    /// No byte left, and another attempt would end the same way.
    Declined,
}

/// One call on its way.
struct Run<'a> {
    pipeline: &'a Pipeline,
    call: &'a Call,
    started: Instant,
    attempts: u32,
    failures: u32,
    history: History,
}

impl<'a> Run<'a> {
    fn new(pipeline: &'a Pipeline, call: &'a Call) -> Self {
        Self {
            pipeline,
            call,
            started: Instant::now(),
            attempts: 0,
            failures: 0,
            history: History::Clear,
        }
    }

    fn remaining(&self) -> Duration {
        self.call.total_time.saturating_sub(self.started.elapsed())
    }

    /// A slot of the budget; none for operations that are not rate limited.
    async fn permit(&self) -> Result<Option<Box<dyn Permit>>, Error> {
        let Some(group) = self.call.rate_group else {
            return Ok(None);
        };
        let patience = self.pipeline.max_wait.min(self.remaining());
        let on_wait = |duration| self.pipeline.tell(self.call, WaitReason::Pacing, duration);
        let request = Acquire::new(group, patience, self.pipeline.attempt_timeout, &on_wait);
        match self.pipeline.budget.acquire(request).await {
            Ok(permit) => Ok(Some(permit)),
            Err(BudgetError::Unavailable(reason)) => Err(self.error(Cause::Budget(reason))),
            Err(BudgetError::Exhausted { .. }) if self.remaining().is_zero() => {
                Err(self.error(Cause::Deadline(self.call.total_time)))
            }
            Err(BudgetError::Exhausted { free_in }) => Err(self.error(Cause::MaxWait(free_in))),
        }
    }

    async fn attempt(
        &mut self,
        mut permit: Option<Box<dyn Permit>>,
    ) -> Result<http::Response<Bytes>, Failure> {
        let limit = self.pipeline.attempt_timeout.min(self.remaining());
        if let Some(permit) = &mut permit {
            permit.sent();
        }
        self.attempts += 1;
        let ended = timeout(limit, self.pipeline.transport.send(self.call.request())).await;
        let (settlement, result) = match ended {
            Ok(Ok(response)) => (Some(settlement(&response)), Ok(response)),
            Ok(Err(error)) => {
                let failure = Failure::from(error);
                (failure.outcome.settlement(), Err(failure))
            }
            Err(_) => (None, Err(self.timed_out(limit))),
        };
        // Without a settlement the permit is dropped as sent, and its slot counts until the answer could have come.
        if let (Some(permit), Some(settlement)) = (permit, settlement) {
            permit.settle(settlement).await;
        }
        result
    }

    fn timed_out(&self, limit: Duration) -> Failure {
        let cause = match limit < self.pipeline.attempt_timeout {
            true => Cause::Deadline(self.call.total_time),
            false => Cause::Timeout(format!("no answer within {limit:?}")),
        };
        Failure {
            cause,
            outcome: Ending::AnswerLost,
        }
    }

    /// The call's result, or none after the wait for another attempt.
    async fn judge(
        &mut self,
        attempted: Result<http::Response<Bytes>, Failure>,
    ) -> Option<Result<Answer, Error>> {
        let (outcome, result) = match attempted {
            Ok(response) => {
                let refused = self.refusal(&response);
                let result = Ok(self.answer(response));
                match refused {
                    None => return Some(result),
                    Some(refused) => (refused, result),
                }
            }
            Err(failure) => {
                let outcome = match failure.outcome {
                    Ending::NotSent => Outcome::NotSent,
                    Ending::AnswerLost => {
                        self.history = History::AnswerLost;
                        Outcome::AnswerLost
                    }
                    Ending::Pointless => {
                        self.history = History::AnswerLost;
                        return Some(Err(self.error(failure.cause)));
                    }
                    Ending::Declined => return Some(Err(self.error(failure.cause))),
                };
                (outcome, Err(self.error(failure.cause)))
            }
        };
        match self.decide(&outcome) {
            Decision::Stop => Some(result),
            Decision::RetryAfter(wait, why) => {
                self.pipeline.tell(self.call, why.into(), wait);
                sleep(wait).await;
                None
            }
        }
    }

    fn decide(&mut self, outcome: &Outcome) -> Decision {
        let window_refused = matches!(
            outcome,
            Outcome::Refused { status, .. } if *status == StatusCode::TOO_MANY_REQUESTS
        );
        if !window_refused {
            self.failures += 1;
        }
        let decision = retry::decide(
            outcome,
            &Situation {
                safety: self.call.safety,
                cooldown: self.call.cooldown,
                failures: self.failures,
                max_retries: self.pipeline.max_retries,
                remaining: self.remaining(),
                max_wait: self.pipeline.max_wait,
                jitter: random_fraction(),
            },
        );
        match decision {
            Decision::RetryAfter(_, Why::Backoff) if !self.pipeline.retry_budget.spend() => {
                Decision::Stop
            }
            decision => decision,
        }
    }

    /// What an error status says; none for any other, which ends the call.
    fn refusal(&self, response: &http::Response<Bytes>) -> Option<Outcome> {
        let status = response.status();
        let envelope = self.call.operation.map(|operation| operation.envelope);
        if status.is_redirection() || envelope::is_result(envelope, status, response.body()) {
            self.pipeline.retry_budget.earn();
            return None;
        }
        let api = self.pipeline.api_error(status, response.body());
        if status == StatusCode::UNAUTHORIZED && api.is_some() && self.call.is_authenticated() {
            self.pipeline.key_rejected.store(true, Ordering::Relaxed);
        }
        let seconds = api
            .as_ref()
            .and_then(|error| error.details.retry_after_seconds());
        Some(Outcome::Refused {
            status,
            code: api.and_then(|error| error.code),
            retry_after: retry_after(response.headers(), SystemTime::now().into())
                .or(seconds.map(Duration::from_secs)),
        })
    }

    fn answer(&self, response: http::Response<Bytes>) -> Answer {
        let (parts, body) = response.into_parts();
        Answer {
            status: parts.status,
            headers: parts.headers,
            body,
            attempts: self.attempts,
            elapsed: self.started.elapsed(),
            history: self.history,
        }
    }

    /// An error without an answer.
    fn error(&self, cause: Cause) -> Error {
        let sent = match self.history {
            History::Clear => Sent::No,
            History::AnswerLost => Sent::Maybe,
        };
        Error::new(
            cause,
            CallFacts {
                operation: self.call.operation,
                method: self.call.method.clone(),
                path: self.call.uri.path().to_owned(),
                sent,
                attempts: self.attempts,
                elapsed: self.started.elapsed(),
                answer: None,
            },
        )
    }
}

/// A 429 of the window counted nowhere; every other answer did, a scan's cooldown among them.
fn settlement(response: &http::Response<Bytes>) -> Settlement {
    if response.status() != StatusCode::TOO_MANY_REQUESTS {
        return Settlement::Answered;
    }
    let cooldown = std::str::from_utf8(response.body())
        .ok()
        .and_then(|body| ApiError::parse(response.status(), body))
        .is_some_and(|error| error.code == Some(ErrorCode::RateLimited));
    match cooldown {
        true => Settlement::Answered,
        false => Settlement::Throttled {
            retry_after: retry_after(response.headers(), SystemTime::now().into())
                .unwrap_or_default(),
        },
    }
}

impl Ending {
    /// What the budget is told; nothing when the answer may still count at the service.
    fn settlement(&self) -> Option<Settlement> {
        match self {
            Self::NotSent | Self::Declined => Some(Settlement::NotSent),
            Self::Pointless => Some(Settlement::Answered),
            Self::AnswerLost => None,
        }
    }
}

impl From<TransportError> for Failure {
    fn from(error: TransportError) -> Self {
        let TransportError { kind, message } = error;
        let (cause, outcome) = match kind {
            TransportErrorKind::Connect => (Cause::Connect(message), Ending::NotSent),
            TransportErrorKind::Refused => (Cause::Refused(message), Ending::Declined),
            TransportErrorKind::BodyTooLarge => (Cause::BodyTooLarge(message), Ending::Pointless),
            TransportErrorKind::Redirected => (Cause::Redirect(None), Ending::Pointless),
            TransportErrorKind::Timeout => (Cause::Timeout(message), Ending::AnswerLost),
            TransportErrorKind::Interrupted => (Cause::Interrupted(message), Ending::AnswerLost),
        };
        Self { cause, outcome }
    }
}

impl From<Why> for WaitReason {
    fn from(why: Why) -> Self {
        match why {
            Why::RateLimited => Self::RateLimited,
            Why::Backoff => Self::Backoff,
        }
    }
}

/// Evenly spread from 0 to 1; the hasher's keys are the standard library's only source of chance.
fn random_fraction() -> f64 {
    RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64
}
