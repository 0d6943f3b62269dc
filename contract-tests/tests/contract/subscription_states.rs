//! The states of a subscription, walked both ways, by its own operations and by sync-services.

use secmon::model::{DomainStatus, EndpointStatus, ProductSlug, ServiceId, SubscriptionStatus};
use secmon::operations::{
    ChangeSubscription, ListEndpoints, ProvisionSubscription, ServiceReport, SyncServices,
};
use secmon_contract_tests::{Account, Customer, cases, next_service};

cases! {
    anywhere:
        every_trigger_in_every_state_of_a_subscription_to_slots,
        every_trigger_in_every_state_of_a_subscription_to_a_plan;
    steered:
}

const SLOTS: u32 = 2;
const PLAN: &str = "starter";
const LARGER_PLAN: &str = "professional";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Product {
    /// Counted in slots.
    Domains,
    /// A plan.
    Servers,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Absent,
    Active,
    Suspended,
    Cancelled,
}

#[derive(Debug, Clone, Copy)]
enum Trigger {
    Provision,
    Suspend,
    Resume,
    Terminate,
    Change,
    ChangeNothing,
    SyncToActive,
    SyncToSuspended,
    SyncToCancelled,
}

/// State, trigger, outcome, next state.
#[rustfmt::skip]
const TRANSITIONS: &[(State, Trigger, &str, State)] = {
    use State::*;
    use Trigger::*;
    &[
        (Absent, Provision,       "201",                          Active),
        (Absent, Suspend,         "404 BILLING_CLIENT_NOT_FOUND", Absent),
        (Absent, Resume,          "404 BILLING_CLIENT_NOT_FOUND", Absent),
        (Absent, Terminate,       "404 BILLING_CLIENT_NOT_FOUND", Absent),
        (Absent, Change,          "404 SUBSCRIPTION_NOT_FOUND",   Absent),
        (Absent, ChangeNothing,   "404 SUBSCRIPTION_NOT_FOUND",   Absent),
        (Absent, SyncToActive,    "200 no enforcement",           Absent),
        (Absent, SyncToSuspended, "200 no enforcement",           Absent),
        (Absent, SyncToCancelled, "200 no enforcement",           Absent),

        (Active, Provision,       "200",                Active),
        (Active, Suspend,         "200",                Suspended),
        (Active, Resume,          "200 note",           Active),
        (Active, Terminate,       "200",                Cancelled),
        (Active, Change,          "200",                Active),
        (Active, ChangeNothing,   "200 unchanged",      Active),
        (Active, SyncToActive,    "200 no enforcement", Active),
        (Active, SyncToSuspended, "200",                Suspended),
        (Active, SyncToCancelled, "200",                Cancelled),

        (Suspended, Provision,       "200",                Suspended),
        (Suspended, Suspend,         "200 note",           Suspended),
        (Suspended, Resume,          "200",                Active),
        (Suspended, Terminate,       "200",                Cancelled),
        (Suspended, Change,          "200",                Suspended),
        (Suspended, ChangeNothing,   "200 unchanged",      Suspended),
        (Suspended, SyncToActive,    "200",                Active),
        (Suspended, SyncToSuspended, "200 no enforcement", Suspended),
        (Suspended, SyncToCancelled, "200",                Cancelled),

        (Cancelled, Provision,       "200",                             Active),
        (Cancelled, Suspend,         "422 SUBSCRIPTION_NOT_CHANGEABLE", Cancelled),
        (Cancelled, Resume,          "422 SUBSCRIPTION_NOT_CHANGEABLE", Cancelled),
        (Cancelled, Terminate,       "200 note",                        Cancelled),
        (Cancelled, Change,          "422 SUBSCRIPTION_NOT_CHANGEABLE", Cancelled),
        (Cancelled, ChangeNothing,   "422 SUBSCRIPTION_NOT_CHANGEABLE", Cancelled),
        (Cancelled, SyncToActive,    "200",                             Active),
        (Cancelled, SyncToSuspended, "200",                             Suspended),
        (Cancelled, SyncToCancelled, "200 no enforcement",              Cancelled),
    ]
};

async fn every_trigger_in_every_state_of_a_subscription_to_slots() {
    every_row(Product::Domains).await;
}

async fn every_trigger_in_every_state_of_a_subscription_to_a_plan() {
    every_row(Product::Servers).await;
}

async fn every_row(product: Product) {
    let account = Account::new().await;
    account.unpinned();
    for (before, trigger, outcome, after) in TRANSITIONS {
        let what = format!("{trigger:?} of one that was {before:?}");
        let walk = Walk::to(&account, product, *before).await;
        let status = walk.pull(*trigger).await;
        assert_eq!(account.last_outcome(), *outcome, "{what}");
        assert!(status.is_none_or(|told| told == after.status()), "{what}");
        let View {
            capacity,
            subscribed,
            paid_for,
        } = walk.view().await;
        match (before, trigger, after) {
            (_, _, State::Suspended | State::Cancelled) => assert_eq!(capacity, 0, "{what}"),
            (State::Absent, _, State::Active) => assert!(capacity > 0, "{what}"),
            (_, Trigger::Change, State::Active) => assert!(capacity > walk.bought, "{what}"),
            (_, _, State::Active | State::Absent) => assert_eq!(capacity, walk.bought, "{what}"),
        }
        let is_known = matches!(after, State::Active | State::Suspended);
        assert!(subscribed.is_none_or(|it| it == is_known), "{what}");
        let expected = match (before, after) {
            (State::Absent, _) => PaidFor::Nothing,
            (_, State::Active) => PaidFor::Active,
            (..) => PaidFor::PausedByPlatform,
        };
        assert_eq!(paid_for, expected, "{what}");
        let found = walk.state(capacity).await;
        assert_eq!(found, *after, "{what}");
    }
}

impl State {
    fn status(self) -> SubscriptionStatus {
        match self {
            Self::Absent | Self::Cancelled => SubscriptionStatus::Cancelled,
            Self::Active => SubscriptionStatus::Active,
            Self::Suspended => SubscriptionStatus::Suspended,
        }
    }
}

/// What a customer has.
struct View {
    /// Slots, or servers.
    capacity: u64,
    /// Where that is told.
    subscribed: Option<bool>,
    paid_for: PaidFor,
}

/// The server or the domain that a subscription pays for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PaidFor {
    Nothing,
    Active,
    PausedByPlatform,
}

/// A subscription, and a server or a domain that it pays for.
struct Walk<'a> {
    account: &'a Account,
    customer: Customer<'a>,
    product: Product,
    service: ServiceId,
    /// The capacity that the subscription came with.
    bought: u64,
}

impl<'a> Walk<'a> {
    async fn to(account: &'a Account, product: Product, state: State) -> Self {
        let customer = account.customer();
        let service = match (state, product) {
            (State::Absent, _) => next_service(),
            (_, Product::Domains) => customer.domain_slots(SLOTS).await,
            (_, Product::Servers) => customer.server_plan(PLAN).await,
        };
        let mut walk = Self {
            account,
            customer,
            product,
            service,
            bought: 0,
        };
        walk.bought = walk.view().await.capacity;
        if state != State::Absent {
            match product {
                Product::Domains => drop(customer.watched("example.com", service).await),
                Product::Servers => drop(customer.provisioned("203.0.113.220").await),
            }
        }
        match state {
            State::Absent | State::Active => {}
            State::Suspended => drop(walk.suspend().await.expect("suspended")),
            State::Cancelled => drop(walk.terminate().await.expect("cancelled")),
        }
        walk
    }

    fn slug(&self) -> ProductSlug {
        match self.product {
            Product::Domains => ProductSlug::DomainMonitoring,
            Product::Servers => ProductSlug::PortMonitoring,
        }
    }

    async fn suspend(&self) -> Result<SubscriptionStatus, secmon::Error> {
        let suspended = self
            .account
            .client
            .subscriptions()
            .suspend(self.customer.id, self.service, self.slug())
            .await;
        Ok(suspended?.into_data().status)
    }

    async fn terminate(&self) -> Result<SubscriptionStatus, secmon::Error> {
        let ended = self
            .account
            .client
            .subscriptions()
            .terminate(self.customer.id, self.service, self.slug())
            .await;
        Ok(ended?.into_data().status)
    }

    /// What is answered is looked at as the raw answer that it was, but for the status that it tells.
    async fn pull(&self, trigger: Trigger) -> Option<SubscriptionStatus> {
        let subscriptions = self.account.client.subscriptions();
        let (customer, service) = (self.customer.id, self.service);
        match trigger {
            Trigger::Provision => {
                let provision = ProvisionSubscription::new(customer, service, self.slug());
                // A plan must be named the first time, which is harmless later.
                let provision = match self.product {
                    Product::Domains => provision,
                    Product::Servers => provision.plan_slug(PLAN),
                };
                let provisioned = subscriptions.provision(provision).await;
                provisioned.ok().map(|made| made.into_data().status)
            }
            Trigger::Suspend => self.suspend().await.ok(),
            Trigger::Resume => {
                let resumed = subscriptions.resume(customer, service, self.slug()).await;
                resumed.ok().map(|resumed| resumed.into_data().status)
            }
            Trigger::Terminate => self.terminate().await.ok(),
            Trigger::Change => self.change(SLOTS + 1, LARGER_PLAN).await,
            Trigger::ChangeNothing => self.change(SLOTS, PLAN).await,
            Trigger::SyncToActive => self.sync(SubscriptionStatus::Active).await,
            Trigger::SyncToSuspended => self.sync(SubscriptionStatus::Suspended).await,
            Trigger::SyncToCancelled => self.sync(SubscriptionStatus::Cancelled).await,
        }
    }

    async fn change(&self, slots: u32, plan: &str) -> Option<SubscriptionStatus> {
        let change = ChangeSubscription::new(self.customer.id, self.service, self.slug());
        let change = match self.product {
            Product::Domains => change.new_quantity(slots),
            Product::Servers => change.new_plan_slug(plan),
        };
        drop(self.account.client.subscriptions().change(change).await);
        None
    }

    async fn sync(&self, status: SubscriptionStatus) -> Option<SubscriptionStatus> {
        let report = ServiceReport::new(self.customer.id, self.service, self.slug(), status);
        drop(
            self.account
                .client
                .send(SyncServices::new(vec![report]))
                .await,
        );
        None
    }

    /// One read of what the customer has.
    async fn view(&self) -> View {
        let (client, customer) = (&self.account.client, self.customer.id);
        let (capacity, subscribed, paid_for) = match self.product {
            Product::Domains => {
                let overview = client.domains().list(customer).await;
                let overview = overview.expect("an overview").into_data();
                let domains = overview.domains.expect("the domains");
                let domain = domains.first();
                let domain = domain.map(|it| (it.status == DomainStatus::Active, it.quota_paused));
                (overview.slots_total, Some(overview.subscribed), domain)
            }
            Product::Servers => {
                let list = ListEndpoints::new(customer);
                let page = client.send(list).await.expect("a page").into_data();
                let server = page.data.first();
                let server =
                    server.map(|it| (it.status == EndpointStatus::Active, it.quota_paused));
                (page.meta.endpoint_limit, None, server)
            }
        };
        View {
            capacity: capacity.expect("a capacity"),
            subscribed,
            paid_for: match paid_for {
                None => PaidFor::Nothing,
                Some((true, Some(false))) => PaidFor::Active,
                Some((false, Some(true))) => PaidFor::PausedByPlatform,
                other => panic!("active, and paused by the platform: {other:?}"),
            },
        }
    }

    /// What can be seen. The rest is known by what a termination says; it comes last, as it changes what is suspended.
    async fn state(&self, capacity: u64) -> State {
        let ended = self.terminate().await;
        match (ended, self.account.last_outcome().as_str()) {
            (Err(_), _) => State::Absent,
            (Ok(_), _) if capacity > 0 => State::Active,
            (Ok(_), "200 note") => State::Cancelled,
            (Ok(_), _) => State::Suspended,
        }
    }
}
