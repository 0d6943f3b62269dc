//! A customer of whom nothing is known: a new one, or a number that was mistyped.

use crate::error::{CliError, Exit};
use crate::session::Session;
use crate::ui::Ui;
use crate::{bulk, references};
use secmon::model::CustomerId;
use secmon::operations::{DomainOverview, ListDomains, ListEndpoints};
use std::collections::BTreeSet;

/// Says that something is about to be made for a new customer. It is a word beside the result, so a look that fails says
/// nothing, unless the key itself is refused.
pub async fn announce(
    session: &Session,
    screen: &Ui,
    customer: CustomerId,
) -> Result<(), CliError> {
    match references::is_known(session, customer).await {
        Ok(false) => screen.note(&format!(
            "new customer {customer}: nothing is monitored for them yet"
        )),
        Err(error) if error.exit() == Exit::Permission => return Err(error),
        Ok(true) | Err(_) => {}
    }
    Ok(())
}

/// The same for many, whose servers were read already: `served` has the customers who have some.
pub fn announce_all(
    session: &Session,
    screen: &Ui,
    customers: &BTreeSet<CustomerId>,
    served: &BTreeSet<CustomerId>,
) -> Result<(), CliError> {
    let seen = references::seen_customers(session)?;
    let new: Vec<CustomerId> = customers
        .difference(served)
        .filter(|customer| !seen.contains(customer))
        .copied()
        .collect();
    match new.as_slice() {
        [] => {}
        [one] => screen.note(&format!("new customer {one}: no servers yet")),
        [one, other] => screen.note(&format!("new customers {one} and {other}: no servers yet")),
        many => screen.note(&format!(
            "{} new customers, without servers yet: {}",
            many.len(),
            bulk::preview(many, CustomerId::to_string)
        )),
    }
    Ok(())
}

/// Says so where a list about a customer is empty and there is no other trace of them. The two calls are made for a
/// word beside the result, so one that fails says nothing.
pub async fn tell(session: &Session, screen: &Ui, customer: CustomerId) {
    let list = ListEndpoints::new(customer).per_page(1);
    let (Ok(servers), Ok(domains)) = (
        session.read(list).await,
        session.read(ListDomains::new(customer)).await,
    ) else {
        return;
    };
    tell_if_empty(screen, customer, servers.meta.total, &domains);
}

/// The same where the answers are there already.
pub fn tell_if_empty(
    screen: &Ui,
    customer: CustomerId,
    servers: Option<u64>,
    domains: &DomainOverview,
) {
    // Without a subscription the service may describe the product in place of the domains.
    let no_domain = match domains.domains.as_deref() {
        Some([]) => "no domain, ",
        Some(_) => return,
        None => "",
    };
    if servers == Some(0) && !domains.subscribed {
        screen.note(&format!(
            "nothing is known of customer {customer}: no server, {no_domain}no domain subscription"
        ));
    }
}
