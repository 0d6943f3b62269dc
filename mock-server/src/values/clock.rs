//! The server's clock: the machine's or a standing one, moved forward by the admin API (M3).

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use secmon_engine::Instant;

/// What time is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TimeSource {
    /// The machine's clock.
    Real,
    /// Stands at this moment until it is moved.
    Manual(Instant),
}

impl TimeSource {
    /// Now, before any offset.
    pub(crate) fn now(self) -> Instant {
        match self {
            Self::Manual(start) => start,
            Self::Real => {
                let since_epoch = SystemTime::now()
                    .duration_since(UNIX_EPOCH)
                    .unwrap_or_default();
                Instant::from_unix_millis(
                    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX),
                )
            }
        }
    }

    /// How far the clock of a state that was closed `ahead` milliseconds ahead is ahead of this
    /// source: never behind the `last` moment that the state knows. `ahead` is negative where an older state was
    /// imported, which goes on from its own time (M2).
    pub(crate) fn resumed(self, ahead: i64, last: Instant) -> i64 {
        let behind = last.unix_millis().saturating_sub(self.now().unix_millis());
        match self {
            Self::Manual(_) if ahead < 0 => behind,
            Self::Manual(_) => behind.max(0),
            Self::Real => ahead.max(behind),
        }
    }

    /// Whether time passes only when it is moved.
    pub(crate) fn stands(self) -> bool {
        matches!(self, Self::Manual(_))
    }

    /// The mode's name in the admin API.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Real => "real",
            Self::Manual(_) => "manual",
        }
    }
}

/// A clock that never goes back. Where the machine's clock is set back, it goes on from where it was, so that windows and
/// cooldowns last as long as they were told to.
#[derive(Debug)]
pub(crate) struct SteadyClock {
    source: TimeSource,
    last: Mutex<Option<Shown>>,
}

/// What a clock showed.
#[derive(Clone, Copy, Debug)]
struct Shown {
    time: Instant,
    /// By a clock that nobody sets.
    at: std::time::Instant,
}

/// A clock that is adjusted bit by bit may lag so far behind one that nobody sets.
const LAG: i64 = 1000;

impl SteadyClock {
    pub(crate) fn new(source: TimeSource) -> Self {
        Self {
            source,
            last: Mutex::default(),
        }
    }

    pub(crate) fn now(&self) -> Instant {
        if let TimeSource::Manual(start) = self.source {
            return start;
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = Shown::after(*last, self.source.now(), std::time::Instant::now());
        *last = Some(shown);
        shown.time
    }
}

impl Shown {
    /// What to show when the source shows `told`.
    fn after(last: Option<Self>, told: Instant, at: std::time::Instant) -> Self {
        let Some(last) = last else {
            return Self { time: told, at };
        };
        if last.time.unix_millis() - told.unix_millis() <= LAG {
            let time = told.max(last.time);
            return Self { time, at };
        }
        // Whole milliseconds: what is left of one counts the next time, however often it is asked.
        let passed = at.saturating_duration_since(last.at).as_millis();
        let passed = Duration::from_millis(u64::try_from(passed).unwrap_or(u64::MAX));
        Self {
            time: last.time.plus(passed),
            at: last.at + passed,
        }
    }
}

/// The longest single movement: ten years. What falls due until then happens in the call, while
/// other calls of the account wait.
pub(crate) const FURTHEST: Duration = Duration::from_secs(3660 * 24 * 60 * 60);

/// A movement of the clock, forward only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Movement {
    /// By this much.
    Advance(Duration),
    /// To this moment.
    Set(Instant),
}

impl Movement {
    /// How far `now` moves; none when it would move backwards.
    pub(crate) fn span(self, now: Instant) -> Option<Duration> {
        match self {
            Self::Advance(span) => Some(span),
            Self::Set(moment) => {
                let millis = moment.unix_millis().checked_sub(now.unix_millis())?;
                u64::try_from(millis).ok().map(Duration::from_millis)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_set_back_goes_on_from_where_it_was() {
        let second = |count: i64| Instant::from_unix_millis(1_800_000_000_000 + count * 1000);
        let started = std::time::Instant::now();
        let mut last = None;
        // What the machine's clock shows, what one shows that nobody sets, and what is shown.
        for (told, passed, shown) in [
            (100, 0, 100),
            (101, 1, 101),
            (41, 2, 102),
            (50, 11, 111),
            (49, 12, 112),
            (-86_400, 20, 120),
            (-86_390, 30, 130),
            (500, 31, 500),
        ] {
            let at = started + Duration::from_secs(passed);
            let now = Shown::after(last, second(told), at);
            assert_eq!(now.time, second(shown), "after {passed} s");
            last = Some(now);
        }
    }

    #[test]
    fn a_clock_that_is_set_back_goes_on_however_often_it_is_asked() {
        let told = Instant::from_unix_millis(1_800_000_000_000);
        let started = std::time::Instant::now();
        let mut shown = Shown {
            time: told.plus(Duration::from_secs(60)),
            at: started,
        };
        for step in 1..=10_000 {
            let at = started + Duration::from_micros(step * 300);
            shown = Shown::after(Some(shown), told, at);
        }
        assert_eq!(shown.time, told.plus(Duration::from_secs(63)));
    }
}
