//! The pace of one key, shared by all processes of one user.
//!
//! A key has 60 calls a minute (100 for endpoints and rules), whoever makes them. What has been sent is written to a
//! small file that every process locks for the moment of a look; its name is a hash of address and key.

pub mod ledger;

use crate::machine::interrupt::StopSign;
use crate::machine::paths;
use ledger::{Ledger, Taken};
use secmon::RateGroup;
use secmon::pacing::{Acquire, Permit, Priority, RateLimiter, RateLimiterError, SlotOutcome};
use secmon::transport::BoxFuture;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::Mutex as FairMutex;

/// Calls of the strict window that what has time leaves to people: a run over many, a look at what a scan does.
pub const LEFT_TO_PEOPLE: u32 = 5;

/// The longest sleep between two looks: another process may give a slot back sooner than it said.
const LOOK_AGAIN: Duration = Duration::from_millis(250);

/// The two limits and the window they count in.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Calls of the strict group.
    pub strict: u32,
    /// Calls of the default group.
    pub default: u32,
    /// Length of the window.
    pub window: Duration,
}

impl Limits {
    /// What the service documents.
    pub const DOCUMENTED: Self = Self {
        strict: 60,
        default: 100,
        window: Duration::from_secs(60),
    };

    fn of(&self, group: RateGroup) -> u32 {
        match group {
            RateGroup::Strict => self.strict,
            RateGroup::Default => self.default,
        }
    }
}

/// A rate budget kept in a file.
pub struct SharedPace {
    file: Arc<PathBuf>,
    limits: Limits,
    /// Only the first in each queue of this process looks for a slot.
    turns: [FairMutex<()>; 2],
    /// Nothing more goes out once it is up.
    stop: StopSign,
}

impl SharedPace {
    /// The pace of an account (its key at its origin); `None` where no file can be kept.
    pub fn open(account: &str, limits: Limits, stop: StopSign) -> Option<Self> {
        let folder = paths::pace_folder().ok()?;
        std::fs::create_dir_all(&folder).ok()?;
        let file = Arc::new(folder.join(account));
        match Ledger::open(&file, limits.window, now()) {
            // Whoever holds it lets it go, or is told of when a slot is asked for.
            Err(error) if is_held(&error) => {}
            opened => drop(opened.ok()?),
        }
        Some(Self {
            file,
            limits,
            turns: Default::default(),
            stop,
        })
    }

    /// How many calls could go out now.
    pub fn left(&self, group: RateGroup) -> Option<u32> {
        let ledger = Ledger::open(&self.file, self.limits.window, now()).ok()?;
        Some(ledger.free(group, self.limits.of(group)))
    }

    fn limit(&self, group: RateGroup, priority: Priority) -> u32 {
        let reserve = match (group, priority) {
            (RateGroup::Strict, Priority::Batch) => LEFT_TO_PEOPLE,
            _ => 0,
        };
        self.limits.of(group).saturating_sub(reserve).max(1)
    }

    /// The queue of calls of one priority: people do not stand behind what has time.
    fn turn(&self, priority: Priority) -> &FairMutex<()> {
        let [people, batch] = &self.turns;
        match priority {
            Priority::Interactive => people,
            Priority::Batch => batch,
        }
    }

    /// The refusal of a call whose turn does not come within its patience.
    fn exhausted(&self, group: RateGroup, limit: u32) -> RateLimiterError {
        let ledger = Ledger::open(&self.file, self.limits.window, now()).ok();
        let free_in = ledger.and_then(|ledger| ledger.free_in(group, limit));
        RateLimiterError::Exhausted {
            free_in: Some(free_in.unwrap_or(LOOK_AGAIN)),
        }
    }

    /// The refusal where the file was held until the patience ended.
    fn held(&self) -> RateLimiterError {
        RateLimiterError::Unavailable(format!(
            "another process holds {}, which counts the calls of this minute: wait until it has ended, or end it",
            self.file.display()
        ))
    }

    async fn wait_for_slot(&self, request: &Acquire<'_>) -> Result<u64, RateLimiterError> {
        let ends = Instant::now() + request.queue_timeout;
        let limit = self.limit(request.group, request.priority);
        let turn = tokio::time::timeout(request.queue_timeout, self.turn(request.priority).lock());
        let turn = tokio::select! {
            biased;
            turn = turn => turn,
            () = self.stop.raised() => return Err(interrupted()),
        };
        let _turn = turn.map_err(|_| self.exhausted(request.group, limit))?;
        let mut told = false;
        loop {
            if self.stop.is_up() {
                return Err(interrupted());
            }
            let now = now();
            let lost_at = now + millis(request.answer_within + self.limits.window);
            let taken = Ledger::open(&self.file, self.limits.window, now)
                .and_then(|mut ledger| ledger.take(request.group, limit, lost_at));
            let left = ends.saturating_duration_since(Instant::now());
            let free_in = match taken {
                Ok(Taken::Slot(id)) => return Ok(id),
                Ok(Taken::FreeIn(wait)) => wait,
                // What cannot be read counts as taken.
                Err(error) if is_held(&error) && left > LOOK_AGAIN => LOOK_AGAIN,
                Err(error) if is_held(&error) => return Err(self.held()),
                Err(error) => return Err(RateLimiterError::Unavailable(error.to_string())),
            };
            if left.is_zero() || (free_in > left && free_in > LOOK_AGAIN) {
                return Err(RateLimiterError::Exhausted {
                    free_in: Some(free_in),
                });
            }
            if !told {
                request.waiting(free_in);
                told = true;
            }
            let pause = free_in.min(left).min(LOOK_AGAIN);
            let _ = tokio::time::timeout(pause, self.stop.raised()).await;
        }
    }
}

impl RateLimiter for SharedPace {
    fn acquire<'a>(
        &'a self,
        request: Acquire<'a>,
    ) -> BoxFuture<'a, Result<Box<dyn Permit>, RateLimiterError>> {
        Box::pin(async move {
            let id = self.wait_for_slot(&request).await?;
            Ok(Box::new(Slot {
                file: Arc::clone(&self.file),
                window: self.limits.window,
                group: request.group,
                id,
                is_held: true,
            }) as Box<dyn Permit>)
        })
    }

    fn window(&self) -> Duration {
        self.limits.window
    }

    fn clear_throttle(&self) -> BoxFuture<'_, ()> {
        // A ledger that cannot be written any more stays as it is.
        let _ = Ledger::open(&self.file, self.limits.window, now())
            .and_then(|mut ledger| ledger.reopen());
        Box::pin(std::future::ready(()))
    }
}

/// A slot in the file; its end stands there already, so that a process that is killed gives it back.
struct Slot {
    file: Arc<PathBuf>,
    window: Duration,
    group: RateGroup,
    id: u64,
    /// Nothing was sent yet.
    is_held: bool,
}

impl Slot {
    /// A ledger that cannot be written any more leaves the slot to the end that stands in it.
    fn change(&self, change: impl FnOnce(&mut Ledger) -> std::io::Result<()>) {
        let _ =
            Ledger::open(&self.file, self.window, now()).and_then(|mut ledger| change(&mut ledger));
    }
}

impl Permit for Slot {
    fn sent(&mut self) {
        self.is_held = false;
    }

    fn complete(mut self: Box<Self>, outcome: SlotOutcome) -> BoxFuture<'static, ()> {
        self.is_held = false;
        let (group, id) = (self.group, self.id);
        match outcome {
            SlotOutcome::Answered => {
                let free_at = now() + millis(self.window);
                self.change(|ledger| ledger.answered(group, id, free_at));
            }
            // Its end stands in the file already.
            SlotOutcome::Unanswered => {}
            SlotOutcome::NotSent => self.change(|ledger| ledger.give_back(group, id)),
            SlotOutcome::Throttled { retry_after } => {
                self.change(|ledger| ledger.close(group, retry_after, self.window));
            }
        }
        Box::pin(std::future::ready(()))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.is_held {
            self.change(|ledger| ledger.give_back(self.group, self.id));
        }
    }
}

/// Whether a ledger cannot be opened because another process has it locked.
fn is_held(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::WouldBlock
}

fn interrupted() -> RateLimiterError {
    RateLimiterError::Unavailable("the run was interrupted".to_owned())
}

/// Milliseconds since 1970: what two processes have in common.
fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, millis)
}

fn millis(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX / 2)
}
