//! Whether a failed attempt is followed by another: a pure decision, and the budget that bounds all of them together.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use http::StatusCode;
use tokio::time::Instant;

use crate::error::Error;
use crate::event::WaitReason;
use crate::request_options::RequestOptions;

/// What is known when the decision is due.
#[derive(Debug, Clone)]
pub(crate) struct RetryContext<'a> {
    pub(crate) settings: &'a RequestOptions,
    /// Failed attempts so far, this one included, those refused by a rate limit left out.
    pub(crate) failures: u32,
    /// Attempts refused by a rate limit in a row, this one included.
    pub(crate) throttled: u32,
    /// Length of the rate window.
    pub(crate) window: Duration,
    /// What is left of the operation's time.
    pub(crate) remaining: Duration,
    /// From 0 to 1: where in the spread of the wait this one falls.
    pub(crate) jitter: f64,
}

/// What follows a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// The failure is the result.
    Stop,
    /// Another attempt after the wait.
    RetryAfter(Duration, WaitReason),
}

/// The decision (F5): what was provably not processed may always be sent again, what may have been processed only
/// when the operation is repeatable.
pub(crate) fn decide(error: &Error, context: &RetryContext<'_>) -> Decision {
    if !error.is_retryable() {
        return Decision::Stop;
    }
    let asked = error.retry_after().filter(|wait| !wait.is_zero());
    let next = match error.status() {
        Some(StatusCode::TOO_MANY_REQUESTS) if error.is_scan_cooldown() => {
            let wait = asked.unwrap_or_default().max(SHORTEST_RATE_LIMIT_WAIT);
            let waits = context.settings.wait_for_cooldown;
            waits.then_some((wait, WaitReason::Cooldown))
        }
        Some(StatusCode::TOO_MANY_REQUESTS) => {
            after_429(asked, context).map(|wait| (wait, WaitReason::Throttled))
        }
        _ if context.failures > context.settings.max_retries => None,
        _ => return after_failure(asked, context),
    };
    match next {
        Some((wait, why)) if wait <= context.settings.longest_wait(context.remaining) => {
            Decision::RetryAfter(wait, why)
        }
        _ => Decision::Stop,
    }
}

/// A pause of the client's own is bounded by the time that is left; one that the service asks for is a wait like those
/// for a slot.
fn after_failure(asked: Option<Duration>, context: &RetryContext<'_>) -> Decision {
    let settings = context.settings;
    let asked = asked.unwrap_or_default();
    let wait = backoff(context).max(asked);
    let is_too_long = asked > settings.longest_wait(context.remaining)
        || wait > settings.time_before_an_attempt(context.remaining);
    match is_too_long {
        true => Decision::Stop,
        false => Decision::RetryAfter(wait, WaitReason::Backoff),
    }
}

/// The wait after a 429 of the rate window, none where it ends the call (F6): as long as it asks, or longer each time
/// where it does not say; where it asks for longer than a window can last, as long as that.
fn after_429(asked: Option<Duration>, context: &RetryContext<'_>) -> Option<Duration> {
    if context.throttled >= MOST_429S {
        return None;
    }
    let longest = context.window.saturating_add(SHORTEST_RATE_LIMIT_WAIT);
    Some(match asked {
        Some(asked) => asked.clamp(SHORTEST_RATE_LIMIT_WAIT, longest),
        None => {
            let doubled =
                SHORTEST_RATE_LIMIT_WAIT.saturating_mul(1 << (context.throttled - 1).min(10));
            doubled.min(longest).mul_f64(1.0 + context.jitter / 4.0)
        }
    })
}

/// However short, or missing, the `Retry-After` of a 429 is.
const SHORTEST_RATE_LIMIT_WAIT: Duration = Duration::from_secs(1);
/// So many in a row end a call.
const MOST_429S: u32 = 5;

/// Doubles with every failure; the jitter takes up to half of it off, so that many clients do not come back at once.
fn backoff(context: &RetryContext<'_>) -> Duration {
    let (first, longest) = (
        context.settings.backoff.start(),
        context.settings.backoff.end(),
    );
    let doubled = first.saturating_mul(1 << context.failures.saturating_sub(1).min(10));
    doubled.min(*longest).mul_f64(1.0 - context.jitter / 2.0)
}

/// Bounds the retries of all calls of a client together, so that an outage is not answered with many times the load.
///
/// Unless set otherwise ten retries can follow each other at once; one more is allowed for every ten calls that succeed,
/// and one every ten seconds, up to ten again. When none is left, a failure is a call's result at once. Waits for a rate
/// limit are free: they add no load.
#[derive(Debug)]
pub struct RetryBudget {
    most: f64,
    per_success: f64,
    refill: Duration,
    left: Mutex<(f64, Instant)>,
}

impl Default for RetryBudget {
    fn default() -> Self {
        Self::new(10)
    }
}

impl RetryBudget {
    /// So many retries at once; zero allows none, whatever succeeds.
    pub fn new(retries: u32) -> Self {
        let most = f64::from(retries);
        Self {
            most,
            per_success: 0.1,
            refill: Duration::from_secs(10),
            left: Mutex::new((most, Instant::now())),
        }
    }

    /// Allows one more retry for every so many calls that succeed; ten unless set.
    #[must_use]
    pub fn successes_per_retry(mut self, successes: u32) -> Self {
        self.per_success = 1.0 / f64::from(successes.max(1));
        self
    }

    /// Allows one more retry each time that so much time has passed; ten seconds unless set.
    #[must_use]
    pub fn refill_every(mut self, time: Duration) -> Self {
        self.refill = time.max(Duration::from_millis(1));
        self
    }

    /// Takes one retry; false when none is left.
    pub(crate) fn spend(&self) -> bool {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let gained = (now - left.1).as_secs_f64() / self.refill.as_secs_f64();
        *left = ((left.0 + gained).min(self.most), now);
        // Ten tenths are a little less than one.
        let allowed = left.0 > 1.0 - 1e-6;
        if allowed {
            left.0 -= 1.0;
        }
        allowed
    }

    /// A call succeeded.
    pub(crate) fn earn(&self) {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.0 = (left.0 + self.per_success).min(self.most);
    }
}
