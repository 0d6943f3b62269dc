//! What a customer has: servers, domains, and the subscriptions that are known here.

use crate::bulk::args::RunArgs;
use crate::commands::common::resume_all::Suspended;
use crate::commands::common::transition::Transition;
use crate::commands::domain::{provision, switch as domain};
use crate::commands::endpoint::change::ServerChange;
use crate::commands::subscription::target::Subscription;
use crate::context::Context;
use crate::error::CliError;
use crate::references::{self, DomainRef, ServerTarget};
use crate::values::durations::counted;
use clap::Args;
use secmon::model::{CustomerId, SubscriptionId};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// All that a customer has.
#[derive(Debug, Args)]
pub struct Everything {
    /// The customer's number
    #[arg(value_name = "CUSTOMER")]
    pub number: String,
    /// Number of the billing service of a subscription that this machine does not know
    #[arg(long, value_name = "ID", requires = "product")]
    pub service: Option<String>,
    /// The product of that subscription: port_monitoring, domain_monitoring or endpoint
    #[arg(long, value_name = "PRODUCT", requires = "service")]
    pub product: Option<String>,
    /// How to go on with an earlier run
    #[command(flatten)]
    pub run: RunArgs,
}

/// Something that a customer has.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Possession {
    Server(ServerTarget),
    Domain(DomainRef),
    Subscription {
        /// As this machine has recorded it; none for one that was named.
        id: Option<SubscriptionId>,
        which: Subscription,
    },
}

impl Possession {
    /// Names it in the journal.
    pub fn key(&self) -> String {
        match self {
            Self::Server(server) => server.id.to_string(),
            Self::Domain(domain) => domain.id.to_string(),
            Self::Subscription { which, .. } => which.label(),
        }
    }

    /// Whether the change is still to be made, as far as the service shows.
    pub fn needs(&self, to: Transition) -> bool {
        match self {
            Self::Server(server) => {
                let status = server.status.as_ref();
                status.is_some_and(|status| ServerChange::To(to).is_undone_by(status))
            }
            Self::Domain(domain) => {
                let status = domain.status.as_ref();
                status.is_some_and(|status| domain::is_undone_by(to, status))
            }
            Self::Subscription { .. } => true,
        }
    }

    /// Whether it is a subscription: no read tells its state.
    pub fn is_subscription(&self) -> bool {
        matches!(self, Self::Subscription { .. })
    }
}

impl Suspended for Possession {
    /// One that was named is no record of the history.
    fn id(&self) -> Uuid {
        match self {
            Self::Server(server) => server.id.into(),
            Self::Domain(domain) => domain.id.into(),
            Self::Subscription { id, .. } => id.map(Uuid::from).unwrap_or_default(),
        }
    }

    fn name(&self) -> String {
        match self {
            Self::Server(server) => server.name.clone(),
            Self::Domain(domain) => domain.label(),
            Self::Subscription { which, .. } => {
                format!("{} of service {}", which.product, which.service)
            }
        }
    }
}

/// All servers and domains, and the subscriptions that are known here.
pub async fn read(
    context: &Context,
    customer: CustomerId,
    args: &Everything,
) -> Result<Vec<Possession>, CliError> {
    let named = named(context, customer, args)?;
    let session = &context.session;
    let servers = references::all_endpoints(session, Some(customer)).await?;
    let domains = references::all_domains(session, customer).await?;
    if servers.is_empty() && domains.is_empty() {
        references::refuse_unknown(session, customer).await?;
    }
    let recorded = session.known()?.subscriptions.iter();
    let theirs = recorded.filter(|one| one.customer == customer);
    let recorded = theirs.map(|one| Possession::Subscription {
        id: Some(one.id),
        which: Subscription {
            customer,
            service: one.service,
            product: one.product.clone(),
        },
    });
    let servers = servers.into_iter().map(ServerTarget::from);
    let mut all: Vec<Possession> = servers
        .map(Possession::Server)
        .chain(domains.into_iter().map(Possession::Domain))
        .chain(recorded)
        .collect();
    all.retain(|one| named.as_ref().is_none_or(|named| named.key() != one.key()));
    all.extend(named);
    Ok(all)
}

/// The subscription that was named.
fn named(
    context: &Context,
    customer: CustomerId,
    args: &Everything,
) -> Result<Option<Possession>, CliError> {
    let Some((service, product)) = args.service.as_deref().zip(args.product.clone()) else {
        return Ok(None);
    };
    let service = provision::service(&context.prompt, Some(service))?;
    let which = Subscription {
        customer,
        service,
        product,
    };
    Ok(Some(Possession::Subscription { id: None, which }))
}

/// `9 servers (web-1, web-2, web-3 and 6 more), 2 domains (a.example, b.example)`
pub fn contents(all: &[Possession]) -> String {
    let of_kind = |kind: &str, is_one: fn(&Possession) -> bool| {
        let names: Vec<String> = all
            .iter()
            .filter(|one| is_one(one))
            .map(Suspended::name)
            .collect();
        (!names.is_empty()).then(|| format!("{} ({})", counted(names.len(), kind), few(&names)))
    };
    let kinds = [
        of_kind("server", |one| matches!(one, Possession::Server(_))),
        of_kind("domain", |one| matches!(one, Possession::Domain(_))),
        of_kind("subscription", Possession::is_subscription),
    ];
    kinds.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// `web-1, web-2, web-3 and 6 more`
pub fn few(names: &[String]) -> String {
    const NAMED: usize = 3;
    match names.split_at_checked(NAMED) {
        Some((first, rest)) if !rest.is_empty() => {
            format!("{} and {} more", first.join(", "), rest.len())
        }
        _ => names.join(", "),
    }
}
