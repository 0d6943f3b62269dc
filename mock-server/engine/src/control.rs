//! What whoever runs the server sets: the world, how scans end, and who can
//! sign in (E2, M6).

use uuid::Uuid;

use crate::refusal::Refusal;
use crate::scan::servers::Reschedule;
use crate::session::Session;
use crate::state::{
    DomainState, EndpointNo, EndpointState, LeakDataset, Phase, Portal, Progress, ScanOutcome,
};
use crate::values::{ClientId, OpenPort};
use crate::world::{DomainFindings, Scenario};

impl Session<'_> {
    /// Sets what scans find wherever a record's own world is not set (E2).
    pub fn set_scenario(&mut self, scenario: Scenario) {
        self.records.controls.edit().scenario = scenario;
    }

    /// Takes away the customer's portal account, so that what needs one
    /// answers [`Refusal::UserNotFound`] until the next provisioning.
    ///
    /// # Errors
    ///
    /// [`Refusal::UserNotFound`] when there is none to take.
    pub fn remove_portal_account(&mut self, client: ClientId) -> Result<(), Refusal> {
        let number = self
            .customer(client)
            .filter(|number| self.records.customers[*number].portal == Portal::Granted)
            .ok_or(Refusal::UserNotFound)?;
        self.records.customers.edit(number).portal = Portal::Removed;
        Ok(())
    }

    /// Sets the state of the dataset of leaked credentials.
    pub fn set_leak_dataset(&mut self, state: LeakDataset) {
        self.records.controls.edit().leak_dataset = state;
    }

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
        let reschedule = match self.records.domains[&number].state {
            DomainState::Active(Phase::Scanning)
                if self.records.controls.progress == Progress::Manual =>
            {
                Reschedule::Always
            }
            DomainState::Active(_) => Reschedule::Never,
            DomainState::Paused(_) | DomainState::Terminated => {
                return Err(Refusal::DomainNotActive);
            }
        };
        let now = self.now;
        self.end_domain_scan(number, now, outcome, reschedule);
        Ok(())
    }

    /// Sets the open ports of one server as its next scans will find them;
    /// the account's scenario no longer shows there (E2).
    ///
    /// # Errors
    ///
    /// [`Refusal::EndpointNotFound`].
    pub fn set_ports(&mut self, endpoint: Uuid, open: Vec<OpenPort>) -> Result<(), Refusal> {
        let number = self.undeleted_endpoint(endpoint)?;
        self.records.endpoint_worlds.insert(number, open.into());
        Ok(())
    }

    /// Sets the world of one server to what a scenario has (E12).
    ///
    /// # Errors
    ///
    /// [`Refusal::EndpointNotFound`].
    pub fn set_endpoint_scenario(
        &mut self,
        endpoint: Uuid,
        scenario: Scenario,
    ) -> Result<(), Refusal> {
        let ports = self.index.scenario_ports.of(scenario);
        self.set_ports(endpoint, ports.into())
    }

    /// Runs one scan of a server to its end now, outside cooldown and
    /// schedule. Where scans end only when told to, it is the end of those in
    /// flight (M6).
    ///
    /// # Errors
    ///
    /// [`Refusal::EndpointNotFound`], [`Refusal::EndpointNotActive`].
    pub fn scan_endpoint_now(
        &mut self,
        endpoint: Uuid,
        outcome: ScanOutcome,
    ) -> Result<(), Refusal> {
        let number = self.undeleted_endpoint(endpoint)?;
        self.require_active(number)?;
        let reschedule = match self.records.controls.progress {
            Progress::Manual => self.end_scans_in_flight(number),
            Progress::Timed | Progress::Immediate => Reschedule::Never,
        };
        let now = self.now;
        self.end_scan(number, now, outcome, reschedule);
        Ok(())
    }

    /// Takes the scans of a server out of the air, and tells what their end
    /// means for the next one.
    fn end_scans_in_flight(&mut self, number: EndpointNo) -> Reschedule {
        let scheduled =
            self.records.endpoints[number].state == EndpointState::Active(Phase::Scanning);
        let by_hand = self.has_manual_scan(number);
        self.drop_manual_scans(number);
        match (scheduled, by_hand) {
            (true, _) => Reschedule::Always,
            (false, true) => Reschedule::UnlessScanning,
            (false, false) => Reschedule::Never,
        }
    }

    /// Sets how scans come to their end. What is overdue under the new mode
    /// ends now (M6).
    pub fn set_progress(&mut self, progress: Progress) {
        let now = self.now;
        let controls = self.records.controls.edit();
        controls.progress = progress;
        controls.progress_since = now;
        self.index_due();
    }
}
