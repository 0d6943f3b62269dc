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

/// Monitored servers, from [`Client::servers`].
#[derive(Debug, Clone, Copy)]
pub struct Servers<'a>(pub(crate) &'a Client);

impl<'a> Servers<'a> {
    /// Starts monitoring a server: [`ProvisionEndpoint`].
    pub fn provision(self, server: ProvisionEndpoint) -> CallBuilder<'a, ProvisionEndpoint> {
        self.0.call(server)
    }

    /// Stops the scans of a server: [`SuspendEndpoint`].
    pub fn suspend(self, server: EndpointId) -> CallBuilder<'a, SuspendEndpoint> {
        self.0.call(SuspendEndpoint::new(server))
    }

    /// Scans a paused server again: [`ResumeEndpoint`].
    pub fn resume(self, server: EndpointId) -> CallBuilder<'a, ResumeEndpoint> {
        self.0.call(ResumeEndpoint::new(server))
    }

    /// Ends the monitoring of a server: [`TerminateEndpoint`].
    pub fn terminate(self, server: EndpointId) -> CallBuilder<'a, TerminateEndpoint> {
        self.0.call(TerminateEndpoint::new(server))
    }

    /// Queues a scan now: [`ScanEndpoint`].
    pub fn scan(self, customer: CustomerId, server: EndpointId) -> CallBuilder<'a, ScanEndpoint> {
        self.0.call(ScanEndpoint::new(customer, server))
    }

    /// A customer's servers: [`ListEndpoints`].
    pub fn list(self, customer: CustomerId) -> Pages<ListEndpoints> {
        self.0
            .pages(ListEndpoints::new().billing_customer_id(customer))
    }

    /// The servers of all customers: [`ListEndpoints`].
    pub fn list_account_wide(self) -> Pages<ListEndpoints> {
        self.0.pages(ListEndpoints::new())
    }

    /// Monitors a server, by address or hostname: [`CreateEndpoint`].
    pub fn create(self, server: CreateEndpoint) -> CallBuilder<'a, CreateEndpoint> {
        self.0.call(server)
    }

    /// One server of a customer: [`GetEndpoint`].
    pub fn get(self, customer: CustomerId, server: EndpointId) -> CallBuilder<'a, GetEndpoint> {
        self.0
            .call(GetEndpoint::new(server).billing_customer_id(customer))
    }

    /// One server, whoever owns it: [`GetEndpoint`].
    pub fn get_account_wide(self, server: EndpointId) -> CallBuilder<'a, GetEndpoint> {
        self.0.call(GetEndpoint::new(server))
    }

    /// One server of a customer with what its scans found: [`GetEndpointDetail`].
    pub fn detail(
        self,
        customer: CustomerId,
        server: EndpointId,
    ) -> CallBuilder<'a, GetEndpointDetail> {
        self.0
            .call(GetEndpointDetail::new(server).billing_customer_id(customer))
    }

    /// One server with what its scans found, whoever owns it: [`GetEndpointDetail`].
    pub fn detail_account_wide(self, server: EndpointId) -> CallBuilder<'a, GetEndpointDetail> {
        self.0.call(GetEndpointDetail::new(server))
    }

    /// Changes nickname or state: [`UpdateEndpoint`].
    pub fn update(self, change: UpdateEndpoint) -> CallBuilder<'a, UpdateEndpoint> {
        self.0.call(change)
    }

    /// Takes a customer's server out of every list: [`DeleteEndpoint`].
    pub fn delete(
        self,
        customer: CustomerId,
        server: EndpointId,
    ) -> CallBuilder<'a, DeleteEndpoint> {
        self.0
            .call(DeleteEndpoint::new(server).billing_customer_id(customer))
    }

    /// Takes a server out of every list, whoever owns it: [`DeleteEndpoint`].
    pub fn delete_account_wide(self, server: EndpointId) -> CallBuilder<'a, DeleteEndpoint> {
        self.0.call(DeleteEndpoint::new(server))
    }
}

/// Monitored domains, from [`Client::domains`].
#[derive(Debug, Clone, Copy)]
pub struct Domains<'a>(&'a Client);

impl<'a> Domains<'a> {
    /// Starts watching a domain: [`ProvisionDomain`].
    pub fn provision(self, domain: ProvisionDomain) -> CallBuilder<'a, ProvisionDomain> {
        self.0.call(domain)
    }

    /// Stops watching a domain: [`SuspendDomain`].
    pub fn suspend(self, domain: DomainId) -> CallBuilder<'a, SuspendDomain> {
        self.0.call(SuspendDomain::new(domain))
    }

    /// Watches a paused domain again: [`ResumeDomain`].
    pub fn resume(self, domain: DomainId) -> CallBuilder<'a, ResumeDomain> {
        self.0.call(ResumeDomain::new(domain))
    }

    /// Ends the monitoring of a domain: [`TerminateDomain`].
    pub fn terminate(self, domain: DomainId) -> CallBuilder<'a, TerminateDomain> {
        self.0.call(TerminateDomain::new(domain))
    }

    /// Watches another domain in its place: [`UpdateDomain`].
    pub fn update(
        self,
        domain: DomainId,
        name: impl Into<String>,
    ) -> CallBuilder<'a, UpdateDomain> {
        self.0.call(UpdateDomain::new(domain, name))
    }

    /// Gives a domain slot up for good: [`ReleaseDomain`].
    pub fn release(
        self,
        customer: CustomerId,
        service: ServiceId,
        domain: DomainId,
    ) -> CallBuilder<'a, ReleaseDomain> {
        self.0.call(ReleaseDomain::new(customer, service, domain))
    }

    /// A customer's domains and slots: [`ListDomains`].
    pub fn list(self, customer: CustomerId) -> CallBuilder<'a, ListDomains> {
        self.0.call(ListDomains::new(customer))
    }

    /// One domain with all that is known of it: [`GetDomainSummary`].
    pub fn summary(
        self,
        customer: CustomerId,
        domain: DomainId,
    ) -> CallBuilder<'a, GetDomainSummary> {
        self.0.call(GetDomainSummary::new(customer, domain))
    }

    /// The last 25 scans of a domain: [`GetScanHistory`].
    pub fn scan_history(
        self,
        customer: CustomerId,
        domain: DomainId,
    ) -> CallBuilder<'a, GetScanHistory> {
        self.0.call(GetScanHistory::new(customer, domain))
    }

    /// A domain's mentions on the dark web: [`ListMentions`].
    pub fn mentions(self, customer: CustomerId, domain: DomainId) -> Pages<ListMentions> {
        self.0.pages(ListMentions::new(customer, domain))
    }

    /// A domain's leaked credentials: [`ListCredentialLeaks`].
    pub fn leaks(self, customer: CustomerId, domain: DomainId) -> Pages<ListCredentialLeaks> {
        self.0.pages(ListCredentialLeaks::new(customer, domain))
    }

    /// A domain's alerts: [`ListDomainAlerts`].
    pub fn alerts(self, customer: CustomerId, domain: DomainId) -> Pages<ListDomainAlerts> {
        self.0.pages(ListDomainAlerts::new(customer, domain))
    }

    /// One alert with its explanation: [`GetDomainAlert`].
    pub fn alert(
        self,
        customer: CustomerId,
        domain: DomainId,
        alert: DomainAlertId,
    ) -> CallBuilder<'a, GetDomainAlert> {
        self.0.call(GetDomainAlert::new(customer, domain, alert))
    }

    /// Somebody has seen an alert: [`AcknowledgeDomainAlert`].
    pub fn acknowledge(
        self,
        customer: CustomerId,
        domain: DomainId,
        alert: DomainAlertId,
    ) -> CallBuilder<'a, AcknowledgeDomainAlert> {
        self.0
            .call(AcknowledgeDomainAlert::new(customer, domain, alert))
    }

    /// An alert is dealt with: [`ResolveDomainAlert`].
    pub fn resolve(
        self,
        customer: CustomerId,
        domain: DomainId,
        alert: DomainAlertId,
    ) -> CallBuilder<'a, ResolveDomainAlert> {
        self.0
            .call(ResolveDomainAlert::new(customer, domain, alert))
    }
}

/// Subscriptions, from [`Client::subscriptions`].
#[derive(Debug, Clone, Copy)]
pub struct Subscriptions<'a>(&'a Client);

impl<'a> Subscriptions<'a> {
    /// Records or changes what a customer bought: [`ProvisionSubscription`].
    pub fn provision(
        self,
        bought: ProvisionSubscription,
    ) -> CallBuilder<'a, ProvisionSubscription> {
        self.0.call(bought)
    }

    /// Takes the capacity away: [`SuspendSubscription`].
    pub fn suspend(
        self,
        customer: CustomerId,
        service: ServiceId,
        product: impl Into<ProductSlug>,
    ) -> CallBuilder<'a, SuspendSubscription> {
        self.0
            .call(SuspendSubscription::new(customer, service, product))
    }

    /// Gives the capacity back: [`ResumeSubscription`].
    pub fn resume(
        self,
        customer: CustomerId,
        service: ServiceId,
        product: impl Into<ProductSlug>,
    ) -> CallBuilder<'a, ResumeSubscription> {
        self.0
            .call(ResumeSubscription::new(customer, service, product))
    }

    /// Ends it: [`TerminateSubscription`].
    pub fn terminate(
        self,
        customer: CustomerId,
        service: ServiceId,
        product: impl Into<ProductSlug>,
    ) -> CallBuilder<'a, TerminateSubscription> {
        self.0
            .call(TerminateSubscription::new(customer, service, product))
    }

    /// To another plan or quantity: [`ChangeSubscription`].
    pub fn change(self, change: ChangeSubscription) -> CallBuilder<'a, ChangeSubscription> {
        self.0.call(change)
    }

    /// Reports the state of many services at once: [`SyncServices`].
    pub fn sync(self, services: impl Into<Services>) -> CallBuilder<'a, SyncServices> {
        self.0.call(SyncServices::new(services))
    }
}

/// Allowed Ports rules, from [`Client::rules`].
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a>(&'a Client);

impl<'a> Rules<'a> {
    /// How many rules each server of a customer has: [`GetRuleSummary`].
    pub fn summary(self, customer: CustomerId) -> CallBuilder<'a, GetRuleSummary> {
        self.0.call(GetRuleSummary::new(customer))
    }

    /// The rules that apply to a customer: [`ListRules`].
    pub fn list(self, customer: CustomerId) -> Pages<ListRules> {
        self.0.pages(ListRules::new().billing_customer_id(customer))
    }

    /// The rules of all customers: [`ListRules`].
    pub fn list_account_wide(self) -> Pages<ListRules> {
        self.0.pages(ListRules::new())
    }

    /// Allows ports for a customer: [`CreateRule`].
    pub fn create(self, customer: CustomerId, rule: CreateRule) -> CallBuilder<'a, CreateRule> {
        self.0.call(rule.billing_customer_id(customer))
    }

    /// Allows ports as the rule says; a global one for the whole account (assumed): [`CreateRule`].
    pub fn create_account_wide(self, rule: CreateRule) -> CallBuilder<'a, CreateRule> {
        self.0.call(rule)
    }

    /// One rule of a customer: [`GetRule`].
    pub fn get(self, customer: CustomerId, rule: RuleId) -> CallBuilder<'a, GetRule> {
        self.0
            .call(GetRule::new(rule).billing_customer_id(customer))
    }

    /// One rule, whoever owns it: [`GetRule`].
    pub fn get_account_wide(self, rule: RuleId) -> CallBuilder<'a, GetRule> {
        self.0.call(GetRule::new(rule))
    }

    /// Replaces what a customer's rule says: [`UpdateRule`].
    pub fn update(self, customer: CustomerId, rule: UpdateRule) -> CallBuilder<'a, UpdateRule> {
        self.0.call(rule.billing_customer_id(customer))
    }

    /// Replaces what a rule says, whoever owns it: [`UpdateRule`].
    pub fn update_account_wide(self, rule: UpdateRule) -> CallBuilder<'a, UpdateRule> {
        self.0.call(rule)
    }

    /// Takes a customer's rule away: [`DeleteRule`].
    pub fn delete(self, customer: CustomerId, rule: RuleId) -> CallBuilder<'a, DeleteRule> {
        self.0
            .call(DeleteRule::new(rule).billing_customer_id(customer))
    }

    /// Takes a rule away, whoever owns it: [`DeleteRule`].
    pub fn delete_account_wide(self, rule: RuleId) -> CallBuilder<'a, DeleteRule> {
        self.0.call(DeleteRule::new(rule))
    }

    /// Turns a firewall dump into rules of a server: [`IngestFirewall`].
    pub fn ingest_firewall(self, dump: IngestFirewall) -> CallBuilder<'a, IngestFirewall> {
        self.0.call(dump)
    }
}

/// Port alerts, from [`Client::port_alerts`].
#[derive(Debug, Clone, Copy)]
pub struct PortAlerts<'a>(pub(crate) &'a Client);

impl<'a> PortAlerts<'a> {
    /// A customer's port alerts: [`ListPortAlerts`].
    pub fn list(self, customer: CustomerId) -> Pages<ListPortAlerts> {
        self.0.pages(ListPortAlerts::new(customer))
    }

    /// One port alert: [`GetPortAlert`].
    pub fn get(self, customer: CustomerId, alert: PortAlertId) -> CallBuilder<'a, GetPortAlert> {
        self.0.call(GetPortAlert::new(customer, alert))
    }

    /// Takes an alert off the list of open ones: [`ResolvePortAlert`].
    pub fn resolve(
        self,
        customer: CustomerId,
        alert: PortAlertId,
    ) -> CallBuilder<'a, ResolvePortAlert> {
        self.0.call(ResolvePortAlert::new(customer, alert))
    }
}

/// Prices of products, from [`Client::pricing`].
#[derive(Debug, Clone, Copy)]
pub struct Pricing<'a>(&'a Client);

impl<'a> Pricing<'a> {
    /// Stores a price: [`SetPrice`].
    pub fn set(self, price: SetPrice) -> CallBuilder<'a, SetPrice> {
        self.0.call(price)
    }

    /// Removes a stored price: [`RemovePrice`].
    pub fn remove(self, price: RemovePrice) -> CallBuilder<'a, RemovePrice> {
        self.0.call(price)
    }
}

/// Scenarios of the sandbox, from [`Client::sandbox`].
#[derive(Debug, Clone, Copy)]
pub struct Sandbox<'a>(&'a Client);

impl<'a> Sandbox<'a> {
    /// What there is to choose from: [`ListScenarios`].
    pub fn scenarios(self) -> CallBuilder<'a, ListScenarios> {
        self.0.call(ListScenarios::new())
    }

    /// What scans shall find from now on: [`SetScenario`].
    pub fn set(self, scenario: SetScenario) -> CallBuilder<'a, SetScenario> {
        self.0.call(scenario)
    }
}

impl Client {
    /// Asks whether the service is up: [`GetHealth`].
    pub fn health(&self) -> CallBuilder<'_, GetHealth> {
        self.call(GetHealth::new())
    }

    /// Monitored servers.
    pub fn servers(&self) -> Servers<'_> {
        Servers(self)
    }

    /// Monitored domains and their alerts.
    pub fn domains(&self) -> Domains<'_> {
        Domains(self)
    }

    /// Subscriptions.
    pub fn subscriptions(&self) -> Subscriptions<'_> {
        Subscriptions(self)
    }

    /// Allowed Ports rules.
    pub fn rules(&self) -> Rules<'_> {
        Rules(self)
    }

    /// Port alerts.
    pub fn port_alerts(&self) -> PortAlerts<'_> {
        PortAlerts(self)
    }

    /// Prices of products.
    pub fn pricing(&self) -> Pricing<'_> {
        Pricing(self)
    }

    /// Scenarios of the sandbox.
    pub fn sandbox(&self) -> Sandbox<'_> {
        Sandbox(self)
    }

    /// Mints a token that signs a customer in: [`CreateSsoToken`]. Where to land can be added:
    /// `client.sso_token(customer).redirect_path("/domains").await`.
    pub fn sso_token(&self, customer: CustomerId) -> CallBuilder<'_, CreateSsoToken> {
        self.call(CreateSsoToken::new(customer))
    }
}

impl CallBuilder<'_, CreateSsoToken> {
    /// The page of the portal to land on, a path from the root.
    pub fn redirect_path(mut self, path: impl Into<String>) -> Self {
        self.operation = self.operation.redirect_path(path);
        self
    }
}
