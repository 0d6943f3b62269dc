//! The arithmetic of waits.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use tokio::time::Instant;

/// So much later; a wait beyond what the clock can count ends with the clock's last year.
pub(crate) fn after(start: Instant, wait: Duration) -> Instant {
    start.checked_add(wait).unwrap_or(start + LONGEST_WAIT)
}

/// Evenly spread; the hasher's keys are the standard library's only source of chance.
pub(super) fn random_number() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// The same, from 0 to 1.
pub(crate) fn random_fraction() -> f64 {
    random_number() as f64 / u64::MAX as f64
}

pub(super) const MINUTE: Duration = Duration::from_secs(60);
/// A hundred years.
const LONGEST_WAIT: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);
