//! Domains in the state: found by what calls name, and changed so that all
//! that follows from them is changed as well.

use uuid::Uuid;

use crate::ids::Kind;
use crate::refusal::Refusal;
use crate::state::account::Account;
use crate::state::index::Task;
use crate::state::records::{Domain, DomainState, Phase, ServiceKey};
use crate::state::storage::DomainNo;
use crate::time::Instant;
use crate::values::ClientId;

impl Account {
    /// The domain with this id, whatever its state.
    pub(crate) fn known_domain(&self, id: Uuid) -> Result<DomainNo, Refusal> {
        self.ids
            .number(Kind::Domain, id)
            .map(DomainNo)
            .filter(|number| self.records.domains.contains_key(number))
            .ok_or(Refusal::DomainNotFound)
    }

    /// The domain with this id, if it is the customer's (A12).
    pub(crate) fn customers_domain(&self, id: Uuid, client: ClientId) -> Result<DomainNo, Refusal> {
        let number = self.known_domain(id)?;
        if self.domain_owner(number) == client {
            Ok(number)
        } else {
            Err(Refusal::DomainNotFound)
        }
    }

    pub(crate) fn domain_owner(&self, number: DomainNo) -> ClientId {
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
        let (customer, name, live_status) = (
            domain.customer,
            domain.name.clone(),
            domain.state.live_status(),
        );
        let names = self.index.domain_names.entry((customer, name));
        names.or_default().insert(number);
        let live = &mut self.index.customer_mut(customer).domains;
        live.place(number.0, live_status);
        let due = self.domain_due(number);
        self.index.schedule(due, Task::Domain(number));
    }

    /// Takes a recorded domain out of everything that follows from it.
    pub(crate) fn unindex_domain(&mut self, number: DomainNo) {
        let due = self.domain_due(number);
        self.index.cancel(due, Task::Domain(number));
        let domain = &self.records.domains[&number];
        let customer = domain.customer;
        let key = (customer, domain.name.clone());
        if let Some(numbers) = self.index.domain_names.get_mut(&key) {
            numbers.remove(&number);
            if numbers.is_empty() {
                self.index.domain_names.remove(&key);
            }
        }
        let live = &mut self.index.customer_mut(customer).domains;
        live.place(number.0, None);
    }

    /// Changes a domain, and with it everything that follows from it. There
    /// is no other way to change its name, state or schedule.
    pub(crate) fn amend_domain(&mut self, number: DomainNo, change: impl FnOnce(&mut Domain)) {
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
}
