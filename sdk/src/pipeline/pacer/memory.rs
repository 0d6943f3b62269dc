//! The budget of one process.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::interface::{Acquire, Permit, RateLimiter, RateLimiterError, SlotOutcome};
use super::queue::{Queue, QueueTicket};
use super::slots::{LetThrough, Limits, Slots, WaitLimit};
use super::waits::after;
use crate::future::BoxFuture;
use crate::operation_info::RateGroup;

/// A budget kept in memory, shared by everyone who holds the same one.
pub struct MemoryRateLimiter {
    limits: Limits,
    strict: Arc<Window>,
    default: Arc<Window>,
}

impl MemoryRateLimiter {
    /// `strict` and `default` requests in each `window`; a limit of zero lets nothing through.
    pub fn new(strict: u32, default: u32, window: Duration) -> Self {
        Self::with_limits(Limits {
            strict,
            default,
            window,
            ..Limits::DOCUMENTED
        })
    }

    /// So many slots of each group are left to [interactive](super::Priority::Interactive) callers: a batch caller
    /// goes only while more than these are free. Five unless set; of a small limit, one slot less than it at most.
    #[must_use]
    pub fn batch_reserve(self, slots: u32) -> Self {
        Self::with_limits(Limits {
            batch_reserve: slots,
            ..self.limits
        })
    }

    pub(super) fn with_limits(limits: Limits) -> Self {
        let window = |group| Arc::new(Window::new(Slots::new(limits.window_of(group))));
        Self {
            limits,
            strict: window(RateGroup::Strict),
            default: window(RateGroup::Default),
        }
    }
}

impl Default for MemoryRateLimiter {
    /// The documented limits: 60 and 100 requests a minute.
    fn default() -> Self {
        Self::with_limits(Limits::DOCUMENTED)
    }
}

impl fmt::Debug for MemoryRateLimiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryRateLimiter")
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

impl RateLimiter for MemoryRateLimiter {
    fn acquire<'a>(
        &'a self,
        request: Acquire<'a>,
    ) -> BoxFuture<'a, Result<Box<dyn Permit>, RateLimiterError>> {
        let window = match request.group {
            RateGroup::Strict => &self.strict,
            RateGroup::Default => &self.default,
        };
        Box::pin(async move {
            let attempt = window.wait_for_slot(&request).await?;
            Ok(Box::new(Slot {
                window: window.clone(),
                answer_within: request.answer_within,
                attempt,
                state: SlotState::Acquired,
            }) as Box<dyn Permit>)
        })
    }

    fn window(&self) -> Duration {
        self.limits.window
    }

    fn clear_throttle(&self) -> BoxFuture<'_, ()> {
        for window in [&self.strict, &self.default] {
            window.change(Slots::clear_throttle);
        }
        Box::pin(std::future::ready(()))
    }
}

/// One rate window.
struct Window {
    slots: Mutex<Slots>,
    queue: Queue,
}

impl Window {
    fn new(slots: Slots) -> Self {
        Self {
            slots: Mutex::new(slots),
            queue: Queue::default(),
        }
    }

    async fn wait_for_slot(&self, request: &Acquire<'_>) -> Result<LetThrough, RateLimiterError> {
        if self.slots().limits.limit == 0 {
            return Err(RateLimiterError::Exhausted { free_in: None });
        }
        let mut wait_limit = WaitLimit::of(request);
        let mut ticket: Option<QueueTicket<'_>> = None;
        loop {
            let now = Instant::now();
            let ahead = match &ticket {
                Some(ticket) => ticket.ahead(now),
                None => self.queue.ahead_of_next(request.priority, now),
            };
            let took = self
                .slots()
                .take(ahead, request.priority, request.answer_within, now);
            let wait = match took {
                Ok(attempt) => return Ok(attempt),
                Err(wait) => wait,
            };
            // Whatever changes from then on wakes it; it looks once more for what changed before.
            let until = wait_limit.until(wait, ahead, now)?;
            let Some(ticket) = &ticket else {
                ticket = Some(self.queue.join(request.priority));
                continue;
            };
            ticket.woken_by(until, now).await;
        }
    }

    fn change(&self, change: impl FnOnce(&mut Slots)) {
        change(&mut self.slots());
        self.queue.wake_first();
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Slot {
    window: Arc<Window>,
    answer_within: Duration,
    attempt: LetThrough,
    state: SlotState,
}

#[derive(Clone, Copy)]
enum SlotState {
    Acquired,
    Sent(Instant),
    Released,
}

impl Permit for Slot {
    fn sent(&mut self) {
        self.state = SlotState::Sent(Instant::now());
    }

    fn complete(mut self: Box<Self>, outcome: SlotOutcome) -> BoxFuture<'static, ()> {
        let (attempt, now) = (self.attempt, Instant::now());
        let sent_at = match std::mem::replace(&mut self.state, SlotState::Released) {
            SlotState::Sent(at) => at,
            SlotState::Acquired | SlotState::Released => now,
        };
        let answer_within = self.answer_within;
        self.window.change(|slots| match outcome {
            SlotOutcome::Answered => {
                slots.note_round_trip(now - sent_at);
                slots.answered(attempt, now);
            }
            SlotOutcome::Unanswered => {
                slots.lost(attempt, after(sent_at, answer_within));
            }
            SlotOutcome::NotSent => slots.unsent(attempt, now),
            SlotOutcome::Throttled { retry_after } => {
                slots.throttled(attempt, retry_after, now);
            }
        });
        Box::pin(std::future::ready(()))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let attempt = self.attempt;
        match self.state {
            SlotState::Acquired => self
                .window
                .change(|slots| slots.unsent(attempt, Instant::now())),
            SlotState::Sent(at) => {
                let at_latest = after(at, self.answer_within);
                self.window.change(|slots| {
                    slots.lost(attempt, slots.counted_by(Instant::now(), at_latest));
                });
            }
            SlotState::Released => {}
        }
    }
}
