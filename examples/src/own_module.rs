//! A module of one's own: what a shop does when somebody signs up, and when somebody leaves.
//!
//! It has a few functions over the client, and no memory of its own: each can be called again whenever it did not end
//! with `Ok`, or when nobody knows. `tests/own_module.rs` shows how such a module is tested against the mock.

use crate::policy::{self, Next};
use secmon::model::{
    Address, CustomerId, DomainStatus, EndpointId, EndpointStatus, PlanSlug, ProductSlug, ServiceId,
};
use secmon::operations::{
    ListDomains, ProvisionEndpoint, ProvisionSubscription, TerminateDomain, TerminateEndpoint,
    TerminateSubscription,
};
use secmon::{Client, Error};

/// The shop's side of the service.
#[derive(Debug, Clone)]
pub struct Shop {
    client: Client,
}

/// What somebody ordered.
#[derive(Debug, Clone)]
pub struct Order {
    /// Who.
    pub customer: CustomerId,
    /// The contract line that pays for it.
    pub service: ServiceId,
    /// How many servers fit.
    pub plan: PlanSlug,
    /// The servers to be monitored.
    pub servers: Vec<Address>,
}

impl Shop {
    /// A shop that calls with this client.
    #[must_use]
    pub fn new(client: Client) -> Self {
        Self { client }
    }

    /// Provisions the plan and the servers, and gives the servers' ids in the order's order.
    ///
    /// # Errors
    /// What to do next. Where that is to try again, the same call finds what is there already and makes the rest.
    pub async fn sign_up(&self, order: &Order) -> Result<Vec<EndpointId>, Next> {
        let made = async {
            let (customer, service) = (order.customer, order.service);
            let plan = ProvisionSubscription::new(customer, service, ProductSlug::PortMonitoring)
                .plan_slug(order.plan.clone());
            self.client.send(plan).await?;
            let mut servers = Vec::new();
            for address in &order.servers {
                let server = ProvisionEndpoint::new(customer)
                    .ip_address(address.clone())
                    .service_id(service);
                // 200 with a note is a success too: the server was there.
                servers.push(self.client.send(server).await?.data.endpoint_id);
            }
            Ok(servers)
        };
        made.await.map_err(|error: Error| policy::next(&error))
    }

    /// Ends whatever is monitored for this customer, then the services, of which the shop knows the products.
    ///
    /// # Errors
    /// What to do next. Where that is to try again or to look, the same call looks, and ends what is left.
    pub async fn cancel(
        &self,
        customer: CustomerId,
        services: &[(ServiceId, ProductSlug)],
    ) -> Result<(), Next> {
        let ended = async {
            self.end_servers(customer).await?;
            self.end_domains(customer).await?;
            for (service, product) in services {
                let end = TerminateSubscription::new(customer, *service, product.clone());
                done_or(self.client.send(end).await)?;
            }
            Ok(())
        };
        ended.await.map_err(|error: Error| policy::next(&error))
    }

    async fn end_servers(&self, customer: CustomerId) -> Result<(), Error> {
        let list = self.client.servers().list(customer);
        let servers = list
            .with_request(|list| list.per_page(100))
            .collect_stable()
            .await?;
        for server in servers {
            if server.status != EndpointStatus::Terminated {
                done_or(self.client.send(TerminateEndpoint::new(server.id)).await)?;
            }
        }
        Ok(())
    }

    async fn end_domains(&self, customer: CustomerId) -> Result<(), Error> {
        let overview = self.client.send(ListDomains::new(customer)).await?;
        for domain in overview.into_inner().domains.into_iter().flatten() {
            if domain.status != DomainStatus::Terminated {
                done_or(self.client.send(TerminateDomain::new(domain.id)).await)?;
            }
        }
        Ok(())
    }
}

/// What is gone already needs no ending.
fn done_or<T>(result: Result<T, Error>) -> Result<(), Error> {
    match result {
        Err(error) if policy::next(&error) != Next::Done => Err(error),
        _ => Ok(()),
    }
}
