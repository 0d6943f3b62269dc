//! Customers by their numbers. The service lists none: one is known by what there is of theirs.

use crate::error::CliError;
use crate::session::Session;
use crate::state::StateDb;
use secmon::model::CustomerId;
use secmon::operations::{ListDomains, ListEndpoints};
use std::collections::BTreeSet;

/// The customers of whom earlier commands have seen something, or for whom they have made something.
pub fn seen(session: &Session) -> Result<BTreeSet<CustomerId>, CliError> {
    let known = session.known()?;
    let changed = session.state().map(StateDb::customers_changed);
    let mut customers: BTreeSet<CustomerId> = changed.unwrap_or_default().into_iter().collect();
    customers.extend(known.servers.iter().filter_map(|server| server.customer));
    customers.extend(known.domains.iter().map(|domain| domain.customer));
    Ok(customers)
}

/// Whether anything is known of a customer, here or at the service.
pub async fn is_known(session: &Session, customer: CustomerId) -> Result<bool, CliError> {
    if is_seen_or_has_servers(session, customer).await? {
        return Ok(true);
    }
    let overview = session.read(ListDomains::new(customer)).await?;
    // Without a subscription the service may describe the product in place of the domains.
    let has_domains = overview.domains.is_some_and(|domains| !domains.is_empty());
    Ok(has_domains || overview.subscribed)
}

/// Whether anything but domains is known of a customer, here or at the service.
pub async fn is_seen_or_has_servers(
    session: &Session,
    customer: CustomerId,
) -> Result<bool, CliError> {
    if seen(session)?.contains(&customer) {
        return Ok(true);
    }
    let list = ListEndpoints::new(customer).per_page(1);
    Ok(session.read(list).await?.meta.total != Some(0))
}

/// Refuses a change for a customer of whom nothing is known: most likely the number was mistyped.
pub async fn refuse_unknown(session: &Session, customer: CustomerId) -> Result<(), CliError> {
    match is_known(session, customer).await? {
        true => Ok(()),
        false => Err(CliError::not_found(nothing_found(customer))
            .hint("a new customer begins with what is provisioned for them")),
    }
}

/// That there is no trace of a customer: most likely the number was mistyped.
pub fn nothing_found(customer: CustomerId) -> String {
    format!("No servers or domains found for customer {customer}. Is the number right?")
}
