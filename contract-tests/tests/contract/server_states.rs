//! The states of a server, walked both ways: what each trigger does in each state, allowed or refused.

use chrono::TimeDelta;
use secmon::model::{
    CapacityReport, Endpoint, EndpointDetail, EndpointId, EndpointStatus, ProductSlug, ServiceId,
    SubscriptionStatus, Timestamp,
};
use secmon::operations::{
    ListEndpoints, ProvisionSubscription, ServiceReport, SyncServices, UpdateEndpoint,
};
use secmon_contract_tests::{Account, Customer, cases};
use uuid::Uuid;

cases! {
    anywhere:
        every_trigger_in_every_state_of_a_server,
        the_first_server_gives_its_customer_an_account;
    steered:
        every_transition_of_a_server_keeps_its_history_and_stops_or_goes_on_with_scans(Clock, World)
}

const ADDRESS: &str = "203.0.113.200";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nobody has heard of it.
    Absent,
    Active,
    /// By hand.
    Paused,
    /// For want of capacity.
    PlatformPaused,
    /// The same, but by now there is room.
    PlatformPausedWithRoom,
    Terminated,
    Deleted,
    /// These with every server taken that was paid for.
    AbsentAndFull,
    TerminatedAndFull,
    DeletedAndFull,
}

#[derive(Debug, Clone, Copy)]
enum Trigger {
    Provision,
    Create,
    Suspend,
    Resume,
    Terminate,
    UpdateToPaused,
    UpdateToActive,
    Delete,
    Scan,
    /// What happens to the plan of its customer.
    SuspendPlan,
    CancelPlan,
    SyncToSuspended,
    SyncToCancelled,
    /// The plan is suspended before, where it is not.
    ResumePlan,
    SyncToActive,
}

/// State, trigger, outcome, next state.
#[rustfmt::skip]
const TRANSITIONS: &[(State, Trigger, &str, State)] = {
    use State::*;
    use Trigger::*;
    &[
        (Absent, Provision,      "201",                    Active),
        (Absent, Create,         "201",                    Active),
        (Absent, Suspend,        "404 ENDPOINT_NOT_FOUND", Absent),
        (Absent, Resume,         "404 ENDPOINT_NOT_FOUND", Absent),
        (Absent, Terminate,      "404 ENDPOINT_NOT_FOUND", Absent),
        (Absent, UpdateToPaused, "404 number",             Absent),
        (Absent, UpdateToActive, "404 number",             Absent),
        (Absent, Delete,         "404 number",             Absent),
        (Absent, Scan,           "404 ENDPOINT_NOT_FOUND", Absent),

        (Active, Provision,      "200 note",               Active),
        (Active, Create,         "200 note",               Active),
        (Active, Suspend,        "200",                    Paused),
        (Active, Resume,         "200 note",               Active),
        (Active, Terminate,      "200",                    Terminated),
        (Active, UpdateToPaused, "200",                    Paused),
        (Active, UpdateToActive, "200",                    Active),
        (Active, Delete,         "204",                    Deleted),
        (Active, Scan,           "202",                    Active),
        (Active, SuspendPlan,     "200", PlatformPaused),
        (Active, CancelPlan,      "200", PlatformPaused),
        (Active, SyncToSuspended, "200", PlatformPaused),
        (Active, SyncToCancelled, "200", PlatformPaused),
        (Active, ResumePlan,      "200", Active),
        (Active, SyncToActive,    "200", Active),

        (Paused, Provision,      "200 note",               Paused),
        (Paused, Create,         "200 note",               Paused),
        (Paused, Suspend,        "200 note",               Paused),
        (Paused, Resume,         "200",                    Active),
        (Paused, Terminate,      "200",                    Terminated),
        (Paused, UpdateToPaused, "200",                    Paused),
        (Paused, UpdateToActive, "200",                    Active),
        (Paused, Delete,         "204",                    Deleted),
        (Paused, Scan,           "409 ENDPOINT_NOT_ACTIVE", Paused),
        (Paused, SuspendPlan,     "200", Paused),
        (Paused, CancelPlan,      "200", Paused),
        (Paused, SyncToSuspended, "200", Paused),
        (Paused, SyncToCancelled, "200", Paused),
        (Paused, ResumePlan,      "200", Paused),
        (Paused, SyncToActive,    "200", Paused),

        (PlatformPaused, Provision,      "200 note",                    PlatformPaused),
        (PlatformPaused, Create,         "200 note",                    PlatformPaused),
        (PlatformPaused, Suspend,        "200 note",                    PlatformPaused),
        (PlatformPaused, Resume,         "403 ENDPOINT_LIMIT_EXCEEDED", PlatformPaused),
        (PlatformPaused, Terminate,      "200",                         Terminated),
        (PlatformPaused, UpdateToPaused, "200",                         PlatformPaused),
        (PlatformPaused, UpdateToActive, "403 ENDPOINT_LIMIT_EXCEEDED", PlatformPaused),
        (PlatformPaused, Delete,         "204",                         Deleted),
        (PlatformPaused, Scan,           "409 ENDPOINT_NOT_ACTIVE",     PlatformPaused),
        (PlatformPaused, SuspendPlan,     "200 note",           PlatformPaused),
        (PlatformPaused, CancelPlan,      "200",                PlatformPaused),
        (PlatformPaused, SyncToSuspended, "200 no enforcement", PlatformPaused),
        (PlatformPaused, SyncToCancelled, "200",                PlatformPaused),
        (PlatformPaused, ResumePlan,      "200",                Active),
        (PlatformPaused, SyncToActive,    "200",                Active),

        (PlatformPausedWithRoom, Provision,      "200 note",                PlatformPaused),
        (PlatformPausedWithRoom, Create,         "200 note",                PlatformPaused),
        (PlatformPausedWithRoom, Suspend,        "200 note",                PlatformPaused),
        (PlatformPausedWithRoom, Resume,         "200",                     Active),
        (PlatformPausedWithRoom, Terminate,      "200",                     Terminated),
        (PlatformPausedWithRoom, UpdateToPaused, "200",                     PlatformPaused),
        (PlatformPausedWithRoom, UpdateToActive, "200",                     Active),
        (PlatformPausedWithRoom, Delete,         "204",                     Deleted),
        (PlatformPausedWithRoom, Scan,           "409 ENDPOINT_NOT_ACTIVE", PlatformPaused),

        (Terminated, Provision,      "200 note",                Active),
        (Terminated, Create,         "200 note",                Active),
        (Terminated, Suspend,        "404 ENDPOINT_NOT_FOUND",  Terminated),
        (Terminated, Resume,         "404 ENDPOINT_NOT_FOUND",  Terminated),
        (Terminated, Terminate,      "200 note",                Terminated),
        (Terminated, UpdateToPaused, "404 number",              Terminated),
        (Terminated, UpdateToActive, "404 number",              Terminated),
        (Terminated, Delete,         "204",                     Deleted),
        (Terminated, Scan,           "409 ENDPOINT_NOT_ACTIVE", Terminated),
        (Terminated, SuspendPlan,     "200", Terminated),
        (Terminated, CancelPlan,      "200", Terminated),
        (Terminated, SyncToSuspended, "200", Terminated),
        (Terminated, SyncToCancelled, "200", Terminated),
        (Terminated, ResumePlan,      "200", Terminated),
        (Terminated, SyncToActive,    "200", Terminated),

        (Deleted, Provision,      "200 note",               Active),
        (Deleted, Create,         "200 note",               Active),
        (Deleted, Suspend,        "404 ENDPOINT_NOT_FOUND", Deleted),
        (Deleted, Resume,         "404 ENDPOINT_NOT_FOUND", Deleted),
        (Deleted, Terminate,      "404 ENDPOINT_NOT_FOUND", Deleted),
        (Deleted, UpdateToPaused, "404 number",             Deleted),
        (Deleted, UpdateToActive, "404 number",             Deleted),
        (Deleted, Delete,         "404 number",             Deleted),
        (Deleted, Scan,           "404 ENDPOINT_NOT_FOUND", Deleted),
        (Deleted, SuspendPlan,     "200", Deleted),
        (Deleted, CancelPlan,      "200", Deleted),
        (Deleted, SyncToSuspended, "200", Deleted),
        (Deleted, SyncToCancelled, "200", Deleted),
        (Deleted, ResumePlan,      "200", Deleted),
        (Deleted, SyncToActive,    "200", Deleted),

        (AbsentAndFull,     Provision, "403 ENDPOINT_LIMIT_EXCEEDED", Absent),
        (AbsentAndFull,     Create,    "403 ENDPOINT_LIMIT_EXCEEDED", Absent),
        (TerminatedAndFull, Provision, "403 ENDPOINT_LIMIT_EXCEEDED", Terminated),
        (TerminatedAndFull, Create,    "403 ENDPOINT_LIMIT_EXCEEDED", Terminated),
        (DeletedAndFull,    Provision, "403 ENDPOINT_LIMIT_EXCEEDED", Deleted),
        (DeletedAndFull,    Create,    "403 ENDPOINT_LIMIT_EXCEEDED", Deleted),
    ]
};

async fn every_trigger_in_every_state_of_a_server() {
    let account = Account::new().await;
    account.unpinned();
    for (before, trigger, outcome, after) in TRANSITIONS {
        let what = format!("{trigger:?} of a server that was {before:?}");
        let walk = Walk::to(&account, *before, Found::Nothing).await;
        let report = walk.pull(*trigger).await;
        assert_eq!(account.last_outcome(), *outcome, "{what}");
        let server = walk.found().await;
        let id = server.as_ref().map_or(walk.id, |server| server.id);
        let found = state_of(&account, id, *before).await;
        assert_eq!(found, *after, "{what}");
        if let Some(server) = &server {
            assert!(before.was_never() || id == walk.id, "{what}");
            let is_scanned = server.next_scan_at.is_some();
            assert_eq!(is_scanned, *after == State::Active, "{what}");
        }
        if let Some(report) = report {
            let moved = |from: bool, to: State| match from && *after == to {
                true => Some(vec![ADDRESS.to_owned()]),
                false => Some(Vec::new()),
            };
            let paused = moved(*before == State::Active, State::PlatformPaused);
            assert_eq!(report.newly_paused, paused, "{what}");
            let resumed = moved(*before != State::Paused, State::Active);
            assert_eq!(report.unpaused, resumed, "{what}");
        }
    }
}

async fn every_transition_of_a_server_keeps_its_history_and_stops_or_goes_on_with_scans() {
    let account = Account::new().await;
    account.unpinned();
    for (before, trigger, _, after) in TRANSITIONS {
        if before.was_never() {
            continue;
        }
        let what = format!("{trigger:?} of a server that was {before:?}");
        let walk = Walk::to(&account, *before, Found::Ports).await;
        walk.pull(*trigger).await;
        let scan_went_on = *before == State::Active
            && *after == State::Active
            && !matches!(trigger, Trigger::ResumePlan | Trigger::SyncToActive);
        account.advance(UNTIL_A_SCAN_ENDS).await;
        let detail = walk.detail().await;
        let scanned = last_scan(&detail.data);
        assert_eq!(detail.data.id, walk.id, "{what}");
        if *before == State::Active {
            assert_eq!(scanned != walk.scanned, scan_went_on, "{what}");
        }
        let open = detail.latest_scan.and_then(|scan| scan.open_ports);
        assert_eq!(open, Some(vec![OPEN]), "{what}");
        let alerts: Vec<u16> = detail.alerts.iter().map(|alert| alert.port).collect();
        assert_eq!(alerts, [OPEN], "{what}");
        let next = detail.data.next_scan_at.as_ref().map(Timestamp::date_time);
        let due = match detail.data.status {
            EndpointStatus::Active => scanned.map(|at| at + TimeDelta::days(1)),
            _ => None,
        };
        assert_eq!(next, due, "{what}");
        account.advance(DAY).await;
        let later = walk.found().await.as_ref().and_then(last_scan);
        match next {
            Some(next) => assert!(later >= Some(next), "{what}"),
            None => assert_eq!(later, scanned, "{what}"),
        }
    }
}

async fn the_first_server_gives_its_customer_an_account() {
    let account = Account::new().await;
    let [one, other] = [account.customer(), account.customer()];
    for customer in [one, other] {
        let refused = account.client.sso_token(customer.id);
        refused.await.expect_err("nobody there");
        assert_eq!(account.last_outcome(), "500 USER_NOT_FOUND");
    }
    one.provisioned(ADDRESS).await;
    let created = account.client.servers().create(other.endpoint(ADDRESS));
    created.await.expect("created");
    for customer in [one, other] {
        let token = account.client.sso_token(customer.id);
        token.await.expect("a token");
    }
}

/// Longer than any scan, and shorter than the time between two.
const UNTIL_A_SCAN_ENDS: u64 = 60;
const DAY: u64 = 86_400;
const OPEN: u16 = 3389;
const PLAN: &str = "starter";
const SERVERS: ProductSlug = ProductSlug::PortMonitoring;

type Moment = chrono::DateTime<chrono::FixedOffset>;

fn last_scan(server: &Endpoint) -> Option<Moment> {
    server.last_scan_at.as_ref().map(Timestamp::date_time)
}

/// What a server's first scan has found.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Found {
    /// It may still be running.
    Nothing,
    /// One port, and another scan was asked for.
    Ports,
}

impl State {
    fn was_never(self) -> bool {
        matches!(self, Self::Absent | Self::AbsentAndFull)
    }
}

/// A server of a customer, and the plan that pays for it.
struct Walk<'a> {
    account: &'a Account,
    customer: Customer<'a>,
    plan: ServiceId,
    id: EndpointId,
    /// When the last scan before the trigger ended.
    scanned: Option<Moment>,
}

impl<'a> Walk<'a> {
    /// A server in a state; what nobody has heard of has some identifier too.
    async fn to(account: &'a Account, state: State, found: Found) -> Self {
        let customer = account.customer();
        let plan = customer.server_plan(PLAN).await;
        let older = match state {
            State::PlatformPausedWithRoom => filled(account, customer).await,
            _ => Vec::new(),
        };
        let id = match state.was_never() {
            true => EndpointId::from(Uuid::from_u128(7)),
            false => customer.provisioned(ADDRESS).await,
        };
        let mut walk = Self {
            account,
            customer,
            plan,
            id,
            scanned: None,
        };
        if found == Found::Ports {
            account.open_ports(id, &[(OPEN, "tcp")]).await;
            account.scan(id, "completed").await;
            account.advance(UNTIL_A_SCAN_ENDS).await;
            walk.scanned = walk.found().await.as_ref().and_then(last_scan);
        }
        walk.enter(state).await;
        for server in older.iter().take(1) {
            let ended = account.client.servers().terminate(*server).await;
            ended.expect("terminated");
        }
        if found == Found::Ports && state == State::Active {
            let queued = account.client.servers().scan(customer.id, id).await;
            queued.expect("a scan is queued");
        }
        walk
    }

    async fn enter(&self, state: State) {
        let (client, id) = (&self.account.client, self.id);
        match state {
            State::Absent | State::Active | State::PlatformPausedWithRoom => {}
            State::AbsentAndFull | State::PlatformPaused => {}
            State::Paused => drop(client.servers().suspend(id).await.expect("suspended")),
            State::Terminated | State::TerminatedAndFull => {
                client.servers().terminate(id).await.expect("terminated");
            }
            State::Deleted | State::DeletedAndFull => {
                client
                    .servers()
                    .delete_account_wide(id)
                    .await
                    .expect("deleted");
            }
        }
        match state {
            State::PlatformPaused
            | State::PlatformPausedWithRoom
            | State::AbsentAndFull
            | State::TerminatedAndFull
            | State::DeletedAndFull => self.suspend_plan().await.expect("suspended"),
            _ => {}
        }
    }

    async fn suspend_plan(&self) -> Result<(), secmon::Error> {
        let suspended = self
            .account
            .client
            .subscriptions()
            .suspend(self.customer.id, self.plan, SERVERS)
            .await;
        suspended.map(drop)
    }

    /// What is answered is looked at as the raw answer that it was, but for the report of a sync.
    async fn pull(&self, trigger: Trigger) -> Option<CapacityReport> {
        let client = &self.account.client;
        let (customer, id) = (self.customer, self.id);
        let servers = client.servers();
        let update = UpdateEndpoint::new(customer.id, id);
        match trigger {
            Trigger::Provision => drop(servers.provision(customer.server(ADDRESS)).await),
            Trigger::Create => drop(servers.create(customer.endpoint(ADDRESS)).await),
            Trigger::Suspend => drop(servers.suspend(id).await),
            Trigger::Resume => drop(servers.resume(id).await),
            Trigger::Terminate => drop(servers.terminate(id).await),
            Trigger::UpdateToPaused => {
                let update = update.status(EndpointStatus::Paused);
                drop(servers.update(update).await);
            }
            Trigger::UpdateToActive => {
                let update = update.status(EndpointStatus::Active);
                drop(servers.update(update).await);
            }
            Trigger::Delete => drop(servers.delete_account_wide(id).await),
            Trigger::Scan => drop(servers.scan(customer.id, id).await),
            Trigger::SuspendPlan => drop(self.suspend_plan().await),
            Trigger::CancelPlan => {
                drop(
                    client
                        .subscriptions()
                        .terminate(customer.id, self.plan, SERVERS)
                        .await,
                );
            }
            Trigger::ResumePlan => {
                self.suspend_plan().await.expect("suspended");
                drop(self.resume_plan().await);
            }
            Trigger::SyncToSuspended => return self.sync(SubscriptionStatus::Suspended).await,
            Trigger::SyncToCancelled => return self.sync(SubscriptionStatus::Cancelled).await,
            Trigger::SyncToActive => {
                self.suspend_plan().await.expect("suspended");
                return self.sync(SubscriptionStatus::Active).await;
            }
        }
        None
    }

    async fn resume_plan(&self) -> Result<(), secmon::Error> {
        let resumed = self
            .account
            .client
            .subscriptions()
            .resume(self.customer.id, self.plan, SERVERS)
            .await;
        resumed.map(drop)
    }

    async fn sync(&self, status: SubscriptionStatus) -> Option<CapacityReport> {
        let report = ServiceReport::new(self.customer.id, self.plan, SERVERS, status);
        let answer = self.account.client.send(SyncServices::new(vec![report]));
        let answer = answer.await.expect("synced").into_data();
        let enforcement = answer.enforcement.expect("an enforcement");
        enforcement.get(&self.customer.id)?.get(&SERVERS).cloned()
    }

    /// The server, where it is listed.
    async fn found(&self) -> Option<Endpoint> {
        let list = ListEndpoints::new(self.customer.id);
        let all = self.account.client.pages(list).collect_all().await;
        let mut all = all.expect("a list").into_iter();
        all.find(|server| server.ip_address == ADDRESS)
    }

    /// What is known of the server, which is brought back for that where it is gone.
    async fn detail(&self) -> EndpointDetail {
        let client = &self.account.client;
        if self.found().await.is_none() {
            let plan = ProvisionSubscription::new(self.customer.id, self.plan, SERVERS);
            let plan = client.subscriptions().provision(plan).await;
            plan.expect("the plan is no longer cancelled");
            self.resume_plan().await.expect("resumed");
            self.customer.provisioned(ADDRESS).await;
        }
        let detail = client.servers().detail_account_wide(self.id).await;
        detail.expect("a detail").into_data()
    }
}

/// Servers that take all that a plan pays for, and another plan.
async fn filled(account: &Account, customer: Customer<'_>) -> Vec<EndpointId> {
    let list = ListEndpoints::new(customer.id);
    let page = account.client.send(list).await.expect("a page");
    let limit = page.data.meta.endpoint_limit.expect("a limit");
    customer.server_plan(PLAN).await;
    let mut servers = Vec::new();
    for number in 0..limit {
        let address = format!("198.51.100.{}", number + 1);
        servers.push(customer.provisioned(&address).await);
    }
    servers
}

/// What can be seen of a server. That one is absent and not deleted can only be known from before.
async fn state_of(account: &Account, id: EndpointId, before: State) -> State {
    if let Ok(read) = account.client.servers().get_account_wide(id).await {
        let paused_by_platform = read.data.quota_paused == Some(true);
        return match read.data.status {
            EndpointStatus::Active => State::Active,
            EndpointStatus::Paused if paused_by_platform => State::PlatformPaused,
            EndpointStatus::Paused => State::Paused,
            other => panic!("a server is {other}"),
        };
    }
    match account.client.servers().terminate(id).await {
        Ok(_) => State::Terminated,
        Err(_) if before.was_never() => State::Absent,
        Err(_) => State::Deleted,
    }
}
