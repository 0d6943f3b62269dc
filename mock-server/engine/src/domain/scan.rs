//! Scans of domains: the schedule of servers, other findings (C8, C12).

use uuid::Uuid;

use crate::account::{Account, give_number};
use crate::domain::{DomainState, PastScan};
use crate::refusal::Refusal;
use crate::scan::{Phase, Progress, ScanOutcome, Then};
use crate::session::Session;
use crate::state::storage::DomainNo;
use crate::time::Instant;
use crate::world::{DomainFindings, Scenario};

/// Scans that the history keeps.
pub(crate) const KEPT_SCANS: usize = 25;

impl Session<'_> {
    /// Sets what the next scans of one domain will find; the account's
    /// scenario no longer shows there (E2).
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainNotFound`].
    pub fn set_findings(&mut self, domain: Uuid, findings: DomainFindings) -> Result<(), Refusal> {
        let number = self.known_domain(domain)?;
        self.records.domain_worlds.insert(number, findings);
        Ok(())
    }

    /// Sets the world of one domain to what a scenario has (E12).
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainNotFound`].
    pub fn set_domain_scenario(&mut self, domain: Uuid, scenario: Scenario) -> Result<(), Refusal> {
        self.set_findings(domain, scenario.findings())
    }

    /// Runs one scan of a domain to its end now, outside the schedule. Where
    /// scans end only when told to, it is the end of the one in flight (M6).
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainNotFound`], [`Refusal::DomainNotActive`].
    pub fn scan_domain_now(&mut self, domain: Uuid, outcome: ScanOutcome) -> Result<(), Refusal> {
        let number = self.known_domain(domain)?;
        let then = match self.records.domains[&number].state {
            DomainState::Active(Phase::Scanning)
                if self.records.controls.progress == Progress::Manual =>
            {
                Then::NextOnSchedule
            }
            DomainState::Active(_) => Then::ScheduleStays,
            DomainState::Paused(_) | DomainState::Terminated => {
                return Err(Refusal::DomainNotActive);
            }
        };
        let now = self.now;
        self.end_domain_scan(number, now, outcome, then);
        Ok(())
    }
}

impl Account {
    pub(crate) fn run_domain_schedule(&mut self, number: DomainNo, at: Instant) {
        match self.records.domains[&number].state {
            DomainState::Active(Phase::Waiting) => {
                let (start, skipped) = self.next_telling_domain_scan(number, at);
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
                self.end_domain_scan(number, at, ScanOutcome::Completed, Then::NextOnSchedule);
            }
            DomainState::Paused(_) | DomainState::Terminated => {}
        }
    }

    fn end_domain_scan(&mut self, number: DomainNo, at: Instant, outcome: ScanOutcome, then: Then) {
        let scan = self.ended_scan(at, outcome);
        let next = at.plus(self.records.settings.timings.interval());
        let before = self.records.domains[&number].found;
        let found = match outcome {
            ScanOutcome::Completed => self.domain_world(number),
            ScanOutcome::Failed => before,
        };
        self.raise_domain_alerts(number, before, found, at);
        let scan_number = give_number(&mut self.records.controls.edit().domain_scans);
        let first_mention = self.give_mentions(number, found.mentions());
        self.amend_domain(number, |domain| {
            domain.last_scan = Some(scan);
            domain.found = found;
            domain.mentions.settle(found.mentions(), first_mention, at);
            domain.history.push_back(PastScan {
                number: scan_number,
                scan,
                found,
            });
            if domain.history.len() > KEPT_SCANS {
                domain.history.pop_front();
            }
            if then == Then::NextOnSchedule {
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
