//! Whether a failed attempt is followed by another: a pure decision, and the budget that bounds all of them together.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use http::StatusCode;

use crate::error::ErrorCode;
use crate::operation::RetrySafety;

/// What an attempt ended with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// No byte left.
    NotSent,
    /// It left, and there is no complete answer.
    AnswerLost,
    /// The service answered with an error status.
    Refused {
        status: StatusCode,
        code: Option<ErrorCode>,
        retry_after: Option<Duration>,
    },
}

/// What is known when the decision is due.
#[derive(Debug, Clone)]
pub(crate) struct Situation {
    pub(crate) safety: RetrySafety,
    pub(crate) cooldown: Cooldown,
    /// Failed attempts so far, this one included, those refused by a rate limit left out.
    pub(crate) failures: u32,
    pub(crate) max_retries: u32,
    /// What is left of the operation's time.
    pub(crate) remaining: Duration,
    /// The longest sleep the caller accepts.
    pub(crate) max_wait: Duration,
    /// From 0 to 1: where in the spread of the backoff this wait falls.
    pub(crate) jitter: f64,
}

/// Whether a scan's cooldown (`RATE_LIMITED`) is slept through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cooldown {
    /// It ends the call, as the documentation of the scan says.
    Reported,
    /// The caller asked to wait for its end.
    WaitedFor,
}

/// What follows a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The failure is the result.
    Stop,
    /// Another attempt after the wait.
    RetryAfter(Duration, Why),
}

/// Why there is a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    RateLimited,
    Backoff,
}

/// The decision (F5): what was provably not processed may always be sent again, what may have been processed only
/// when the operation is repeatable.
pub(crate) fn decide(outcome: &Outcome, situation: &Situation) -> Decision {
    let (floor, why) = match outcome {
        Outcome::NotSent => (None, Why::Backoff),
        Outcome::AnswerLost if situation.safety == RetrySafety::Repeatable => (None, Why::Backoff),
        Outcome::AnswerLost => return Decision::Stop,
        Outcome::Refused {
            status,
            code,
            retry_after,
        } => match refused(*status, code.as_ref(), situation) {
            Some(why) => (*retry_after, why),
            None => return Decision::Stop,
        },
    };
    if why == Why::Backoff && situation.failures > situation.max_retries {
        return Decision::Stop;
    }
    let least = match why {
        Why::RateLimited => SHORTEST_RATE_LIMIT_WAIT,
        Why::Backoff => backoff(situation.failures, situation.jitter),
    };
    let wait = least.max(floor.unwrap_or_default());
    if wait > situation.max_wait || wait >= situation.remaining {
        return Decision::Stop;
    }
    Decision::RetryAfter(wait, why)
}

/// Whether an error answer allows another attempt, and which kind of wait precedes it.
fn refused(status: StatusCode, code: Option<&ErrorCode>, situation: &Situation) -> Option<Why> {
    match status {
        StatusCode::TOO_MANY_REQUESTS if code == Some(&ErrorCode::RateLimited) => {
            (situation.cooldown == Cooldown::WaitedFor).then_some(Why::RateLimited)
        }
        StatusCode::TOO_MANY_REQUESTS => Some(Why::RateLimited),
        StatusCode::INTERNAL_SERVER_ERROR
        | StatusCode::BAD_GATEWAY
        | StatusCode::SERVICE_UNAVAILABLE
        | StatusCode::GATEWAY_TIMEOUT => {
            passes(status, code, situation.safety).then_some(Why::Backoff)
        }
        _ => None,
    }
}

/// Whether what an error answer tells of passes by itself, so that the same call may be sent again, now or later.
pub(crate) fn passes(status: StatusCode, code: Option<&ErrorCode>, safety: RetrySafety) -> bool {
    let repeatable = safety == RetrySafety::Repeatable;
    let documented = code.is_some_and(ErrorCode::is_named);
    match status {
        StatusCode::TOO_MANY_REQUESTS => true,
        StatusCode::SERVICE_UNAVAILABLE => documented || repeatable,
        StatusCode::INTERNAL_SERVER_ERROR => repeatable && !documented,
        other => other.is_server_error() && repeatable,
    }
}

const FIRST_BACKOFF: Duration = Duration::from_millis(200);
/// However short, or missing, the `Retry-After` of a 429 is.
const SHORTEST_RATE_LIMIT_WAIT: Duration = Duration::from_secs(1);
const LONGEST_BACKOFF: Duration = Duration::from_secs(8);

/// Doubles with every failure; the jitter takes up to half of it off, so that many clients do not come back at once.
fn backoff(failures: u32, jitter: f64) -> Duration {
    let doubled = FIRST_BACKOFF.saturating_mul(1 << failures.saturating_sub(1).min(10));
    doubled.min(LONGEST_BACKOFF).mul_f64(1.0 - jitter / 2.0)
}

/// Bounds the retries of all calls of a client together, so that an outage is not answered with many times the load.
///
/// Ten retries can follow each other at once; every ten successful calls allow one more. Waits for a rate limit are
/// free: they add no load.
#[derive(Debug)]
pub(crate) struct RetryBudget(AtomicU32);

const RETRY_COST: u32 = 10;
const FULL_BUDGET: u32 = 10 * RETRY_COST;

impl RetryBudget {
    pub(crate) fn new() -> Self {
        Self(AtomicU32::new(FULL_BUDGET))
    }

    /// Takes the price of one retry; false when the budget is spent.
    pub(crate) fn spend(&self) -> bool {
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(RETRY_COST)
            })
            .is_ok()
    }

    pub(crate) fn earn(&self) {
        // A lost race at the brim is one tenth of a retry.
        let _ = self
            .0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                (left < FULL_BUDGET).then_some(left + 1)
            });
    }
}

#[cfg(test)]
mod tests;
