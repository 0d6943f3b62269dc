//! What a budget in memory does on its own, on a paused clock: order, refusals, and what follows a 429.

mod after_429;
mod waiting;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use secmon::RateGroup;
use secmon::pacing::{
    Acquire, MemoryRateLimiter, NoRateLimit, Permit, Priority, RateLimiter, RateLimiterError,
    SlotOutcome,
};
use tokio::task::{JoinHandle, yield_now};
use tokio::time::{Instant, sleep};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// The time-out of every attempt here.
const ANSWER_WITHIN: Duration = Duration::from_secs(30);
const BAD: SlotOutcome = throttled(None);

use Priority::{Batch, Interactive};

const fn throttled(retry_after: Option<Duration>) -> SlotOutcome {
    SlotOutcome::Throttled { retry_after }
}

async fn ask(
    budget: &MemoryRateLimiter,
    priority: Priority,
    queue_timeout: Duration,
) -> Result<Box<dyn Permit>, RateLimiterError> {
    let silent = |_| {};
    let request = Acquire::new(
        RateGroup::Strict,
        priority,
        queue_timeout,
        ANSWER_WITHIN,
        &silent,
    );
    budget.acquire(request).await
}

/// A permit whose request is on its way, waited for as long as it takes.
async fn send(budget: &MemoryRateLimiter) -> Box<dyn Permit> {
    let mut permit = ask(budget, Interactive, DAY).await.expect("a permit");
    permit.sent();
    permit
}

async fn send_now(budget: &MemoryRateLimiter) -> Box<dyn Permit> {
    let mut permit = ask(budget, Interactive, Duration::ZERO)
        .await
        .expect("a free slot");
    permit.sent();
    permit
}

async fn complete(budget: &MemoryRateLimiter, outcome: SlotOutcome) {
    send(budget).await.complete(outcome).await;
}

/// When somebody without queue_timeout is told that there would have been a slot.
async fn free_in(budget: &MemoryRateLimiter, priority: Priority) -> Duration {
    match ask(budget, priority, Duration::ZERO).await.err() {
        Some(RateLimiterError::Exhausted {
            free_in: Some(wait),
        }) => wait,
        other => panic!("{other:?}"),
    }
}

async fn is_free(budget: &MemoryRateLimiter) -> bool {
    // Given back unsent.
    ask(budget, Interactive, Duration::ZERO).await.is_ok()
}

/// Callers of one budget, in the background; each is answered at once and says when it was served.
struct Callers {
    budget: Arc<MemoryRateLimiter>,
    served: Arc<Mutex<Vec<(usize, Instant)>>>,
    started: Vec<JoinHandle<()>>,
}

impl Callers {
    fn of(budget: &Arc<MemoryRateLimiter>) -> Self {
        Self {
            budget: budget.clone(),
            served: Arc::default(),
            started: Vec::new(),
        }
    }

    async fn come(&mut self, priority: Priority) {
        let number = self.started.len();
        let (budget, served) = (self.budget.clone(), self.served.clone());
        self.started.push(tokio::spawn(async move {
            let mut permit = ask(&budget, priority, DAY).await.expect("a permit");
            served
                .lock()
                .expect("a list")
                .push((number, Instant::now()));
            permit.sent();
            permit.complete(SlotOutcome::Answered).await;
        }));
        yield_now().await;
    }

    async fn come_many(&mut self, priority: Priority, callers: usize) {
        for _ in 0..callers {
            self.come(priority).await;
        }
    }

    /// Their numbers, in the order in which they were served.
    async fn order(self) -> Vec<usize> {
        let served = self.times().await;
        served.into_iter().map(|(number, _)| number).collect()
    }

    async fn times(self) -> Vec<(usize, Instant)> {
        for caller in self.started {
            // One that was aborted says so.
            let _ = caller.await;
        }
        std::mem::take(&mut self.served.lock().expect("a list"))
    }
}
