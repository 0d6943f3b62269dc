//! Short forms of [`Client::call`], one type for each resource of the service.
//!
//! Each gives a call that is awaited as it is or after [`with`](CallBuilder::with), or the pages of a list. Where a
//! call belongs to a customer's area the customer comes first and is sent along, so that one customer's id never shows
//! another's record; the forms for the whole account say so in their names.

use crate::client::{CallBuilder, Client};
use crate::model::{
    CustomerId, DomainAlertId, DomainId, EndpointId, PortAlertId, ProductSlug, RuleId, ServiceId,
};
use crate::operations::*;
use crate::page::Pages;

/// Declares resources: their accessors, each a call or the pages of a list, and the method of the client that gives one.
/// The request is made from the arguments, unless it is written out.
macro_rules! accessors {
    (@result call $operation:ty) => { CallBuilder<$operation> };
    (@result pages $operation:ty) => { Pages<$operation> };
    (@request $operation:ident $($argument:ident)*) => { $operation::new($($argument),*) };
    (@request $operation:ident $($argument:ident)* = $request:expr) => { $request };
    ($(
        $(#[$about:meta])*
        $name:ident, $accessor:ident {
            $($(#[$what:meta])* $how:ident $method:ident($($argument:ident: $kind:ty),*) -> $operation:ident $(= $request:expr)?;)+
        }
    )+) => {$(
        $(#[$about])*
        #[doc = concat!("\nFrom [`Client::", stringify!($accessor), "`].")]
        #[derive(Debug, Clone, Copy)]
        pub struct $name<'a>(pub(crate) &'a Client);

        impl<'a> $name<'a> {
            $(
                $(#[$what])*
                pub fn $method(self, $($argument: $kind),*) -> accessors!(@result $how $operation) {
                    self.0.$how(accessors!(@request $operation $($argument)* $(= $request)?))
                }
            )+
        }

        impl Client {
            $(#[$about])*
            pub fn $accessor(&self) -> $name<'_> {
                $name(self)
            }
        }
    )+};
}

accessors! {
    /// Monitored servers.
    Servers, servers {
        /// Starts monitoring a server that a service of the billing
        /// system pays for, and is the one to choose there: [`ProvisionEndpoint`].
        call provision(server: ProvisionEndpoint) -> ProvisionEndpoint = server;
        /// Stops the scans of a server: [`SuspendEndpoint`].
        call suspend(server: EndpointId) -> SuspendEndpoint;
        /// Scans a paused server again: [`ResumeEndpoint`].
        call resume(server: EndpointId) -> ResumeEndpoint;
        /// Ends the monitoring of a server when its service ends in the billing system: [`TerminateEndpoint`].
        call terminate(server: EndpointId) -> TerminateEndpoint;
        /// Queues a scan now: [`ScanEndpoint`].
        call scan(customer: CustomerId, server: EndpointId) -> ScanEndpoint;
        /// A customer's servers: [`ListEndpoints`].
        pages list(customer: CustomerId) -> ListEndpoints;
        /// The servers of all customers: [`ListEndpoints`].
        pages list_account_wide() -> ListEndpoints = ListEndpoints::account_wide();
        /// Monitors a server that a person adds, by address or hostname, with a nickname of its own and perhaps paused;
        /// no service or price is recorded with it, as [`provision`](Servers::provision) does: [`CreateEndpoint`].
        call create(server: CreateEndpoint) -> CreateEndpoint = server;
        /// One server of a customer: [`GetEndpoint`].
        call get(customer: CustomerId, server: EndpointId) -> GetEndpoint;
        /// One server, whoever owns it: [`GetEndpoint`].
        call get_account_wide(server: EndpointId) -> GetEndpoint = GetEndpoint::account_wide(server);
        /// One server of a customer with what its scans found: [`GetEndpointDetail`].
        call detail(customer: CustomerId, server: EndpointId) -> GetEndpointDetail;
        /// One server with what its scans found, whoever owns it: [`GetEndpointDetail`].
        call detail_account_wide(server: EndpointId) -> GetEndpointDetail = GetEndpointDetail::account_wide(server);
        /// Changes nickname or state: [`UpdateEndpoint`].
        call update(change: UpdateEndpoint) -> UpdateEndpoint = change;
        /// Takes a customer's server out of every list; [`terminate`](Servers::terminate) ends the monitoring and keeps
        /// the record: [`DeleteEndpoint`].
        call delete(customer: CustomerId, server: EndpointId) -> DeleteEndpoint;
        /// Takes a server out of every list, whoever owns it: [`DeleteEndpoint`].
        call delete_account_wide(server: EndpointId) -> DeleteEndpoint = DeleteEndpoint::account_wide(server);
    }

    /// Monitored domains.
    Domains, domains {
        /// Starts watching a domain: [`ProvisionDomain`].
        call provision(domain: ProvisionDomain) -> ProvisionDomain = domain;
        /// Stops watching a domain: [`SuspendDomain`].
        call suspend(domain: DomainId) -> SuspendDomain;
        /// Watches a paused domain again: [`ResumeDomain`].
        call resume(domain: DomainId) -> ResumeDomain;
        /// Ends the monitoring of a domain: [`TerminateDomain`].
        call terminate(domain: DomainId) -> TerminateDomain;
        /// Watches another domain in its place: [`UpdateDomain`].
        call update(domain: DomainId, name: impl Into<String>) -> UpdateDomain;
        /// Gives a domain slot up for good: [`ReleaseDomain`].
        call release(customer: CustomerId, service: ServiceId, domain: DomainId) -> ReleaseDomain;
        /// A customer's domains and slots: [`ListDomains`].
        call list(customer: CustomerId) -> ListDomains;
        /// One domain with all that is known of it: [`GetDomainSummary`].
        call summary(customer: CustomerId, domain: DomainId) -> GetDomainSummary;
        /// The last 25 scans of a domain: [`GetScanHistory`].
        call scan_history(customer: CustomerId, domain: DomainId) -> GetScanHistory;
        /// A domain's mentions on the dark web, which count as seen when they were read without
        /// [`is_new`](ListMentions::is_new): [`ListMentions`].
        pages mentions(customer: CustomerId, domain: DomainId) -> ListMentions;
        /// A domain's leaked credentials: [`ListCredentialLeaks`].
        pages leaks(customer: CustomerId, domain: DomainId) -> ListCredentialLeaks;
        /// A domain's alerts: [`ListDomainAlerts`].
        pages alerts(customer: CustomerId, domain: DomainId) -> ListDomainAlerts;
        /// One alert with its explanation: [`GetDomainAlert`].
        call alert(customer: CustomerId, domain: DomainId, alert: DomainAlertId) -> GetDomainAlert;
        /// Says that somebody has seen an alert: [`AcknowledgeDomainAlert`].
        call acknowledge(customer: CustomerId, domain: DomainId, alert: DomainAlertId) -> AcknowledgeDomainAlert;
        /// Says that an alert is dealt with: [`ResolveDomainAlert`].
        call resolve(customer: CustomerId, domain: DomainId, alert: DomainAlertId) -> ResolveDomainAlert;
    }

    /// Subscriptions.
    Subscriptions, subscriptions {
        /// Records or changes what a customer bought: [`ProvisionSubscription`].
        call provision(bought: ProvisionSubscription) -> ProvisionSubscription = bought;
        /// Takes the capacity of a subscription away: [`SuspendSubscription`].
        call suspend(customer: CustomerId, service: ServiceId, product: impl Into<ProductSlug>) -> SuspendSubscription;
        /// Gives the capacity of a subscription back: [`ResumeSubscription`].
        call resume(customer: CustomerId, service: ServiceId, product: impl Into<ProductSlug>) -> ResumeSubscription;
        /// Ends a subscription: [`TerminateSubscription`].
        call terminate(customer: CustomerId, service: ServiceId, product: impl Into<ProductSlug>) -> TerminateSubscription;
        /// Moves a subscription to another plan or quantity: [`ChangeSubscription`].
        call change(change: ChangeSubscription) -> ChangeSubscription = change;
        /// Reports the state of many services at once: [`SyncServices`].
        call sync(services: impl Into<Services>) -> SyncServices;
    }

    /// Allowed Ports rules.
    Rules, rules {
        /// How many rules each server of a customer has: [`GetRuleSummary`].
        call summary(customer: CustomerId) -> GetRuleSummary;
        /// The rules that apply to a customer: [`ListRules`].
        pages list(customer: CustomerId) -> ListRules;
        /// The rules of all customers: [`ListRules`].
        pages list_account_wide() -> ListRules = ListRules::account_wide();
        /// Allows ports for a customer: [`CreateRule`].
        call create(customer: CustomerId, rule: CreateRule) -> CreateRule = rule.billing_customer_id(customer);
        /// Allows ports as the rule says; a global one for the whole account (assumed): [`CreateRule`].
        call create_account_wide(rule: CreateRule) -> CreateRule = rule;
        /// One rule of a customer: [`GetRule`].
        call get(customer: CustomerId, rule: RuleId) -> GetRule;
        /// One rule, whoever owns it: [`GetRule`].
        call get_account_wide(rule: RuleId) -> GetRule = GetRule::account_wide(rule);
        /// Replaces the whole of a customer's rule; [`UpdateRule::from_rule`] keeps what it says.
        call update(customer: CustomerId, rule: UpdateRule) -> UpdateRule = rule.billing_customer_id(customer);
        /// Replaces the whole of a rule, whoever owns it: [`UpdateRule`].
        call update_account_wide(rule: UpdateRule) -> UpdateRule = rule;
        /// Takes a customer's rule away: [`DeleteRule`].
        call delete(customer: CustomerId, rule: RuleId) -> DeleteRule;
        /// Takes a rule away, whoever owns it: [`DeleteRule`].
        call delete_account_wide(rule: RuleId) -> DeleteRule = DeleteRule::account_wide(rule);
        /// Turns a firewall dump into rules of a server: [`IngestFirewall`].
        call ingest_firewall(dump: IngestFirewall) -> IngestFirewall = dump;
    }

    /// Port alerts.
    PortAlerts, port_alerts {
        /// A customer's port alerts: [`ListPortAlerts`].
        pages list(customer: CustomerId) -> ListPortAlerts;
        /// One port alert: [`GetPortAlert`].
        call get(customer: CustomerId, alert: PortAlertId) -> GetPortAlert;
        /// Takes an alert off the list of open ones: [`ResolvePortAlert`].
        call resolve(customer: CustomerId, alert: PortAlertId) -> ResolvePortAlert;
    }

    /// Prices of products.
    Pricing, pricing {
        /// Stores a price: [`SetPrice`].
        call set(price: SetPrice) -> SetPrice = price;
        /// Removes a stored price: [`RemovePrice`].
        call remove(price: RemovePrice) -> RemovePrice = price;
    }

    /// Scenarios of the sandbox.
    Sandbox, sandbox {
        /// What there is to choose from: [`ListScenarios`].
        call scenarios() -> ListScenarios;
        /// What scans shall find from now on: [`SetScenario`].
        call set(scenario: SetScenario) -> SetScenario = scenario;
    }
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
