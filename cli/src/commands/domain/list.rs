//! `secmon domain list`.

use crate::commands::common::views;
use crate::context::Context;
use crate::error::CliError;
use crate::references;
use crate::session::portal;
use crate::ui::outcome::{Block, Outcome, to_json};
use secmon::operations::ListDomains;

/// Runs the command.
pub async fn run(context: &Context) -> Result<Outcome, CliError> {
    let customer = context.customer()?;
    let list = ListDomains::new(customer);
    let overview = context.session.read(list).await?;
    let domains = overview.domains.as_deref();
    if let Some(domains) = domains {
        references::learn_domains(&context.session, customer, domains);
    }
    let mut outcome = Outcome::list(domains.unwrap_or_default(), views::DOMAIN);
    outcome.result = to_json(&domains);
    outcome = outcome.of_kind("domain", Some(customer));
    outcome.table.pages = portal::pages(&context.session.settings, portal::DOMAINS);
    let slots = match (overview.slots_used, overview.slots_total) {
        (Some(used), Some(total)) => format!("{used} of {total} slots in use"),
        _ => "the service does not say how many slots there are".to_owned(),
    };
    let rows = match domains {
        Some(_) => Block::Rows,
        None => Block::text("the service does not list the domains"),
    };
    outcome.text = vec![rows, Block::text(slots)];
    let has_no_domain = !overview.subscribed && domains.is_none_or(<[_]>::is_empty);
    if has_no_domain && !references::is_seen_or_has_servers(&context.session, customer).await? {
        outcome.text = vec![Block::text(references::nothing_found(customer))];
    } else if !overview.subscribed {
        let command = format!(
            "`subscription set SERVICE --product domain_monitoring --quantity 1 -c {customer}`"
        );
        outcome.text.push(Block::Hint(format!(
            "customer {customer} has no domain subscription; to set one up: {command}"
        )));
    }
    Ok(outcome)
}
