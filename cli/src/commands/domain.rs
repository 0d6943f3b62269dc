//! `secmon domain ...`: the monitored domains.

use super::domain_changes;
use super::transition::Transition;
use super::{domain_findings, views};
use crate::args::DomainCommand;
use crate::context::Context;
use crate::error::CliError;
use crate::references::{self, DomainRef};
use crate::session::portal::{self, Thing};
use crate::ui::outcome::{Cell, Line, Outcome, Table, to_json};
use secmon::model::{CustomerId, DomainStatus, MonitoredDomain};
use secmon::operations::{GetDomainSummary, ListDomains};

/// Runs the command.
pub async fn run(context: &Context, command: DomainCommand) -> Result<Outcome, CliError> {
    match command {
        DomainCommand::List => list(context).await,
        DomainCommand::Show { domain } => show(context, &domain).await,
        DomainCommand::Provision(args) => domain_changes::provision(context, args).await,
        DomainCommand::Rename { domain, new } => {
            domain_changes::rename(context, &domain, new).await
        }
        DomainCommand::Suspend(domains) => {
            domain_changes::switch(context, &domains, Transition::Suspend).await
        }
        DomainCommand::Resume(domains) => {
            domain_changes::switch(context, &domains, Transition::Resume).await
        }
        DomainCommand::Terminate(targets) => {
            domain_changes::run(context, &targets.domains, Transition::Terminate).await
        }
        DomainCommand::Release { domain, service } => {
            domain_changes::release(context, &domain, service).await
        }
        DomainCommand::Leaks { domain, category } => {
            domain_findings::leaks(context, &domain, category).await
        }
        DomainCommand::Mentions { domain, new } => {
            domain_findings::mentions(context, &domain, new).await
        }
        DomainCommand::History { domain } => domain_findings::history(context, &domain).await,
    }
}

async fn list(context: &Context) -> Result<Outcome, CliError> {
    let customer = context.customer()?;
    let overview = context.read(ListDomains::new(customer)).await?.into_data();
    let domains = overview.domains.as_deref();
    if let Some(domains) = domains {
        references::learn_domains(context, customer, domains);
    }
    let mut outcome = Outcome::list(domains.unwrap_or_default(), views::DOMAIN, views::domain);
    outcome.result = to_json(&domains);
    outcome.table.pages = portal::pages(&context.settings, Thing::Domain);
    let slots = match (overview.slots_used, overview.slots_total) {
        (Some(used), Some(total)) => format!("{used} of {total} slots in use"),
        _ => "the service does not tell the slots".to_owned(),
    };
    let rows = match domains {
        Some(_) => Line::Rows,
        None => Line::text("the service does not tell the domains"),
    };
    outcome.story = vec![rows, Line::text(slots)];
    if !overview.subscribed {
        let command = format!(
            "`subscription set SERVICE --product domain_monitoring --quantity 1 -c {customer}`"
        );
        outcome.story.push(Line::Hint(format!(
            "customer {customer} has no domain monitoring: {command}"
        )));
    }
    Ok(outcome)
}

async fn show(context: &Context, name: &str) -> Result<Outcome, CliError> {
    let (domain, customer) = one(context, name).await?;
    let summary = context
        .read(GetDomainSummary::new(customer, domain.id))
        .await?
        .into_data();
    let strength = summary.password_strength.as_ref().map(|strength| {
        strength
            .iter()
            .map(|(name, count)| format!("{count} {name}"))
            .collect::<Vec<_>>()
            .join(", ")
    });
    let slots = summary
        .slots_used
        .zip(summary.slots_total)
        .map(|(used, total)| format!("{used} of {total} in use"));
    let mut story = vec![
        Line::text(&summary.domain),
        Line::Field("id", Cell::text(summary.id)),
        Line::Field("customer", Cell::text(customer)),
        Line::Field("status", Cell::text(standing(&summary))),
        Line::Field("last scan", Cell::time(summary.last_scan_at.as_ref())),
        Line::Field("slots", Cell::maybe(slots)),
        Line::Field("passwords", Cell::maybe(strength)),
        Line::Heading("Compromised credentials and mentions:"),
    ];
    story.extend(domain_findings::counts(&summary));
    let table = Table::one(views::DOMAIN, views::domain(&summary));
    Ok(Outcome::record(to_json(&summary), table).tell(story))
}

/// Whether it is scanned.
pub fn is_watched(domain: &MonitoredDomain) -> bool {
    domain.status == DomainStatus::Active
}

fn standing(domain: &MonitoredDomain) -> String {
    match domain.quota_paused {
        Some(true) => format!("{} (by the platform: the slots are used up)", domain.status),
        _ => domain.status.to_string(),
    }
}

/// The domain that an argument names, and its customer.
pub async fn one(context: &Context, name: &str) -> Result<(DomainRef, CustomerId), CliError> {
    let names = [name.to_owned()];
    let customer = references::customer_of_domains(context, &names)?;
    let mut found = references::domains(context, &names).await?;
    let domain = found
        .pop()
        .ok_or_else(|| CliError::not_found(format!("no domain {name:?}")))?;
    Ok((domain, customer))
}
