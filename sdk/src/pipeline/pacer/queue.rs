//! Who waits in this process for a slot of one window.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::request_options::Priority;

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
}

impl Queue {
    /// Who would be served before somebody who came now.
    pub(super) fn ahead_of_next(&self, priority: Priority) -> QueuePosition {
        self.lines().ahead_of(priority, u64::MAX)
    }

    pub(super) fn join(&self, priority: Priority) -> QueueTicket<'_> {
        let wakeup = Arc::new(Notify::new());
        let mut lines = self.lines();
        let number = lines.numbers_given;
        lines.numbers_given += 1;
        lines.of(priority).push_back(Waiter {
            number,
            wakeup: wakeup.clone(),
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
        self.lines().wake_first();
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

    fn wake_first(&self) {
        if let Some(first) = self.interactive.front().or(self.batch.front()) {
            first.wakeup.notify_one();
        }
    }

    fn ahead_of(&self, priority: Priority, number: u64) -> QueuePosition {
        let before =
            |line: &VecDeque<Waiter>| line.partition_point(|waiter| waiter.number < number);
        match priority {
            Priority::Interactive => QueuePosition {
                interactive: before(&self.interactive),
                batch: 0,
            },
            Priority::Batch => QueuePosition {
                interactive: self.interactive.len(),
                batch: before(&self.batch),
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
    pub(super) fn ahead(&self) -> QueuePosition {
        self.queue.lines().ahead_of(self.priority, self.number)
    }

    /// Until this place is the first, or something changed for the first.
    pub(super) async fn woken(&self) {
        self.wakeup.notified().await;
    }
}

impl Drop for QueueTicket<'_> {
    fn drop(&mut self) {
        let mut lines = self.queue.lines();
        let line = lines.of(self.priority);
        if let Ok(place) = line.binary_search_by_key(&self.number, |waiter| waiter.number) {
            line.remove(place);
        }
        lines.wake_first();
    }
}
