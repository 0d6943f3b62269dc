//! A customer of the account, and the calls that most cases begin with.

use secmon::model::{CustomerId, EndpointId, ServiceId};
use secmon::operations::{CreateEndpoint, ProvisionEndpoint};

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
}

/// A service number that no other case uses.
///
/// # Panics
/// Outside a case.
pub fn next_service() -> ServiceId {
    ServiceId::try_from(stage().next_number()).expect("a service number")
}
