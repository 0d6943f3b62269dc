//! Scans of domains: the schedule of servers, other findings (C8, C12).

use crate::scan::servers::Reschedule;
use crate::state::{
    Account, AlertState, DomainAlert, DomainAlertKind, DomainAlertNo, DomainNo, DomainState,
    PastScan, Phase, ScanOutcome, next_number,
};
use crate::time::Instant;
use crate::world::{Category, DomainFindings};

/// Scans that the history keeps.
pub(crate) const KEPT_SCANS: usize = 25;

/// What a scan counted, beside the count before.
struct FoundCount {
    kind: DomainAlertKind,
    category: Category,
    before: u32,
    now: u32,
}

impl Account {
    /// Moves a domain to another state, now. An active one is scanned at the
    /// later of now and one interval after its last scan (E1, C12).
    pub(crate) fn set_domain_state(&mut self, number: DomainNo, state: DomainState) {
        let now = self.now;
        let interval = self.records.settings.timings.interval();
        self.amend_domain(number, |domain| {
            domain.state = state;
            if state == DomainState::Active(Phase::Waiting) {
                let scanned = domain.last_scan.map(|scan| scan.at.plus(interval));
                domain.next_scan_at = scanned.map_or(now, |next| next.max(now));
            }
        });
    }

    /// Raises an alert for each count that grew (C8).
    pub(crate) fn raise_domain_alerts(
        &mut self,
        number: DomainNo,
        before: DomainFindings,
        found: DomainFindings,
        at: Instant,
    ) {
        for category in Category::ALL {
            let count = FoundCount {
                kind: DomainAlertKind::CredentialLeak,
                category,
                before: before.leaks(category),
                now: found.leaks(category),
            };
            self.raise_if_grown(number, &count, at);
        }
        let count = FoundCount {
            kind: DomainAlertKind::DarkWebMention,
            category: Category::Employees,
            before: before.mentions(),
            now: found.mentions(),
        };
        self.raise_if_grown(number, &count, at);
    }

    fn raise_if_grown(&mut self, domain: DomainNo, count: &FoundCount, at: Instant) {
        if count.now <= count.before {
            return;
        }
        let counter = &mut self.records.controls.edit().domain_alerts;
        let number = DomainAlertNo(next_number(counter));
        let name = self.records.domains[&domain].name.clone();
        self.records.domain_alerts.insert(
            number,
            DomainAlert {
                domain,
                name,
                kind: count.kind,
                category: count.category,
                new_count: count.now,
                previous_count: count.before,
                created_at: at,
                state: AlertState::Open,
            },
        );
        self.index_domain_alert(number, domain);
    }

    /// Numbers for the mentions by which this count is more than the domain
    /// has, the first of which is given back.
    pub(crate) fn reserve_mentions(&mut self, domain: DomainNo, count: u32) -> u32 {
        let known = self.records.domains[&domain].mentions.count();
        let first = self.records.controls.mentions;
        if count > known {
            self.records.controls.edit().mentions = first.saturating_add(count - known);
        }
        first
    }

    pub(crate) fn run_domain_schedule(&mut self, number: DomainNo, at: Instant) {
        match self.records.domains[&number].state {
            DomainState::Active(Phase::Waiting) => {
                let (start, skipped) = self.next_domain_scan_with_effect(number, at);
                if skipped > 0 {
                    let controls = self.records.controls.edit();
                    controls.domain_scans = controls.domain_scans.saturating_add(skipped);
                }
                self.amend_domain(number, |domain| {
                    if start == at {
                        domain.state = DomainState::Active(Phase::Scanning);
                    } else {
                        domain.next_scan_at = start;
                    }
                });
            }
            DomainState::Active(Phase::Scanning) => {
                let at = at.max(self.records.controls.progress_since);
                self.end_domain_scan(number, at, ScanOutcome::Completed, Reschedule::Always);
            }
            DomainState::Paused(_) | DomainState::Terminated => {}
        }
    }

    pub(crate) fn end_domain_scan(
        &mut self,
        number: DomainNo,
        at: Instant,
        outcome: ScanOutcome,
        reschedule: Reschedule,
    ) {
        let scan = self.ended_scan(at, outcome);
        let next = at.plus(self.records.settings.timings.interval());
        let before = self.records.domains[&number].found;
        let found = match outcome {
            ScanOutcome::Completed => self.domain_world(number),
            ScanOutcome::Failed => before,
        };
        self.raise_domain_alerts(number, before, found, at);
        let scan_number = next_number(&mut self.records.controls.edit().domain_scans);
        let first_mention = self.reserve_mentions(number, found.mentions());
        self.amend_domain(number, |domain| {
            domain.last_scan = Some(scan);
            domain.found = found;
            domain.mentions.adjust(found.mentions(), first_mention, at);
            domain.history.push_back(PastScan {
                number: scan_number,
                scan,
                found,
            });
            if domain.history.len() > KEPT_SCANS {
                domain.history.pop_front();
            }
            if reschedule == Reschedule::Always {
                domain.state = DomainState::Active(Phase::Waiting);
                domain.next_scan_at = next;
            }
        });
    }

    pub(crate) fn finds_what_was_found(&self, number: DomainNo) -> bool {
        self.records.domains[&number].found == self.domain_world(number)
    }

    /// What the next scan of a domain finds: its own world, else the
    /// account's scenario (E2).
    fn domain_world(&self, number: DomainNo) -> DomainFindings {
        match self.records.domain_worlds.get(&number) {
            Some(findings) => *findings,
            None => self.records.controls.scenario.findings(),
        }
    }
}
