//! A customer of the account, and the calls that most cases begin with.

use secmon::model::{CustomerId, DomainId, EndpointId, ProductSlug, ServiceId};
use secmon::operations::{
    CreateEndpoint, ListEndpoints, ProvisionDomain, ProvisionEndpoint, ProvisionSubscription,
};

use crate::account::Account;
use crate::stage::stage;

/// A customer that no other case uses.
#[derive(Clone, Copy)]
pub struct Customer<'a> {
    pub(crate) account: &'a Account,
    /// Its number in the billing system.
    pub id: CustomerId,
}

impl Customer<'_> {
    /// The provisioning call for a server at this address.
    pub fn server(&self, address: &str) -> ProvisionEndpoint {
        ProvisionEndpoint::new(self.id).ip_address(address)
    }

    /// The creation of an endpoint at this address or hostname.
    pub fn endpoint(&self, address: &str) -> CreateEndpoint {
        CreateEndpoint::new(self.id, address)
    }

    /// A server that is monitored.
    pub async fn provisioned(&self, address: &str) -> EndpointId {
        let provisioned = self
            .account
            .client
            .servers()
            .provision(self.server(address))
            .await;
        provisioned
            .expect("the server is provisioned")
            .data
            .endpoint_id
    }

    /// A subscription to this many domain slots, by a service of its own.
    pub async fn domain_slots(&self, slots: u32) -> ServiceId {
        let service = next_service();
        let bought = ProvisionSubscription::new(self.id, service, ProductSlug::DomainMonitoring);
        let bought = self
            .account
            .client
            .subscriptions()
            .provision(bought.quantity(slots))
            .await;
        bought.expect("the subscription is provisioned");
        service
    }

    /// A subscription to a plan for servers, by a service of its own.
    pub async fn server_plan(&self, plan: &str) -> ServiceId {
        let service = next_service();
        let bought = ProvisionSubscription::new(self.id, service, ProductSlug::PortMonitoring);
        let bought = self
            .account
            .client
            .subscriptions()
            .provision(bought.plan_slug(plan))
            .await;
        bought.expect("the subscription is provisioned");
        service
    }

    /// How many servers the customer may have.
    pub async fn server_limit(&self) -> u64 {
        let list = ListEndpoints::new(self.id).per_page(1);
        let page = self.account.client.send(list).await.expect("a list");
        page.data.meta.endpoint_limit.expect("a limit")
    }

    /// A domain that is watched.
    pub async fn watched(&self, domain: &str, service: ServiceId) -> DomainId {
        let request = ProvisionDomain::new(self.id, domain, service);
        let provisioned = self.account.client.domains().provision(request).await;
        provisioned
            .expect("the domain is provisioned")
            .data
            .monitored_domain_id
    }

    /// A server whose scan has found these ports open.
    pub async fn scanned(&self, address: &str, ports: &[(u16, &str)]) -> EndpointId {
        let endpoint = self.provisioned(address).await;
        self.account.open_ports(endpoint, ports).await;
        self.account.scan(endpoint, "completed").await;
        endpoint
    }
}

/// A service number that no other case uses.
///
/// # Panics
/// Outside a case.
pub fn next_service() -> ServiceId {
    ServiceId::try_from(stage().next_number()).expect("a service number")
}
