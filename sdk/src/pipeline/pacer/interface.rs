//! What a rate budget is, and one without limits.

use std::fmt;
use std::time::Duration;

use super::waits::MINUTE;
use crate::future::BoxFuture;
use crate::operation_info::RateGroup;
use crate::request_options::Priority;

/// Hands out permits to send, one for each attempt.
///
/// Clones of a client share a budget; clients built apart share one when the same is given to their builders. Other
/// implementations share it between processes or hosts.
pub trait RateLimiter: Send + Sync {
    /// Waits for a free slot: [`Priority::Interactive`] before [`Priority::Batch`], and first come first served within
    /// each. Dropping the future gives up the place in the queue.
    ///
    /// # Errors
    /// [`RateLimiterError::Exhausted`] as soon as it is known that no slot comes free within [`Acquire::queue_timeout`];
    /// [`RateLimiterError::Unavailable`] when the budget cannot tell.
    fn acquire<'a>(
        &'a self,
        request: Acquire<'a>,
    ) -> BoxFuture<'a, Result<Box<dyn Permit>, RateLimiterError>>;

    /// Length of the rate window: a `Retry-After` of more than this and a second is no plausible one. One minute
    /// unless said.
    fn window(&self) -> Duration {
        MINUTE
    }

    /// Forgets what 429s have closed (a window closed by an absurd header, say); what is under way still counts.
    fn clear_throttle(&self) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// What an attempt asks of the budget.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct Acquire<'a> {
    /// The window the attempt counts in.
    pub group: RateGroup,
    /// Whose turn comes first.
    pub priority: Priority,
    /// The longest wait; zero means now or not at all.
    pub queue_timeout: Duration,
    /// The attempt's time-out: a slot whose answer never comes is free again this long, and one window more, after
    /// it was sent.
    pub answer_within: Duration,
    pub(super) on_wait: &'a (dyn Fn(Duration) + Send + Sync),
}

impl<'a> Acquire<'a> {
    /// A request whose wait is told to `on_wait`.
    pub fn new(
        group: RateGroup,
        priority: Priority,
        queue_timeout: Duration,
        answer_within: Duration,
        on_wait: &'a (dyn Fn(Duration) + Send + Sync),
    ) -> Self {
        Self {
            group,
            priority,
            queue_timeout,
            answer_within,
            on_wait,
        }
    }

    /// To be called when a wait begins, with its length as far as is known, and once more when it is known if it was not
    /// then, so that the client's observer hears of it.
    pub fn waiting(&self, duration: Duration) {
        (self.on_wait)(duration);
    }
}

impl fmt::Debug for Acquire<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acquire")
            .field("group", &self.group)
            .field("priority", &self.priority)
            .field("queue_timeout", &self.queue_timeout)
            .field("answer_within", &self.answer_within)
            .finish_non_exhaustive()
    }
}

/// A slot that is held.
///
/// Dropped before [`sent`](Permit::sent) it is free at once. Dropped after it without [`complete`](Permit::complete), its
/// call was cancelled: the request may still arrive, so it counts as answered once the longest round trip seen so far has
/// passed (the attempt's time-out where none was seen).
pub trait Permit: Send {
    /// The request is about to leave.
    fn sent(&mut self);

    /// What became of it.
    fn complete(self: Box<Self>, outcome: SlotOutcome) -> BoxFuture<'static, ()>;
}

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotOutcome {
    /// The answer arrived: the slot is free again one window from now.
    Answered,
    /// No byte of it left: the slot is free now.
    NotSent,
    /// No answer came: it counts as answered at the end of the attempt's time-out.
    Unanswered,
    /// The service refused it with its rate limit (429): others have used the window. It counted nowhere.
    ///
    /// Nothing goes out before `retry_after` has passed, and then the window is empty. Without one, or with one that
    /// is longer than the window and a second, the time is a guess that grows with each repeat; then one attempt goes
    /// first, and the others wait for its answer.
    Throttled {
        /// The wait the service asked for; `None` where it was absent, zero or unreadable.
        retry_after: Option<Duration>,
    },
}

/// Why there is no permit.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RateLimiterError {
    /// No slot comes free within [`Acquire::queue_timeout`].
    Exhausted {
        /// The earliest time at which there could have been one, those in front considered; `None` where there never is.
        free_in: Option<Duration>,
    },
    /// The budget cannot be asked, for the reason given.
    Unavailable(String),
}

impl fmt::Display for RateLimiterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exhausted {
                free_in: Some(wait),
            } => write!(f, "the next slot is free in {wait:?}"),
            Self::Exhausted { free_in: None } => f.write_str("no slot comes free in time"),
            Self::Unavailable(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for RateLimiterError {}

/// A budget without limits, for a service (or a mock) that counts nothing. A 429 is still obeyed by the call that met
/// it.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRateLimit;

impl RateLimiter for NoRateLimit {
    fn acquire<'a>(
        &'a self,
        _: Acquire<'a>,
    ) -> BoxFuture<'a, Result<Box<dyn Permit>, RateLimiterError>> {
        Box::pin(std::future::ready(Ok(Box::new(Self) as Box<dyn Permit>)))
    }
}

impl Permit for NoRateLimit {
    fn sent(&mut self) {}

    fn complete(self: Box<Self>, _: SlotOutcome) -> BoxFuture<'static, ()> {
        Box::pin(std::future::ready(()))
    }
}
