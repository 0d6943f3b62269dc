//! Fixed rate windows, each opened by the first request that counts in it (A10).

use std::time::Duration;

use crate::settings::RateLimits;
use crate::time::Instant;

/// Which of a key's two windows a request counts in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RateGroup {
    /// Provisioning, SSO, alerts, domain monitoring, firewall ingest.
    Strict,
    /// Endpoints CRUD and Allowed Ports.
    Default,
}

/// The window is full; it tells when to come again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateLimited {
    /// Whole seconds to the window's end, rounded up, at least 1.
    pub retry_after_seconds: u64,
}

/// The two windows of one API key.
#[derive(Clone, Default, Debug)]
pub(crate) struct RateWindows {
    strict: Option<Window>,
    default: Option<Window>,
}

#[derive(Clone, Copy, Debug)]
struct Window {
    closes: Instant,
    taken: u32,
}

impl RateWindows {
    /// Counts a request, or refuses it without counting it.
    pub(crate) fn take(
        &mut self,
        group: RateGroup,
        limits: &RateLimits,
        now: Instant,
    ) -> Result<(), RateLimited> {
        let (slot, limit) = match group {
            RateGroup::Strict => (&mut self.strict, limits.strict),
            RateGroup::Default => (&mut self.default, limits.default),
        };
        let opened = Window {
            closes: now.plus(Duration::from_secs(limits.window.into())),
            taken: 0,
        };
        let window = slot.filter(|window| now < window.closes).unwrap_or(opened);
        if window.taken >= limit {
            return Err(RateLimited {
                retry_after_seconds: now.seconds_until(window.closes).max(1),
            });
        }
        *slot = Some(Window {
            taken: window.taken + 1,
            ..window
        });
        Ok(())
    }
}
