//! Capacity and its enforcement: what a customer paid for, and what no longer
//! fits (B5 to B8).

use serde::Serialize;

use crate::catalogue::Pool;
use crate::refusal::{Capacity, Refusal};
use crate::state::{
    Account, CustomerNo, DomainNo, DomainState, EndpointNo, EndpointState, LiveRecords, PausedBy,
    Phase, SubscriptionStatus,
};
use crate::values::ClientId;

/// What a reconciliation did, by number, in the order in which it did it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Reconciled {
    /// Newest first.
    pub(crate) paused: Vec<u32>,
    /// Oldest first.
    pub(crate) unpaused: Vec<u32>,
}

/// The capacity report of one customer and product (sync-services).
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CapacityReport {
    /// `domain_monitoring` or `port_monitoring`.
    pub product_type: &'static str,
    /// What the customer may have (B5).
    pub capacity: u64,
    /// What it has (B6).
    pub usage: u64,
    /// Whether it has more than it may have, after the reconciliation.
    pub over_quota: bool,
    /// Domain names or addresses paused by the platform, newest first.
    pub newly_paused: Vec<String>,
    /// Domain names or addresses active again, oldest first.
    pub unpaused: Vec<String>,
}

impl Account {
    pub(crate) fn live_records(&self, customer: CustomerNo, pool: Pool) -> &LiveRecords {
        let index = self.index.customer(customer);
        match pool {
            Pool::Servers => &index.endpoints,
            Pool::Domains => &index.domains,
        }
    }

    /// What a customer may have: the sum over its active services. One that
    /// never had a `port_monitoring` service has the account's default (B5).
    pub(crate) fn capacity(&self, client: ClientId, pool: Pool) -> u64 {
        let mut services = self
            .subscriptions_of(client)
            .filter(|subscription| subscription.offer.product() == pool.product())
            .peekable();
        if pool == Pool::Servers && services.peek().is_none() {
            return self.records.settings.limits.default_endpoint_limit;
        }
        services
            .filter(|subscription| subscription.status == SubscriptionStatus::Active)
            .map(|subscription| self.records.settings.catalogue.holds(&subscription.offer))
            .fold(0, u64::saturating_add)
    }

    /// Whether one more record fits (B6).
    pub(crate) fn require_room(&self, client: ClientId, pool: Pool) -> Result<(), Refusal> {
        let customer = self.customer(client);
        let capacity = Capacity {
            limit: self.capacity(client, pool),
            current_usage: customer.map_or(0, |customer| self.live_records(customer, pool).usage()),
        };
        if capacity.current_usage < capacity.limit {
            Ok(())
        } else {
            Err(exceeded(pool, capacity))
        }
    }

    /// Whether a record that the platform paused may run again (B8).
    pub(crate) fn require_resumable(
        &self,
        customer: CustomerNo,
        pool: Pool,
    ) -> Result<(), Refusal> {
        let client = self.records.customers[customer].client_id;
        let live = self.live_records(customer, pool);
        let limit = self.capacity(client, pool);
        if live.running() < limit {
            return Ok(());
        }
        let current_usage = live.usage();
        Err(exceeded(
            pool,
            Capacity {
                limit,
                current_usage,
            },
        ))
    }

    /// Reconciles what calls changed the capacity of.
    pub(crate) fn reconcile_changed(&mut self) {
        for (client, pool) in std::mem::take(&mut self.index.changed_capacities) {
            if let Some(customer) = self.customer(client) {
                self.reconcile(customer, pool);
            }
        }
    }

    /// Pauses the newest records that no longer fit, or lets the oldest that
    /// the platform paused run again while there is room (B7). It costs what
    /// it changes.
    pub(crate) fn reconcile(&mut self, customer: CustomerNo, pool: Pool) -> Reconciled {
        let client = self.records.customers[customer].client_id;
        let capacity = self.capacity(client, pool);
        let mut done = Reconciled::default();
        while self.live_records(customer, pool).running() > capacity
            && let Some(newest) = self.live_records(customer, pool).active.last()
        {
            self.platform_pause(pool, newest);
            done.paused.push(newest);
        }
        while self.live_records(customer, pool).running() < capacity
            && let Some(oldest) = self.live_records(customer, pool).quota_paused.first()
        {
            self.platform_resume(pool, oldest);
            done.unpaused.push(oldest);
        }
        done
    }

    fn platform_pause(&mut self, pool: Pool, number: u32) {
        let by = PausedBy::Platform;
        match pool {
            Pool::Servers => self.set_endpoint_state(EndpointNo(number), EndpointState::Paused(by)),
            Pool::Domains => self.set_domain_state(DomainNo(number), DomainState::Paused(by)),
        }
    }

    fn platform_resume(&mut self, pool: Pool, number: u32) {
        let phase = Phase::Waiting;
        match pool {
            Pool::Servers => {
                self.set_endpoint_state(EndpointNo(number), EndpointState::Active(phase))
            }
            Pool::Domains => self.set_domain_state(DomainNo(number), DomainState::Active(phase)),
        }
    }

    /// The report of one customer and product after a reconciliation.
    pub(crate) fn capacity_report(
        &self,
        customer: CustomerNo,
        pool: Pool,
        done: &Reconciled,
    ) -> CapacityReport {
        let client = self.records.customers[customer].client_id;
        let (capacity, usage) = (
            self.capacity(client, pool),
            self.live_records(customer, pool).usage(),
        );
        let named = |numbers: &[u32]| numbers.iter().map(|n| self.shown_name(pool, *n)).collect();
        CapacityReport {
            product_type: pool.product().slug(),
            capacity,
            usage,
            over_quota: usage > capacity,
            newly_paused: named(&done.paused),
            unpaused: named(&done.unpaused),
        }
    }

    fn shown_name(&self, pool: Pool, number: u32) -> String {
        match pool {
            Pool::Servers => self.records.endpoints[EndpointNo(number)]
                .address
                .to_string(),
            Pool::Domains => self.records.domains[&DomainNo(number)].name.to_string(),
        }
    }
}

fn exceeded(pool: Pool, capacity: Capacity) -> Refusal {
    match pool {
        Pool::Servers => Refusal::EndpointLimitExceeded(capacity),
        Pool::Domains => Refusal::DomainLimitExceeded(capacity),
    }
}
