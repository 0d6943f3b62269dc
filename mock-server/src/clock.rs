//! The server's clock: the machine's or a standing one, moved forward by the admin API (M3).

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
    /// source: never behind the `last` moment that the state knows.
    pub(crate) fn resumed(self, ahead: u64, last: Instant) -> u64 {
        let behind = last.unix_millis().saturating_sub(self.now().unix_millis());
        let behind = u64::try_from(behind).unwrap_or(0);
        match self {
            Self::Manual(_) => behind,
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
