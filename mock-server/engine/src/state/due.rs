//! When something next happens to a record by itself.

use crate::state::account::Account;
use crate::state::index::Task;
use crate::state::records::Progress;
use crate::state::storage::{DomainNo, EndpointNo};
use crate::time::Instant;

impl Account {
    /// When a scan that started then ends by itself, if it does.
    pub(crate) fn scan_end(&self, started: Instant) -> Option<Instant> {
        match self.records.controls.progress {
            Progress::Timed => Some(started.plus(self.records.settings.timings.duration())),
            Progress::Immediate => Some(started),
            Progress::Manual => None,
        }
    }

    /// When something next happens to the manual scans of a server, scan by
    /// scan.
    pub(crate) fn manual_scans_due(&self, number: EndpointNo) -> Vec<(Instant, Task)> {
        let scans = self.records.manual_scans.get(&number);
        scans
            .into_iter()
            .flat_map(|scans| &scans.in_flight)
            .filter_map(|scan| self.scan_end(scan.started_at))
            .map(|end| (end, Task::ManualScan(number)))
            .collect()
    }

    /// Notes when the manual scans of a server end.
    pub(crate) fn index_manual_scans(&mut self, number: EndpointNo) {
        let due = self.manual_scans_due(number);
        self.index.due.extend(due);
    }

    pub(crate) fn has_manual_scan(&self, number: EndpointNo) -> bool {
        let scans = self.records.manual_scans.get(&number);
        scans.is_some_and(|scans| !scans.in_flight.is_empty())
    }

    /// Builds the list of what is due from the records.
    pub(crate) fn index_due(&mut self) {
        self.index.due.clear();
        for number in self.records.endpoints.numbers() {
            let due = self.endpoint_due(number);
            self.index.schedule(due, Task::Endpoint(number));
        }
        let domains: Vec<DomainNo> = self.records.domains.keys().copied().collect();
        for number in domains {
            let due = self.domain_due(number);
            self.index.schedule(due, Task::Domain(number));
        }
        let scanned: Vec<EndpointNo> = self.records.manual_scans.keys().copied().collect();
        for number in scanned {
            self.index_manual_scans(number);
        }
    }
}
