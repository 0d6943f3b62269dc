//! A customer of whom nothing is known: a new one, or a number that was mistyped.

use super::args::ClientContact;
use crate::context::Context;
use crate::error::{CliError, Exit, LocalErrorKind};
use crate::session::Session;
use crate::ui::Ui;
use crate::{bulk, references};
use secmon::model::{CustomerId, EndpointPage};
use secmon::operations::{DomainOverview, ListDomains, ListEndpoints};
use std::collections::BTreeSet;

/// What is made for a customer of whom nothing is known creates them: it is told, asked about where somebody is there and
/// the account has customers already, and refused with `--existing-customers`. The look is a word beside the result, so
/// one that fails says nothing, unless the key itself is refused.
pub async fn agree(
    context: &Context,
    customer: CustomerId,
    contact: &ClientContact,
) -> Result<(), CliError> {
    let session = &context.session;
    match references::is_known(session, customer).await {
        Ok(false) => {}
        Err(error) if error.exit() == Exit::Permission => return Err(error),
        Ok(true) | Err(_) => return Ok(()),
    }
    let has_others = has_customers(context, contact).await;
    agree_to_new(context, &[customer], has_others, contact)
}

/// Whether the account has customers already, where somebody can be asked about another one.
async fn has_customers(context: &Context, contact: &ClientContact) -> bool {
    let list = ListEndpoints::account_wide().per_page(1);
    let has_any = |servers: EndpointPage| servers.meta.total.is_some_and(|total| total > 0);
    context.prompt.may_ask()
        && !contact.existing_customers
        && context.session.read(list).await.is_ok_and(has_any)
}

/// The same for many, whose servers were read already: `served` has the customers who have some.
pub async fn agree_to_all(
    context: &Context,
    customers: &BTreeSet<CustomerId>,
    served: &BTreeSet<CustomerId>,
    contact: &ClientContact,
) -> Result<(), CliError> {
    let seen = references::seen_customers(&context.session)?;
    let new: Vec<CustomerId> = customers
        .difference(served)
        .filter(|customer| !seen.contains(customer))
        .copied()
        .collect();
    if new.is_empty() {
        return Ok(());
    }
    let has_others = !served.is_empty() || has_customers(context, contact).await;
    agree_to_new(context, &new, has_others, contact)
}

fn agree_to_new(
    context: &Context,
    new: &[CustomerId],
    has_others: bool,
    contact: &ClientContact,
) -> Result<(), CliError> {
    if contact.existing_customers {
        return Err(CliError::not_found(match new {
            [one] => references::nothing_found(*one),
            many => format!(
                "No servers or domains found for {} customers: {}. Are the numbers right?",
                many.len(),
                bulk::preview(many, CustomerId::to_string)
            ),
        })
        .hint("leave out --existing-customers to create them"));
    }
    let told = match new {
        [one] => format!("Customer {one} has nothing yet and will be created."),
        many => format!(
            "{} customers have nothing yet and will be created: {}.",
            many.len(),
            bulk::preview(many, CustomerId::to_string)
        ),
    };
    let safety = &context.session.settings.safety;
    if !has_others || !context.prompt.may_ask() || safety.yes || safety.dry_run {
        context.screen.note(&told);
        return Ok(());
    }
    let question = match new.len() {
        1 => "Is the number right?",
        _ => "Are the numbers right?",
    };
    match context.prompt.agrees(&told, question)? {
        true => Ok(()),
        false => Err(CliError::new(
            LocalErrorKind::Declined,
            "the answer was no: nothing was changed",
        )),
    }
}

/// Says so where what was listed of the customer of `-c` is empty and there is no other trace of them.
pub async fn tell_of_list(context: &Context) {
    if let Some(customer) = context.session.settings.customer {
        tell(&context.session, &context.screen, customer).await;
    }
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
    let has_domain = domains
        .domains
        .as_ref()
        .is_some_and(|domains| !domains.is_empty());
    if servers == Some(0) && !has_domain && !domains.subscribed {
        screen.note(&references::nothing_found(customer));
    }
}
