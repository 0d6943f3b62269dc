//! Monitored domains: the record, its states, and who is found by what.

mod alert;
mod leaks;
mod mentions;
mod provision;
pub(crate) mod scan;
mod view;

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::account::Account;
use crate::endpoint::ServiceKey;
use crate::ids::Kind;
use crate::index::Task;
use crate::refusal::Refusal;
use crate::roll::{PausedBy, Standing};
use crate::scan::{EndedScan, Phase};
use crate::session::Session;
use crate::state::storage::{CustomerNo, DomainNo};
use crate::time::Instant;
use crate::values::{ClientId, ServiceId};
use crate::world::DomainFindings;

pub use alert::{
    AcknowledgedAlert, DomainAlertDetail, DomainAlertKind, DomainAlertStatus, DomainAlertView,
    DomainSeverity, ListDomainAlerts, ResolvedDomainAlert,
};
pub use leaks::{LeakAnswer, LeakDataset, LeakItem, LeakPage, LeakUpstreamFailure, ListLeaks};
pub use mentions::{ListMentions, MentionView};
pub use provision::{
    DomainProvisioned, DomainReleased, DomainUpdated, ProvisionDomain, ReleaseDomain,
};
pub use view::{
    DomainItem, DomainList, DomainScanView, DomainStatus, DomainSummary, PasswordStrength,
    ProductDescription,
};

pub(crate) use alert::DomainAlert;
use mentions::Mentions;

/// A monitored domain, as recorded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Domain {
    pub(crate) customer: CustomerNo,
    pub(crate) name: Box<str>,
    pub(crate) state: DomainState,
    /// Every service of the billing system that it was provisioned with (D1).
    services: Vec<ServiceId>,
    /// Whether a provisioning call asked for simulation (A14).
    simulated: bool,
    created_at: Instant,
    /// When the next scan starts, or the running one did.
    next_scan_at: Instant,
    last_scan: Option<EndedScan>,
    /// What the last completed scan found; zeros before the first.
    found: DomainFindings,
    mentions: Mentions,
    /// The last scans, oldest first.
    history: VecDeque<PastScan>,
}

impl Domain {
    /// Whether the mentions are as many as the last scan found.
    pub(crate) fn adds_up(&self) -> bool {
        self.mentions.count() == self.found.mentions()
    }

    /// The latest time the record speaks of having been.
    pub(crate) fn latest_moment(&self) -> Instant {
        let scanned = self.last_scan.map(|scan| scan.at);
        scanned.unwrap_or(self.created_at).max(self.created_at)
    }
}

/// A scan in the history of a domain.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
struct PastScan {
    number: u32,
    scan: EndedScan,
    found: DomainFindings,
}

/// Where a domain is in its life. A released one has no record.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DomainState {
    Active(Phase),
    Paused(PausedBy),
    Terminated,
}

impl DomainState {
    pub(crate) fn standing(self) -> Option<Standing> {
        match self {
            Self::Active(_) => Some(Standing::Active),
            Self::Paused(PausedBy::Hand) => Some(Standing::PausedByHand),
            Self::Paused(PausedBy::Platform) => Some(Standing::PausedByPlatform),
            Self::Terminated => None,
        }
    }
}

impl Session<'_> {
    /// Marks a domain that a simulated call made or changed (A14).
    fn mark_domain_simulated(&mut self, number: DomainNo) {
        if self.is_simulated()
            && let Some(domain) = self.records.domains.edit(number)
        {
            domain.simulated = true;
        }
    }
}

impl Account {
    /// The domain with this id, whatever its state.
    fn known_domain(&self, id: Uuid) -> Result<DomainNo, Refusal> {
        self.ids
            .number(Kind::Domain, id)
            .map(DomainNo)
            .filter(|number| self.records.domains.contains_key(number))
            .ok_or(Refusal::DomainNotFound)
    }

    /// The domain with this id, if it is the customer's (A12).
    fn customers_domain(&self, id: Uuid, client: ClientId) -> Result<DomainNo, Refusal> {
        let number = self.known_domain(id)?;
        if self.domain_owner(number) == client {
            Ok(number)
        } else {
            Err(Refusal::DomainNotFound)
        }
    }

    fn domain_owner(&self, number: DomainNo) -> ClientId {
        let customer = self.records.domains[&number].customer;
        self.records.customers[customer].client_id
    }

    /// Whether a customer's domain was provisioned with this service (D1).
    pub(crate) fn is_domain_service(&self, key: ServiceKey) -> bool {
        let Some(customer) = self.customer(key.client) else {
            return false;
        };
        self.index
            .domain_names
            .range((customer, Box::default())..)
            .take_while(|((owner, _), _)| *owner == customer)
            .flat_map(|(_, numbers)| numbers)
            .any(|number| self.records.domains[number].services.contains(&key.service))
    }

    /// Makes a recorded domain known to everything that follows from it.
    pub(crate) fn index_domain(&mut self, number: DomainNo) {
        let domain = &self.records.domains[&number];
        let (customer, name, standing) = (
            domain.customer,
            domain.name.clone(),
            domain.state.standing(),
        );
        let names = self.index.domain_names.entry((customer, name));
        names.or_default().insert(number);
        let roll = &mut self.index.customer_mut(customer).domains;
        roll.place(number.0, standing);
        if let Some(due) = self.domain_due(number) {
            self.index.due.insert((due, Task::Domain(number)));
        }
    }

    /// Takes a recorded domain out of everything that follows from it.
    fn unindex_domain(&mut self, number: DomainNo) {
        if let Some(due) = self.domain_due(number) {
            self.index.due.remove(&(due, Task::Domain(number)));
        }
        let domain = &self.records.domains[&number];
        let customer = domain.customer;
        let key = (customer, domain.name.clone());
        if let Some(numbers) = self.index.domain_names.get_mut(&key) {
            numbers.remove(&number);
            if numbers.is_empty() {
                self.index.domain_names.remove(&key);
            }
        }
        let roll = &mut self.index.customer_mut(customer).domains;
        roll.place(number.0, None);
    }

    /// Changes a domain, and with it everything that follows from it. There
    /// is no other way to change its name, state or schedule.
    fn amend_domain(&mut self, number: DomainNo, change: impl FnOnce(&mut Domain)) {
        self.unindex_domain(number);
        if let Some(domain) = self.records.domains.edit(number) {
            change(domain);
        }
        self.index_domain(number);
    }

    /// When something next happens to this domain by itself.
    pub(crate) fn domain_due(&self, number: DomainNo) -> Option<Instant> {
        let domain = &self.records.domains[&number];
        match domain.state {
            DomainState::Active(Phase::Waiting) => Some(domain.next_scan_at),
            DomainState::Active(Phase::Scanning) => self.scan_end(domain.next_scan_at),
            DomainState::Paused(_) | DomainState::Terminated => None,
        }
    }

    /// Moves a domain to another state, now. An active one is scanned at the
    /// later of now and one interval after its last scan (E1, C12).
    pub(crate) fn enter_domain(&mut self, number: DomainNo, state: DomainState) {
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
}
