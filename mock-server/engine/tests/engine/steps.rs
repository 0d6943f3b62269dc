//! Calls of every kind, drawn at random, with small numbers so that they meet
//! each other's records.

use proptest::prelude::*;
use secmon_engine::{
    ChangeSubscription, Client, ClientId, DesiredStatus, DomainFindings, DowngradeCheck,
    LeakDataset, ListDomainAlerts, ListMentions, Page, PricedPlan, Product, Progress, Protocol,
    ProvisionDomain, ProvisionEndpoint, ProvisionSubscription, ReleaseDomain, ReportedService,
    RuleScope, ScanOutcome, Scenario, ServiceId, SubscriptionRef, SubscriptionStatus, Target,
    UpdateEndpoint, parse_expiry,
};
use uuid::Uuid;

use crate::bench::{Bench, allow, client, domain_name, open};

/// One call.
#[derive(Clone, Debug)]
pub enum Step {
    Server(ServerStep, u8),
    Provision { customer: u8, host: u8 },
    Rule(RuleStep),
    Billing(BillingStep, u8, u8),
    Sync(Vec<(u8, u8, u8)>),
    ProvisionDomain { customer: u8, name: u8 },
    Domain(DomainStep, u8),
    Admin(AdminStep),
    Wait(u32),
}

/// A call about one of the servers.
#[derive(Clone, Debug)]
pub enum ServerStep {
    Suspend,
    Resume,
    Terminate,
    Delete,
    PauseAndRename,
    Scan,
    ScanNow(ScanOutcome),
    SetPorts(u16),
    ResolveNewestAlert,
}

/// A call about rules.
#[derive(Clone, Debug)]
pub enum RuleStep {
    Add(Option<u8>, Option<u8>, u16),
    Update(u8, u16),
    Delete(u8),
}

/// A call about the subscription of a customer and service.
#[derive(Clone, Debug)]
pub enum BillingStep {
    Plan(u8),
    Slots(u32),
    Suspend(Product),
    Resume(Product),
    Terminate(Product),
    Change(u32, DowngradeCheck),
    Price(u8),
}

/// A call about one of the domains.
#[derive(Clone, Debug)]
pub enum DomainStep {
    Suspend,
    Resume,
    Terminate,
    Rename(u8),
    Release(u8),
    ScanNow(ScanOutcome),
    SetFindings(u32),
    ReadMentions,
    AcknowledgeNewest,
    ResolveNewest,
}

/// A call of the admin, or one that is about the account.
#[derive(Clone, Debug)]
pub enum AdminStep {
    Scenario(Scenario),
    Progress(Progress),
    LeakDataset(LeakDataset),
    RemovePortalAccount(u8),
    MintToken(u8),
    IssueKey,
    Reset,
}

/// Plans of 5 and of 25 servers.
pub const PLANS: [&str; 2] = ["starter", "professional"];

/// Servers of a customer without a plan; few, so that calls are refused.
pub const CUSTOMER_LIMIT: u64 = 3;

/// Servers of the whole account.
pub const ACCOUNT_LIMIT: u64 = 9;

fn outcome() -> impl Strategy<Value = ScanOutcome> + Clone {
    prop::sample::select(vec![ScanOutcome::Completed, ScanOutcome::Failed])
}

fn product() -> impl Strategy<Value = Product> + Clone {
    prop::sample::select(Product::ALL.to_vec())
}

pub fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0u8..2, 0u8..8).prop_map(|(customer, host)| Step::Provision { customer, host }),
        6 => (server_step(), 0u8..8).prop_map(|(step, server)| Step::Server(step, server)),
        3 => rule_step().prop_map(Step::Rule),
        5 => (billing_step(), 0u8..2, 0u8..3).prop_map(|(step, c, s)| Step::Billing(step, c, s)),
        2 => prop::collection::vec((0u8..2, 0u8..10, 0u8..9), 1..5).prop_map(Step::Sync),
        4 => (0u8..2, 0u8..5).prop_map(|(customer, name)| Step::ProvisionDomain { customer, name }),
        5 => (domain_step(), 0u8..6).prop_map(|(step, domain)| Step::Domain(step, domain)),
        2 => admin_step().prop_map(Step::Admin),
        4 => (0u32..200_000).prop_map(Step::Wait),
    ]
}

fn server_step() -> impl Strategy<Value = ServerStep> {
    prop_oneof![
        Just(ServerStep::Suspend),
        Just(ServerStep::Resume),
        Just(ServerStep::Terminate),
        Just(ServerStep::Delete),
        Just(ServerStep::PauseAndRename),
        Just(ServerStep::Scan),
        outcome().prop_map(ServerStep::ScanNow),
        (20u16..26).prop_map(ServerStep::SetPorts),
        Just(ServerStep::ResolveNewestAlert),
    ]
}

fn rule_step() -> impl Strategy<Value = RuleStep> {
    let port = 20u16..26;
    prop_oneof![
        (
            prop::option::of(0u8..8),
            prop::option::of(0u8..2),
            port.clone()
        )
            .prop_map(|(server, customer, port)| RuleStep::Add(server, customer, port)),
        (0u8..6, port).prop_map(|(rule, port)| RuleStep::Update(rule, port)),
        (0u8..6).prop_map(RuleStep::Delete),
    ]
}

fn billing_step() -> impl Strategy<Value = BillingStep> {
    prop_oneof![
        (0u8..2).prop_map(BillingStep::Plan),
        (1u32..5).prop_map(BillingStep::Slots),
        product().prop_map(BillingStep::Suspend),
        product().prop_map(BillingStep::Resume),
        product().prop_map(BillingStep::Terminate),
        (1u32..5).prop_map(|n| BillingStep::Change(n, DowngradeCheck::Refuse)),
        (1u32..5).prop_map(|n| BillingStep::Change(n, DowngradeCheck::Force)),
        (0u8..3).prop_map(BillingStep::Price),
    ]
}

fn domain_step() -> impl Strategy<Value = DomainStep> {
    prop_oneof![
        Just(DomainStep::Suspend),
        Just(DomainStep::Resume),
        Just(DomainStep::Terminate),
        (0u8..5).prop_map(DomainStep::Rename),
        (0u8..3).prop_map(DomainStep::Release),
        outcome().prop_map(DomainStep::ScanNow),
        (0u32..5).prop_map(DomainStep::SetFindings),
        Just(DomainStep::ReadMentions),
        Just(DomainStep::AcknowledgeNewest),
        Just(DomainStep::ResolveNewest),
    ]
}

fn admin_step() -> impl Strategy<Value = AdminStep> {
    prop_oneof![
        prop::sample::select(Scenario::ALL.to_vec()).prop_map(AdminStep::Scenario),
        Just(AdminStep::Progress(Progress::Timed)),
        Just(AdminStep::Progress(Progress::Immediate)),
        Just(AdminStep::Progress(Progress::Manual)),
        Just(AdminStep::LeakDataset(LeakDataset::Unreachable)),
        (0u8..2).prop_map(AdminStep::RemovePortalAccount),
        (0u8..2).prop_map(AdminStep::MintToken),
        Just(AdminStep::IssueKey),
        Just(AdminStep::Reset),
    ]
}

/// Runs steps, and remembers the ids that came back.
pub struct Runner {
    pub bench: Bench,
    pub servers: Vec<Uuid>,
    pub domains: Vec<Uuid>,
    pub rules: Vec<Uuid>,
}

fn customer(number: u8) -> ClientId {
    client(i64::from(number) + 1)
}

fn service(number: u8) -> ServiceId {
    ServiceId::new(i64::from(number) + 1).expect("a service")
}

fn known(ids: &[Uuid], number: u8) -> Uuid {
    ids.get(usize::from(number)).copied().unwrap_or_default()
}

fn answer(value: impl std::fmt::Debug) -> String {
    format!("{value:?}")
}

impl Runner {
    pub fn new() -> Self {
        Self {
            bench: Bench::with(|settings| {
                settings.limits.default_endpoint_limit = CUSTOMER_LIMIT;
                settings.limits.account_endpoint_limit = ACCOUNT_LIMIT;
            }),
            servers: Vec::new(),
            domains: Vec::new(),
            rules: Vec::new(),
        }
    }

    /// Runs one step and gives its answer as text; refusals are part of the
    /// game.
    pub fn run(&mut self, step: &Step) -> String {
        match step {
            Step::Provision { customer, host } => self.provision(*customer, *host),
            Step::Server(step, server) => self.server(step, known(&self.servers, *server)),
            Step::Rule(step) => self.rule(step),
            Step::Billing(step, customer, service) => self.billing(step, *customer, *service),
            Step::Sync(entries) => self.sync(entries),
            Step::ProvisionDomain { customer, name } => self.provision_domain(*customer, *name),
            Step::Domain(step, domain) => self.domain(step, known(&self.domains, *domain)),
            Step::Admin(step) => self.admin(step),
            Step::Wait(seconds) => {
                self.bench.wait((*seconds).into());
                String::new()
            }
        }
    }

    fn provision(&mut self, number: u8, host: u8) -> String {
        let request = ProvisionEndpoint {
            client: Client::new(customer(number)),
            target: Target::parse(&format!("203.0.113.{host}")).expect("a target"),
            service: Some(service(host)),
        };
        let call = self.bench.call();
        let done = self.bench.account.at(call).provision(request);
        if let Ok(done) = &done
            && !self.servers.contains(&done.value.endpoint_id)
        {
            self.servers.push(done.value.endpoint_id);
        }
        answer(done)
    }

    fn server(&mut self, step: &ServerStep, id: Uuid) -> String {
        let (call, now) = (self.bench.call(), self.bench.now);
        let account = &mut self.bench.account;
        let update = UpdateEndpoint {
            nickname: Some("renamed".to_owned()),
            status: Some(DesiredStatus::Paused),
        };
        match step {
            ServerStep::Suspend => answer(account.at(call).suspend(id)),
            ServerStep::Resume => answer(account.at(call).resume(id)),
            ServerStep::Terminate => answer(account.at(call).terminate(id)),
            ServerStep::Delete => answer(account.at(call).delete_endpoint(id, None)),
            ServerStep::PauseAndRename => {
                answer(account.at(call).update_endpoint(id, customer(0), update))
            }
            ServerStep::Scan => answer(account.at(call).scan_endpoint(customer(0), id)),
            ServerStep::ScanNow(outcome) => answer(account.at(now).scan_endpoint_now(id, *outcome)),
            ServerStep::SetPorts(port) => {
                let ports = [*port, *port + 1].map(|port| open(port, Protocol::Tcp));
                answer(account.at(now).set_ports(id, ports.to_vec()))
            }
            ServerStep::ResolveNewestAlert => {
                let newest = self.bench.alerts(1, None);
                let alert = newest.first().map_or(Uuid::nil(), |alert| alert.summary.id);
                let account = &mut self.bench.account;
                answer(account.at(call).resolve_port_alert(alert, customer(0)))
            }
        }
    }

    fn rule(&mut self, step: &RuleStep) -> String {
        let call = self.bench.call();
        match step {
            RuleStep::Add(server, owner, port) => {
                let scope = match server {
                    Some(server) => RuleScope::Endpoint(known(&self.servers, *server)),
                    None => RuleScope::Global,
                };
                let owner = owner.map(|number| i64::from(number) + 1);
                let mut request = allow((*port, *port + 1), scope, owner);
                request.expires_at = parse_expiry("2026-01-05", self.bench.now).ok();
                let rule = self.bench.try_rule(request);
                self.rules.extend(rule.as_ref().ok().map(|rule| rule.id));
                answer(rule)
            }
            RuleStep::Update(rule, port) => {
                let request = allow((*port, *port), RuleScope::Unstated, None);
                let id = known(&self.rules, *rule);
                answer(self.bench.account.at(call).update_rule(id, request))
            }
            RuleStep::Delete(rule) => {
                let id = known(&self.rules, *rule);
                answer(self.bench.account.at(call).delete_rule(id, None))
            }
        }
    }

    fn billing(&mut self, step: &BillingStep, owner: u8, number: u8) -> String {
        let call = self.bench.call();
        let account = &mut self.bench.account;
        let named = |product: Product| SubscriptionRef {
            client: customer(owner),
            service: service(number),
            product: product.slug().to_owned(),
        };
        let new = |product: Product, plan: Option<&str>, quantity| ProvisionSubscription {
            client: Client::new(customer(owner)),
            service: service(number),
            product: product.slug().to_owned(),
            plan: plan.map(str::to_owned),
            quantity,
        };
        match step {
            BillingStep::Plan(plan) => {
                let plan = PLANS[usize::from(*plan)];
                let request = new(Product::PortMonitoring, Some(plan), None);
                answer(account.at(call).provision_subscription(request))
            }
            BillingStep::Slots(slots) => {
                let request = new(Product::DomainMonitoring, None, Some(*slots));
                answer(account.at(call).provision_subscription(request))
            }
            BillingStep::Suspend(product) => {
                answer(account.at(call).suspend_subscription(&named(*product)))
            }
            BillingStep::Resume(product) => {
                answer(account.at(call).resume_subscription(&named(*product)))
            }
            BillingStep::Terminate(product) => {
                answer(account.at(call).terminate_subscription(&named(*product)))
            }
            BillingStep::Change(quantity, downgrade) => {
                let request = ChangeSubscription {
                    subscription: named(Product::DomainMonitoring),
                    new_plan: None,
                    new_quantity: Some(*quantity),
                    downgrade: *downgrade,
                };
                answer(account.at(call).change_subscription(request))
            }
            BillingStep::Price(price) => {
                let priced = PricedPlan {
                    product: Product::PortMonitoring.slug().to_owned(),
                    plan: Some(PLANS[0].to_owned()),
                };
                match price {
                    0 => answer(account.at(call).delete_price(&priced)),
                    price => {
                        let price = (*price).into();
                        answer(account.at(call).set_price(&priced, price, "EUR".to_owned()))
                    }
                }
            }
        }
    }

    fn sync(&mut self, entries: &[(u8, u8, u8)]) -> String {
        let statuses = [
            SubscriptionStatus::Active,
            SubscriptionStatus::Suspended,
            SubscriptionStatus::Cancelled,
        ];
        let reported = |(owner, number, kind): &(u8, u8, u8)| ReportedService {
            service: service(*number),
            client: customer(*owner),
            product: Product::ALL[usize::from(kind % 3)],
            status: statuses[usize::from(kind / 3)],
        };
        let services: Vec<ReportedService> = entries.iter().map(reported).collect();
        let call = self.bench.call();
        answer(self.bench.account.at(call).sync_services(&services))
    }

    fn provision_domain(&mut self, owner: u8, name: u8) -> String {
        let request = ProvisionDomain {
            client: Client::new(customer(owner)),
            domain: domain_name(&format!("site{name}.example")),
            service: service(owner),
        };
        let call = self.bench.call();
        let done = self.bench.account.at(call).provision_domain(request);
        if let Ok(done) = &done
            && !self.domains.contains(&done.value.monitored_domain_id)
        {
            self.domains.push(done.value.monitored_domain_id);
        }
        answer(done)
    }

    fn domain(&mut self, step: &DomainStep, id: Uuid) -> String {
        let (call, now) = (self.bench.call(), self.bench.now);
        let account = &mut self.bench.account;
        let owner = customer(0);
        match step {
            DomainStep::Suspend => answer(account.at(call).suspend_domain(id)),
            DomainStep::Resume => answer(account.at(call).resume_domain(id)),
            DomainStep::Terminate => answer(account.at(call).terminate_domain(id)),
            DomainStep::Rename(name) => {
                let name = domain_name(&format!("site{name}.example"));
                answer(account.at(call).update_domain(id, &name))
            }
            DomainStep::Release(number) => {
                let request = ReleaseDomain {
                    client: owner,
                    service: service(*number),
                    domain: id,
                };
                answer(account.at(call).release_domain(request))
            }
            DomainStep::ScanNow(outcome) => answer(account.at(now).scan_domain_now(id, *outcome)),
            DomainStep::SetFindings(n) => {
                let findings = DomainFindings::new(*n, 2 * n, 0, 3 * n).expect("findings");
                answer(account.at(now).set_findings(id, findings))
            }
            DomainStep::ReadMentions => {
                let request = ListMentions {
                    client: owner,
                    is_new: None,
                    page: Page::new(1, 4),
                };
                answer(account.at(call).list_mentions(id, request))
            }
            DomainStep::AcknowledgeNewest => {
                let alert = self.newest_domain_alert(id);
                let account = &mut self.bench.account;
                answer(account.at(call).acknowledge_domain_alert(id, alert, owner))
            }
            DomainStep::ResolveNewest => {
                let alert = self.newest_domain_alert(id);
                let account = &mut self.bench.account;
                answer(account.at(call).resolve_domain_alert(id, alert, owner))
            }
        }
    }

    fn newest_domain_alert(&mut self, domain: Uuid) -> Uuid {
        let call = self.bench.call();
        let request = ListDomainAlerts {
            client: customer(0),
            status: None,
            kind: None,
            category: None,
            severity: None,
            page: Page::new(1, 1),
        };
        let newest = self
            .bench
            .account
            .at(call)
            .list_domain_alerts(domain, request);
        let alert = newest
            .ok()
            .and_then(|page| page.items.first().map(|a| a.id));
        alert.unwrap_or_default()
    }

    fn admin(&mut self, step: &AdminStep) -> String {
        let (call, now) = (self.bench.call(), self.bench.now);
        let account = &mut self.bench.account;
        match step {
            AdminStep::Scenario(scenario) => account.at(now).set_scenario(*scenario),
            AdminStep::Progress(progress) => account.at(now).set_progress(*progress),
            AdminStep::LeakDataset(state) => account.at(now).set_leak_dataset(*state),
            AdminStep::Reset => account.reset(),
            AdminStep::RemovePortalAccount(owner) => {
                return answer(account.at(now).remove_portal_account(customer(*owner)));
            }
            AdminStep::MintToken(owner) => {
                return answer(account.at(call).mint_sso_token(customer(*owner), None));
            }
            AdminStep::IssueKey => return account.issue_key(),
        }
        String::new()
    }
}
