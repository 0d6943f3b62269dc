//! One call from its first attempt to its result.

use std::panic::{self, AssertUnwindSafe};
use std::thread;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::StatusCode;
use tokio::time::{Instant, sleep, timeout};
use tracing::{Instrument, Span};

use super::call::{Call, Failure};
use super::pacer::waits::random_fraction;
use super::pacer::{Acquire, Permit, RateLimiterError, SlotOutcome};
use super::retry::{self, Decision, RetryContext};
use super::shared::{Pipeline, error_type, named_code};
use super::transport::{TransportError, TransportErrorKind};
use crate::answer::{Answer, PriorAttempts};
use crate::envelope;
use crate::error::{Delivery, Error, ErrorCode, ErrorKind};
use crate::event::{Event, WaitReason};
use crate::redact::Redactor;
use crate::retry_after::retry_after;
use crate::secret::ApiKey;

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
}

/// One call on its way.
struct CallRun<'a> {
    pipeline: &'a Pipeline,
    call: &'a Call,
    started: Instant,
    attempts: u32,
    /// Failed attempts, those refused by a rate limit left out.
    failures: u32,
    /// Attempts refused by a rate limit since the last that was not.
    throttled: u32,
    prior_attempts: PriorAttempts,
    key: Option<ApiKey>,
    /// Whether the end was told; a call that was dropped has none.
    has_ended: bool,
}

impl Drop for CallRun<'_> {
    fn drop(&mut self) {
        if self.has_ended {
            return;
        }
        let dropped = || Event::Dropped {
            operation: self.call.name(),
            attempts: self.attempts,
            elapsed: self.started.elapsed(),
        };
        let tell = || self.pipeline.tell(dropped);
        match thread::panicking() {
            // Perhaps the observer panicked: a second panic would end the process.
            true => drop(panic::catch_unwind(AssertUnwindSafe(tell))),
            false => tell(),
        }
    }
}

type MaybePermit = Option<Box<dyn Permit>>;

impl<'a> CallRun<'a> {
    fn new(pipeline: &'a Pipeline, call: &'a Call) -> Self {
        Self {
            pipeline,
            call,
            started: Instant::now(),
            attempts: 0,
            failures: 0,
            throttled: 0,
            prior_attempts: PriorAttempts::Nothing,
            key: None,
            has_ended: false,
        }
    }

    /// Attempts until there is a result or no further attempt is right.
    async fn attempts(&mut self) -> Result<Answer, Failure> {
        self.pipeline
            .runtime
            .check()
            .map_err(|error| self.failed(error))?;
        loop {
            self.key = self.usable_key().await?;
            let permit = self.permit().await?;
            // While it waited, the key may have been replaced or refused.
            self.key = self.usable_key().await?;
            let failure = match self.attempt(permit).await {
                Ok(answer) => {
                    self.pipeline.retry_budget.earn();
                    return Ok(answer);
                }
                Err(failure) => failure,
            };
            let Decision::RetryAfter(wait, why) = self.decide(&failure.error) else {
                return Err(failure);
            };
            self.remember(&failure);
            self.pipeline.tell_of_wait(self.call, why, wait);
            sleep(wait).await;
        }
    }

    fn remaining(&self) -> Duration {
        let limit = self.call.settings.operation_timeout;
        limit.saturating_sub(self.started.elapsed())
    }

    /// A slot of the budget; `None` for operations that are not rate limited.
    async fn permit(&self) -> Result<MaybePermit, Failure> {
        let Some(group) = self.call.rate_group else {
            return Ok(None);
        };
        let settings = &self.call.settings;
        // Zero is for a slot that is free.
        let queue_timeout = settings.longest_wait(self.remaining());
        let on_wait = |wait| {
            self.pipeline
                .tell_of_wait(self.call, WaitReason::Pacing, wait)
        };
        let (priority, answer_within) = (settings.priority, settings.attempt_timeout);
        let request = Acquire::new(group, priority, queue_timeout, answer_within, &on_wait);
        let refused = match self.pipeline.rate_limiter.acquire(request).await {
            // A permit that came too late is given back unsent.
            Ok(permit) if !self.remaining().is_zero() => return Ok(Some(permit)),
            Ok(_) => self.out_of_time(),
            Err(RateLimiterError::Exhausted { .. }) if self.remaining().is_zero() => {
                self.out_of_time()
            }
            Err(RateLimiterError::Exhausted { free_in }) => no_slot(free_in),
            Err(RateLimiterError::Unavailable(reason)) => {
                let reason = self.redactor().shown(&reason, 1024);
                let reason = format!("not sent: the rate budget cannot be asked: {reason}");
                Error::new(ErrorKind::RateLimiter, reason)
            }
        };
        Err(self.failed(refused))
    }

    /// The key, unless it is known to be refused.
    async fn usable_key(&self) -> Result<Option<ApiKey>, Failure> {
        let Ok(key) = timeout(self.remaining(), self.pipeline.keys.key()).await else {
            return Err(self.failed(self.out_of_time()));
        };
        if !self.call.takes_the_key() {
            return Ok(key.ok());
        }
        match key {
            Ok(key) if self.pipeline.refuses(&key) => Err(self.failed(Error::new(
                ErrorKind::KeyRejected,
                "not sent: the service has refused this API key (401); replace it with a valid one",
            ))),
            Ok(key) => Ok(Some(key)),
            Err(source) => Err(self.failed(
                Error::new(ErrorKind::NoKey, "not sent: there is no API key to send")
                    .caused_by(Some(source), &self.redactor()),
            )),
        }
    }

    async fn attempt(&mut self, mut permit: MaybePermit) -> Result<Answer, Failure> {
        // The key may have come with the end of the time: nobody would hear the answer.
        if self.remaining().is_zero() {
            return Err(self.failed(self.out_of_time()));
        }
        let request = self.call.request(self.key.as_ref());
        let request = request.map_err(|error| self.failed(error))?;
        let limit = self.call.settings.attempt_timeout.min(self.remaining());
        if let Some(permit) = &mut permit {
            permit.sent();
        }
        self.attempts += 1;
        let sent_at = Instant::now();
        let ended = timeout(limit, self.pipeline.transport.send(request)).await;
        let latency = sent_at.elapsed();
        let (outcome, result) = match ended {
            Ok(Ok(response)) => self.judge(response),
            Ok(Err(error)) => {
                let (error, sent) = unanswered(error, &self.redactor());
                (outcome(&error), Err(self.failed_as(error, sent)))
            }
            Err(_) => (SlotOutcome::Unanswered, Err(self.timed_out(limit))),
        };
        if let Some(permit) = permit {
            permit.complete(outcome).await;
        }
        self.pipeline.tell(|| {
            let error = result.as_ref().err().map(|failure| &failure.error);
            Event::Attempted {
                operation: self.call.name(),
                number: self.attempts,
                status: result.as_ref().map_or_else(
                    |failure| failure.error.status(),
                    |answer| Some(answer.status),
                ),
                error: error.map(Error::kind),
                latency,
            }
        });
        result
    }

    /// A result, or the error that the answer is, and what it means for the rate budget.
    fn judge(&self, response: http::Response<Bytes>) -> (SlotOutcome, Result<Answer, Failure>) {
        let (parts, body) = response.into_parts();
        let answer = Answer {
            status: parts.status,
            headers: parts.headers,
            body,
            attempts: self.attempts,
            elapsed: self.started.elapsed(),
            prior_attempts: self.prior_attempts,
            key: self.key.clone(),
        };
        let envelope = self.call.operation.map(|operation| operation.envelope);
        let is_result = envelope::is_result(envelope, answer.status, &answer.body);
        let error = (!is_result).then(|| self.call.error_of(&answer, None));
        if let Some(key) = self.key.as_ref().filter(|_| self.call.takes_the_key()) {
            let in_its_shape = error.as_ref().is_some_and(Error::is_the_services_own);
            self.pipeline.note_answer(key, answer.status, in_its_shape);
        }
        let Some(error) = error else {
            return (SlotOutcome::Answered, Ok(answer));
        };
        let throttled = error.status() == Some(StatusCode::TOO_MANY_REQUESTS)
            && error.code() != Some(&ErrorCode::RateLimited);
        let outcome = match throttled {
            true => SlotOutcome::Throttled {
                retry_after: retry_after(&answer.headers, SystemTime::now())
                    .filter(|wait| !wait.is_zero()),
            },
            false => SlotOutcome::Answered,
        };
        let failure = Failure {
            error,
            answer: Some(Box::new(answer)),
        };
        (outcome, Err(failure))
    }

    fn timed_out(&self, limit: Duration) -> Failure {
        let error = match limit < self.call.settings.attempt_timeout {
            true => self.out_of_time(),
            false => Error::new(ErrorKind::Timeout, format!("no answer within {limit:?}")),
        };
        self.failed_as(error, Delivery::Maybe)
    }

    fn out_of_time(&self) -> Error {
        let limit = self.call.settings.operation_timeout;
        Error::new(
            ErrorKind::Deadline,
            format!("the operation's time of {limit:?} is over"),
        )
    }

    /// What a failed attempt leaves for the error, or the result, of the next one.
    fn remember(&mut self, failure: &Failure) {
        if failure.error.delivery() == Delivery::Maybe {
            // What something between says in the service's place is no answer of it (F13).
            let is_the_services =
                failure.answer.is_some() && failure.error.kind() != ErrorKind::Gateway;
            let unclear = match is_the_services {
                true => PriorAttempts::Unclear,
                false => PriorAttempts::AnswerLost,
            };
            self.prior_attempts = self.prior_attempts.max(unclear);
        }
    }

    fn decide(&mut self, error: &Error) -> Decision {
        if error.status() == Some(StatusCode::TOO_MANY_REQUESTS) {
            self.throttled += 1;
        } else {
            self.failures += 1;
            self.throttled = 0;
        }
        let decision = retry::decide(
            error,
            &RetryContext {
                settings: &self.call.settings,
                failures: self.failures,
                throttled: self.throttled,
                window: self.pipeline.rate_limiter.window(),
                remaining: self.remaining(),
                jitter: random_fraction(),
            },
        );
        match decision {
            Decision::RetryAfter(..) if !self.pipeline.may_retry(error) => Decision::Stop,
            Decision::RetryAfter(_, WaitReason::Backoff) if !self.pipeline.retry_budget.spend() => {
                Decision::Stop
            }
            decision => decision,
        }
    }

    fn redactor(&self) -> Redactor {
        Redactor::of(self.key.as_ref())
    }

    /// An error before the next attempt: what is known of the service is what the attempts before left.
    fn failed(&self, error: Error) -> Failure {
        self.failed_as(error, Delivery::NotSent)
    }

    fn failed_as(&self, error: Error, delivery: Delivery) -> Failure {
        let delivery = match self.prior_attempts {
            PriorAttempts::Nothing => delivery,
            PriorAttempts::Unclear | PriorAttempts::AnswerLost => Delivery::Maybe,
        };
        let facts = self.call.facts(
            delivery,
            self.attempts,
            self.started.elapsed(),
            self.key.as_ref(),
        );
        Failure {
            error: error.about(facts),
            answer: None,
        }
    }
}

/// The error that an attempt without an answer is, and whether the request may have reached the service.
pub(crate) fn unanswered(error: TransportError, redactor: &Redactor) -> (Error, Delivery) {
    let TransportError {
        kind,
        message,
        source,
        proxy,
    } = error;
    let (kind, sent, what) = match kind {
        TransportErrorKind::Connect => (ErrorKind::Connect, Delivery::NotSent, "no connection"),
        TransportErrorKind::Tls => (
            ErrorKind::Tls,
            Delivery::NotSent,
            "not sent, because TLS failed",
        ),
        TransportErrorKind::Proxy => (ErrorKind::Proxy, Delivery::NotSent, "not sent"),
        TransportErrorKind::Refused => (ErrorKind::Refused, Delivery::NotSent, "not sent"),
        TransportErrorKind::Configuration => {
            (ErrorKind::Configuration, Delivery::NotSent, "not sent")
        }
        TransportErrorKind::BodyTooLarge => (ErrorKind::BodyTooLarge, Delivery::Maybe, ""),
        TransportErrorKind::Redirected => (ErrorKind::Redirect, Delivery::Maybe, ""),
        TransportErrorKind::Timeout => (ErrorKind::Timeout, Delivery::Maybe, ""),
        TransportErrorKind::Interrupted => {
            let what = "the connection was lost";
            (ErrorKind::Interrupted, Delivery::Maybe, what)
        }
    };
    let what = match (what, proxy) {
        ("", _) => String::new(),
        (what, Some(proxy)) => format!("{what} (through the proxy {proxy}): "),
        ("no connection", None) => "no connection to the service: ".to_owned(),
        (what, None) => format!("{what}: "),
    };
    let reason = format!("{what}{}", redactor.shown(&message, 1024));
    (Error::new(kind, reason).caused_by(source, redactor), sent)
}

fn no_slot(free_in: Option<Duration>) -> Error {
    let reason = match free_in {
        Some(wait) => format!(
            "the rate limit's next free slot is {wait:?} away, longer than the wait allowed"
        ),
        None => "the rate limit lets nothing through".to_owned(),
    };
    Error::new(ErrorKind::QueueTimeout, format!("not sent: {reason}")).free_in(free_in)
}

/// What the budget is told of an attempt without an answer.
fn outcome(error: &Error) -> SlotOutcome {
    match error.kind() {
        ErrorKind::Timeout | ErrorKind::Interrupted => SlotOutcome::Unanswered,
        ErrorKind::BodyTooLarge | ErrorKind::Redirect => SlotOutcome::Answered,
        _ => SlotOutcome::NotSent,
    }
}
