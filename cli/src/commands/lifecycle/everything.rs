//! All that a customer has, and what is still left of it after a change of all.

use super::resource::{Resource, SubscriptionRef, few};
use super::transition::Transition;
use crate::bulk::args::RunArgs;
use crate::commands::domain::provision;
use crate::context::Context;
use crate::error::CliError;
use crate::references;
use crate::session::Session;
use crate::ui::outcome::Block;
use crate::values::durations::counted;
use clap::Args;
use secmon::model::{CustomerId, RuleScope, SubscriptionStatus};
use secmon::operations::{ListDomains, ListEndpoints};
use std::collections::HashSet;

/// A customer, and the subscription that this computer does not know.
#[derive(Debug, Args)]
pub struct CustomerArgs {
    /// The customer's number
    #[arg(value_name = "CUSTOMER")]
    pub number: String,
    /// Number of the billing service of a subscription that was not set up from this computer
    #[arg(long, value_name = "ID", requires = "product")]
    pub service: Option<String>,
    /// The product of that subscription: port_monitoring, domain_monitoring or endpoint
    #[arg(long, value_name = "PRODUCT", requires = "service")]
    pub product: Option<String>,
    /// How the run is made
    #[command(flatten)]
    pub run: RunArgs,
}

/// All servers and domains, and the subscriptions that this computer has recorded.
pub async fn read(
    context: &Context,
    customer: CustomerId,
    args: &CustomerArgs,
) -> Result<Vec<Resource>, CliError> {
    let session = &context.session;
    let named = named(context, customer, args)?;
    let mut all = records(session, customer).await?;
    let mut subscriptions = recorded(session, customer)?;
    if let Some(named) = named
        && subscriptions
            .iter()
            .all(|one| one.record() != named.record())
    {
        subscriptions.push(named);
    }
    all.extend(subscriptions.into_iter().map(Resource::Subscription));
    Ok(all)
}

/// All servers and domains of a customer.
async fn records(session: &Session, customer: CustomerId) -> Result<Vec<Resource>, CliError> {
    let servers = references::all_endpoints(session, Some(customer)).await?;
    let domains = references::all_domains(session, customer).await?;
    let servers = servers.into_iter().map(references::ServerTarget::from);
    let servers = servers.map(|server| Resource::Server(Box::new(server)));
    let domains = domains.into_iter();
    let domains = domains.map(|domain| Resource::Domain(Box::new(domain)));
    Ok(servers.chain(domains).collect())
}

/// The subscriptions of a customer, as this computer was answered last.
fn recorded(session: &Session, customer: CustomerId) -> Result<Vec<SubscriptionRef>, CliError> {
    let known = session.known()?.subscriptions.iter();
    let theirs = known.filter(|one| one.customer == customer);
    Ok(theirs.map(SubscriptionRef::from).collect())
}

/// The subscription that was named.
pub fn named(
    context: &Context,
    customer: CustomerId,
    args: &CustomerArgs,
) -> Result<Option<SubscriptionRef>, CliError> {
    let Some((service, product)) = args.service.as_deref().zip(args.product.clone()) else {
        return Ok(None);
    };
    Ok(Some(SubscriptionRef {
        customer,
        service: provision::service(&context.prompt, Some(service))?,
        product,
        last_status: None,
    }))
}

/// What is left after a change of all, as the service and this computer tell it.
#[derive(Debug, Default)]
pub struct Left {
    /// What to say about it.
    pub lines: Vec<Block>,
    /// Whether something is left that the change was about.
    pub is_something: bool,
}

impl Left {
    fn add(&mut self, sentence: String, command: String, purpose: &'static str) {
        self.is_something = true;
        self.lines.push(Block::text(sentence));
        self.lines.push(Block::next(command, purpose));
    }
}

/// The change that was made last.
#[derive(Debug)]
pub struct LastRun<'a> {
    /// What was done.
    pub to: Transition,
    /// The records that the plan was about.
    pub planned: &'a HashSet<String>,
    /// Those that a call has changed.
    pub changed: &'a HashSet<String>,
}

impl LastRun<'_> {
    fn has_changed(&self, product: &str) -> bool {
        let end = format!("/{product}");
        self.changed.iter().any(|record| record.ends_with(&end))
    }
}

/// Looks at what a customer still has.
pub async fn left(
    session: &Session,
    customer: CustomerId,
    run: &LastRun<'_>,
) -> Result<Left, CliError> {
    let to = run.to;
    let mut left = Left::default();
    if to.ends() {
        left_records(session, customer, run.planned, &mut left).await?;
        left_rules(session, customer, &mut left).await?;
    }
    let domains = session.read(ListDomains::new(customer)).await?;
    let servers = session
        .read(ListEndpoints::new(customer).per_page(1))
        .await?;
    let recorded = recorded(session, customer)?;
    let product = "domain_monitoring";
    match to {
        Transition::Suspend | Transition::Terminate | Transition::Delete => {
            if domains.subscribed && !run.has_changed(product) && !is_known(&recorded, product) {
                left.add(
                    format!("Customer {customer} still has a domain subscription that was not set up from this computer."),
                    format!("subscription {} SERVICE --product {product} -c {customer}", to.verb()),
                    "SERVICE is the number of the billing service",
                );
            }
            let limit = servers.meta.endpoint_limit.filter(|limit| *limit > 0);
            let product = "port_monitoring";
            if to.ends()
                && let Some(limit) = limit
                && !run.has_changed(product)
                && !is_known(&recorded, product)
            {
                let servers = counted(limit, "server");
                left.lines.push(Block::text(format!(
                    "Customer {customer} still has a limit of {servers}. It comes from a plan or from the account's default. If it is a plan, end it:"
                )));
                left.lines.push(Block::next(
                    format!("subscription terminate SERVICE --product {product} -c {customer}"),
                    "end it",
                ));
            }
        }
        Transition::Resume => {
            let count = domains.domains.as_ref().map_or(0, Vec::len);
            if count > 0 && !domains.subscribed {
                left.add(
                    format!(
                        "The subscription for the domains of customer {customer} is not active."
                    ),
                    format!("subscription resume SERVICE --product {product} -c {customer}"),
                    "with the number of the billing service",
                );
            }
        }
    }
    if to == Transition::Resume {
        left.lines.extend(still_suspended(&recorded, run));
    }
    for one in recorded {
        let status = one.last_status.as_ref();
        let is_live = match to {
            Transition::Suspend => status == Some(&SubscriptionStatus::Active),
            Transition::Resume => false,
            Transition::Terminate | Transition::Delete => {
                status.is_some_and(|status| *status != SubscriptionStatus::Cancelled)
            }
        };
        if is_live && !run.changed.contains(&one.record()) {
            left.add(
                format!("{} was not changed.", one.label()),
                format!(
                    "subscription {} {} --product {} -c {customer}",
                    to.verb(),
                    one.service,
                    one.product
                ),
                "change it separately",
            );
        }
    }
    Ok(left)
}

/// Subscriptions that were not resumed with the rest: told with the line that does it.
fn still_suspended(recorded: &[SubscriptionRef], run: &LastRun<'_>) -> Vec<Block> {
    let suspended = recorded.iter().filter(|one| {
        one.last_status == Some(SubscriptionStatus::Suspended)
            && !run.changed.contains(&one.record())
    });
    let told = suspended.flat_map(|one| {
        let (service, product, customer) = (one.service, &one.product, one.customer);
        [
            Block::text(format!("{} is still suspended.", one.label())),
            Block::next(
                format!("subscription resume {service} --product {product} -c {customer}"),
                "resume it too",
            ),
        ]
    });
    told.collect()
}

/// Whether this computer was told of a subscription of a product that has not ended.
fn is_known(recorded: &[SubscriptionRef], product: &str) -> bool {
    recorded
        .iter()
        .any(|one| one.product == product && one.last_status != Some(SubscriptionStatus::Cancelled))
}

/// What has come since the question is named, and left.
async fn left_records(
    session: &Session,
    customer: CustomerId,
    planned: &HashSet<String>,
    left: &mut Left,
) -> Result<(), CliError> {
    let now = records(session, customer).await?;
    let came: Vec<String> = now
        .iter()
        .filter(|one| !planned.contains(&one.record()))
        .map(Resource::name)
        .collect();
    if !came.is_empty() {
        left.add(
            format!("Added after you confirmed, so not ended: {}.", few(&came)),
            format!("customer leave {customer}"),
            "end that too",
        );
    }
    Ok(())
}

/// Rules for all servers outlive the servers. Whether one is the customer's own or the account's, the service does not
/// tell.
async fn left_rules(
    session: &Session,
    customer: CustomerId,
    left: &mut Left,
) -> Result<(), CliError> {
    let rules = references::all_rules(session, |list| {
        list.billing_customer_id = Some(customer);
        list.scope = Some(RuleScope::Global);
    })
    .await?;
    if !rules.is_empty() {
        left.lines.push(Block::text(format!(
            "{} for all servers (of this customer or of the whole account) would also apply to new servers of customer {customer}.",
            counted(rules.len(), "rule")
        )));
        left.lines.push(Block::next(
            format!("rules list --scope global -c {customer}"),
            "see which",
        ));
    }
    Ok(())
}
