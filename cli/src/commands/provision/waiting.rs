//! Waiting for what several new servers and domains are found to have, and telling it.

use crate::bulk::Item;
use crate::commands::common::polling::{Awaited, Wait};
use crate::commands::common::{findings, views};
use crate::context::Context;
use crate::error::CliError;
use crate::references;
use crate::references::targets::Target;
use crate::session::Session;
use crate::ui::outcome::{Block, Outcome, Table, to_json};
use secmon::model::{CustomerId, DomainStatus, Endpoint, MonitoredDomain};
use secmon::operations::ListDomains;
use std::collections::BTreeSet;
use std::time::Duration;

/// Reading what a server has costs a call; beyond so many the list of alerts says it in a few.
const SHOWN: usize = 50;

/// The targets that are monitored now.
#[derive(Default)]
pub struct Provisioned {
    servers: Made,
    domains: Made,
}

impl Provisioned {
    /// Those of the targets of which the outcome says so.
    pub fn of<'a>(targets: impl Iterator<Item = (&'a Target, &'a Item)>) -> Self {
        let mut all = Self::default();
        for (target, item) in targets {
            let Some(done) = item.outcome.applied() else {
                continue;
            };
            let made = match target {
                Target::Server(_) => &mut all.servers,
                Target::Domain(_) => &mut all.domains,
            };
            made.ids.insert(done.id.clone());
            made.customers.insert(target.customer());
        }
        all
    }
}

/// The targets of one kind that are monitored now.
#[derive(Default)]
struct Made {
    ids: BTreeSet<String>,
    customers: BTreeSet<CustomerId>,
}

impl Made {
    fn has(&self, id: &impl ToString) -> bool {
        self.ids.contains(&id.to_string())
    }
}

/// Waits until all have been scanned, and adds what was found.
pub async fn all(
    context: &Context,
    Provisioned { servers, domains }: &Provisioned,
    length: Duration,
    outcome: &mut Outcome,
) -> Result<(), CliError> {
    let made = servers_of(&context.session, servers).await?;
    let waiting = made.iter().filter(|server| server.last_scan_at.is_none());
    let waiting: Result<Vec<Awaited>, CliError> = waiting
        .map(|server| Awaited::again(context, server))
        .collect();
    let waiting = waiting?;
    let ids: Vec<String> = waiting.iter().map(|server| server.id.to_string()).collect();
    let wait = Wait::new(length, format!("endpoint wait {}", ids.join(" ")));
    wait.for_scans(context, &waiting).await?;
    add_servers(&context.session, &made, outcome).await?;
    add_domains(context, domains, length, outcome).await
}

async fn servers_of(session: &Session, made: &Made) -> Result<Vec<Endpoint>, CliError> {
    let mut servers = Vec::new();
    for customer in &made.customers {
        let all = references::all_endpoints(session, Some(*customer)).await?;
        servers.extend(all.into_iter().filter(|server| made.has(&server.id)));
    }
    Ok(servers)
}

async fn add_servers(
    session: &Session,
    servers: &[Endpoint],
    outcome: &mut Outcome,
) -> Result<(), CliError> {
    for server in servers.iter().take(SHOWN) {
        let detail = findings::read(session, server.id).await?;
        let name = references::name_of(&detail.data);
        outcome.text.push(Block::text(format!("\n{name}")));
        outcome.text.extend(findings::text(&detail));
        set(
            outcome,
            &server.id,
            "latest_scan",
            to_json(&detail.latest_scan),
        );
    }
    if servers.len() > SHOWN {
        let rest = servers.len() - SHOWN;
        outcome.text.push(Block::Hint(format!(
            "what was found on the other {rest} servers: `alert list -c ID`"
        )));
    }
    Ok(())
}

async fn add_domains(
    context: &Context,
    made: &Made,
    length: Duration,
    outcome: &mut Outcome,
) -> Result<(), CliError> {
    if made.ids.is_empty() {
        return Ok(());
    }
    let resume = made
        .customers
        .iter()
        .map(|customer| format!("domain list -c {customer}"));
    let resume: Vec<String> = resume.collect();
    let domains = Wait::new(length, resume.join("; "))
        .until(context, async || {
            let domains = domains_of(&context.session, made).await?;
            let scanned = |domain: &MonitoredDomain| domain.last_scan_at.is_some();
            Ok(domains.iter().all(scanned).then_some(domains))
        })
        .await?;
    let table = Table::of(views::DOMAIN, &domains);
    outcome
        .text
        .push(Block::Heading("Compromised credentials and mentions:"));
    outcome.text.push(Block::Table(table));
    for domain in &domains {
        set(outcome, &domain.id, "summary", to_json(domain));
    }
    Ok(())
}

/// The new domains that are watched; a paused one gets no scan.
async fn domains_of(session: &Session, made: &Made) -> Result<Vec<MonitoredDomain>, CliError> {
    let mut domains = Vec::new();
    for customer in &made.customers {
        let overview = session.read(ListDomains::new(*customer)).await?;
        let is_watched = |found: &MonitoredDomain| found.status == DomainStatus::Active;
        let watched = |found: &MonitoredDomain| made.has(&found.id) && is_watched(found);
        let listed = references::listed_domains(overview, *customer)?;
        domains.extend(listed.into_iter().filter(watched));
    }
    Ok(domains)
}

/// Adds a field to the item of a record.
fn set(outcome: &mut Outcome, id: &impl ToString, field: &str, value: serde_json::Value) {
    let items = outcome.result["items"].as_array_mut();
    let item = items.and_then(|items| items.iter_mut().find(|item| item["id"] == id.to_string()));
    if let Some(item) = item {
        item[field] = value;
    }
}
