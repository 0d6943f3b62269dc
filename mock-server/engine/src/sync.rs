//! sync-services: the billing system reports, the platform corrects (D6, D7).

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use crate::capacity::{CapacityReport, Reconciled};
use crate::catalogue::{Pool, Product};
use crate::session::Session;
use crate::state::{
    CustomerNo, EndpointNo, EndpointState, PausedBy, ServiceKey, SubscriptionKey,
    SubscriptionStatus,
};
use crate::values::{ClientId, ServiceId};

/// One service as the billing system reports it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReportedService {
    /// `service_id`.
    pub service: ServiceId,
    /// `client_id`.
    pub client: ClientId,
    /// `product_slug`.
    pub product: Product,
    /// `status`.
    pub status: SubscriptionStatus,
}

/// What `sync-services` answers.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SyncReport {
    /// Entries that moved something.
    pub changed: u64,
    /// Entries that moved nothing.
    pub unchanged: u64,
    /// Entries that name no service the platform knows.
    pub unknown_services: Vec<UnknownService>,
    /// What followed, for each customer whose services changed.
    pub enforcement: Enforcement,
}

/// A service that the platform does not know.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct UnknownService {
    /// As reported.
    pub service_id: ServiceId,
    /// As reported.
    pub client_id: ClientId,
    /// As reported.
    pub product_slug: &'static str,
}

/// Capacity reports by customer; written as `[]` when there are none.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Enforcement(pub BTreeMap<ClientId, CapacityReports>);

/// Both capacity reports of one customer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct CapacityReports {
    /// Domains.
    pub domain_monitoring: CapacityReport,
    /// Servers.
    pub port_monitoring: CapacityReport,
}

impl Serialize for Enforcement {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_empty() {
            serializer.collect_seq(std::iter::empty::<()>())
        } else {
            self.0.serialize(serializer)
        }
    }
}

/// What an entry did.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Effect {
    Changed,
    Unchanged,
    Unknown,
}

/// The servers that entries made active although the platform had paused
/// them, by customer whose services changed.
type ChangedCustomers = BTreeMap<ClientId, Vec<u32>>;

impl Session<'_> {
    /// `sync-services`: moves each reported service to its status, in order,
    /// then reconciles each customer whose services changed, once.
    pub fn sync_services(&mut self, services: &[ReportedService]) -> SyncReport {
        let mut customers = ChangedCustomers::new();
        let (mut changed, mut unchanged) = (0, 0);
        let mut unknown_services = Vec::new();
        for reported in services {
            match self.apply_report(reported, &mut customers) {
                Effect::Changed => changed += 1,
                Effect::Unchanged => unchanged += 1,
                Effect::Unknown => unknown_services.push(UnknownService {
                    service_id: reported.service,
                    client_id: reported.client,
                    product_slug: reported.product.slug(),
                }),
            }
        }
        let enforcement = customers
            .into_iter()
            .filter_map(|(client, resumed)| {
                let customer = self.customer(client)?;
                Some((client, self.enforce(customer, &resumed)))
            })
            .collect();
        SyncReport {
            changed,
            unchanged,
            unknown_services,
            enforcement: Enforcement(enforcement),
        }
    }

    fn apply_report(
        &mut self,
        reported: &ReportedService,
        customers: &mut ChangedCustomers,
    ) -> Effect {
        let service = ServiceKey {
            client: reported.client,
            service: reported.service,
        };
        let key = SubscriptionKey {
            service,
            product: reported.product,
        };
        let server = match reported.product {
            Product::Endpoint => self.records.service_links.get(&service).copied(),
            Product::PortMonitoring | Product::DomainMonitoring => None,
        };
        let subscribed = self
            .records
            .subscriptions
            .get(&key)
            .map(|subscription| subscription.status);
        if server.is_none() && subscribed.is_none() {
            return Effect::Unknown;
        }
        let moves = subscribed.is_some_and(|status| status != reported.status);
        if moves {
            self.set_subscription_status(key, reported.status);
        }
        let was_quota_paused = server.is_some_and(|number| self.is_quota_paused(number));
        let moved = server.is_some_and(|number| self.sync_server(number, reported.status));
        if !moves && !moved {
            return Effect::Unchanged;
        }
        let resumed = customers.entry(reported.client).or_default();
        if moved && was_quota_paused {
            resumed.extend(server.map(u32::from));
        }
        Effect::Changed
    }

    fn is_quota_paused(&self, number: EndpointNo) -> bool {
        self.records.endpoints[number].state == EndpointState::Paused(PausedBy::Platform)
    }

    /// Moves a server to where its service is; tells whether it moved.
    fn sync_server(&mut self, number: EndpointNo, status: SubscriptionStatus) -> bool {
        match (status, self.records.endpoints[number].state) {
            (SubscriptionStatus::Active, EndpointState::Paused(_)) => self.activate(number).is_ok(),
            (SubscriptionStatus::Suspended, EndpointState::Active(_)) => {
                self.set_endpoint_state(number, EndpointState::Paused(PausedBy::Hand));
                true
            }
            (
                SubscriptionStatus::Cancelled,
                EndpointState::Active(_) | EndpointState::Paused(_),
            ) => {
                self.set_endpoint_state(number, EndpointState::Terminated);
                true
            }
            _ => false,
        }
    }

    /// Reconciles both products of a customer and reports the net effect.
    fn enforce(&mut self, customer: CustomerNo, resumed: &[u32]) -> CapacityReports {
        let domains = self.reconcile(customer, Pool::Domains);
        let servers = self.reconcile(customer, Pool::Servers);
        let servers = self.net_effect(servers, resumed);
        CapacityReports {
            domain_monitoring: self.capacity_report(customer, Pool::Domains, &domains),
            port_monitoring: self.capacity_report(customer, Pool::Servers, &servers),
        }
    }

    /// A server that an entry resumed counts as un-paused if it still runs,
    /// and not as newly paused if it does not (D6).
    fn net_effect(&self, mut servers: Reconciled, resumed: &[u32]) -> Reconciled {
        servers.paused.retain(|number| !resumed.contains(number));
        let runs = |number: &u32| {
            let state = self.records.endpoints[EndpointNo(*number)].state;
            matches!(state, EndpointState::Active(_))
        };
        servers
            .unpaused
            .extend(resumed.iter().copied().filter(runs));
        servers.unpaused.sort_unstable();
        servers.unpaused.dedup();
        servers
    }
}
