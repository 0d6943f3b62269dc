//! One call from its first attempt to its result.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::Ordering;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::StatusCode;
use tokio::time::{Instant, sleep, timeout};

use super::pacer::{Acquire, BudgetError, Permit, Settlement};
use super::retry::{self, Decision, Outcome, Situation, Why};
use super::retry_after::retry_after;
use super::transport::{TransportError, TransportErrorKind};
use super::{Call, Pipeline};
use crate::envelope;
use crate::error::{ApiError, CallFacts, Cause, Error, ErrorCode, Sent};
use crate::event::WaitReason;
use crate::response::{Answer, History};

/// An attempt without a complete answer.
pub(super) struct Failure {
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
pub(super) struct Run<'a> {
    pipeline: &'a Pipeline,
    call: &'a Call,
    started: Instant,
    attempts: u32,
    failures: u32,
    history: History,
}

impl<'a> Run<'a> {
    pub(super) fn new(pipeline: &'a Pipeline, call: &'a Call) -> Self {
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
    pub(super) async fn permit(&self) -> Result<Option<Box<dyn Permit>>, Error> {
        let Some(group) = self.call.rate_group else {
            return Ok(None);
        };
        let patience = self.pipeline.max_wait.min(self.remaining());
        let on_wait = |duration| self.pipeline.tell(self.call, WaitReason::Pacing, duration);
        let request = Acquire::new(group, patience, self.pipeline.attempt_timeout, &on_wait);
        match self.pipeline.budget.acquire(request).await {
            // A permit that came too late is given back unsent.
            Ok(_) if self.remaining().is_zero() => {
                Err(self.error(Cause::Deadline(self.call.total_time)))
            }
            Ok(permit) => Ok(Some(permit)),
            Err(BudgetError::Unavailable(reason)) => Err(self.error(Cause::Budget(reason))),
            Err(BudgetError::Exhausted { .. }) if self.remaining().is_zero() => {
                Err(self.error(Cause::Deadline(self.call.total_time)))
            }
            Err(BudgetError::Exhausted { free_in }) => Err(self.error(Cause::MaxWait(free_in))),
        }
    }

    pub(super) async fn attempt(
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
    pub(super) async fn judge(
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
    pub(super) fn error(&self, cause: Cause) -> Error {
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
                safety: self.call.safety,
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
