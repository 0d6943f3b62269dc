//! What a client tells while a call is under way.

use std::sync::Arc;
use std::time::Duration;

/// Called for every event; it must return quickly.
pub(crate) type Observer = Arc<dyn Fn(&Event) + Send + Sync>;

/// Something a person in front of a screen would like to know.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A call is about to sleep.
    Waiting {
        /// Name of the operation, as in [`OPERATIONS`](crate::OPERATIONS); `raw` for one that is not in it.
        operation: &'static str,
        /// What it waits for.
        reason: WaitReason,
        /// For how long, as far as is known now.
        duration: Duration,
    },
}

/// What a call waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitReason {
    /// A free slot of the client's own rate budget.
    Pacing,
    /// The end of a limit that the service reported with a 429.
    RateLimited,
    /// A pause before trying again after a failure.
    Backoff,
}

impl WaitReason {
    /// The reason as one word, for logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pacing => "pacing",
            Self::RateLimited => "rate_limited",
            Self::Backoff => "backoff",
        }
    }
}
