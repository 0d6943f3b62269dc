//! The states of a subscription, walked both ways, by its own operations and by sync-services.

use secmon::model::{ProductSlug, ServiceId, SubscriptionStatus};
use secmon::operations::{
    ChangeSubscription, ProvisionSubscription, ResumeSubscription, ServiceReport,
    SuspendSubscription, SyncServices, TerminateSubscription,
};
use secmon_contract_tests::{Account, Customer, cases, next_service};

cases! {
    anywhere:
        every_trigger_in_every_state_of_a_subscription;
    steered:
}

const DOMAINS: ProductSlug = ProductSlug::DomainMonitoring;
const SLOTS: u32 = 2;

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

async fn every_trigger_in_every_state_of_a_subscription() {
    let account = Account::new().await;
    account.unpinned();
    for (before, trigger, outcome, after) in TRANSITIONS {
        let customer = account.customer();
        let service = brought_to(&account, customer, *before).await;
        pull(&account, customer, service, *trigger).await;
        assert_eq!(
            account.last_outcome(),
            *outcome,
            "{trigger:?} of one that is {before:?}"
        );
        let found = state_of(&account, customer, service).await;
        assert_eq!(
            found, *after,
            "after {trigger:?} of one that was {before:?}"
        );
    }
}

async fn brought_to(account: &Account, customer: Customer<'_>, state: State) -> ServiceId {
    if state == State::Absent {
        return next_service();
    }
    let service = customer.domain_slots(SLOTS).await;
    let subscriptions = account.client.subscriptions();
    match state {
        State::Absent | State::Active => {}
        State::Suspended => {
            let suspend = SuspendSubscription::new(customer.id, service, DOMAINS);
            subscriptions.suspend(suspend).await.expect("suspended");
        }
        State::Cancelled => {
            let end = TerminateSubscription::new(customer.id, service, DOMAINS);
            subscriptions.terminate(end).await.expect("cancelled");
        }
    }
    service
}

/// The result is looked at as the raw answer that it was.
async fn pull(account: &Account, customer: Customer<'_>, service: ServiceId, trigger: Trigger) {
    let subscriptions = account.client.subscriptions();
    let customer = customer.id;
    let change = ChangeSubscription::new(customer, service, DOMAINS);
    let sync = |status| {
        let report = ServiceReport {
            service_id: service,
            client_id: customer,
            product_slug: DOMAINS,
            status,
        };
        account.client.send(SyncServices::new([report]))
    };
    match trigger {
        Trigger::Provision => drop(
            subscriptions
                .provision(ProvisionSubscription::new(customer, service, DOMAINS))
                .await,
        ),
        Trigger::Suspend => drop(
            subscriptions
                .suspend(SuspendSubscription::new(customer, service, DOMAINS))
                .await,
        ),
        Trigger::Resume => drop(
            subscriptions
                .resume(ResumeSubscription::new(customer, service, DOMAINS))
                .await,
        ),
        Trigger::Terminate => drop(
            subscriptions
                .terminate(TerminateSubscription::new(customer, service, DOMAINS))
                .await,
        ),
        Trigger::Change => drop(subscriptions.change(change.new_quantity(SLOTS + 1)).await),
        Trigger::ChangeNothing => drop(subscriptions.change(change.new_quantity(SLOTS)).await),
        Trigger::SyncToActive => drop(sync(SubscriptionStatus::Active).await),
        Trigger::SyncToSuspended => drop(sync(SubscriptionStatus::Suspended).await),
        Trigger::SyncToCancelled => drop(sync(SubscriptionStatus::Cancelled).await),
    }
}

/// What the customer's slots show. Cancelled and absent differ in what a termination says, which changes neither.
async fn state_of(account: &Account, customer: Customer<'_>, service: ServiceId) -> State {
    let overview = account
        .client
        .domain_monitoring()
        .list(customer.id)
        .await
        .expect("an overview");
    match (overview.data.subscribed, overview.data.slots_total) {
        (true, Some(0)) => return State::Suspended,
        (true, _) => return State::Active,
        (false, _) => {}
    }
    let end = TerminateSubscription::new(customer.id, service, DOMAINS);
    match account.client.subscriptions().terminate(end).await {
        Ok(_) => State::Cancelled,
        Err(_) => State::Absent,
    }
}
