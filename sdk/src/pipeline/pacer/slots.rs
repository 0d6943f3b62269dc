//! What is known of one rate window, and when who may send in it. The time comes in with each call.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::interface::{Acquire, RateLimiterError};
use super::queue::{QueuePosition, STALLED_AFTER};
use super::waits::{MINUTE, after, random_fraction};
use crate::operation_info::RateGroup;
use crate::request_options::Priority;

/// What a budget keeps to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub(super) strict: u32,
    pub(super) default: u32,
    pub(super) window: Duration,
    pub(super) batch_reserve: u32,
}

impl Limits {
    /// As documented by the service: 60 and 100 requests a minute.
    pub(super) const DOCUMENTED: Self = Self {
        strict: 60,
        default: 100,
        window: MINUTE,
        batch_reserve: 5,
    };

    pub(super) fn window_of(&self, group: RateGroup) -> WindowLimits {
        let limit = match group {
            RateGroup::Strict => self.strict,
            RateGroup::Default => self.default,
        };
        WindowLimits {
            limit: limit as usize,
            // One slot is always left to batch callers.
            reserve: self.batch_reserve.min(limit.saturating_sub(1)) as usize,
            length: self.window,
        }
    }
}

/// What a window keeps to.
#[derive(Debug, Clone, Copy)]
pub(super) struct WindowLimits {
    pub(super) limit: usize,
    reserve: usize,
    pub(super) length: Duration,
}

impl WindowLimits {
    /// Slots that are left alone.
    fn reserve(&self, priority: Priority) -> usize {
        match priority {
            Priority::Interactive => 0,
            Priority::Batch => self.reserve,
        }
    }

    /// Slots that can be taken.
    pub(super) fn room(&self, priority: Priority) -> usize {
        self.limit - self.reserve(priority)
    }
}

/// The slots of one window. There is at least one.
#[derive(Debug)]
pub(super) struct Slots {
    pub(super) limits: WindowLimits,
    /// Attempts under way, in the order in which they were let through, with the time at which each slot is free again at
    /// the latest: who awaits the answer may stand still.
    held: VecDeque<HeldSlot>,
    /// When each slot whose answer arrived is free again, soonest first.
    pub(super) cooling: VecDeque<Instant>,
    /// After a 429: nothing goes out before.
    pub(super) closed_until: Option<Instant>,
    /// After a 429 that did not say for how long: from when on the next one may go, while its answer is awaited alone.
    pub(super) probe_from: Option<Instant>,
    /// How many such 429s there were in a row.
    repeats: u32,
    /// Of the answers that came; zero before the first.
    longest_round_trip: Duration,
    /// Rises with each 429 that closes the window: those of the attempts that were under way with it say nothing new.
    epoch: Epoch,
    /// How many were let through so far.
    let_through: u64,
}

/// The epoch in which an attempt was let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Epoch(u64);

/// An attempt that was let through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LetThrough {
    number: u64,
    epoch: Epoch,
}

#[derive(Debug)]
struct HeldSlot {
    number: u64,
    free: Instant,
}

/// How things stand for somebody who cannot go yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wait {
    /// There is no slot before.
    pub(super) earliest: Instant,
    /// The first in the queue need not look before, unless it is woken.
    pub(super) look_again: Instant,
    /// Whether there will be one then, as far as this process knows; else it depends on answers that are still to come.
    pub(super) is_known: bool,
}

impl Wait {
    /// What somebody is told who can wait no longer.
    fn free_in(&self, now: Instant) -> Duration {
        match self.earliest.saturating_duration_since(now) {
            // An answer that may come any moment is waited for.
            Duration::ZERO => SHORTEST_CLOSURE,
            wait => wait,
        }
    }
}

/// How long somebody waits who asked for a slot.
pub(super) struct WaitLimit<'a> {
    request: &'a Acquire<'a>,
    pub(super) latest: Instant,
    last_notice: Option<WaitNotice>,
}

/// What is told of a wait.
enum WaitNotice {
    /// How long it waits if all that is under way is answered now.
    Estimate,
    /// How long it waits.
    Length,
}

impl<'a> WaitLimit<'a> {
    pub(super) fn of(request: &'a Acquire<'a>) -> Self {
        Self {
            request,
            latest: after(Instant::now(), request.queue_timeout),
            last_notice: None,
        }
    }

    /// Until when to wait before looking again, unless woken. That there is a wait is told at once, and its length
    /// once that is known.
    ///
    /// # Errors
    /// When there is no slot in time.
    pub(super) fn until(
        &mut self,
        wait: Wait,
        ahead: QueuePosition,
        now: Instant,
    ) -> Result<Instant, RateLimiterError> {
        if wait.earliest > self.latest || now >= self.latest {
            let free_in = Some(wait.free_in(now));
            return Err(RateLimiterError::Exhausted { free_in });
        }
        self.tell(wait, now);
        Ok(match ahead == QueuePosition::NOBODY {
            true => wait.look_again.min(self.latest),
            // It is woken when it is the first, unless one in front of it has stalled.
            false => after(wait.look_again, STALLED_AFTER).min(self.latest),
        })
    }

    fn tell(&mut self, wait: Wait, now: Instant) {
        let is_news = match self.last_notice {
            None => true,
            Some(WaitNotice::Estimate) => wait.is_known,
            Some(WaitNotice::Length) => false,
        };
        if is_news {
            self.request.waiting(wait.free_in(now));
            self.last_notice = Some(match wait.is_known {
                true => WaitNotice::Length,
                false => WaitNotice::Estimate,
            });
        }
    }
}

impl Slots {
    pub(super) fn new(limits: WindowLimits) -> Self {
        Self {
            limits,
            held: VecDeque::new(),
            cooling: VecDeque::new(),
            closed_until: None,
            probe_from: None,
            repeats: 0,
            longest_round_trip: Duration::ZERO,
            epoch: Epoch(0),
            let_through: 0,
        }
    }

    /// With so many attempts of others under way.
    #[cfg(feature = "redis")]
    pub(super) fn with_held(mut self, held: usize, free: Instant) -> Self {
        let numbers = 0..held as u64;
        self.held = numbers.map(|number| HeldSlot { number, free }).collect();
        self
    }

    /// Takes a slot, if those ahead can all have theirs besides.
    pub(super) fn take(
        &mut self,
        ahead: QueuePosition,
        priority: Priority,
        answer_within: Duration,
        now: Instant,
    ) -> Result<LetThrough, Wait> {
        self.move_on(now);
        let wait = self.wait(ahead, priority, now);
        let may_probe = |from| from <= now && ahead == QueuePosition::NOBODY;
        if wait.earliest > now || !self.probe_from.is_none_or(may_probe) {
            return Err(wait);
        }
        if let Some(next) = &mut self.probe_from {
            *next = after(now, answer_within);
        }
        self.let_through += 1;
        let number = self.let_through;
        let free = after(after(now, answer_within), self.limits.length);
        self.held.push_back(HeldSlot { number, free });
        Ok(LetThrough {
            number,
            epoch: self.epoch,
        })
    }

    /// Whatever was answered before a closed window opens again counted in the window before.
    fn move_on(&mut self, now: Instant) {
        let opened = self.closed_until.take_if(|opens| *opens <= now);
        let void = opened.map_or(now, |opened| after(opened, self.limits.length).max(now));
        self.cooling.drain(..self.cooled_by(void));
        self.held.retain(|slot| slot.free > now);
    }

    fn cooled_by(&self, moment: Instant) -> usize {
        self.cooling.partition_point(|free| *free <= moment)
    }

    /// How long it takes for those ahead to be served, each of whom keeps a slot for a window.
    pub(super) fn wait(&self, ahead: QueuePosition, priority: Priority, now: Instant) -> Wait {
        let WindowLimits { limit, length, .. } = self.limits;
        let closed_until = self.closed_until.filter(|opens| *opens > now);
        let start = closed_until.unwrap_or(now);
        // What is under way may be answered before a closed window opens, which then is empty.
        let (held, void) = match closed_until {
            Some(opens) => (0, after(opens, length)),
            None => (self.held.len(), now),
        };
        let cooled = self.cooled_by(void);
        let cooling = self.cooling.len() - cooled;
        let free = limit.saturating_sub(held + cooling);
        let slot = |index: usize| match index.checked_sub(free) {
            None => start,
            Some(index) => match self.cooling.get(cooled + index) {
                Some(free) => *free,
                None => after(start, length),
            },
        };

        let room = self.limits.room(priority);
        let place = ahead.interactive + self.limits.reserve(priority) + ahead.batch % room;
        let rounds = place / limit + ahead.batch / room;
        let later = length.saturating_mul(u32::try_from(rounds).unwrap_or(u32::MAX));
        // The first slot comes round again before one whose answer was lost long after it.
        let soonest = slot(place % limit).min(after(slot(0), length));
        let earliest = after(soonest, later);

        let probe_is_out = self.probe_from.filter(|from| *from > start);
        let is_known = rounds == 0 && place % limit < free + cooling && probe_is_out.is_none();
        let look_again = earliest.max(probe_is_out.unwrap_or(start));
        // An attempt that stands still gives its slot back without a word.
        let given_back = self.held.iter().map(|slot| slot.free).min();
        let given_back = given_back.filter(|_| !is_known && closed_until.is_none());
        Wait {
            earliest,
            look_again: given_back.map_or(look_again, |free| look_again.min(free)),
            is_known,
        }
    }

    /// The answer arrived.
    pub(super) fn answered(&mut self, attempt: LetThrough, now: Instant) {
        self.lost(attempt, now);
        if self.awaits(attempt) {
            self.probe_from = None;
            self.repeats = 0;
        }
    }

    /// An answer took so long.
    pub(super) fn note_round_trip(&mut self, latency: Duration) {
        self.longest_round_trip = self.longest_round_trip.max(latency);
    }

    /// When the service has counted, at the latest, what its caller gave up now.
    pub(super) fn counted_by(&self, now: Instant, at_latest: Instant) -> Instant {
        match self.longest_round_trip {
            Duration::ZERO => at_latest,
            longest => after(now, longest).min(at_latest),
        }
    }

    /// It left, and its answer is no longer awaited; the service counted it by `counted_by`.
    pub(super) fn lost(&mut self, attempt: LetThrough, counted_by: Instant) {
        self.release(attempt);
        let free = after(counted_by, self.limits.length);
        self.cooling.insert(self.cooled_by(free), free);
    }

    /// It never left.
    pub(super) fn unsent(&mut self, attempt: LetThrough, now: Instant) {
        self.release(attempt);
        if self.awaits(attempt) {
            self.probe_from = Some(now);
        }
    }

    /// Whether it is a probe: nothing else is let through since the last 429.
    fn awaits(&self, attempt: LetThrough) -> bool {
        self.probe_from.is_some() && attempt.epoch == self.epoch
    }

    fn release(&mut self, attempt: LetThrough) {
        let place = self
            .held
            .partition_point(|slot| slot.number < attempt.number);
        let held = self.held.get(place).map(|slot| slot.number);
        if held == Some(attempt.number) {
            self.held.remove(place);
        }
    }

    /// It was refused: others have used the window.
    pub(super) fn throttled(
        &mut self,
        attempt: LetThrough,
        retry_after: Option<Duration>,
        now: Instant,
    ) {
        self.release(attempt);
        let is_news = attempt.epoch == self.epoch;
        let closure = Closure::of(retry_after, self.limits.length);
        let is_exact = matches!(closure, Closure::Exact(_));
        if !is_news && !is_exact {
            return;
        }
        let wait = match closure {
            Closure::Exact(wait) | Closure::Longest(wait) => wait,
            Closure::Guessed => guess(self.repeats, self.limits.length),
        };
        let opens = after(now, wait);
        self.closed_until = self.closed_until.max(Some(opens));
        if is_news {
            self.epoch.0 += 1;
            self.probe_from = (!is_exact).then_some(opens);
            self.repeats = if is_exact { 0 } else { self.repeats + 1 };
        }
    }

    /// Forgets what 429s have closed.
    pub(super) fn clear_throttle(&mut self) {
        self.closed_until = None;
        self.probe_from = None;
        self.repeats = 0;
    }
}

/// How long a 429 closes the window.
pub(super) enum Closure {
    /// So long, and then it is empty.
    Exact(Duration),
    /// As long as is plausible, and then a probe says more.
    Longest(Duration),
    /// Longer with each repeat, and then a probe says more.
    Guessed,
}

impl Closure {
    pub(super) fn of(retry_after: Option<Duration>, window: Duration) -> Self {
        let longest = window.saturating_add(ROUNDED_UP);
        match retry_after {
            None | Some(Duration::ZERO) => Self::Guessed,
            Some(wait) if wait > longest => Self::Longest(longest),
            Some(wait) => Self::Exact(wait),
        }
    }
}

fn guess(repeats: u32, window: Duration) -> Duration {
    let doubled = SHORTEST_CLOSURE.saturating_mul(1 << repeats.min(30));
    doubled
        .min(window.max(SHORTEST_CLOSURE))
        .mul_f64(random_stretch())
}

/// From 1 to 1.25, so that those who were refused together do not come back together.
pub(super) fn random_stretch() -> f64 {
    1.0 + random_fraction() / 4.0
}

const SHORTEST_CLOSURE: Duration = Duration::from_secs(1);
/// A `Retry-After` is in whole seconds.
const ROUNDED_UP: Duration = Duration::from_secs(1);
