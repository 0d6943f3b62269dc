//! Domains by id or name. They belong to customers: there is no list of the account's.

use super::reference::nearest;
use crate::context::Context;
use crate::error::{CliError, Exit, LocalErrorKind};
use crate::session::Session;
use crate::state::StateDb;
use crate::state::records::{Domain, Observation};
use crate::values::domain_names;
use secmon::model::{CustomerId, DomainId, MonitoredDomain};
use secmon::operations::{DomainOverview, GetDomainSummary, ListDomains};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// A domain that an argument names.
#[derive(Debug, Clone)]
pub struct DomainRef {
    /// Its id.
    pub id: DomainId,
    /// Its name.
    pub name: String,
    /// The customer it belongs to.
    pub customer: CustomerId,
    /// As it was listed a moment ago; none for one that has ended.
    pub listed: Option<MonitoredDomain>,
}

impl DomainRef {
    /// A domain of a customer's list.
    pub fn listed(customer: CustomerId, domain: MonitoredDomain) -> Self {
        Self {
            id: domain.id,
            name: domain.domain.clone(),
            customer,
            listed: Some(domain),
        }
    }
}

/// What the name of a domain came to.
#[derive(Debug)]
pub enum FoundDomain {
    /// It is there.
    There(Box<DomainRef>),
    /// No list shows it. Its id is known where this computer has seen it, or where it has ended.
    Absent {
        /// Its id.
        id: Option<DomainId>,
        /// That it is not there.
        error: CliError,
    },
}

/// The monitored domains of a customer, as the service lists them.
pub async fn monitored(
    session: &Session,
    customer: CustomerId,
) -> Result<Vec<MonitoredDomain>, CliError> {
    let overview = session.read(ListDomains::new(customer)).await?;
    let domains = listed_domains(overview, customer)?;
    learn_domains(session, customer, &domains);
    Ok(domains)
}

/// The domains of an overview. Where a customer has no subscription the service may describe the product in their
/// place; else an answer without them says nothing of what there is.
pub fn listed_domains(
    overview: DomainOverview,
    customer: CustomerId,
) -> Result<Vec<MonitoredDomain>, CliError> {
    match overview.domains {
        Some(domains) => Ok(domains),
        None if !overview.subscribed => Ok(Vec::new()),
        None => Err(CliError::new(
            LocalErrorKind::IncompleteAnswer,
            format!("the service does not list the domains of customer {customer}"),
        )),
    }
}

/// The monitored domains of a customer.
pub async fn all_domains(
    session: &Session,
    customer: CustomerId,
) -> Result<Vec<DomainRef>, CliError> {
    let listed = monitored(session, customer).await?.into_iter();
    Ok(listed
        .map(|domain| DomainRef::listed(customer, domain))
        .collect())
}

/// Keeps in mind the domains of a customer.
pub fn learn_domains(session: &Session, customer: CustomerId, domains: &[MonitoredDomain]) {
    let known = domains.iter().map(|domain| Domain::of(customer, domain));
    session.learn(Observation::AllDomains(customer, known.collect()));
}

/// The customer of these domains: the one that was named, or the one that the index knows them to belong to; else a
/// person is asked.
pub fn customer_of_domains(context: &Context, names: &[String]) -> Result<CustomerId, CliError> {
    if context.session.settings.customer.is_some() {
        return context.customer();
    }
    let known = &context.session.known()?.domains;
    let owners = |name: &String| -> BTreeSet<CustomerId> {
        let name = domain_names::normalized(name);
        let fits = |domain: &&Domain| domain.name == name || domain.id.to_string() == name;
        known
            .iter()
            .filter(fits)
            .map(|domain| domain.customer)
            .collect()
    };
    let owners: Vec<BTreeSet<CustomerId>> = names.iter().map(owners).collect();
    let all: BTreeSet<CustomerId> = owners.iter().flatten().copied().collect();
    let one = all.first().filter(|_| all.len() == 1);
    match one {
        Some(owner) if owners.iter().all(|owners| !owners.is_empty()) => {
            context.imply_customer(*owner);
        }
        None if all.len() > 1 => {
            let all: Vec<String> = all.iter().map(ToString::to_string).collect();
            let message = format!(
                "{} belong to customers {}: say which with -c",
                names.join(", "),
                all.join(" and ")
            );
            return Err(CliError::new(LocalErrorKind::Ambiguous, message));
        }
        _ => {}
    }
    context.customer()
}

/// Finds the domains that the arguments name, by id or name; all of them before any is acted on.
pub async fn domains(context: &Context, names: &[String]) -> Result<Vec<DomainRef>, CliError> {
    let mut domains: Vec<DomainRef> = Vec::new();
    for found in domain_targets(context, names).await? {
        match found {
            // A domain that is named twice counts once.
            FoundDomain::There(domain) if domains.iter().all(|other| other.id != domain.id) => {
                domains.push(*domain);
            }
            FoundDomain::There(_) => {}
            FoundDomain::Absent { error, .. } => return Err(error),
        }
    }
    Ok(domains)
}

/// Finds the one domain that the argument names.
pub async fn domain(context: &Context, name: &str) -> Result<DomainRef, CliError> {
    let found = domains(context, &[name.to_owned()]).await?.pop();
    found.ok_or_else(|| CliError::not_found(format!("no domain {name:?}")))
}

/// What each of the names comes to.
pub async fn domain_targets(
    context: &Context,
    names: &[String],
) -> Result<Vec<FoundDomain>, CliError> {
    let mut lists: BTreeMap<CustomerId, Vec<DomainRef>> = BTreeMap::new();
    let mut found = Vec::new();
    for typed in names {
        let name = typed.trim();
        if name.is_empty() {
            return Err(CliError::usage(
                "the name of a domain is empty: give its name or id",
            ));
        }
        let id = name.parse::<DomainId>().ok();
        let customer = match id.and_then(|id| known_owner(&context.session, id)) {
            Some(owner) => owner,
            None => customer_of_domains(context, names)?,
        };
        let list = match lists.entry(customer) {
            Entry::Vacant(place) => place.insert(all_domains(&context.session, customer).await?),
            Entry::Occupied(list) => list.into_mut(),
        };
        let wanted = domain_names::normalized(name);
        let fits = |domain: &&DomainRef| Some(domain.id) == id || domain.name == wanted;
        found.push(match (list.iter().find(fits), id) {
            (Some(domain), _) => FoundDomain::There(Box::new(domain.clone())),
            (None, Some(id)) => unlisted(&context.session, id, customer).await?,
            (None, None) => FoundDomain::Absent {
                id: gone(&context.session, &wanted, customer),
                error: missing(name, &wanted, customer, list),
            },
        });
    }
    Ok(found)
}

/// Whose a domain is, as earlier commands have seen it; the customer that was named comes first.
fn known_owner(session: &Session, id: DomainId) -> Option<CustomerId> {
    if session.settings.customer.is_some() {
        return session.settings.customer;
    }
    let known = session.known().ok()?.domains.iter();
    let mut known = known.filter(|known| known.id == id);
    known.next().map(|domain| domain.customer)
}

/// The id of a domain that this computer has seen, and that is no longer there.
fn gone(session: &Session, name: &str, customer: CustomerId) -> Option<DomainId> {
    let mut gone = session
        .state()
        .map(StateDb::gone_domains)
        .unwrap_or_default();
    gone.extend(
        session
            .known()
            .iter()
            .flat_map(|known| known.domains.clone()),
    );
    let mut gone = gone
        .into_iter()
        .filter(|domain| domain.customer == customer);
    gone.find(|domain| domain.name == name)
        .map(|domain| domain.id)
}

fn missing(name: &str, wanted: &str, customer: CustomerId, known: &[DomainRef]) -> CliError {
    let names = known.iter().map(|domain| domain.name.as_str());
    let error = CliError::not_found(format!("no domain {name:?} of customer {customer}"));
    match nearest(wanted, names) {
        Some(near) => error.hint(format!("did you mean {near}?")),
        None => error.hint(format!(
            "see the domains there are: `domain list -c {customer}`"
        )),
    }
}

/// A domain that is in no list: its summary tells that it has ended, and whose it was.
async fn unlisted(
    session: &Session,
    id: DomainId,
    customer: CustomerId,
) -> Result<FoundDomain, CliError> {
    let summary = session.read(GetDomainSummary::new(customer, id)).await;
    let activity = || format!("looking {id} up for customer {customer}");
    match summary.map_err(|error| error.during(activity())) {
        Ok(summary) => Ok(FoundDomain::There(Box::new(DomainRef {
            id,
            name: summary.domain,
            customer,
            listed: None,
        }))),
        Err(error) if error.exit() == Exit::NotFound => Ok(FoundDomain::Absent {
            id: Some(id),
            error,
        }),
        Err(error) => Err(error),
    }
}
