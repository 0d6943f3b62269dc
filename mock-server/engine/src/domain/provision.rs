//! Provisioning of domains: provision, suspend, resume, terminate, update,
//! release (C1 to C7).

use std::collections::VecDeque;

use serde::Serialize;
use uuid::Uuid;

use crate::catalogue::{Pool, Product};
use crate::customer::Client;
use crate::domain::view::DomainStatus;
use crate::domain_name::DomainName;
use crate::ids::Kind;
use crate::refusal::{Added, Done, Refusal};
use crate::session::Session;
use crate::state::{
    Domain, DomainAlertNo, DomainNo, DomainState, Mentions, PausedBy, Phase, SubscriptionKey,
    SubscriptionStatus, next_number,
};
use crate::subscription::provision::SubscriptionRef;
use crate::values::{ClientId, ServiceId};
use crate::world::DomainFindings;

const ALREADY_MONITORED: &str = "This domain is already monitored for the customer.";

const RESTORED: &str = "This domain was monitored before; its record was restored.";

const ALREADY_PAUSED: &str = "The domain is already paused.";

const ALREADY_ACTIVE: &str = "The domain is already active.";

const ALREADY_TERMINATED: &str = "The domain is already terminated.";

const SAME_NAME: &str = "The record already monitors this domain.";

/// What `provision-domain` is asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct ProvisionDomain {
    /// The customer.
    pub client: Client,
    /// The domain, normalized (C1).
    pub domain: DomainName,
    /// The service of the billing system it belongs to.
    pub service: ServiceId,
}

/// What `provision-domain` and `update-domain` answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DomainUpdated {
    /// The domain.
    pub monitored_domain_id: Uuid,
    /// Its name.
    pub domain: String,
    /// Its status now.
    pub status: DomainStatus,
}

/// What suspend, resume and terminate of a domain answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DomainProvisioned {
    /// The domain.
    pub monitored_domain_id: Uuid,
    /// Its status now.
    pub status: DomainStatus,
}

/// What `release-domain` is asked for (C7).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReleaseDomain {
    /// The customer.
    pub client: ClientId,
    /// Any of the customer's `domain_monitoring` services.
    pub service: ServiceId,
    /// The domain to give up for good.
    pub domain: Uuid,
}

/// What `release-domain` answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct DomainReleased {
    /// The domain that is gone.
    pub monitored_domain_id: Uuid,
    /// Always true.
    pub released: bool,
    /// The customer's slots now.
    pub slots_total: u64,
    /// How many of them are used.
    pub slots_used: u64,
}

impl Session<'_> {
    /// `provision-domain`: starts monitoring a domain, finds it as it is, or
    /// restores it (C2).
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainLimitExceeded`].
    pub fn provision_domain(
        &mut self,
        request: ProvisionDomain,
    ) -> Result<Done<DomainUpdated>, Refusal> {
        let client = request.client.id;
        let name = request.domain.as_str();
        let (number, added) = match self.domain_by_name(client, name) {
            Some(number) if self.is_domain_live(number) => (number, Added::Known),
            Some(number) => {
                self.require_room(client, Pool::Domains)?;
                self.set_domain_state(number, DomainState::Active(Phase::Waiting));
                (number, Added::Restored)
            }
            None => {
                self.require_room(client, Pool::Domains)?;
                (self.new_domain(&request.client, name), Added::New)
            }
        };
        self.grant_portal_access(&request.client);
        self.note_service(number, request.service);
        if added != Added::Known {
            self.mark_domain_simulated(number);
        }
        let answer = self.domain_updated(number);
        Ok(match added {
            Added::New => Done::created(answer),
            Added::Restored => Done::existing(answer, RESTORED),
            Added::Known => Done::existing(answer, ALREADY_MONITORED),
        })
    }

    /// The live record of a name, else the newest one (C3).
    fn domain_by_name(&self, client: ClientId, name: &str) -> Option<DomainNo> {
        let customer = self.customer(client)?;
        let numbers = self.index.domain_names.get(&(customer, name.into()))?;
        let live = numbers.iter().find(|number| self.is_domain_live(**number));
        live.or_else(|| numbers.last()).copied()
    }

    fn is_domain_live(&self, number: DomainNo) -> bool {
        self.records.domains[&number].state.live_status().is_some()
    }

    fn new_domain(&mut self, client: &Client, name: &str) -> DomainNo {
        let customer = self.grant_portal_access(client);
        let number = DomainNo(next_number(&mut self.records.controls.edit().domains));
        let now = self.now;
        self.records.domains.insert(
            number,
            Domain {
                customer,
                name: name.into(),
                state: DomainState::Active(Phase::Waiting),
                services: Vec::new(),
                simulated: false,
                created_at: now,
                next_scan_at: now,
                last_scan: None,
                found: DomainFindings::default(),
                mentions: Mentions::default(),
                history: VecDeque::new(),
            },
        );
        self.index_domain(number);
        number
    }

    fn note_service(&mut self, number: DomainNo, service: ServiceId) {
        let known = self.records.domains[&number].services.contains(&service);
        if !known && let Some(domain) = self.records.domains.edit(number) {
            domain.services.push(service);
        }
    }

    /// `suspend-domain`: pauses a domain; what was found is kept.
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainNotFound`].
    pub fn suspend_domain(&mut self, domain: Uuid) -> Result<Done<DomainProvisioned>, Refusal> {
        let number = self.live_domain(domain)?;
        let state = DomainState::Paused(PausedBy::Hand);
        Ok(self.transition_domain(number, state, ALREADY_PAUSED))
    }

    /// `resume-domain`: makes a paused domain active again.
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainNotFound`]; [`Refusal::DomainLimitExceeded`] when the
    /// platform paused it and there is still no room (B8).
    pub fn resume_domain(&mut self, domain: Uuid) -> Result<Done<DomainProvisioned>, Refusal> {
        let number = self.live_domain(domain)?;
        let record = &self.records.domains[&number];
        if record.state == DomainState::Paused(PausedBy::Platform) {
            self.require_resumable(record.customer, Pool::Domains)?;
        }
        let state = DomainState::Active(Phase::Waiting);
        Ok(self.transition_domain(number, state, ALREADY_ACTIVE))
    }

    /// `terminate-domain`: ends the monitoring of a domain; its record stays.
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainNotFound`].
    pub fn terminate_domain(&mut self, domain: Uuid) -> Result<Done<DomainProvisioned>, Refusal> {
        let number = self.known_domain(domain)?;
        Ok(self.transition_domain(number, DomainState::Terminated, ALREADY_TERMINATED))
    }

    fn transition_domain(
        &mut self,
        number: DomainNo,
        state: DomainState,
        already: &'static str,
    ) -> Done<DomainProvisioned> {
        if self.domain_provisioned(number).status == DomainStatus::of(state) {
            return Done::existing(self.domain_provisioned(number), already);
        }
        self.set_domain_state(number, state);
        self.mark_domain_simulated(number);
        Done::changed(self.domain_provisioned(number))
    }

    /// `update-domain`: the record goes on with another name; its history
    /// stays, and no scan starts (C3).
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainNotFound`], [`Refusal::DomainAlreadyExists`].
    pub fn update_domain(
        &mut self,
        domain: Uuid,
        name: &DomainName,
    ) -> Result<Done<DomainUpdated>, Refusal> {
        let number = self.live_domain(domain)?;
        if &*self.records.domains[&number].name == name.as_str() {
            return Ok(Done::existing(self.domain_updated(number), SAME_NAME));
        }
        let taken = self
            .domain_by_name(self.domain_owner(number), name.as_str())
            .is_some_and(|other| self.is_domain_live(other));
        if taken {
            return Err(Refusal::DomainAlreadyExists);
        }
        self.amend_domain(number, |domain| domain.name = name.as_str().into());
        self.mark_domain_simulated(number);
        Ok(Done::changed(self.domain_updated(number)))
    }

    /// `release-domain`: gives up a domain and its slot for good (C7).
    ///
    /// # Errors
    ///
    /// [`Refusal::DomainNotFound`], then [`Refusal::BillingClientNotFound`],
    /// [`Refusal::SubscriptionNotFound`],
    /// [`Refusal::SubscriptionNotChangeable`] when the service is cancelled.
    pub fn release_domain(&mut self, request: ReleaseDomain) -> Result<DomainReleased, Refusal> {
        let number = self.customers_domain(request.domain, request.client)?;
        let key = self.recorded_subscription(&SubscriptionRef {
            client: request.client,
            service: request.service,
            product: Product::DomainMonitoring.slug().to_owned(),
        })?;
        if self.records.subscriptions[&key].status == SubscriptionStatus::Cancelled {
            return Err(Refusal::SubscriptionNotChangeable);
        }
        let customer = self.records.domains[&number].customer;
        self.remove_domain(number);
        self.give_up_slot(key);
        Ok(DomainReleased {
            monitored_domain_id: request.domain,
            released: true,
            slots_total: self.capacity(request.client, Pool::Domains),
            slots_used: self.live_records(customer, Pool::Domains).usage(),
        })
    }

    fn remove_domain(&mut self, number: DomainNo) {
        self.unindex_domain(number);
        self.records.domains.remove(number);
        self.records.domain_worlds.remove(number);
        let alerts = self.index.domain_alerts.remove(&number);
        let alerts: Vec<DomainAlertNo> = alerts.into_iter().flatten().collect();
        for alert in alerts {
            self.records.domain_alerts.remove(alert);
        }
    }

    /// Takes one slot off a service; the last one cancels it.
    fn give_up_slot(&mut self, key: SubscriptionKey) {
        let quantity = self.records.subscriptions[&key].offer.quantity();
        if quantity <= 1 {
            self.set_subscription_status(key, SubscriptionStatus::Cancelled);
        } else {
            self.amend_subscription(key, |subscription| {
                subscription.offer = subscription.offer.with(None, Some(quantity - 1));
            });
        }
    }

    /// Marks a domain that a simulated call made or changed (A14).
    fn mark_domain_simulated(&mut self, number: DomainNo) {
        if self.is_simulated()
            && let Some(domain) = self.records.domains.edit(number)
        {
            domain.simulated = true;
        }
    }

    /// The domain with this id, unless it was terminated.
    fn live_domain(&self, id: Uuid) -> Result<DomainNo, Refusal> {
        let number = self.known_domain(id)?;
        if self.is_domain_live(number) {
            Ok(number)
        } else {
            Err(Refusal::DomainNotFound)
        }
    }

    fn domain_provisioned(&self, number: DomainNo) -> DomainProvisioned {
        DomainProvisioned {
            monitored_domain_id: self.ids.uuid(Kind::Domain, number.into()),
            status: DomainStatus::of(self.records.domains[&number].state),
        }
    }

    fn domain_updated(&self, number: DomainNo) -> DomainUpdated {
        let domain = &self.records.domains[&number];
        DomainUpdated {
            monitored_domain_id: self.ids.uuid(Kind::Domain, number.into()),
            domain: domain.name.to_string(),
            status: DomainStatus::of(domain.state),
        }
    }
}
