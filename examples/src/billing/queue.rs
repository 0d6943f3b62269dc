//! Hooks of the billing system, kept as JSON and sent by a worker that may be restarted at any time.
//!
//! A hook becomes a [`Job`] in a file, and the hook is done: nobody at a screen waits for the service. The worker sends
//! the jobs of a service in their order. Every call it makes may be repeated, so a job is taken out of the file only
//! when its result is in the file; what a crash leaves behind is sent again.

use crate::billing::policy::{self, Next};
use secmon::model::{
    Address, CustomerId, Endpoint, EndpointId, EndpointStatus, PlanSlug, ProductSlug, ServiceId,
};
use secmon::operations::{
    ChangeSubscription, ProvisionEndpoint, ProvisionSubscription, ResumeEndpoint,
    ResumeSubscription, SuspendEndpoint, SuspendSubscription, TerminateEndpoint,
    TerminateSubscription,
};
use secmon::{Client, Error};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

/// What the billing system knows of an order.
#[derive(Debug, Clone)]
pub struct Order {
    /// Who ordered.
    pub customer: CustomerId,
    /// The contract line.
    pub service: ServiceId,
    /// What was ordered, as it shall be now.
    pub goods: Goods,
    /// For the customer's account at the service, which the first order makes.
    pub client_name: Option<String>,
}

/// What can be ordered.
#[derive(Debug, Clone)]
pub enum Goods {
    /// Monitoring of one server.
    Server(Address),
    /// Room for so many servers as the plan says.
    Plan(PlanSlug),
    /// So many domains.
    DomainSlots(u32),
}

/// What happened to an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hook {
    /// It was ordered and paid.
    Created,
    /// It was not paid.
    Suspended,
    /// It was paid after all.
    Unsuspended,
    /// It was cancelled.
    Terminated,
    /// It is for something else from now on: another address, plan or number of slots.
    ChangedPackage,
}

/// A call that waits to be sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "call", content = "request", rename_all = "snake_case")]
enum Call {
    ProvisionServer(ProvisionEndpoint),
    MoveServer(ProvisionEndpoint),
    SuspendServer(Address),
    ResumeServer(Address),
    TerminateServer(Address),
    ProvisionSubscription(ProvisionSubscription),
    ChangeSubscription(ChangeSubscription),
    SuspendSubscription(SuspendSubscription),
    ResumeSubscription(ResumeSubscription),
    TerminateSubscription(TerminateSubscription),
}

/// A hook that was not worked off yet.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Job {
    delivery: String,
    customer: CustomerId,
    service: ServiceId,
    call: Call,
    tries: u32,
    not_before: u64,
}

impl Job {
    fn new(delivery: &str, hook: Hook, order: &Order) -> Self {
        let (customer, service) = (order.customer, order.service);
        let call = match (&order.goods, hook) {
            (Goods::Server(address), Hook::Created | Hook::ChangedPackage) => {
                let mut request = ProvisionEndpoint::new(customer)
                    .ip_address(address.clone())
                    .service_id(service);
                request.client_name.clone_from(&order.client_name);
                if hook == Hook::Created {
                    Call::ProvisionServer(request)
                } else {
                    Call::MoveServer(request)
                }
            }
            (Goods::Server(address), Hook::Suspended) => Call::SuspendServer(address.clone()),
            (Goods::Server(address), Hook::Unsuspended) => Call::ResumeServer(address.clone()),
            (Goods::Server(address), Hook::Terminated) => Call::TerminateServer(address.clone()),
            (goods, hook) => {
                let (product, plan, quantity) = match goods {
                    Goods::DomainSlots(slots) => {
                        (ProductSlug::DomainMonitoring, None, Some(*slots))
                    }
                    Goods::Plan(plan) => (ProductSlug::PortMonitoring, Some(plan.clone()), None),
                    Goods::Server(_) => (ProductSlug::Endpoint, None, None),
                };
                match hook {
                    Hook::Created => {
                        let mut request = ProvisionSubscription::new(customer, service, product);
                        request.client_name.clone_from(&order.client_name);
                        (request.plan_slug, request.quantity) = (plan, quantity);
                        Call::ProvisionSubscription(request)
                    }
                    Hook::ChangedPackage => {
                        let mut request = ChangeSubscription::new(customer, service, product);
                        (request.new_plan_slug, request.new_quantity) = (plan, quantity);
                        Call::ChangeSubscription(request)
                    }
                    Hook::Suspended => Call::SuspendSubscription(SuspendSubscription::new(
                        customer, service, product,
                    )),
                    Hook::Unsuspended => Call::ResumeSubscription(ResumeSubscription::new(
                        customer, service, product,
                    )),
                    Hook::Terminated => Call::TerminateSubscription(TerminateSubscription::new(
                        customer, service, product,
                    )),
                }
            }
        };
        Self {
            delivery: delivery.to_owned(),
            customer,
            service,
            call,
            tries: 0,
            not_before: 0,
        }
    }
}

/// What is in the file. It holds names of customers, so it belongs to the module's user alone.
#[derive(Debug, Default, Serialize, Deserialize)]
struct State {
    jobs: Vec<Job>,
    delivered: Vec<String>,
    servers: BTreeMap<ServiceId, (EndpointId, Address)>,
    asked: Vec<Outcome>,
}

/// What became of a job in one round of the worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The order's contract line.
    pub service: ServiceId,
    /// What the module does next. The job stays in the queue for `RetryLater`, `LookFirst` and `Halt`.
    pub next: Next,
    /// What happened, for the log of the order.
    pub text: String,
}

/// The queue and its file.
#[derive(Debug)]
pub struct Queue {
    file: PathBuf,
    state: State,
}

impl Queue {
    /// Deliveries that are remembered, so that a second one does nothing.
    const REMEMBERED: usize = 10_000;
    /// Tries after which a person has to look.
    const TRIES: u32 = 30;

    /// Opens the queue in this file, or a new one.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn open(file: impl Into<PathBuf>) -> io::Result<Self> {
        let file = file.into();
        let state = match fs::read(&file) {
            Ok(text) => serde_json::from_slice(&text)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => State::default(),
            Err(error) => return Err(error),
        };
        Ok(Self { file, state })
    }

    /// Takes a hook in; false where this delivery was taken in before. It is in the file when this returns.
    ///
    /// # Errors
    /// When the file cannot be written; then the billing system has to deliver again.
    pub fn take(&mut self, delivery: &str, hook: Hook, order: &Order) -> io::Result<bool> {
        if self.state.delivered.iter().any(|known| known == delivery) {
            return Ok(false);
        }
        self.state.jobs.push(Job::new(delivery, hook, order));
        self.state.delivered.push(delivery.to_owned());
        let too_many = self.state.delivered.len().saturating_sub(Self::REMEMBERED);
        self.state.delivered.drain(..too_many);
        self.save()?;
        Ok(true)
    }

    /// Jobs that are left.
    #[must_use]
    pub fn jobs(&self) -> &[Job] {
        &self.state.jobs
    }

    /// What people have to look at, kept until [`Queue::answered`].
    #[must_use]
    pub fn asked(&self) -> &[Outcome] {
        &self.state.asked
    }

    /// Somebody has looked at everything about this order.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn answered(&mut self, service: ServiceId) -> io::Result<()> {
        self.state
            .asked
            .retain(|outcome| outcome.service != service);
        self.save()
    }

    /// The server of an order, once it was provisioned.
    #[must_use]
    pub fn server(&self, service: ServiceId) -> Option<EndpointId> {
        self.state.servers.get(&service).map(|(id, _)| *id)
    }

    /// One round of the worker: each job that is due, and of which no earlier one of its service is left.
    ///
    /// # Errors
    /// When the file cannot be written; what was sent meanwhile will be sent again, which does no harm.
    pub async fn work(&mut self, client: &Client, now: u64) -> io::Result<Vec<Outcome>> {
        let (mut outcomes, mut held, mut at) = (Vec::new(), BTreeSet::new(), 0);
        while let Some(job) = self.state.jobs.get(at).cloned() {
            if held.contains(&job.service) || job.not_before > now {
                held.insert(job.service);
                at += 1;
                continue;
            }
            let (mut next, mut text) = match self.send(client, &job).await {
                Ok(sent) => sent,
                Err(error) => (policy::next(&error), error.to_string()),
            };
            if next == Next::LookFirst {
                (next, text) = match self.look(client, &job).await {
                    Ok(next) => (next, format!("looked, after: {text}")),
                    Err(error) => (policy::next(&error), error.to_string()),
                };
            }
            let stays = matches!(
                next,
                Next::RetryLater { .. } | Next::LookFirst | Next::Halt(_)
            );
            if stays && job.tries < Self::TRIES {
                held.insert(job.service);
                let kept = &mut self.state.jobs[at];
                let pause = (60 << job.tries.min(6)).min(3600);
                kept.tries += u32::from(!matches!(next, Next::Halt(_)));
                kept.not_before = match next {
                    Next::Halt(_) => now,
                    Next::RetryLater {
                        after: Some(seconds),
                    } => now + seconds,
                    _ => now + pause,
                };
                at += 1;
            } else {
                if stays {
                    next = Next::AskOperator(format!("given up after {} tries: {text}", job.tries));
                }
                self.state.jobs.remove(at);
            }
            let halted = matches!(next, Next::Halt(_));
            let outcome = Outcome {
                service: job.service,
                next,
                text,
            };
            if matches!(outcome.next, Next::AskCustomer(_) | Next::AskOperator(_)) {
                self.state.asked.push(outcome.clone());
            }
            self.save()?;
            outcomes.push(outcome);
            if halted {
                break;
            }
        }
        Ok(outcomes)
    }

    async fn send(&mut self, client: &Client, job: &Job) -> Result<(Next, String), Error> {
        let (customer, service) = (job.customer, job.service);
        Ok(match &job.call {
            Call::ProvisionServer(request) => {
                let (server, sent) = provision(client, request).await?;
                self.remember(service, server, request);
                sent
            }
            Call::MoveServer(request) => {
                let (server, sent) = provision(client, request).await?;
                // The old one stays in the file until it is terminated, so that a repeat finds it.
                if let Some(old) = self.server(service).filter(|old| *old != server) {
                    match client.send(TerminateEndpoint::new(old)).await {
                        Err(error) if policy::next(&error) != Next::Done => return Err(error),
                        _ => {}
                    }
                }
                self.remember(service, server, request);
                sent
            }
            Call::SuspendServer(address) => {
                match self.find(client, customer, service, address).await? {
                    Some(server) => told(
                        client
                            .send(SuspendEndpoint::new(server))
                            .await?
                            .data
                            .status
                            .as_str(),
                        "paused",
                    ),
                    None => (Next::Done, "not monitored".to_owned()),
                }
            }
            Call::ResumeServer(address) => {
                match self.find(client, customer, service, address).await? {
                    Some(server) => told(
                        client
                            .send(ResumeEndpoint::new(server))
                            .await?
                            .data
                            .status
                            .as_str(),
                        "active",
                    ),
                    // Terminated by hand, or lost: it is paid, so it is monitored again.
                    None => {
                        let request = ProvisionEndpoint::new(customer)
                            .ip_address(address.clone())
                            .service_id(service);
                        let (server, sent) = provision(client, &request).await?;
                        self.remember(service, server, &request);
                        sent
                    }
                }
            }
            Call::TerminateServer(address) => {
                match self.find(client, customer, service, address).await? {
                    Some(server) => told(
                        client
                            .send(TerminateEndpoint::new(server))
                            .await?
                            .data
                            .status
                            .as_str(),
                        "terminated",
                    ),
                    None => (Next::Done, "not monitored".to_owned()),
                }
            }
            Call::ProvisionSubscription(request) => told(
                client.send(request.clone()).await?.data.status.as_str(),
                "active",
            ),
            Call::SuspendSubscription(request) => told(
                client.send(request.clone()).await?.data.status.as_str(),
                "suspended",
            ),
            Call::ResumeSubscription(request) => told(
                client.send(request.clone()).await?.data.status.as_str(),
                "active",
            ),
            Call::TerminateSubscription(request) => told(
                client.send(request.clone()).await?.data.status.as_str(),
                "cancelled",
            ),
            Call::ChangeSubscription(request) => {
                let change = client.send(request.clone()).await?.into_data();
                let changed = change
                    .direction
                    .map_or("changed".to_owned(), |direction| direction.to_string());
                (
                    Next::Done,
                    if change.changed {
                        changed
                    } else {
                        "as before".to_owned()
                    },
                )
            }
        })
    }

    fn remember(&mut self, service: ServiceId, server: EndpointId, request: &ProvisionEndpoint) {
        if let Some(address) = &request.ip_address {
            self.state
                .servers
                .insert(service, (server, address.clone()));
        }
    }

    /// The server of the order: the one that was provisioned, or the one with its address.
    async fn find(
        &mut self,
        client: &Client,
        customer: CustomerId,
        service: ServiceId,
        address: &Address,
    ) -> Result<Option<EndpointId>, Error> {
        if let Some(server) = self.server(service) {
            return Ok(Some(server));
        }
        let server = look_for(client, customer, address)
            .await?
            .map(|server| server.id);
        if let Some(server) = server {
            self.state
                .servers
                .insert(service, (server, address.clone()));
        }
        Ok(server)
    }

    /// What is there, where the answer to a job left that open.
    async fn look(&mut self, client: &Client, job: &Job) -> Result<Next, Error> {
        let soon = Next::RetryLater { after: Some(60) };
        let (address, wanted) = match &job.call {
            Call::ProvisionServer(request) | Call::MoveServer(request) => {
                (request.ip_address.as_ref(), None)
            }
            Call::SuspendServer(address) => (Some(address), Some(EndpointStatus::Paused)),
            Call::ResumeServer(address) => (Some(address), Some(EndpointStatus::Active)),
            Call::TerminateServer(address) => (Some(address), Some(EndpointStatus::Terminated)),
            // The service has no read for subscriptions, and a repeat of these does no harm.
            _ => return Ok(soon),
        };
        let Some(address) = address else {
            return Ok(soon);
        };
        Ok(
            match (look_for(client, job.customer, address).await?, wanted) {
                (Some(server), wanted) => {
                    let reached = wanted.is_some_and(|wanted| wanted == server.status);
                    self.state
                        .servers
                        .insert(job.service, (server.id, address.clone()));
                    if reached { Next::Done } else { soon }
                }
                (None, Some(EndpointStatus::Paused | EndpointStatus::Terminated)) => Next::Done,
                (None, _) => {
                    self.state.servers.remove(&job.service);
                    soon
                }
            },
        )
    }

    fn save(&self) -> io::Result<()> {
        let new = self.file.with_extension("new");
        fs::write(&new, serde_json::to_vec_pretty(&self.state)?)?;
        fs::rename(&new, &self.file)
    }

    /// Where the queue is kept.
    #[must_use]
    pub fn file(&self) -> &Path {
        &self.file
    }
}

/// The state that a call came to, and what to do where it is not the one asked for.
fn told(state: &str, wanted: &str) -> (Next, String) {
    if state == wanted {
        return (Next::Done, state.to_owned());
    }
    (
        Next::AskOperator(format!("{wanted} was asked for, and it is {state}")),
        state.to_owned(),
    )
}

async fn provision(
    client: &Client,
    request: &ProvisionEndpoint,
) -> Result<(EndpointId, (Next, String)), Error> {
    let answer = client.send(request.clone()).await?;
    let (next, state) = told(answer.data.status.as_str(), "active");
    let text = match answer.created() {
        Some(true) => "monitored from now on",
        Some(false) => answer.note().unwrap_or("monitored already"),
        None => "monitored",
    };
    let text = if next == Next::Done {
        text.to_owned()
    } else {
        state
    };
    Ok((answer.data.endpoint_id, (next, text)))
}

async fn look_for(
    client: &Client,
    customer: CustomerId,
    address: &Address,
) -> Result<Option<Endpoint>, Error> {
    let mut servers = client
        .servers()
        .list(customer)
        .filter(|list| list.per_page(100))
        .items();
    while let Some(server) = servers.next().await {
        let server = server?;
        let same = match (server.ip_address.ip(), address.ip()) {
            (Some(one), Some(other)) => one == other,
            _ => server.ip_address == *address,
        };
        if same {
            return Ok(Some(server));
        }
    }
    Ok(None)
}
