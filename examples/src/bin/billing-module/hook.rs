//! What the billing system tells: a line of JSON.

use secmon::model::{Address, CustomerId, PlanSlug, ProductSlug, ServiceId};
use secmon::operations::ProvisionEndpoint;
use serde::Deserialize;

/// One hook.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hook {
    /// The same for each delivery of this hook, and for no other.
    pub delivery: String,
    /// What happened.
    pub event: Event,
    /// Who ordered.
    pub customer: CustomerId,
    /// The contract line.
    pub service: ServiceId,
    /// What was ordered, as it shall be now.
    pub goods: Goods,
    /// The address that a changed server had before.
    pub instead_of: Option<Address>,
    /// For the customer's account at the service, which the first order makes.
    pub client_name: Option<String>,
}

/// What happened to an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// It was ordered and paid.
    Created,
    /// It was not paid.
    Suspended,
    /// It was paid after all.
    Unsuspended,
    /// It was cancelled.
    Terminated,
    /// It is for something else from now on: another address, plan or number of slots.
    Changed,
}

/// What can be ordered.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Goods {
    /// Monitoring of one server.
    Server(Address),
    /// Room for so many servers as the plan says.
    Plan(PlanSlug),
    /// So many domains.
    DomainSlots(u32),
}

impl Hook {
    /// The request that has this server monitored.
    pub fn provision(&self, server: &Address) -> ProvisionEndpoint {
        let mut request = ProvisionEndpoint::new(self.customer)
            .ip_address(server.clone())
            .service_id(self.service);
        request.client_name.clone_from(&self.client_name);
        request
    }
}

/// What a subscription is for: its product, and its plan or its quantity.
pub struct Package {
    /// The product.
    pub product: ProductSlug,
    /// The plan, of what is sold by plan.
    pub plan: Option<PlanSlug>,
    /// How many, of what is sold by number.
    pub quantity: Option<u32>,
}

impl Package {
    /// Room for servers.
    pub fn plan(plan: &PlanSlug) -> Self {
        Self {
            product: ProductSlug::PortMonitoring,
            plan: Some(plan.clone()),
            quantity: None,
        }
    }

    /// Slots for domains.
    pub fn domain_slots(slots: u32) -> Self {
        Self {
            product: ProductSlug::DomainMonitoring,
            plan: None,
            quantity: Some(slots),
        }
    }
}
