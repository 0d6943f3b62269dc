//! What time it is, for processes that share a file.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The clocks of this computer.
#[derive(Debug, Clone)]
pub struct Clock {
    boot: String,
}

/// A moment, on both clocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClockReading {
    /// Names the boot that `up_ms` counts from.
    pub boot: String,
    /// Milliseconds since that boot, sleep included. No step of the clock changes them.
    pub up_ms: i64,
    /// Milliseconds since 1970.
    pub wall_ms: i64,
}

impl Clock {
    /// The clocks of this boot.
    pub fn of_this_boot() -> Self {
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
        Self {
            boot: boot.unwrap_or_default().trim().to_owned(),
        }
    }

    /// What they show. Where no boot has a name, the wall clock is the only one that two processes have in common.
    pub fn read(&self) -> ClockReading {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
        let wall_ms = since_1970.map_or(0, millis);
        let up = since_boot().filter(|_| !self.boot.is_empty());
        ClockReading {
            boot: self.boot.clone(),
            up_ms: up.map_or(wall_ms, millis),
            wall_ms,
        }
    }
}

#[cfg(target_os = "linux")]
fn since_boot() -> Option<Duration> {
    let up = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    up.try_into().ok()
}

#[cfg(not(target_os = "linux"))]
fn since_boot() -> Option<Duration> {
    None
}

/// A length in the unit of the columns.
pub fn millis(length: Duration) -> i64 {
    i64::try_from(length.as_millis()).unwrap_or(i64::MAX / 4)
}
