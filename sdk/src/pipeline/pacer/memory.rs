//! The budget of one process.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as FairMutex, Notify};
use tokio::time::{Instant, timeout_at};

use super::{Acquire, Budget, BudgetError, Permit, Settlement, after};
use crate::operation::RateGroup;
use crate::pipeline::transport::BoxFuture;

/// A budget kept in memory, shared by everyone who holds the same one.
pub struct MemoryBudget {
    strict: Arc<Window>,
    default: Arc<Window>,
}

impl MemoryBudget {
    /// `strict` and `default` requests in each `window`; a limit of zero lets nothing through.
    pub fn new(strict: u32, default: u32, window: Duration) -> Self {
        Self {
            strict: Arc::new(Window::new(strict, window)),
            default: Arc::new(Window::new(default, window)),
        }
    }
}

impl Default for MemoryBudget {
    /// The documented limits: 60 and 100 requests a minute.
    fn default() -> Self {
        Self::new(60, 100, Duration::from_secs(60))
    }
}

impl fmt::Debug for MemoryBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryBudget")
            .field("strict", &self.strict.limit)
            .field("default", &self.default.limit)
            .field("window", &self.strict.length)
            .finish_non_exhaustive()
    }
}

impl Budget for MemoryBudget {
    fn acquire<'a>(
        &'a self,
        request: Acquire<'a>,
    ) -> BoxFuture<'a, Result<Box<dyn Permit>, BudgetError>> {
        let window = match request.group {
            RateGroup::Strict => &self.strict,
            RateGroup::Default => &self.default,
        };
        Box::pin(async move {
            window.wait_for_slot(&request).await?;
            Ok(Box::new(Slot {
                window: window.clone(),
                answer_within: request.answer_within,
                state: SlotState::Held,
            }) as Box<dyn Permit>)
        })
    }
}

/// One rate window.
struct Window {
    limit: usize,
    length: Duration,
    slots: Mutex<Slots>,
    /// Only the first in the queue looks for a slot; the others wait for this lock, which is handed on in order.
    turn: FairMutex<()>,
    freed: Notify,
}

#[derive(Default)]
struct Slots {
    /// Attempts under way.
    held: usize,
    /// When each slot whose answer arrived is free again, soonest first.
    cooling: VecDeque<Instant>,
    /// After a 429: nothing goes out before.
    closed_until: Option<Instant>,
}

/// What the first in the queue finds.
enum Look {
    Taken,
    FreeAt(Instant),
    AllHeld,
}

impl Window {
    fn new(limit: u32, length: Duration) -> Self {
        Self {
            limit: limit as usize,
            length,
            slots: Mutex::default(),
            turn: FairMutex::default(),
            freed: Notify::new(),
        }
    }

    async fn wait_for_slot(&self, request: &Acquire<'_>) -> Result<(), BudgetError> {
        let latest = after(Instant::now(), request.patience);
        let never = |_| BudgetError::Exhausted { free_in: None };
        let _turn = timeout_at(latest, self.turn.lock()).await.map_err(never)?;
        loop {
            let freed = self.freed.notified();
            match self.look() {
                Look::Taken => return Ok(()),
                Look::FreeAt(free) if free > latest => {
                    return Err(BudgetError::Exhausted {
                        free_in: Some(free - Instant::now()),
                    });
                }
                Look::FreeAt(free) => {
                    request.waiting(free - Instant::now());
                    // A slot that is given back unsent may come earlier; either way the next look decides.
                    let _ = timeout_at(free, freed).await;
                }
                Look::AllHeld => timeout_at(latest, freed).await.map_err(never)?,
            }
        }
    }

    fn look(&self) -> Look {
        let now = Instant::now();
        let mut slots = self.slots();
        if let Some(opens) = slots.closed_until.filter(|opens| *opens > now) {
            return Look::FreeAt(opens);
        }
        while slots.cooling.front().is_some_and(|free| *free <= now) {
            slots.cooling.pop_front();
        }
        if slots.held + slots.cooling.len() < self.limit {
            slots.held += 1;
            return Look::Taken;
        }
        slots
            .cooling
            .front()
            .map_or(Look::AllHeld, |free| Look::FreeAt(*free))
    }

    /// Ends a held slot; with `cooled_at` it stays taken until then.
    fn release(&self, cooled_at: Option<Instant>) {
        let mut slots = self.slots();
        slots.held -= 1;
        if let Some(free) = cooled_at {
            let place = slots.cooling.partition_point(|other| *other <= free);
            slots.cooling.insert(place, free);
        }
        drop(slots);
        self.freed.notify_waiters();
    }

    /// Others have used the window up: what this process knew of it is void once it opens again.
    fn close_for(&self, wait: Duration) {
        let opens = after(Instant::now(), wait);
        let mut slots = self.slots();
        slots.cooling.clear();
        slots.closed_until = slots.closed_until.max(Some(opens));
    }

    fn slots(&self) -> MutexGuard<'_, Slots> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Slot {
    window: Arc<Window>,
    answer_within: Duration,
    state: SlotState,
}

#[derive(Clone, Copy)]
enum SlotState {
    Held,
    Sent(Instant),
    Settled,
}

impl Permit for Slot {
    fn sent(&mut self) {
        self.state = SlotState::Sent(Instant::now());
    }

    fn settle(mut self: Box<Self>, settlement: Settlement) -> BoxFuture<'static, ()> {
        self.state = SlotState::Settled;
        match settlement {
            Settlement::Answered => self
                .window
                .release(Some(after(Instant::now(), self.window.length))),
            Settlement::NotSent => self.window.release(None),
            Settlement::Throttled { retry_after } => {
                self.window.close_for(retry_after);
                self.window.release(None);
            }
        }
        Box::pin(std::future::ready(()))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        match self.state {
            SlotState::Held => self.window.release(None),
            SlotState::Sent(at) => {
                self.window.release(Some(after(
                    after(at, self.answer_within),
                    self.window.length,
                )));
            }
            SlotState::Settled => {}
        }
    }
}
