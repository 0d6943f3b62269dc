//! The partner's customers, and their portal accounts.

use crate::refusal::Refusal;
use crate::session::Session;
use crate::state::{CustomerNo, Portal};
use crate::values::ClientId;

/// The customer a provisioning call is for. Name and address are used when
/// the customer account is made by this call, and not looked at later (C11).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Client {
    /// The customer's number in the billing system.
    pub id: ClientId,
    /// `client_name`.
    pub name: Option<String>,
    /// `client_email`.
    pub email: Option<String>,
}

impl Client {
    /// A customer known by number alone.
    pub fn new(id: ClientId) -> Self {
        Self {
            id,
            name: None,
            email: None,
        }
    }
}

impl Session<'_> {
    /// Gives the customer a portal account, as every first provisioning does,
    /// or gives removed access back (C11).
    pub(crate) fn grant_portal_access(&mut self, client: &Client) -> CustomerNo {
        let number = self.recorded_customer(client.id);
        match self.records.customers[number].portal {
            Portal::Granted => {}
            Portal::Removed => self.records.customers.edit(number).portal = Portal::Granted,
            Portal::Never => {
                let customer = self.records.customers.edit(number);
                customer.portal = Portal::Granted;
                customer.name = client.name.as_deref().map(Box::from);
                customer.email = client.email.as_deref().map(Box::from);
            }
        }
        number
    }

    /// Whether the customer can sign in, which some operations need (C11).
    pub(crate) fn require_portal_account(&self, client: ClientId) -> Result<(), Refusal> {
        let granted = self
            .customer(client)
            .is_some_and(|customer| self.records.customers[customer].portal == Portal::Granted);
        if granted {
            Ok(())
        } else {
            Err(Refusal::UserNotFound)
        }
    }
}
