//! A customer of whom nothing is known: most likely a number that was mistyped.

use crate::context::Context;
use secmon::model::CustomerId;
use secmon::operations::{DomainOverview, ListDomains, ListEndpoints};

/// Says so where a list about a customer is empty and there is no other trace of them. The two calls are made for a
/// word beside the result, so one that fails says nothing.
pub async fn tell(context: &Context, customer: CustomerId) {
    let list = ListEndpoints::new(customer).per_page(1);
    let (Ok(servers), Ok(domains)) = (
        context.read(list).await,
        context.read(ListDomains::new(customer)).await,
    ) else {
        return;
    };
    tell_if_empty(context, customer, servers.data.meta.total, &domains.data);
}

/// The same where the answers are there already.
pub fn tell_if_empty(
    context: &Context,
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
        context.note(&format!(
            "nothing is known of customer {customer}: no server, {no_domain}no domain subscription"
        ));
    }
}
