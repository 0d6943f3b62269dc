//! Catching up when time moves far: of scans that would find what was found
//! before and change nothing, only the last ones happen. Nobody can tell.

use std::time::Duration;

use crate::scan::domains::KEPT_SCANS;
use crate::state::{Account, DomainNo, EndpointNo, Progress};
use crate::time::Instant;

impl Account {
    /// When the scan of a server that is due at `start` may start instead: a
    /// whole number of scans later.
    pub(crate) fn next_scan_with_effect(&self, number: EndpointNo, start: Instant) -> Instant {
        let Some((first_end, period)) = self.scan_rhythm(start) else {
            return start;
        };
        if self.has_manual_scan(number) || !self.would_change_nothing(number, first_end) {
            return start;
        }
        // What is not allowed then will not be later: rules only end.
        let world = self.world_ports(number);
        let ends = world
            .iter()
            .filter_map(|port| self.allowed_until(number, *port));
        let changes = ends.filter(|end| *end > first_end);
        let until = changes.min().map_or(self.now, |end| end.min(self.now));
        later_by(start, period, periods(first_end, until, period))
    }

    /// The same for a domain, whose history keeps the last scans. How many
    /// scans are left out comes with it: each had a number.
    pub(crate) fn next_domain_scan_with_effect(
        &self,
        number: DomainNo,
        start: Instant,
    ) -> (Instant, u32) {
        let Some((first_end, period)) = self.scan_rhythm(start) else {
            return (start, 0);
        };
        if !self.finds_what_was_found(number) {
            return (start, 0);
        }
        let skipped = periods(first_end, self.now, period).saturating_sub(KEPT_SCANS as u64);
        let skipped = u32::try_from(skipped).unwrap_or(u32::MAX);
        (later_by(start, period, skipped.into()), skipped)
    }

    /// When a scan that starts then ends, and how long after it the next one
    /// does. None where scans do not end by themselves.
    fn scan_rhythm(&self, start: Instant) -> Option<(Instant, Duration)> {
        let end = self.scan_end(start)?;
        let timings = &self.records.settings.timings;
        let length = match self.records.controls.progress {
            Progress::Timed => timings.duration(),
            Progress::Immediate | Progress::Manual => Duration::ZERO,
        };
        Some((end, length + timings.interval()))
    }

    /// Whether a scan of a server that ends then leaves all as it is but its
    /// own time.
    fn would_change_nothing(&self, number: EndpointNo, end: Instant) -> bool {
        let world = self.world_ports(number);
        let found = self.records.endpoints[number].found.as_ref();
        let seen_twice = found
            .is_some_and(|found| found.ports == world && found.previous == Some(world.clone()));
        if !seen_twice {
            return false;
        }
        let raised = |port| self.index.open_alerts.contains_key(&(number, port));
        world
            .iter()
            .all(|port| raised(*port) != self.is_allowed(number, *port, end))
            && self
                .index
                .open_alerts_of(number)
                .all(|(port, _)| world.binary_search(&port).is_ok())
    }
}

/// How many whole periods lie between two moments.
fn periods(from: Instant, to: Instant, period: Duration) -> u64 {
    let span = to.unix_millis().saturating_sub(from.unix_millis());
    let period = i64::try_from(period.as_millis()).unwrap_or(i64::MAX);
    (span / period.max(1)).max(0).unsigned_abs()
}

fn later_by(start: Instant, period: Duration, times: u64) -> Instant {
    let millis = u64::try_from(period.as_millis()).unwrap_or(u64::MAX);
    start.plus(Duration::from_millis(millis.saturating_mul(times)))
}
