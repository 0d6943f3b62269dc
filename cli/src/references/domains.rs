//! Domains by id or name. They belong to customers: there is no list of the account's.

use super::reference::nearest;
use crate::context::Context;
use crate::error::{CliError, Own};
use crate::notebook::index::{Domain, Seen};
use crate::session::Session;
use secmon::model::{CustomerId, DomainId, DomainStatus, MonitoredDomain};
use secmon::operations::{DomainOverview, GetDomainSummary, ListDomains};
use serde::{Deserialize, Serialize};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

/// A domain that an argument names; its name and its customer are known when the service has told them.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DomainRef {
    /// Its id.
    pub id: DomainId,
    /// Its name.
    pub name: Option<String>,
    /// The customer it belongs to.
    pub customer: Option<CustomerId>,
    /// Its state, where it was listed a moment ago.
    #[serde(skip)]
    pub status: Option<DomainStatus>,
}

impl DomainRef {
    /// A domain that was listed for its customer.
    pub fn listed(customer: CustomerId, domain: MonitoredDomain) -> Self {
        Self {
            id: domain.id,
            name: Some(domain.domain),
            customer: Some(customer),
            status: Some(domain.status),
        }
    }

    /// What it is called in sentences.
    pub fn label(&self) -> String {
        self.name.clone().unwrap_or_else(|| self.id.to_string())
    }

    /// The same with whose it is, as questions name it.
    pub fn named(&self) -> String {
        let owner = match self.customer {
            Some(customer) => format!("of customer {customer}"),
            None => "of a customer that is not known here (-c names one)".to_owned(),
        };
        format!("{} {owner}", self.label())
    }
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
            Own::IncompleteAnswer,
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
    session.learn(Seen::AllDomains(customer, known.collect()));
}

/// The customer of these domains: the one that was named, or the one that the index knows them to belong to; else a
/// person is asked.
pub fn customer_of_domains(context: &Context, names: &[String]) -> Result<CustomerId, CliError> {
    if context.session.settings.customer.is_some() {
        return context.customer();
    }
    let known = &context.session.known()?.domains;
    let owners = |name: &String| -> BTreeSet<CustomerId> {
        let name = name.trim().trim_end_matches('.').to_lowercase();
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
                "{} belong to the customers {}: say which with -c",
                names.join(", "),
                all.join(" and ")
            );
            return Err(CliError::new(Own::Ambiguous, message));
        }
        _ => {}
    }
    context.customer()
}

/// Finds the domains that the arguments name, by id or name; all of them before any is acted on.
pub async fn domains(context: &Context, names: &[String]) -> Result<Vec<DomainRef>, CliError> {
    let found = domain_targets(context, names, |_| None).await?;
    Ok(found.into_iter().map(|(_, domain)| domain).collect())
}

/// Finds the one domain that the argument names.
pub async fn domain(context: &Context, name: &str) -> Result<DomainRef, CliError> {
    let found = domains(context, &[name.to_owned()]).await?.pop();
    found.ok_or_else(|| CliError::not_found(format!("no domain {name:?}")))
}

/// The same as `domains`, each with the place of its name. `met` may know one that is no longer there.
pub async fn domain_targets(
    context: &Context,
    names: &[String],
    met: impl Fn(&str) -> Option<DomainRef>,
) -> Result<Vec<(usize, DomainRef)>, CliError> {
    let mut known: Option<Vec<DomainRef>> = None;
    let mut lists = BTreeMap::new();
    let mut found: Vec<(usize, DomainRef)> = Vec::new();
    for (place, typed) in names.iter().enumerate() {
        let name = typed.trim();
        if name.is_empty() {
            return Err(CliError::usage(
                "the name of a domain is empty: give its name or id",
            ));
        }
        let id = name.parse::<DomainId>().ok();
        if known.is_none() && (id.is_none() || context.session.settings.customer.is_some()) {
            let customer = customer_of_domains(context, names)?;
            known = Some(all_domains(&context.session, customer).await?);
        }
        let wanted = name.trim_end_matches('.').to_lowercase();
        let fits =
            |domain: &&DomainRef| Some(domain.id) == id || domain.name.as_deref() == Some(&wanted);
        let listed = known.iter().flatten().find(fits).cloned();
        let domain = match (listed, id) {
            (Some(domain), _) => domain,
            (None, id) => match (met(typed), id) {
                (Some(domain), _) => domain,
                (None, Some(id)) => unlisted(&context.session, id, &mut lists).await?,
                (None, None) => {
                    let customer = context.customer()?;
                    return Err(missing(name, &wanted, customer, known.iter().flatten()));
                }
            },
        };
        // A domain that is named twice is changed once.
        if found.iter().all(|(_, other)| other.id != domain.id) {
            found.push((place, domain));
        }
    }
    Ok(found)
}

fn missing<'a>(
    name: &str,
    wanted: &str,
    customer: CustomerId,
    known: impl Iterator<Item = &'a DomainRef>,
) -> CliError {
    let names = known.filter_map(|domain| domain.name.as_deref());
    let error = CliError::not_found(format!("no domain {name:?} of customer {customer}"));
    match nearest(wanted, names) {
        Some(near) => error.hint(format!("did you mean {near}?")),
        None => error.hint(format!(
            "see the domains there are: `domain list -c {customer}`"
        )),
    }
}

/// A domain that is in no list that was read. A terminated one is in none; with a customer it must be that customer's.
/// Without one, the index may know whose it is: then that customer's list tells, and is kept in `lists`.
async fn unlisted(
    session: &Session,
    id: DomainId,
    lists: &mut BTreeMap<CustomerId, Vec<DomainRef>>,
) -> Result<DomainRef, CliError> {
    if let Some(customer) = session.settings.customer {
        let summary = session.read(GetDomainSummary::new(customer, id)).await;
        let summary = summary
            .map_err(|error| error.during(format!("looking {id} up for customer {customer}")))?;
        return Ok(DomainRef {
            id,
            name: Some(summary.domain),
            customer: Some(customer),
            status: None,
        });
    }
    let known = session.known()?.domains.iter().find(|known| known.id == id);
    let mut listed = None;
    if let Some(owner) = known.map(|known| known.customer) {
        let list = match lists.entry(owner) {
            Entry::Vacant(place) => place.insert(all_domains(session, owner).await?),
            Entry::Occupied(list) => list.into_mut(),
        };
        listed = list.iter().find(|domain| domain.id == id).cloned();
    }
    Ok(listed.unwrap_or(DomainRef {
        id,
        name: None,
        customer: None,
        status: None,
    }))
}
