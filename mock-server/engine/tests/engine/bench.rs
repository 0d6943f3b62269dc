//! An account with a clock that stands until a test moves it.

use std::num::NonZeroU16;
use std::time::Duration;

use secmon_engine::{
    Account, AccountSettings, Call, Client, ClientId, CreateEndpoint, DesiredStatus, DomainList,
    DomainName, DomainSummary, DomainUpdated, Done, EndpointDetailView, EndpointList, EndpointView,
    Instant, ListEndpoints, ListPortAlerts, OpenPort, Page, PortAlertStatus, PortAlertView,
    PortRange, Protocol, ProvisionDomain, ProvisionEndpoint, ProvisionSubscription, Provisioned,
    Refusal, RuleProtocol, RuleRequest, RuleScope, RuleView, SandboxHeader, ServiceId,
    SubscriptionRef, SubscriptionView, Target,
};
use uuid::Uuid;

pub const START: &str = "2026-01-01T00:00:00+00:00";

pub struct Bench {
    pub account: Account,
    pub now: Instant,
    pub key: Uuid,
}

impl Bench {
    pub fn new() -> Self {
        Self::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut AccountSettings)) -> Self {
        let mut settings = AccountSettings::new("acme", "portal.acme.test", 7);
        change(&mut settings);
        let mut account = Account::new(settings);
        let key = account.add_key("test_key_acme");
        Self {
            account,
            now: instant(START),
            key,
        }
    }

    pub fn call(&self) -> Call {
        Call {
            now: self.now,
            key: self.key,
            sandbox: SandboxHeader::Absent,
        }
    }

    pub fn wait(&mut self, seconds: u64) {
        self.now = self.now.plus(Duration::from_secs(seconds));
        self.account.advance(self.now);
    }

    pub fn wait_ms(&mut self, millis: u64) {
        self.now = self.now.plus(Duration::from_millis(millis));
        self.account.advance(self.now);
    }

    pub fn try_provision(
        &mut self,
        client_id: i64,
        target: &str,
    ) -> Result<Done<Provisioned>, Refusal> {
        let request = ProvisionEndpoint {
            client: Client::new(client(client_id)),
            target: Target::parse(target).expect("a target"),
            service: None,
        };
        self.account.at(self.call()).provision(request)
    }

    pub fn provision(&mut self, client_id: i64, target: &str) -> Uuid {
        let done = self.try_provision(client_id, target).expect("provisioned");
        done.value.endpoint_id
    }

    pub fn create(&mut self, client_id: i64, target: &str) -> Result<Done<EndpointView>, Refusal> {
        self.account
            .at(self.call())
            .create_endpoint(CreateEndpoint {
                client: Client::new(client(client_id)),
                target: Target::parse(target).expect("a target"),
                nickname: None,
                status: DesiredStatus::Active,
            })
    }

    pub fn endpoint(&mut self, id: Uuid) -> EndpointView {
        let call = self.call();
        self.account
            .at(call)
            .endpoint(id, None)
            .expect("an endpoint")
    }

    pub fn detail(&mut self, id: Uuid) -> EndpointDetailView {
        let call = self.call();
        self.account
            .at(call)
            .endpoint_detail(id, None)
            .expect("an endpoint")
    }

    pub fn list(&mut self, client_id: Option<i64>) -> EndpointList {
        let request = ListEndpoints {
            client: client_id.map(client),
            status: None,
            page: Page::new(1, 100),
        };
        self.account.at(self.call()).list_endpoints(request)
    }

    pub fn set_ports(&mut self, endpoint: Uuid, ports: &[(u16, Protocol)]) {
        let open = ports.iter().map(|(port, protocol)| open(*port, *protocol));
        self.account
            .at(self.now)
            .set_ports(endpoint, open.collect())
            .expect("an endpoint");
    }

    pub fn alerts(
        &mut self,
        client_id: i64,
        status: Option<PortAlertStatus>,
    ) -> Vec<PortAlertView> {
        let request = ListPortAlerts {
            client: client(client_id),
            endpoint: None,
            status,
            severity: None,
            page: Page::new(1, 100),
        };
        self.account.at(self.call()).list_port_alerts(request).items
    }

    pub fn open_ports(&mut self, client_id: i64) -> Vec<u16> {
        let alerts = self.alerts(client_id, Some(PortAlertStatus::Open));
        let mut ports: Vec<u16> = alerts.iter().map(|alert| alert.summary.port).collect();
        ports.sort_unstable();
        ports
    }

    pub fn try_rule(&mut self, request: RuleRequest) -> Result<RuleView, Refusal> {
        let call = self.call();
        let done = self.account.at(call).create_rule(request)?;
        Ok(done.value)
    }

    pub fn rule(&mut self, request: RuleRequest) -> RuleView {
        self.try_rule(request).expect("a rule")
    }
}

impl Bench {
    /// Provisions a subscription of the customer: a plan of `port_monitoring`
    /// or a quantity of `domain_monitoring`.
    pub fn subscribe(&mut self, client_id: i64, service: i64, what: What) -> SubscriptionView {
        let (product, plan, quantity) = match what {
            What::Plan(plan) => ("port_monitoring", Some(plan.to_owned()), None),
            What::Slots(quantity) => ("domain_monitoring", None, Some(quantity)),
        };
        let request = ProvisionSubscription {
            client: Client::new(client(client_id)),
            service: ServiceId::new(service).expect("a service"),
            product: product.to_owned(),
            plan,
            quantity,
        };
        let done = self.account.at(self.call()).provision_subscription(request);
        done.expect("provisioned").value
    }

    pub fn domain(&mut self, client_id: i64, name: &str) -> Result<Done<DomainUpdated>, Refusal> {
        let request = ProvisionDomain {
            client: Client::new(client(client_id)),
            domain: domain_name(name),
            service: ServiceId::new(7).expect("a service"),
        };
        self.account.at(self.call()).provision_domain(request)
    }

    pub fn new_domain(&mut self, client_id: i64, name: &str) -> Uuid {
        let done = self.domain(client_id, name).expect("provisioned");
        done.value.monitored_domain_id
    }

    pub fn domains(&mut self, client_id: i64) -> DomainList {
        self.account.at(self.call()).list_domains(client(client_id))
    }

    pub fn summary(&mut self, client_id: i64, id: Uuid) -> Result<DomainSummary, Refusal> {
        self.account
            .at(self.call())
            .domain_summary(id, client(client_id))
    }
}

/// What a customer subscribes to.
#[derive(Clone, Copy)]
pub enum What {
    Plan(&'static str),
    Slots(u32),
}

pub fn subscription(client_id: i64, service: i64, product: &str) -> SubscriptionRef {
    SubscriptionRef {
        client: client(client_id),
        service: ServiceId::new(service).expect("a service"),
        product: product.to_owned(),
    }
}

pub fn domain_name(text: &str) -> DomainName {
    DomainName::parse(text).expect("a domain name")
}

/// A rule for TCP ports that never ends.
pub fn allow(ports: (u16, u16), scope: RuleScope, client_id: Option<i64>) -> RuleRequest {
    RuleRequest {
        client: client_id.map(client),
        scope,
        ports: range(ports),
        protocol: RuleProtocol::Tcp,
        service: None,
        justification: "Needed by the operations team".to_owned(),
        expires_at: None,
    }
}

pub fn instant(text: &str) -> Instant {
    Instant::parse(text).expect("a timestamp")
}

pub fn client(number: i64) -> ClientId {
    ClientId::new(number).expect("a customer number")
}

pub fn port(number: u16) -> NonZeroU16 {
    NonZeroU16::new(number).expect("a port")
}

pub fn open(number: u16, protocol: Protocol) -> OpenPort {
    OpenPort {
        port: port(number),
        protocol,
    }
}

pub fn range((start, end): (u16, u16)) -> PortRange {
    PortRange::new(port(start), port(end)).expect("a range")
}
