//! The life of an order, as a billing system tells it: ordered, unpaid, paid, cancelled.
//!
//! What the module must decide is what an error means for the order. Three answers are enough: the order goes on,
//! a person has to look, or the same call is made again later.

use secmon::model::{CustomerId, EndpointId, ServiceId};
use secmon::operations::{ProvisionEndpoint, ResumeEndpoint, SuspendEndpoint, TerminateEndpoint};
use secmon::{Client, ErrorCode, Sent};
use secmon_examples::client_from_environment;
use std::error::Error;

/// What the billing system knows of an order.
struct Order {
    customer: CustomerId,
    service: ServiceId,
    address: String,
}

/// What an error means for an order.
#[derive(Debug, PartialEq, Eq)]
enum Verdict {
    /// The customer's plan is full: sell a larger one.
    PlanIsFull,
    /// The record is not there any more: nothing is left to do.
    Gone,
    /// Put the job back into the queue; every call of this module may be repeated.
    TryLater,
    /// Stop the queue and call a person: the key or the account is refused, or the request can never succeed.
    CallSomebody,
}

fn verdict(error: &secmon::Error) -> Verdict {
    match error.code() {
        Some(ErrorCode::EndpointLimitExceeded) => Verdict::PlanIsFull,
        Some(ErrorCode::EndpointNotFound) => Verdict::Gone,
        _ if error.is_retryable() || error.sent() == Sent::Maybe => Verdict::TryLater,
        _ => Verdict::CallSomebody,
    }
}

async fn ordered(client: &Client, order: &Order) -> Result<EndpointId, secmon::Error> {
    let provision = ProvisionEndpoint::new(order.customer)
        .ip_address(order.address.as_str())
        .service_id(order.service);
    let server = client.send(provision).await?;
    let how = if server.created() {
        "is new"
    } else {
        "was there already"
    };
    println!("ordered: server {} {how}", server.data.endpoint_id);
    Ok(server.data.endpoint_id)
}

async fn unpaid(client: &Client, server: EndpointId) -> Result<(), secmon::Error> {
    let answer = client.send(SuspendEndpoint::new(server)).await?;
    println!("unpaid: the server is {}", answer.data.status);
    Ok(())
}

async fn paid(client: &Client, server: EndpointId) -> Result<(), secmon::Error> {
    let answer = client.send(ResumeEndpoint::new(server)).await?;
    println!("paid: the server is {}", answer.data.status);
    Ok(())
}

async fn cancelled(client: &Client, server: EndpointId) -> Result<(), secmon::Error> {
    let answer = client.send(TerminateEndpoint::new(server)).await?;
    println!("cancelled: the server is {}", answer.data.status);
    Ok(())
}

async fn life_of(client: &Client, order: &Order) -> Result<(), secmon::Error> {
    let server = ordered(client, order).await?;
    unpaid(client, server).await?;
    paid(client, server).await?;
    cancelled(client, server).await
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let client = client_from_environment()?;
    let order = Order {
        customer: "42".parse()?,
        service: "501".parse()?,
        address: "203.0.113.42".to_owned(),
    };
    if let Err(error) = life_of(&client, &order).await {
        eprintln!("{:?}: {error}", verdict(&error));
        return Err(error.into());
    }
    Ok(())
}
