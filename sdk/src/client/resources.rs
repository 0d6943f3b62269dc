//! Short forms of [`Client::call`], one type for each resource of the service.
//!
//! Each gives a call that is awaited as it is or after [`with`](crate::CallBuilder::with), or the pages of a list. Where a
//! call belongs to a customer's area the customer comes first and is sent along, so that one customer's id never shows
//! another's record; the forms for the whole account say so in their names. They are declared with their operations.

use crate::client::Client;

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
