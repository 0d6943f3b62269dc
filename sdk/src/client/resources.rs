//! Short forms of [`Client::call`], one type for each resource of the service.
//!
//! Each gives a call that is awaited as it is or after [`with`](CallBuilder::with), or the pages of a list. Where a
//! call belongs to a customer's area the customer comes first and is sent along, so that one customer's id never shows
//! another's record; the forms for the whole account say so in their names. They are declared with their operations.

use crate::client::{CallBuilder, Client};
use crate::model::CustomerId;
use crate::operations::{CreateSsoToken, GetHealth};

/// Declares resources, each with the method of the client that gives it.
macro_rules! resources {
    ($($(#[$about:meta])* $name:ident, $accessor:ident;)+) => {$(
        $(#[$about])*
        #[doc = concat!("\nFrom [`Client::", stringify!($accessor), "`].")]
        #[derive(Debug, Clone, Copy)]
        pub struct $name<'a>(pub(crate) &'a Client);

        impl Client {
            $(#[$about])*
            pub fn $accessor(&self) -> $name<'_> {
                $name(self)
            }
        }
    )+};
}

resources! {
    /// Monitored servers.
    Servers, servers;
    /// Monitored domains.
    Domains, domains;
    /// Subscriptions.
    Subscriptions, subscriptions;
    /// Allowed Ports rules.
    Rules, rules;
    /// Port alerts.
    PortAlerts, port_alerts;
    /// Prices of products.
    Pricing, pricing;
    /// Scenarios of the sandbox.
    Sandbox, sandbox;
}

impl Client {
    /// Asks whether the service is up: [`GetHealth`].
    pub fn health(&self) -> CallBuilder<GetHealth> {
        self.call(GetHealth::new())
    }

    /// Mints a token that signs a customer in: [`CreateSsoToken`]. Where to land can be added:
    /// `client.sso_token(customer).redirect_path("/domains").await`.
    pub fn sso_token(&self, customer: CustomerId) -> CallBuilder<CreateSsoToken> {
        self.call(CreateSsoToken::new(customer))
    }
}

impl CallBuilder<CreateSsoToken> {
    /// The page of the portal to land on, a path from the root.
    pub fn redirect_path(mut self, path: impl Into<String>) -> Self {
        self.operation = self.operation.redirect_path(path);
        self
    }
}
