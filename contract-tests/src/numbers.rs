//! Numbers that nobody else has.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// A number that no other case has, and no earlier run: where a server is shared, it remembers.
pub(crate) fn next_shared_number() -> u64 {
    static NEXT: LazyLock<AtomicU64> = LazyLock::new(|| AtomicU64::new(now_in_micros()));
    NEXT.fetch_add(1, Ordering::Relaxed) % 1_000_000_000_000_000 + 1
}

pub(crate) fn now_in_micros() -> u64 {
    let age = SystemTime::now().duration_since(UNIX_EPOCH);
    age.map_or(0, |age| age.as_micros() as u64)
}
