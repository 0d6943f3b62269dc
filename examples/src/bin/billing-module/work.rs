//! What a hook leads to. Nothing is remembered of servers: the service is asked which one has the address.

use crate::hook::{Event, Goods, Hook, Package};
use secmon::model::{Address, CustomerId, Endpoint, EndpointStatus};
use secmon::operations::{
    ChangeSubscription, ProvisionEndpoint, ProvisionSubscription, ResumeEndpoint,
    ResumeSubscription, SuspendEndpoint, SuspendSubscription, TerminateEndpoint,
    TerminateSubscription,
};
use secmon::{Client, Error, ErrorCode};

/// What a hook came to, in words.
pub enum Reached {
    /// The state that was asked for.
    AsAsked(String),
    /// Another one: the call succeeded, and somebody should know that it did not do what was sold.
    Else(String),
}

/// Works a hook off. It can be worked off again, whatever became of the first time.
pub async fn work(client: &Client, hook: &Hook) -> Result<Reached, Error> {
    match &hook.goods {
        Goods::Server(address) => server(client, hook, address).await,
        Goods::Plan(plan) => subscription(client, hook, Package::plan(plan)).await,
        Goods::DomainSlots(slots) => {
            subscription(client, hook, Package::domain_slots(*slots)).await
        }
    }
}

async fn server(client: &Client, hook: &Hook, address: &Address) -> Result<Reached, Error> {
    match hook.event {
        Event::Created => return provision(client, hook.provision(address)).await,
        Event::Changed => return change_server(client, hook, address).await,
        _ => {}
    }
    let found = find(client, hook.customer, address).await?;
    let (state, wanted) = match (hook.event, found) {
        // Terminated by hand, or lost: it is paid, so it is monitored again.
        (Event::Unsuspended, None) => return provision(client, hook.provision(address)).await,
        (_, None) => return Ok(Reached::AsAsked("not monitored".to_owned())),
        (Event::Suspended, Some(server)) => (
            client.send(SuspendEndpoint::new(server.id)).await?,
            "paused",
        ),
        (Event::Unsuspended, Some(server)) => {
            (client.send(ResumeEndpoint::new(server.id)).await?, "active")
        }
        (_, Some(server)) => (
            client.send(TerminateEndpoint::new(server.id)).await?,
            "terminated",
        ),
    };
    Ok(reached(state.data.status.as_str(), wanted))
}

async fn provision(client: &Client, request: ProvisionEndpoint) -> Result<Reached, Error> {
    let answer = client.send(request).await?;
    // A note is no failure: the server was there already, by an earlier delivery or by hand.
    let text = match answer.was_created() {
        Some(true) => "monitored from now on",
        Some(false) => answer.note().unwrap_or("monitored already"),
        None => "monitored",
    };
    Ok(match reached(answer.data.status.as_str(), "active") {
        Reached::AsAsked(_) => Reached::AsAsked(text.to_owned()),
        other => other,
    })
}

/// Monitors the new address, and then no longer the old one, so that there is no gap. A full plan has no room for both.
async fn change_server(client: &Client, hook: &Hook, address: &Address) -> Result<Reached, Error> {
    let old = match &hook.instead_of {
        Some(old) => find(client, hook.customer, old).await?,
        None => None,
    };
    let end = async |old: Option<Endpoint>| match old {
        Some(old) => client.send(TerminateEndpoint::new(old.id)).await.map(drop),
        None => Ok(()),
    };
    match provision(client, hook.provision(address)).await {
        Err(full) if full.code() == Some(&ErrorCode::EndpointLimitExceeded) && old.is_some() => {
            end(old).await?;
            provision(client, hook.provision(address)).await
        }
        Ok(reached) => {
            end(old).await?;
            Ok(reached)
        }
        Err(error) => Err(error),
    }
}

async fn subscription(client: &Client, hook: &Hook, package: Package) -> Result<Reached, Error> {
    let (customer, service, product) = (hook.customer, hook.service, package.product);
    let (status, wanted) = match hook.event {
        Event::Created => {
            let mut order = ProvisionSubscription::new(customer, service, product);
            order.client_name.clone_from(&hook.client_name);
            (order.plan_slug, order.quantity) = (package.plan, package.quantity);
            (client.send(order).await?.data.status, "active")
        }
        Event::Changed => {
            let mut change = ChangeSubscription::new(customer, service, product);
            (change.new_plan_slug, change.new_quantity) = (package.plan, package.quantity);
            let change = client.send(change).await?.into_inner();
            let direction = change.direction.map(|direction| direction.to_string());
            return Ok(Reached::AsAsked(match change.changed {
                true => direction.unwrap_or_else(|| "changed".to_owned()),
                // An earlier delivery may have made the change, and its answer was lost.
                false => "as asked already".to_owned(),
            }));
        }
        Event::Suspended => {
            let suspend = SuspendSubscription::new(customer, service, product);
            (client.send(suspend).await?.data.status, "suspended")
        }
        Event::Unsuspended => {
            let resume = ResumeSubscription::new(customer, service, product);
            (client.send(resume).await?.data.status, "active")
        }
        Event::Terminated => {
            let terminate = TerminateSubscription::new(customer, service, product);
            (client.send(terminate).await?.data.status, "cancelled")
        }
    };
    Ok(reached(status.as_str(), wanted))
}

/// What can be seen, for somebody who reads the log, where an answer was lost. It never settles the matter: the service
/// tells sums over all services of a customer, and the same hook, delivered again, tells it exactly.
pub async fn look(client: &Client, hook: &Hook) -> Result<String, Error> {
    if let Goods::DomainSlots(_) = hook.goods {
        let domains = client.domains().list(hook.customer).await?.into_inner();
        return Ok(match (domains.slots_used, domains.slots_total) {
            (Some(used), Some(total)) => format!("{used} of {total} domain slots are in use"),
            _ => "how many domain slots there are is not told".to_owned(),
        });
    }
    let list = client.servers().list(hook.customer);
    let servers = list
        .with_request(|list| list.per_page(100))
        .collect_all()
        .await?;
    let paused = servers
        .iter()
        .filter(|server| server.quota_paused == Some(true));
    let (all, paused) = (servers.len(), paused.count());
    Ok(format!(
        "{all} servers, {paused} of them paused for want of room"
    ))
}

fn reached(state: &str, wanted: &str) -> Reached {
    match state == wanted {
        true => Reached::AsAsked(state.to_owned()),
        false => Reached::Else(format!("{wanted} was asked for, and it is {state}")),
    }
}

/// The customer's server with this address, however it is written. The list is read until it rests, so that nothing is
/// taken for gone that only moved to another page meanwhile.
async fn find(
    client: &Client,
    customer: CustomerId,
    address: &Address,
) -> Result<Option<Endpoint>, Error> {
    let list = client.servers().list(customer);
    for server in list
        .with_request(|list| list.per_page(100))
        .collect_stable()
        .await?
    {
        let same = match (server.ip_address.ip(), address.ip()) {
            (Some(one), Some(other)) => one == other,
            _ => server.ip_address == *address,
        };
        if same && server.status != EndpointStatus::Terminated {
            return Ok(Some(server));
        }
    }
    Ok(None)
}
