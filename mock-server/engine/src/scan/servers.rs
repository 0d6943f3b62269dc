//! Scans of servers: when they start and end, and what follows from them (E1).

use crate::state::{
    Account, EndedScan, EndpointNo, EndpointState, Found, ManualScan, Phase, ScanOutcome,
};
use crate::time::Instant;
use crate::world::PortSet;

/// What the end of a scan means for the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reschedule {
    /// It was the one on schedule: the next is due one interval later.
    Always,
    /// It was extra: the schedule moves on unless a scan of its own runs.
    UnlessScanning,
    /// It was outside the schedule, which stays as it is.
    Never,
}

impl Account {
    /// Moves a server to another state, now. Its scans in flight are dropped;
    /// an active one is scanned at the later of now and one interval after its
    /// last scan (E1).
    pub(crate) fn set_endpoint_state(&mut self, number: EndpointNo, state: EndpointState) {
        let now = self.now;
        let interval = self.records.settings.timings.interval();
        self.drop_manual_scans(number);
        self.amend_endpoint(number, |endpoint| {
            endpoint.state = state;
            endpoint.updated_at = now;
            if state == EndpointState::Active(Phase::Waiting) {
                let scanned = endpoint.last_scan.map(|scan| scan.at.plus(interval));
                endpoint.next_scan_at = scanned.map_or(now, |next| next.max(now));
            }
        });
    }

    pub(crate) fn run_scheduled(&mut self, number: EndpointNo, at: Instant) {
        match self.records.endpoints[number].state {
            EndpointState::Active(Phase::Waiting) => {
                let start = self.next_scan_with_effect(number, at);
                self.amend_endpoint(number, |endpoint| {
                    if start == at {
                        endpoint.state = EndpointState::Active(Phase::Scanning);
                    } else {
                        endpoint.next_scan_at = start;
                    }
                });
            }
            EndpointState::Active(Phase::Scanning) => {
                let at = at.max(self.records.controls.progress_since);
                self.end_scan(number, at, ScanOutcome::Completed, Reschedule::Always);
            }
            EndpointState::Paused(_) | EndpointState::Terminated | EndpointState::Deleted(_) => {}
        }
    }

    pub(crate) fn end_manual_scans(&mut self, number: EndpointNo, due: Instant) {
        let Some(scans) = self.records.manual_scans.get(&number) else {
            return;
        };
        let (ended, running): (Vec<ManualScan>, Vec<ManualScan>) = scans
            .in_flight
            .iter()
            .partition(|scan| self.scan_end(scan.started_at).is_some_and(|end| end <= due));
        if let Some(scans) = self.records.manual_scans.edit(number) {
            scans.in_flight = running;
        }
        let at = due.max(self.records.controls.progress_since);
        for _ in ended {
            self.end_scan(
                number,
                at,
                ScanOutcome::Completed,
                Reschedule::UnlessScanning,
            );
        }
    }

    /// Ends the manual scans of a server without a result (E1).
    pub(crate) fn drop_manual_scans(&mut self, number: EndpointNo) {
        let due = self.manual_scans_due(number);
        for task in due {
            self.index.due.remove(&task);
        }
        if self.has_manual_scan(number)
            && let Some(scans) = self.records.manual_scans.edit(number)
        {
            scans.in_flight.clear();
        }
    }

    pub(crate) fn end_scan(
        &mut self,
        number: EndpointNo,
        at: Instant,
        outcome: ScanOutcome,
        reschedule: Reschedule,
    ) {
        let ended = self.ended_scan(at, outcome);
        let next = at.plus(self.records.settings.timings.interval());
        let seen = match outcome {
            ScanOutcome::Completed => Some(self.world_ports(number)),
            ScanOutcome::Failed => None,
        };
        if let Some(ports) = &seen {
            self.resolve_unseen(number, ports, at);
        }
        self.amend_endpoint(number, |endpoint| {
            endpoint.last_scan = Some(ended);
            if let Some(ports) = &seen {
                let previous = endpoint.found.take().map(|found| found.ports);
                endpoint.found = Some(Found {
                    ports: ports.clone(),
                    at,
                    previous,
                });
            }
            let moves = reschedule == Reschedule::Always
                || (reschedule == Reschedule::UnlessScanning
                    && endpoint.state == EndpointState::Active(Phase::Waiting));
            if moves {
                endpoint.state = EndpointState::Active(Phase::Waiting);
                endpoint.next_scan_at = next;
            }
        });
        if let Some(ports) = &seen {
            self.raise_new(number, ports, at);
        }
    }

    /// A scan that ends at that time, of the configured length.
    pub(crate) fn ended_scan(&self, at: Instant, outcome: ScanOutcome) -> EndedScan {
        let seconds = self.records.settings.timings.scan_duration;
        EndedScan {
            at,
            duration_ms: seconds.saturating_mul(1000),
            outcome,
        }
    }

    pub(crate) fn world_ports(&self, number: EndpointNo) -> PortSet {
        match self.records.endpoint_worlds.get(&number) {
            Some(ports) => ports.clone(),
            None => self.index.scenario_ports.of(self.records.controls.scenario),
        }
    }
}
