//! Who waits in this process for a slot of one window.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::waits::after;
use crate::request_options::Priority;

/// So long after its turn a caller whose future nobody polls keeps those behind it waiting.
pub(super) const STALLED_AFTER: Duration = Duration::from_secs(1);

/// The interactive callers first, each kind in the order in which it came.
#[derive(Default)]
pub(super) struct Queue {
    lines: Mutex<Lines>,
}

#[derive(Default)]
struct Lines {
    numbers_given: u64,
    interactive: VecDeque<Waiter>,
    batch: VecDeque<Waiter>,
}

struct Waiter {
    number: u64,
    wakeup: Arc<Notify>,
    /// When it looks whether there is a slot, if its future is polled then.
    looks_at: Instant,
}

impl Waiter {
    /// Whether its future is not polled: whoever stands behind it goes first until it is.
    fn is_stalled(&self, now: Instant) -> bool {
        self.stalls_at() <= now
    }

    fn stalls_at(&self) -> Instant {
        after(self.looks_at, STALLED_AFTER)
    }
}

/// How many are served before somebody.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct QueuePosition {
    pub(super) interactive: usize,
    pub(super) batch: usize,
}

impl QueuePosition {
    pub(super) const NOBODY: Self = Self {
        interactive: 0,
        batch: 0,
    };

    fn count(self) -> usize {
        self.interactive + self.batch
    }
}

impl Queue {
    /// Who would be served before somebody who came now.
    pub(super) fn ahead_of_next(&self, priority: Priority, now: Instant) -> QueuePosition {
        self.lines().ahead_of(priority, u64::MAX, now)
    }

    pub(super) fn join(&self, priority: Priority) -> QueueTicket<'_> {
        let wakeup = Arc::new(Notify::new());
        let mut lines = self.lines();
        let number = lines.numbers_given;
        lines.numbers_given += 1;
        lines.of(priority).push_back(Waiter {
            number,
            wakeup: wakeup.clone(),
            looks_at: Instant::now(),
        });
        QueueTicket {
            queue: self,
            priority,
            number,
            wakeup,
        }
    }

    /// Something changed that may let the first go earlier.
    pub(super) fn wake_first(&self) {
        self.lines().wake_first(Instant::now());
    }

    fn lines(&self) -> MutexGuard<'_, Lines> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lines {
    fn of(&mut self, priority: Priority) -> &mut VecDeque<Waiter> {
        match priority {
            Priority::Interactive => &mut self.interactive,
            Priority::Batch => &mut self.batch,
        }
    }

    /// The first whose future is polled.
    fn first(&mut self, now: Instant) -> Option<&mut Waiter> {
        let waiters = self.interactive.iter_mut().chain(&mut self.batch);
        let mut polled = waiters.filter(|waiter| !waiter.is_stalled(now));
        polled.next()
    }

    fn wake_first(&mut self, now: Instant) {
        if let Some(first) = self.first(now) {
            first.looks_at = first.looks_at.min(now);
            first.wakeup.notify_one();
        }
    }

    fn ahead_of(&self, priority: Priority, number: u64, now: Instant) -> QueuePosition {
        let before = |line: &VecDeque<Waiter>, number: u64| {
            let place = line.partition_point(|waiter| waiter.number < number);
            let in_front = line.iter().take(place);
            place - in_front.take_while(|waiter| waiter.is_stalled(now)).count()
        };
        match priority {
            Priority::Interactive => QueuePosition {
                interactive: before(&self.interactive, number),
                batch: 0,
            },
            Priority::Batch => QueuePosition {
                interactive: before(&self.interactive, u64::MAX),
                batch: before(&self.batch, number),
            },
        }
    }
}

/// Given up when dropped; whoever is first then is woken.
pub(super) struct QueueTicket<'a> {
    queue: &'a Queue,
    priority: Priority,
    number: u64,
    wakeup: Arc<Notify>,
}

impl QueueTicket<'_> {
    pub(super) fn ahead(&self, now: Instant) -> QueuePosition {
        self.queue.lines().ahead_of(self.priority, self.number, now)
    }

    /// Says when this caller looks again, unless it is woken before. The second looks too when the first has stalled.
    pub(super) fn looks_again(&self, until: Instant, now: Instant) -> Instant {
        let mut lines = self.queue.lines();
        let ahead = lines.ahead_of(self.priority, self.number, now);
        let first = lines.first(now).filter(|_| ahead.count() == 1);
        let until = first.map_or(until, |first| until.min(first.stalls_at()));
        let line = lines.of(self.priority);
        if let Ok(place) = line.binary_search_by_key(&self.number, |waiter| waiter.number) {
            line[place].looks_at = until;
        }
        until
    }

    /// Until this place is the first, or something changed for the first.
    pub(super) async fn woken(&self) {
        self.wakeup.notified().await;
    }

    /// The same, at the longest until then.
    pub(super) async fn woken_by(&self, until: Instant, now: Instant) {
        let until = self.looks_again(until, now);
        let _ = timeout_at(until, self.woken()).await;
    }
}

impl Drop for QueueTicket<'_> {
    fn drop(&mut self) {
        let mut lines = self.queue.lines();
        let line = lines.of(self.priority);
        if let Ok(place) = line.binary_search_by_key(&self.number, |waiter| waiter.number) {
            line.remove(place);
        }
        lines.wake_first(Instant::now());
    }
}
