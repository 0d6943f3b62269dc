//! The states of a server, walked both ways: what each trigger does in each state, allowed or refused.

use secmon::model::{EndpointId, EndpointStatus, ProductSlug};
use secmon::operations::{SuspendSubscription, UpdateEndpoint};
use secmon_contract_tests::{Account, Customer, cases};
use uuid::Uuid;

cases! {
    anywhere:
        every_trigger_in_every_state_of_a_server;
    steered:
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
    Terminated,
    Deleted,
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

        (Paused, Provision,      "200 note",               Paused),
        (Paused, Create,         "200 note",               Paused),
        (Paused, Suspend,        "200 note",               Paused),
        (Paused, Resume,         "200",                    Active),
        (Paused, Terminate,      "200",                    Terminated),
        (Paused, UpdateToPaused, "200",                    Paused),
        (Paused, UpdateToActive, "200",                    Active),
        (Paused, Delete,         "204",                    Deleted),
        (Paused, Scan,           "409 ENDPOINT_NOT_ACTIVE", Paused),

        (PlatformPaused, Provision,      "200 note",                    PlatformPaused),
        (PlatformPaused, Create,         "200 note",                    PlatformPaused),
        (PlatformPaused, Suspend,        "200 note",                    PlatformPaused),
        (PlatformPaused, Resume,         "403 ENDPOINT_LIMIT_EXCEEDED", PlatformPaused),
        (PlatformPaused, Terminate,      "200",                         Terminated),
        (PlatformPaused, UpdateToPaused, "200",                         PlatformPaused),
        (PlatformPaused, UpdateToActive, "403 ENDPOINT_LIMIT_EXCEEDED", PlatformPaused),
        (PlatformPaused, Delete,         "204",                         Deleted),
        (PlatformPaused, Scan,           "409 ENDPOINT_NOT_ACTIVE",     PlatformPaused),

        (Terminated, Provision,      "200 note",                Active),
        (Terminated, Create,         "200 note",                Active),
        (Terminated, Suspend,        "404 ENDPOINT_NOT_FOUND",  Terminated),
        (Terminated, Resume,         "404 ENDPOINT_NOT_FOUND",  Terminated),
        (Terminated, Terminate,      "200 note",                Terminated),
        (Terminated, UpdateToPaused, "404 number",              Terminated),
        (Terminated, UpdateToActive, "404 number",              Terminated),
        (Terminated, Delete,         "204",                     Deleted),
        (Terminated, Scan,           "409 ENDPOINT_NOT_ACTIVE", Terminated),

        (Deleted, Provision,      "200 note",               Active),
        (Deleted, Create,         "200 note",               Active),
        (Deleted, Suspend,        "404 ENDPOINT_NOT_FOUND", Deleted),
        (Deleted, Resume,         "404 ENDPOINT_NOT_FOUND", Deleted),
        (Deleted, Terminate,      "404 ENDPOINT_NOT_FOUND", Deleted),
        (Deleted, UpdateToPaused, "404 number",             Deleted),
        (Deleted, UpdateToActive, "404 number",             Deleted),
        (Deleted, Delete,         "404 number",             Deleted),
        (Deleted, Scan,           "404 ENDPOINT_NOT_FOUND", Deleted),
    ]
};

async fn every_trigger_in_every_state_of_a_server() {
    let account = Account::new().await;
    account.unpinned();
    for (before, trigger, outcome, after) in TRANSITIONS {
        let customer = account.customer();
        let id = brought_to(&account, customer, *before).await;
        pull(&account, customer, id, *trigger).await;
        assert_eq!(
            account.last_outcome(),
            *outcome,
            "{trigger:?} of a server that is {before:?}"
        );
        let id = match before {
            State::Absent => newest(&account, customer).await.unwrap_or(id),
            _ => id,
        };
        let found = state_of(&account, id, *before).await;
        assert_eq!(
            found, *after,
            "after {trigger:?} of a server that was {before:?}"
        );
    }
}

/// A server in a state; what nobody has heard of has some identifier too.
async fn brought_to(account: &Account, customer: Customer<'_>, state: State) -> EndpointId {
    let servers = account.client.servers();
    if state == State::Absent {
        return EndpointId::from(Uuid::from_u128(7));
    }
    let service = match state {
        State::PlatformPaused => Some(customer.server_plan("starter").await),
        _ => None,
    };
    let id = customer.provisioned(ADDRESS).await;
    match (state, service) {
        (State::Paused, _) => drop(servers.suspend(id).await.expect("suspended")),
        (State::Terminated, _) => drop(servers.terminate(id).await.expect("terminated")),
        (State::Deleted, _) => drop(
            account
                .client
                .endpoints()
                .delete(id)
                .await
                .expect("deleted"),
        ),
        (_, Some(service)) => {
            let suspend =
                SuspendSubscription::new(customer.id, service, ProductSlug::PortMonitoring);
            account
                .client
                .subscriptions()
                .suspend(suspend)
                .await
                .expect("suspended");
        }
        (State::Absent | State::Active | State::PlatformPaused, None) => {}
    }
    id
}

/// The result is looked at as the raw answer that it was.
async fn pull(account: &Account, customer: Customer<'_>, id: EndpointId, trigger: Trigger) {
    let (servers, endpoints) = (account.client.servers(), account.client.endpoints());
    let update = UpdateEndpoint::new(id, customer.id);
    match trigger {
        Trigger::Provision => drop(servers.provision(customer.server(ADDRESS)).await),
        Trigger::Create => drop(endpoints.create(customer.endpoint(ADDRESS)).await),
        Trigger::Suspend => drop(servers.suspend(id).await),
        Trigger::Resume => drop(servers.resume(id).await),
        Trigger::Terminate => drop(servers.terminate(id).await),
        Trigger::UpdateToPaused => drop(
            endpoints
                .update(update.status(EndpointStatus::Paused))
                .await,
        ),
        Trigger::UpdateToActive => drop(
            endpoints
                .update(update.status(EndpointStatus::Active))
                .await,
        ),
        Trigger::Delete => drop(endpoints.delete(id).await),
        Trigger::Scan => drop(servers.scan(customer.id, id).await),
    }
}

/// The customer's only server, if it has one.
async fn newest(account: &Account, customer: Customer<'_>) -> Option<EndpointId> {
    let list = secmon::operations::ListEndpoints::new().billing_customer_id(customer.id);
    let all = account
        .client
        .pages(list)
        .collect_all()
        .await
        .expect("a list");
    all.first().map(|server| server.id)
}

/// What can be seen of a server. That one is absent and not deleted can only be known from before.
async fn state_of(account: &Account, id: EndpointId, before: State) -> State {
    if let Ok(read) = account.client.endpoints().get(id).await {
        let paused_by_platform = read.data.quota_paused == Some(true);
        return match read.data.status {
            EndpointStatus::Active => State::Active,
            EndpointStatus::Paused if paused_by_platform => State::PlatformPaused,
            EndpointStatus::Paused => State::Paused,
            other => panic!("a server is {other}"),
        };
    }
    match (account.client.servers().terminate(id).await.is_ok(), before) {
        (true, _) => State::Terminated,
        (false, State::Absent) => State::Absent,
        (false, _) => State::Deleted,
    }
}
