//! The partner's customers, and their portal accounts.

use serde::{Deserialize, Serialize};

use crate::account::Account;
use crate::refusal::Refusal;
use crate::session::Session;
use crate::state::storage::CustomerNo;
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

/// A customer, as recorded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Customer {
    pub(crate) client_id: ClientId,
    pub(crate) portal: Portal,
    pub(crate) name: Option<Box<str>>,
    pub(crate) email: Option<Box<str>>,
}

/// Whether the customer can sign in to the portal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Portal {
    /// Named by a rule only; nothing was ever provisioned.
    Never,
    Granted,
    Removed,
}

impl Session<'_> {
    /// Gives the customer a portal account, as every first provisioning does,
    /// or gives removed access back (C11).
    pub(crate) fn welcome(&mut self, client: &Client) -> CustomerNo {
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

    /// Takes away the customer's portal account, so that what needs one
    /// answers [`Refusal::UserNotFound`] until the next provisioning.
    ///
    /// # Errors
    ///
    /// [`Refusal::UserNotFound`] when there is none to take.
    pub fn remove_portal_account(&mut self, client: ClientId) -> Result<(), Refusal> {
        let number = self
            .customer(client)
            .filter(|number| self.records.customers[*number].portal == Portal::Granted)
            .ok_or(Refusal::UserNotFound)?;
        self.records.customers.edit(number).portal = Portal::Removed;
        Ok(())
    }
}

impl Account {
    /// The customer with this number, if anything was ever recorded for it.
    pub(crate) fn customer(&self, client: ClientId) -> Option<CustomerNo> {
        self.index.clients.get(&client).copied()
    }

    /// The customer with this number, recorded now if need be.
    pub(crate) fn recorded_customer(&mut self, client: ClientId) -> CustomerNo {
        if let Some(number) = self.customer(client) {
            return number;
        }
        let number = self.records.customers.push(Customer {
            client_id: client,
            portal: Portal::Never,
            name: None,
            email: None,
        });
        self.index.add_customer(number, client);
        number
    }
}
