//! What a client tells while a call is under way.

use std::sync::Arc;
use std::time::Duration;

use http::StatusCode;

use crate::error::{ErrorCode, ErrorKind};

/// Called for every event; it must return quickly.
pub(crate) type Observer = Arc<dyn Fn(&Event) + Send + Sync>;

/// Something worth counting, or worth telling a person in front of a screen. No event holds a secret, an identifier or
/// a text of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// A call began; an [`Ended`](Event::Ended) or a [`Dropped`](Event::Dropped) follows, so that those under way can be
    /// counted.
    #[non_exhaustive]
    Started {
        /// Name of the operation, as in [`OPERATIONS`](crate::OPERATIONS); `raw` for one that is not in it.
        operation: &'static str,
    },
    /// A call is about to wait. The wait of one that stands in line behind calls which are still under way is an estimate,
    /// as if those were answered now; it is told a second time if its length becomes known, which happens at the head of the
    /// line. What it waited in all is in the `elapsed` of its [`Ended`](Event::Ended).
    #[non_exhaustive]
    Waiting {
        /// Name of the operation, as in [`OPERATIONS`](crate::OPERATIONS); `raw` for one that is not in it.
        operation: &'static str,
        /// What it waits for.
        reason: WaitReason,
        /// For how long, as far as is known now.
        duration: Duration,
    },
    /// An attempt ended, one too that sent nothing: it found no connection, or no runtime with I/O.
    #[non_exhaustive]
    Attempted {
        /// Name of the operation.
        operation: &'static str,
        /// Number of the attempt in its call, from 1.
        number: u32,
        /// The status of its answer; `None` without an answer.
        status: Option<StatusCode>,
        /// What went wrong; `None` when it gave the call's result.
        error: Option<ErrorKind>,
        /// From the request to its answer, or to the loss of it.
        latency: Duration,
    },
    /// A call was given up by its caller: its future was dropped before its end.
    #[non_exhaustive]
    Dropped {
        /// Name of the operation.
        operation: &'static str,
        /// How many requests were sent.
        attempts: u32,
        /// From the start of the call, waits included.
        elapsed: Duration,
    },
    /// A call ended; one that was refused before anything was sent too.
    #[non_exhaustive]
    Ended {
        /// Name of the operation.
        operation: &'static str,
        /// How many requests were tried, as in [`Error::attempts`](crate::Error::attempts).
        attempts: u32,
        /// The status of the last answer; `None` without one.
        status: Option<StatusCode>,
        /// What went wrong; `None` when there is a result.
        error: Option<ErrorKind>,
        /// The service's code, if it is one that this version has a name for.
        code: Option<ErrorCode>,
        /// From the start of the call, waits included.
        elapsed: Duration,
    },
}

/// What a call waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitReason {
    /// A free slot of the client's own rate budget.
    Pacing,
    /// The end of a rate window that the service called full with a 429.
    Throttled,
    /// The end of a server's scan cooldown, where the call [waits for it](crate::RequestOptions::wait_for_cooldown).
    Cooldown,
    /// A pause before trying again after a failure.
    Backoff,
}

impl WaitReason {
    /// The reason as one word, for logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pacing => "pacing",
            Self::Throttled => "throttled",
            Self::Cooldown => "cooldown",
            Self::Backoff => "backoff",
        }
    }
}
