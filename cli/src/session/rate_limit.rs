//! The rate limit of one key, shared by all processes of one user.
//!
//! A key has 60 calls a minute (100 for endpoints and rules), whoever makes them. What has been sent stands in a small
//! database; where there can be none, each process counts its own calls.

use crate::machine::interrupt::StopSign;
use crate::state::clock::{Clock, ClockReading};
use crate::state::database::{self, OpenError};
use crate::state::rate::{Budget, RateDb, SlotRequest, SlotTerms, Throttle};
use secmon::RateGroup;
use secmon::pacing::{
    Acquire, MemoryRateLimiter, Permit, Priority, RateLimiter, RateLimiterError, SlotOutcome,
};
use secmon::transport::BoxFuture;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::Mutex as FairMutex;

/// Calls of the strict window that what has time leaves to people: a run over many, a look at what a scan does.
pub const INTERACTIVE_RESERVE: u32 = 5;

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

/// Says a sentence beside the result.
pub type Notify = Box<dyn Fn(&str) + Send + Sync>;

/// A rate budget kept in a database.
pub struct SharedRateLimit {
    slots: Arc<SlotStore>,
    limits: Limits,
    /// Only the first in each queue of this process looks for a slot.
    turns: [FairMutex<()>; 2],
    /// Nothing more goes out once it is up.
    stop: StopSign,
    /// What counts where the database cannot.
    own: MemoryRateLimiter,
    /// Why it cannot.
    problem: OnceLock<String>,
    notify: Notify,
}

impl SharedRateLimit {
    /// The rate limit of an account (its key at its origin). Nothing is opened before the first call.
    pub fn new(
        path: PathBuf,
        account: &str,
        limits: Limits,
        stop: StopSign,
        notify: Notify,
    ) -> Self {
        let own = MemoryRateLimiter::new(limits.strict, limits.default, limits.window);
        Self {
            slots: Arc::new(SlotStore {
                path,
                account: account.to_owned(),
                window: limits.window,
                clock: OnceLock::new(),
                database: Mutex::default(),
            }),
            limits,
            turns: Default::default(),
            stop,
            own: own.batch_reserve(INTERACTIVE_RESERVE),
            problem: OnceLock::new(),
            notify,
        }
    }

    /// How many calls could go out now, where that is known.
    pub fn left(&self, group: RateGroup) -> Option<u32> {
        let terms = SlotTerms {
            limit: self.limits.of(group),
            hold: self.limits.window,
        };
        let free =
            |database: &mut RateDb, now: &_| database.free(now, self.slots.budget(group), terms);
        let free = match self.problem.get() {
            Some(_) => return None,
            None => self.slots.with(free),
        };
        free.inspect_err(|error| self.note_problem(error)).ok()
    }

    /// Why each process counts its own calls, where it does.
    pub fn problem(&self) -> Option<&str> {
        self.problem.get().map(String::as_str)
    }

    fn note_problem(&self, error: &SlotError) {
        if let SlotError::Unusable(error) = error
            && self.problem.set(error.to_string()).is_ok()
        {
            (self.notify)(&format!(
                "warning: {error}: calls of other secmon processes are not counted"
            ));
        }
    }

    fn limit(&self, group: RateGroup, priority: Priority) -> u32 {
        let reserve = match (group, priority) {
            (RateGroup::Strict, Priority::Batch) => INTERACTIVE_RESERVE,
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

    async fn wait_for_slot(&self, request: &Acquire<'_>) -> Result<i64, NoSlot> {
        let deadline = Instant::now() + request.queue_timeout;
        let budget = self.slots.budget(request.group);
        let terms = SlotTerms {
            limit: self.limit(request.group, request.priority),
            hold: request.answer_within + self.limits.window,
        };
        let free_in = |database: &mut RateDb, now: &_| database.free_in(now, budget, terms);
        let turn = tokio::time::timeout(request.queue_timeout, self.turn(request.priority).lock());
        let turn = tokio::select! {
            biased;
            turn = turn => turn,
            () = self.stop.raised() => return Err(NoSlot::interrupted()),
        };
        let _turn = turn.map_err(|_| {
            let free_in = self.slots.with(free_in).ok().flatten();
            NoSlot::exhausted(free_in.unwrap_or(LOOK_AGAIN))
        })?;
        let mut is_told = false;
        let mut wait = None;
        loop {
            if self.stop.is_up() {
                return Err(NoSlot::interrupted());
            }
            // A look keeps nobody waiting: only who sees a free slot tries to take it.
            let looked = match wait {
                Some(_) => self.slots.with(free_in),
                None => Ok(None),
            };
            let asked = match looked {
                Ok(None) => self
                    .slots
                    .with(|database, now| database.take(now, budget, terms)),
                Ok(Some(wait)) => Ok(SlotRequest::FreeIn(wait)),
                Err(error) => Err(error),
            };
            let left = deadline.saturating_duration_since(Instant::now());
            let free_in = match asked {
                Ok(SlotRequest::Taken(id)) => return Ok(id),
                Ok(SlotRequest::FreeIn(wait)) => wait,
                Err(SlotError::Busy) if left > LOOK_AGAIN => LOOK_AGAIN,
                Err(SlotError::Busy) => return Err(NoSlot::Refused(self.slots.is_held())),
                Err(error) => return Err(NoSlot::NotKept(error)),
            };
            if left.is_zero() || (free_in > left && free_in > LOOK_AGAIN) {
                return Err(NoSlot::exhausted(free_in));
            }
            if !is_told {
                request.waiting(free_in);
                is_told = true;
            }
            wait = Some(free_in);
            let pause = free_in.min(left).min(LOOK_AGAIN);
            let _ = tokio::time::timeout(pause, self.stop.raised()).await;
        }
    }

    /// A slot of those that this process counts by itself.
    async fn own_slot(&self, request: Acquire<'_>) -> Result<Box<dyn Permit>, RateLimiterError> {
        tokio::select! {
            biased;
            permit = self.own.acquire(request) => permit,
            () = self.stop.raised() => Err(interrupted()),
        }
    }
}

impl RateLimiter for SharedRateLimit {
    fn acquire<'a>(
        &'a self,
        request: Acquire<'a>,
    ) -> BoxFuture<'a, Result<Box<dyn Permit>, RateLimiterError>> {
        Box::pin(async move {
            if self.problem.get().is_some() {
                return self.own_slot(request).await;
            }
            match self.wait_for_slot(&request).await {
                Ok(id) => Ok(Box::new(Slot {
                    slots: Arc::clone(&self.slots),
                    group: request.group,
                    id,
                    is_held: true,
                }) as Box<dyn Permit>),
                Err(NoSlot::Refused(error)) => Err(error),
                Err(NoSlot::NotKept(error)) => {
                    self.note_problem(&error);
                    self.own_slot(request).await
                }
            }
        })
    }

    fn window(&self) -> Duration {
        self.limits.window
    }

    fn clear_throttle(&self) -> BoxFuture<'_, ()> {
        // What cannot be written any more stays as it is.
        let account = &self.slots.account;
        let _ = self.slots.with(|database, _| database.reopen(account));
        self.own.clear_throttle()
    }
}

/// Why there is no slot.
enum NoSlot {
    /// None comes free in time.
    Refused(RateLimiterError),
    /// They cannot be counted together with others.
    NotKept(SlotError),
}

impl NoSlot {
    fn exhausted(free_in: Duration) -> Self {
        let free_in = Some(free_in);
        Self::Refused(RateLimiterError::Exhausted { free_in })
    }

    fn interrupted() -> Self {
        Self::Refused(interrupted())
    }
}

fn interrupted() -> RateLimiterError {
    RateLimiterError::Unavailable("the run was interrupted".to_owned())
}

/// The slots of an account.
struct SlotStore {
    path: PathBuf,
    account: String,
    window: Duration,
    clock: OnceLock<Clock>,
    /// Opened when it is first asked.
    database: Mutex<Option<RateDb>>,
}

/// Why the database did not answer.
enum SlotError {
    /// Another process held it for too long.
    Busy,
    /// It cannot be kept.
    Unusable(OpenError),
}

impl SlotStore {
    fn budget(&self, group: RateGroup) -> Budget<'_> {
        Budget {
            account: &self.account,
            group,
        }
    }

    /// Asks the database, which is replaced once where it turns out to be damaged.
    fn with<T>(
        &self,
        ask: impl Fn(&mut RateDb, &ClockReading) -> rusqlite::Result<T>,
    ) -> Result<T, SlotError> {
        let now = self.clock.get_or_init(Clock::of_this_boot).read();
        let mut kept = self.database.lock().unwrap_or_else(PoisonError::into_inner);
        // Somebody may have deleted the file; others count in its successor.
        kept.take_if(|database| !database.is_current());
        let opened = match kept.take() {
            Some(database) => database,
            None => RateDb::open(&self.path, &now, self.window).map_err(SlotError::Unusable)?,
        };
        let database = kept.insert(opened);
        match ask(database, &now) {
            Err(error) if database::is_damage(&error) => {
                *kept = None;
                let renewed = RateDb::renew(&self.path, &now, self.window);
                let database = kept.insert(renewed.map_err(SlotError::Unusable)?);
                ask(database, &now).map_err(|error| self.error(&error))
            }
            answer => answer.map_err(|error| self.error(&error)),
        }
    }

    fn error(&self, error: &rusqlite::Error) -> SlotError {
        match database::is_busy(error) {
            true => SlotError::Busy,
            false => SlotError::Unusable(OpenError::of(&self.path, error)),
        }
    }

    /// The refusal where the file was held until the patience ended.
    fn is_held(&self) -> RateLimiterError {
        RateLimiterError::Unavailable(format!(
            "another process has locked {}, where the calls of this minute are counted: wait until that process has ended, or end it",
            self.path.display()
        ))
    }
}

/// A slot in the database; its end stands there already, so that a process that is killed gives it back.
struct Slot {
    slots: Arc<SlotStore>,
    group: RateGroup,
    id: i64,
    /// Nothing was sent yet.
    is_held: bool,
}

impl Slot {
    /// What cannot be written any more leaves the slot to the end that stands in it.
    fn change(&self, change: impl Fn(&mut RateDb, &ClockReading) -> rusqlite::Result<()>) {
        let _ = self.slots.with(change);
    }
}

impl Permit for Slot {
    fn sent(&mut self) {
        self.is_held = false;
    }

    fn complete(mut self: Box<Self>, outcome: SlotOutcome) -> BoxFuture<'static, ()> {
        self.is_held = false;
        let (id, window) = (self.id, self.slots.window);
        let budget = self.slots.budget(self.group);
        match outcome {
            SlotOutcome::Answered => {
                self.change(|database, now| database.answered(now, budget, id, window));
            }
            // Its end stands in the file already.
            SlotOutcome::Unanswered => {}
            SlotOutcome::NotSent => self.change(|database, _| database.give_back(id)),
            SlotOutcome::Throttled { retry_after } => {
                let throttle = Throttle {
                    retry_after,
                    window,
                };
                self.change(|database, now| database.close(now, budget, throttle));
            }
        }
        Box::pin(std::future::ready(()))
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.is_held {
            self.change(|database, _| database.give_back(self.id));
        }
    }
}
