//! One walk: each step with the client at the service and in the reference, then both are compared.

use std::collections::BTreeSet;

use proptest::prelude::{Just, Strategy, any, prop_oneof};
use secmon::model::{
    DomainId, DomainStatus, EndpointId, EndpointStatus, PortAlertStatus, PortRange, ProductSlug,
    Protocol, RuleId, ServiceId, SubscriptionStatus,
};
use secmon::operations::{
    ChangeSubscription, CreateRule, ListEndpoints, ListPortAlerts, ListRules, ProvisionDomain,
    ProvisionSubscription, ReleaseDomain, ResumeSubscription, ServiceReport, SuspendSubscription,
    SyncServices, TerminateSubscription, UpdateDomain,
};
use secmon_contract_tests::{Account, Customer, next_service};

use super::reference::{self, DOMAIN, PLAN, SERVER, State, Status};

/// Which of the two customers.
type Who = bool;

/// What servers and domains have in common.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    Servers,
    Domains,
}

/// A step. A record is the n-th that was made, counted round; a step on a record of which there is none is left out.
#[derive(Debug, Clone)]
pub enum Op {
    Provision(Who, Kind, u8),
    Suspend(Who, Kind, usize),
    Resume(Who, Kind, usize),
    Terminate(Who, Kind, usize),
    Delete(Who, usize),
    Rename(Who, usize, u8),
    Release(Who, usize, usize),
    Buy(Who, Kind, usize, usize),
    Turn(Who, Kind, usize, Status),
    Change(Who, usize, usize, bool),
    Sync(Who, Kind, usize, Status),
    AddRule(Who, usize, (u16, u16)),
    DeleteRule(Who, usize),
    Scan(Who, usize, BTreeSet<u16>),
}

/// Every kind of step, those that make something more often than others.
pub fn ops() -> impl Strategy<Value = Op> {
    // Mostly one customer, so that something comes together there.
    let who = || proptest::bool::weighted(0.2);
    let kind = || prop_oneof![Just(Kind::Servers), Just(Kind::Domains)];
    let status = || {
        prop_oneof![
            Just(Status::Active),
            Just(Status::Suspended),
            Just(Status::Cancelled)
        ]
    };
    let ports = prop_oneof![
        Just((22, 22)),
        Just((1, 100)),
        Just((80, 443)),
        Just((443, 443))
    ];
    let open = proptest::collection::btree_set(
        prop_oneof![Just(22_u16), Just(80), Just(443), Just(3389)],
        0..3,
    );
    prop_oneof![
        6 => (who(), kind(), 0..5_u8).prop_map(|(who, kind, name)| Op::Provision(who, kind, name)),
        2 => (who(), kind(), 0..5_usize).prop_map(|(who, kind, at)| Op::Suspend(who, kind, at)),
        2 => (who(), kind(), 0..5_usize).prop_map(|(who, kind, at)| Op::Resume(who, kind, at)),
        2 => (who(), kind(), 0..5_usize).prop_map(|(who, kind, at)| Op::Terminate(who, kind, at)),
        1 => (who(), 0..5_usize).prop_map(|(who, at)| Op::Delete(who, at)),
        1 => (who(), 0..5_usize, 0..5_u8).prop_map(|(who, at, name)| Op::Rename(who, at, name)),
        1 => (who(), 0..5_usize, 0..2_usize).prop_map(|(who, at, by)| Op::Release(who, at, by)),
        4 => (who(), kind(), 0..2_usize, 1..4_usize).prop_map(|(who, kind, by, buys)| Op::Buy(who, kind, by, buys)),
        3 => (who(), kind(), 0..2_usize, status()).prop_map(|(who, kind, by, to)| Op::Turn(who, kind, by, to)),
        2 => (who(), 0..2_usize, 1..4_usize, any::<bool>()).prop_map(|(who, by, buys, forced)| Op::Change(who, by, buys, forced)),
        2 => (who(), kind(), 0..2_usize, status()).prop_map(|(who, kind, by, to)| Op::Sync(who, kind, by, to)),
        2 => (who(), 0..5_usize, ports).prop_map(|(who, at, ports)| Op::AddRule(who, at, ports)),
        1 => (who(), 0..4_usize).prop_map(|(who, at)| Op::DeleteRule(who, at)),
        2 => (who(), 0..5_usize, open).prop_map(|(who, at, open)| Op::Scan(who, at, open)),
    ]
}

/// Two customers with the same addresses and names.
pub struct Walk<'a> {
    account: &'a Account,
    sides: [Side<'a>; 2],
}

/// A customer at the service, and as it should be.
struct Side<'a> {
    customer: Customer<'a>,
    expected: reference::Customer,
    /// In the reference's order.
    servers: Vec<EndpointId>,
    domains: Vec<DomainId>,
    rules: Vec<RuleId>,
    plans: [ServiceId; 2],
    slots: [ServiceId; 2],
}

fn address(name: u8) -> String {
    format!("203.0.113.{}", name + 1)
}

fn domain(name: u8) -> String {
    format!("d{name}.example.com")
}

impl<'a> Walk<'a> {
    pub fn new(account: &'a Account) -> Self {
        let side = || Side {
            customer: account.customer(),
            expected: reference::Customer::new(),
            servers: Vec::new(),
            domains: Vec::new(),
            rules: Vec::new(),
            plans: [next_service(), next_service()],
            slots: [next_service(), next_service()],
        };
        Self {
            account,
            sides: [side(), side()],
        }
    }

    /// Makes a step on both, and compares them.
    pub async fn step(&mut self, op: &Op) -> Result<(), String> {
        let side = &mut self.sides[usize::from(op.who())];
        let account = self.account;
        let expected = match op {
            Op::Provision(_, kind, name) => Some(side.provision(account, *kind, *name).await),
            Op::Suspend(_, kind, at) => side.suspend(account, *kind, *at).await,
            Op::Resume(_, kind, at) => side.resume(account, *kind, *at).await,
            Op::Terminate(_, kind, at) => side.terminate(account, *kind, *at).await,
            Op::Delete(_, at) => side.delete(account, *at).await,
            Op::Rename(_, at, name) => side.rename(account, *at, *name).await,
            Op::Release(_, at, by) => side.release(account, *at, *by).await,
            Op::Buy(_, kind, by, buys) => Some(side.buy(account, *kind, *by, *buys).await),
            Op::Turn(_, kind, by, to) => side.turn(account, *kind, *by, *to).await,
            Op::Change(_, by, buys, forced) => side.change(account, *by, *buys, *forced).await,
            Op::Sync(_, kind, by, to) => Some(side.sync(account, *kind, *by, *to).await),
            Op::AddRule(_, at, ports) => side.add_rule(account, *at, *ports).await,
            Op::DeleteRule(_, at) => side.delete_rule(account, *at).await,
            Op::Scan(_, at, open) => side.scan(account, *at, open).await,
        };
        if let Some(expected) = expected
            && account.last_outcome() != expected
        {
            return Err(format!(
                "{op:?} answered {}, not {expected}",
                account.last_outcome()
            ));
        }
        let compared = side.compare(account).await;
        compared.map_err(|why| format!("after {op:?}: {why}"))
    }

    /// Compares both customers: neither may have felt what the other did.
    pub async fn end(&self) -> Result<(), String> {
        for side in &self.sides {
            let compared = side.compare(self.account).await;
            compared.map_err(|why| format!("in the end: {why}"))?;
        }
        Ok(())
    }
}

impl Op {
    fn who(&self) -> Who {
        match self {
            Self::Provision(who, ..)
            | Self::Suspend(who, ..)
            | Self::Resume(who, ..)
            | Self::Terminate(who, ..)
            | Self::Delete(who, ..)
            | Self::Rename(who, ..)
            | Self::Release(who, ..)
            | Self::Buy(who, ..)
            | Self::Turn(who, ..)
            | Self::Change(who, ..)
            | Self::Sync(who, ..)
            | Self::AddRule(who, ..)
            | Self::DeleteRule(who, ..)
            | Self::Scan(who, ..) => *who,
        }
    }
}

/// The n-th, counted round.
fn nth<T: Copy>(all: &[T], at: usize) -> Option<(usize, T)> {
    let at = at.checked_rem(all.len())?;
    Some((at, all[at]))
}

/// What a step should be answered; none when it was left out, or is no call of the partner API.
type Expected = Option<&'static str>;

impl Side<'_> {
    async fn provision(&mut self, account: &Account, kind: Kind, name: u8) -> &'static str {
        let ended = [State::Terminated, State::Gone];
        match kind {
            Kind::Servers => {
                let made = account
                    .client
                    .servers()
                    .provision(self.customer.server(&address(name)));
                let made = made.await.ok().map(|made| made.data.endpoint_id);
                let expected = self.expected.servers.provision(name, &ended, &SERVER);
                self.servers.extend(made.filter(|_| expected == "201"));
                expected
            }
            Kind::Domains => {
                let request = ProvisionDomain::new(self.customer.id, domain(name), self.slots[0]);
                let made = account.client.domains().provision(request).await.ok();
                let made = made.map(|made| made.data.monitored_domain_id);
                let expected = self.expected.domains.provision(name, &ended[..1], &DOMAIN);
                self.domains.extend(made.filter(|_| expected == "201"));
                expected
            }
        }
    }

    async fn suspend(&mut self, account: &Account, kind: Kind, at: usize) -> Expected {
        match kind {
            Kind::Servers => {
                let (at, id) = nth(&self.servers, at)?;
                drop(account.client.servers().suspend(id).await);
                Some(self.expected.servers.suspend(at, &SERVER))
            }
            Kind::Domains => {
                let (at, id) = nth(&self.domains, at)?;
                drop(account.client.domains().suspend(id).await);
                Some(self.expected.domains.suspend(at, &DOMAIN))
            }
        }
    }

    async fn resume(&mut self, account: &Account, kind: Kind, at: usize) -> Expected {
        match kind {
            Kind::Servers => {
                let (at, id) = nth(&self.servers, at)?;
                drop(account.client.servers().resume(id).await);
                Some(self.expected.servers.resume(at, &SERVER))
            }
            Kind::Domains => {
                let (at, id) = nth(&self.domains, at)?;
                drop(account.client.domains().resume(id).await);
                Some(self.expected.domains.resume(at, &DOMAIN))
            }
        }
    }

    async fn terminate(&mut self, account: &Account, kind: Kind, at: usize) -> Expected {
        match kind {
            Kind::Servers => {
                let (at, id) = nth(&self.servers, at)?;
                drop(account.client.servers().terminate(id).await);
                Some(self.expected.servers.terminate(at, &SERVER))
            }
            Kind::Domains => {
                let (at, id) = nth(&self.domains, at)?;
                drop(account.client.domains().terminate(id).await);
                Some(self.expected.domains.terminate(at, &DOMAIN))
            }
        }
    }

    async fn delete(&mut self, account: &Account, at: usize) -> Expected {
        let (at, id) = nth(&self.servers, at)?;
        drop(account.client.endpoints().delete(id).await);
        Some(self.expected.delete_server(at))
    }

    async fn rename(&mut self, account: &Account, at: usize, name: u8) -> Expected {
        let (at, id) = nth(&self.domains, at)?;
        drop(
            account
                .client
                .domains()
                .update(UpdateDomain::new(id, domain(name)))
                .await,
        );
        Some(self.expected.rename(at, name))
    }

    async fn release(&mut self, account: &Account, at: usize, by: usize) -> Expected {
        let (at, id) = nth(&self.domains, at)?;
        self.expected.domains.services[by]?;
        let release = ReleaseDomain::new(self.customer.id, self.slots[by], id);
        drop(account.client.domains().release(release).await);
        Some(self.expected.release(at, by))
    }

    fn service(&self, kind: Kind, by: usize) -> (ServiceId, ProductSlug) {
        match kind {
            Kind::Servers => (self.plans[by], ProductSlug::PortMonitoring),
            Kind::Domains => (self.slots[by], ProductSlug::DomainMonitoring),
        }
    }

    fn pool(&mut self, kind: Kind) -> &mut reference::Pool {
        match kind {
            Kind::Servers => &mut self.expected.servers,
            Kind::Domains => &mut self.expected.domains,
        }
    }

    async fn buy(&mut self, account: &Account, kind: Kind, by: usize, buys: usize) -> &'static str {
        let (service, product) = self.service(kind, by);
        let request = ProvisionSubscription::new(self.customer.id, service, product);
        let (request, buys) = match kind {
            Kind::Servers => (request.plan_slug("starter"), PLAN),
            Kind::Domains => (request.quantity(buys as u32), buys),
        };
        drop(account.client.subscriptions().provision(request).await);
        self.pool(kind).buy(by, buys)
    }

    async fn turn(&mut self, account: &Account, kind: Kind, by: usize, to: Status) -> Expected {
        self.pool(kind).services[by]?;
        let (service, product) = self.service(kind, by);
        let (customer, subscriptions) = (self.customer.id, account.client.subscriptions());
        match to {
            Status::Active => {
                let resume = ResumeSubscription::new(customer, service, product);
                drop(subscriptions.resume(resume).await);
            }
            Status::Suspended => {
                let suspend = SuspendSubscription::new(customer, service, product);
                drop(subscriptions.suspend(suspend).await);
            }
            Status::Cancelled => {
                let end = TerminateSubscription::new(customer, service, product);
                drop(subscriptions.terminate(end).await);
            }
        }
        Some(self.pool(kind).turn(by, to))
    }

    async fn change(
        &mut self,
        account: &Account,
        by: usize,
        buys: usize,
        forced: bool,
    ) -> Expected {
        self.expected.domains.services[by]?;
        let (service, product) = self.service(Kind::Domains, by);
        let change = ChangeSubscription::new(self.customer.id, service, product);
        let change = change.new_quantity(buys as u32);
        let change = if forced { change.force() } else { change };
        drop(account.client.subscriptions().change(change).await);
        Some(self.expected.domains.change(by, buys, forced))
    }

    async fn sync(&mut self, account: &Account, kind: Kind, by: usize, to: Status) -> &'static str {
        let (service_id, product_slug) = self.service(kind, by);
        let status = match to {
            Status::Active => SubscriptionStatus::Active,
            Status::Suspended => SubscriptionStatus::Suspended,
            Status::Cancelled => SubscriptionStatus::Cancelled,
        };
        let client_id = self.customer.id;
        let report = ServiceReport {
            service_id,
            client_id,
            product_slug,
            status,
        };
        drop(account.client.send(SyncServices::new([report])).await);
        self.expected.sync(matches!(kind, Kind::Domains), by, to)
    }

    async fn add_rule(&mut self, account: &Account, at: usize, ports: (u16, u16)) -> Expected {
        let (at, server) = nth(&self.servers, at)?;
        let range: PortRange = format!("{}-{}", ports.0, ports.1).parse().expect("a range");
        let rule = CreateRule::new(range, Protocol::Tcp, "As the walk wants it");
        let made = account
            .client
            .rules()
            .create(rule.endpoint_id(server))
            .await
            .ok();
        let expected = self.expected.add_rule(at, ports);
        self.rules
            .extend(made.map(|made| made.data.id).filter(|_| expected == "201"));
        Some(expected)
    }

    async fn delete_rule(&mut self, account: &Account, at: usize) -> Expected {
        let (at, id) = nth(&self.rules, at)?;
        drop(account.client.rules().delete(id).await);
        match std::mem::replace(&mut self.expected.rules[at].deleted, true) {
            true => Some("404 number"),
            false => Some("204"),
        }
    }

    async fn scan(&mut self, account: &Account, at: usize, open: &BTreeSet<u16>) -> Expected {
        let (at, id) = nth(&self.servers, at)?;
        if self.expected.servers.all[at].state == State::Active {
            let ports: Vec<_> = open.iter().map(|port| (*port, "tcp")).collect();
            account.open_ports(id, &ports).await;
            account.scan(id, "completed").await;
            self.expected.servers.all[at].world.clone_from(open);
            self.expected.scan(at);
        }
        None
    }

    async fn compare(&self, account: &Account) -> Result<(), String> {
        same(
            "servers",
            self.shown_servers(account).await,
            self.expected_servers(),
        )?;
        same(
            "domains",
            self.shown_domains(account).await,
            self.expected_domains(),
        )?;
        same(
            "rules",
            self.shown_rules(account).await,
            self.expected_rules(),
        )?;
        same(
            "alerts",
            self.shown_alerts(account).await,
            self.expected_alerts(),
        )
    }

    async fn shown_servers(&self, account: &Account) -> (u64, u64, Vec<(String, State)>) {
        let list = ListEndpoints::new()
            .billing_customer_id(self.customer.id)
            .per_page(100);
        let page = account.client.send(list).await.expect("a page").into_data();
        let servers = page.data.iter().map(|server| {
            let by_platform = server.quota_paused == Some(true);
            let state = match server.status {
                EndpointStatus::Active => State::Active,
                EndpointStatus::Paused if by_platform => State::PausedByPlatform,
                EndpointStatus::Paused => State::Paused,
                _ => State::Gone,
            };
            (server.ip_address.clone(), state)
        });
        let meta = &page.meta;
        let number = |number: Option<u64>| number.unwrap_or(u64::MAX);
        let (limit, count) = (meta.endpoint_limit, meta.current_endpoint_count);
        (number(limit), number(count), servers.collect())
    }

    fn expected_servers(&self) -> (u64, u64, Vec<(String, State)>) {
        let pool = &self.expected.servers;
        let live = pool.all.iter().filter(|server| server.is_live());
        let servers = live.map(|server| (address(server.name), server.state));
        (
            pool.capacity() as u64,
            pool.usage() as u64,
            servers.collect(),
        )
    }

    async fn shown_domains(&self, account: &Account) -> (u64, u64, Vec<(String, State)>) {
        let overview = account
            .client
            .domain_monitoring()
            .list(self.customer.id)
            .await;
        let overview = overview.expect("an overview").into_data();
        let domains = overview.domains.iter().map(|domain| {
            let by_platform = domain.quota_paused == Some(true);
            let state = match domain.status {
                DomainStatus::Active => State::Active,
                DomainStatus::Paused if by_platform => State::PausedByPlatform,
                DomainStatus::Paused => State::Paused,
                _ => State::Gone,
            };
            (domain.domain.clone(), state)
        });
        let number = |number: Option<u64>| number.unwrap_or(u64::MAX);
        (
            number(overview.slots_total),
            number(overview.slots_used),
            domains.collect(),
        )
    }

    fn expected_domains(&self) -> (u64, u64, Vec<(String, State)>) {
        let pool = &self.expected.domains;
        let live = pool.all.iter().filter(|shown| shown.is_live());
        let domains = live.map(|shown| (domain(shown.name), shown.state));
        (
            pool.capacity() as u64,
            pool.usage() as u64,
            domains.collect(),
        )
    }

    async fn shown_rules(&self, account: &Account) -> Vec<(RuleId, String)> {
        let list = ListRules::new()
            .billing_customer_id(self.customer.id)
            .per_page(100);
        let rules = account
            .client
            .pages(list)
            .collect_all()
            .await
            .expect("a list");
        let label = |label: Option<String>| label.unwrap_or_default();
        rules
            .into_iter()
            .map(|rule| (rule.id, label(rule.range_label)))
            .collect()
    }

    fn expected_rules(&self) -> Vec<(RuleId, String)> {
        let rules = self.rules.iter().zip(&self.expected.rules);
        let rules = rules.filter(|(_, rule)| !rule.deleted);
        let label = |(first, last): (u16, u16)| match first == last {
            true => first.to_string(),
            false => format!("{first}-{last}"),
        };
        rules.map(|(id, rule)| (*id, label(rule.ports))).collect()
    }

    async fn shown_alerts(&self, account: &Account) -> BTreeSet<(String, u16)> {
        let list = ListPortAlerts::new(self.customer.id)
            .status(PortAlertStatus::Open)
            .per_page(100);
        let alerts = account
            .client
            .pages(list)
            .collect_all()
            .await
            .expect("a list");
        let address = |address: Option<String>| address.unwrap_or_default();
        alerts
            .into_iter()
            .map(|alert| (address(alert.ip_address), alert.port))
            .collect()
    }

    fn expected_alerts(&self) -> BTreeSet<(String, u16)> {
        let kept = self
            .expected
            .servers
            .all
            .iter()
            .filter(|server| server.state != State::Gone);
        let alerts = kept.flat_map(|server| {
            server
                .alerts
                .iter()
                .map(|port| (address(server.name), *port))
        });
        alerts.collect()
    }
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, shown: T, expected: T) -> Result<(), String> {
    match shown == expected {
        true => Ok(()),
        false => Err(format!("{what} are {shown:?}, not {expected:?}")),
    }
}
