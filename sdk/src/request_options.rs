//! How calls are made: time-outs, retries, priority.

use std::ops::RangeInclusive;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue};

/// Whose turn comes first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Priority {
    /// Somebody waits for it.
    #[default]
    Interactive,
    /// It has time: it goes after everything interactive, and leaves a reserve of slots for it.
    Batch,
}

/// No wait is longer than a year, so that adding one to the clock is always possible.
const LONGEST_TIME: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// How calls are made: of a client ([`ClientBuilder::with`](crate::ClientBuilder::with)), of a part of a program
/// ([`Client::with`](crate::Client::with)), or one call ([`CallBuilder::with`](crate::CallBuilder::with)).
///
/// ```
/// # fn main() -> Result<(), secmon::Error> {
/// use std::time::Duration;
/// use secmon::pacing::Priority;
/// use secmon::{ApiKey, Client};
///
/// let client = Client::builder("https://portal.example.com", ApiKey::new("any-key")?)
///     .with(|calls| calls.operation_timeout(Duration::from_secs(30)))
///     .build()?;
/// // The nightly job: the same connections and the same rate budget, behind everybody who waits at a screen.
/// let nightly = client.with(|calls| calls.priority(Priority::Batch).operation_timeout(Duration::from_secs(3600)));
/// # let _ = nightly;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct RequestOptions {
    pub(crate) operation_timeout: Duration,
    pub(crate) attempt_timeout: Duration,
    /// The operation's time-out unless set.
    pub(crate) queue_timeout: Option<Duration>,
    pub(crate) max_retries: u32,
    pub(crate) backoff: RangeInclusive<Duration>,
    pub(crate) priority: Priority,
    pub(crate) sandbox: bool,
    pub(crate) wait_for_cooldown: bool,
    pub(crate) validation: bool,
    pub(crate) headers: HeaderMap,
}

impl Default for RequestOptions {
    fn default() -> Self {
        Self {
            operation_timeout: Duration::from_secs(150),
            attempt_timeout: Duration::from_secs(30),
            queue_timeout: None,
            max_retries: 3,
            backoff: Duration::from_millis(200)..=Duration::from_secs(8),
            priority: Priority::Interactive,
            sandbox: false,
            wait_for_cooldown: false,
            validation: true,
            headers: HeaderMap::new(),
        }
    }
}

impl RequestOptions {
    /// Longest time for a call with all its attempts and waits; 150 seconds unless set, so that a full rate window can
    /// be waited for.
    #[must_use]
    pub fn operation_timeout(mut self, limit: Duration) -> Self {
        self.operation_timeout = limit.min(LONGEST_TIME);
        self
    }

    /// Longest time from a request to the end of its answer; 30 seconds unless set.
    #[must_use]
    pub fn attempt_timeout(mut self, limit: Duration) -> Self {
        self.attempt_timeout = limit.min(LONGEST_TIME);
        self
    }

    /// Longest single wait, for a slot of the budget or for what a `Retry-After` of the service asks for; as long as the
    /// operation's time-out unless set, zero means to fail at once. The pauses of [`backoff`](RequestOptions::backoff) are
    /// no such wait.
    ///
    /// However long it is, a wait that would leave less than the attempt's time-out (or half of the operation's, where
    /// that is less) for the answer is refused at once, with nothing sent.
    #[must_use]
    pub fn queue_timeout(mut self, limit: Duration) -> Self {
        self.queue_timeout = Some(limit.min(LONGEST_TIME));
        self
    }

    /// The time before an attempt that leaves enough for its answer, with so much of the operation's time left (F14).
    pub(crate) fn time_before_an_attempt(&self, remaining: Duration) -> Duration {
        let for_the_answer = self.attempt_timeout.min(self.operation_timeout / 2);
        remaining.saturating_sub(for_the_answer)
    }

    /// The longest wait for a slot, or for what the service asks for.
    pub(crate) fn longest_wait(&self, remaining: Duration) -> Duration {
        let queue_timeout = self.queue_timeout.unwrap_or(self.operation_timeout);
        queue_timeout.min(self.time_before_an_attempt(remaining))
    }

    /// How often a failed call is sent again at most, waits for rate limits not counted; 3 unless set. All calls of a
    /// client together are bound by its [`RetryBudget`](crate::RetryBudget) besides.
    #[must_use]
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = retries;
        self
    }

    /// The first and the longest pause before trying again after a failure; 0.2 to 8 seconds unless set. Each is twice
    /// the one before, less up to half of it, so that many clients do not come back at once.
    #[must_use]
    pub fn backoff(mut self, bounds: RangeInclusive<Duration>) -> Self {
        self.backoff = bounds;
        self
    }

    /// Whose turn comes first where calls wait for the rate budget; interactive unless set.
    #[must_use]
    pub fn priority(mut self, priority: Priority) -> Self {
        self.priority = priority;
        self
    }

    /// Whether provisioning calls carry `X-Sandbox: true`: on an account with sandbox mode they are then simulated.
    #[must_use]
    pub fn sandbox(mut self, simulated: bool) -> Self {
        self.sandbox = simulated;
        self
    }

    /// Whether to sleep through a scan's cooldown (`RATE_LIMITED`), as far as time-out and `queue_timeout` allow, in place of
    /// reporting it; false unless set.
    #[must_use]
    pub fn wait_for_cooldown(mut self, wait: bool) -> Self {
        self.wait_for_cooldown = wait;
        self
    }

    /// Whether requests are checked before they are sent; with `false` every judgement is left to the service. True
    /// unless set.
    #[must_use]
    pub fn validation(mut self, check: bool) -> Self {
        self.validation = check;
        self
    }

    /// A further header on every request, as `traceparent`. What the client sets itself cannot be replaced, nor what
    /// belongs to the connection, as `host` and `content-length`: such a header does not travel, and
    /// [`ClientBuilder::build`](crate::ClientBuilder::build) refuses the key, the sandbox mark and those of the
    /// connection.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.insert(name, value);
        self
    }
}
