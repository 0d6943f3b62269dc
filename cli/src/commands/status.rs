//! `secmon status`: how things stand, on one screen.

use super::common::live::Live;
use super::common::new_customer;
use super::common::usage::{Usage, by_platform};
use super::rules::rule::{SOON_DAYS, ends_soon};
use crate::context::Context;
use crate::error::CliError;
use crate::references::alert::Alert;
use crate::references::alerts;
use crate::references::{self, DomainRef};
use crate::session::Session;
use crate::state::StateDb;
use crate::ui::outcome::{Block, Cell, Field, Outcome, Table, shown};
use crate::ui::severity_rank;
use secmon::RateGroup;
use secmon::model::{
    CustomerId, DomainAlertStatus, EndpointPage, EndpointStatus, PortAlertStatus, Rule, Severity,
};
use secmon::operations::{DomainOverview, ListDomains, ListEndpoints};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeMap;

const COLUMNS: &[Field<(String, u64)>] = &[
    shown("what").of(|(what, _)| Cell::text(what)),
    shown("count").of(|(_, count)| Cell::Number(*count)),
];
/// Alerts of more domains are not counted here.
const MOST_DOMAINS: usize = 20;

/// Runs the command.
pub async fn run(context: &Context) -> Result<Outcome, CliError> {
    match context.session.settings.customer {
        Some(customer) => of_customer(context, customer).await,
        None => {
            let page = servers(&context.session, None, 1).await?;
            Ok(of_account(&context.session, &Usage::of_servers(&page.meta)))
        }
    }
}

/// The first so many servers, with the counts of all.
async fn servers(
    session: &Session,
    whose: Option<CustomerId>,
    most: u32,
) -> Result<EndpointPage, CliError> {
    let mut list = ListEndpoints::account_wide().per_page(most);
    list.billing_customer_id = whose;
    session.read(list).await
}

/// How many servers the platform has paused, where that is told; asked for only where some may be paused.
async fn quota_paused(
    session: &Session,
    customer: CustomerId,
    servers: &Usage,
) -> Result<Option<u64>, CliError> {
    if servers.paused() == Some(0) {
        return Ok(Some(0));
    }
    let mut list = ListEndpoints::new(customer).per_page(references::PAGE_SIZE);
    list.status = Some(EndpointStatus::Paused);
    let paused = session.client()?.pages(list).collect_all().await?;
    Ok(by_platform(paused.iter().map(|server| server.quota_paused)))
}

/// Runs from this computer that ended early.
fn interrupted(session: &Session) -> Vec<Block> {
    let runs = session.state().map(StateDb::interrupted_runs);
    super::history::interrupted(&runs.unwrap_or_default())
}

/// The calls left in this window, where they are counted.
fn pace_line(session: &Session) -> Option<Block> {
    let left = |group| session.calls_left(group);
    let (strict, default) = (left(RateGroup::Strict)?, left(RateGroup::Default)?);
    Some(Block::Field(
        "calls left",
        Cell::text(format!(
            "{strict} for changes, alerts and domains; {default} for servers and rules (this minute)"
        )),
    ))
}

fn of_account(session: &Session, servers: &Usage) -> Outcome {
    let result = json!({ "servers": servers_json(servers) });
    let mut text = vec![Block::text("The whole account:")];
    text.extend(interrupted(session));
    text.extend(server_lines(servers));
    text.extend(pace_line(session));
    text.push(Block::Hint(
        "alerts and rules belong to customers: `status -c ID`".to_owned(),
    ));
    let table = table(&[("servers", servers)], &Counts::new());
    Outcome::record(result, table).tell(text)
}

/// How one customer stands.
pub async fn of_customer(context: &Context, customer: CustomerId) -> Result<Outcome, CliError> {
    let page = servers(&context.session, Some(customer), references::PAGE_SIZE).await?;
    let mut servers = Usage::of_servers(&page.meta);
    let live = Live::of(page);
    servers.quota_paused = quota_paused(&context.session, customer, &servers).await?;
    let mut alerts = references::all_alerts(&context.session, customer, |list| {
        list.status = Some(PortAlertStatus::Open)
    })
    .await?;
    alerts.retain(|alert| !live.lacks(alert.endpoint_id));
    let rules = rules_of(context, customer, &live).await?;
    let expiring = rules.iter().filter(|rule| ends_soon(rule)).count();
    let list = ListDomains::new(customer);
    let overview = context.session.read(list).await?;
    let domains = Usage::of_domains(&overview);
    new_customer::tell_if_empty(&context.screen, customer, servers.used, &overview);
    let of_ports = by_severity(alerts.iter().map(|alert| alert.severity.as_ref()));
    let of_domains = domain_alerts(&context.session, customer, &overview).await?;
    let severities = together(&of_ports, of_domains.as_ref());
    let result = json!({
        "billing_customer_id": customer,
        "servers": servers_json(&servers),
        "domains": domains_json(&overview, &domains),
        "open_alerts": counts_json(&severities),
        "open_port_alerts": counts_json(&of_ports),
        "open_domain_alerts": of_domains.as_ref().map(counts_json),
        "rules": { "total": rules.len(), "expiring_within_14_days": expiring },
    });
    let mut text = vec![Block::text(format!("Customer {customer}:"))];
    text.extend(interrupted(&context.session));
    text.extend(server_lines(&servers));
    let has_domains = overview.domains.iter().flatten().next().is_some();
    if overview.subscribed || has_domains {
        text.extend(domain_lines(&domains));
    }
    let of_domains = match &of_domains {
        Some(counts) => format!("{} open", alerts_text(counts)),
        None => uncounted(&overview),
    };
    text.extend([
        Block::Field("port alerts open", Cell::text(alerts_text(&of_ports))),
        Block::Field("domain alerts", Cell::text(of_domains)),
        Block::Field("rules", Cell::text(rules_text(rules.len(), expiring))),
    ]);
    text.extend(pace_line(&context.session));
    let is_paused = |usage: &Usage| usage.paused().is_some_and(|count| count > 0);
    let mut next = next(customer, [&servers, &domains], &severities);
    if is_paused(&servers) || is_paused(&domains) {
        next.extend(way_back(&context.session, customer)?);
    }
    if !next.is_empty() {
        text.push(Block::Heading("Next:"));
        text.extend(next);
    }
    let standings = [("servers", &servers), ("domains", &domains)];
    Ok(Outcome::record(result, table(&standings, &severities)).tell(text))
}

/// The line that resumes what this computer has suspended of a customer and not resumed since, where there is something.
fn way_back(session: &Session, customer: CustomerId) -> Result<Option<Block>, CliError> {
    let resumable = session.state().map(StateDb::resumable).unwrap_or_default();
    let known = session.known()?;
    let servers = known.servers.iter();
    let servers = servers.filter(|server| server.customer == Some(customer));
    let domains = known.domains.iter();
    let domains = domains.filter(|domain| domain.customer == customer);
    let ids = servers.map(|server| server.id.to_string());
    let mut ids = ids.chain(domains.map(|domain| domain.id.to_string()));
    let is_there = ids.any(|id| resumable.iter().any(|one| one.record == id));
    Ok(is_there.then(|| {
        Block::next(
            format!("customer resume {customer}"),
            "resume what was suspended from this computer",
        )
    }))
}

/// The rules of a customer, without those of servers that have ended.
async fn rules_of(
    context: &Context,
    customer: CustomerId,
    live: &Live,
) -> Result<Vec<Rule>, CliError> {
    let mut rules = references::all_rules(&context.session, |list| {
        list.billing_customer_id = Some(customer)
    })
    .await?;
    rules.retain(|rule| !live.has_ended(rule));
    Ok(rules)
}

fn next(customer: CustomerId, [servers, domains]: [&Usage; 2], severities: &Counts) -> Vec<Block> {
    let alerts = Block::next(
        format!("alert list -c {customer} --status open"),
        "see the open alerts",
    );
    let paused_servers = Block::next(
        format!("endpoint list -c {customer} --status paused"),
        "see which servers are paused",
    );
    let domain_list = Block::next(
        format!("domain list -c {customer}"),
        "see which domains are paused",
    );
    let lines = [
        (!severities.is_empty(), alerts),
        (servers.is_cut(), paused_servers),
        (domains.is_cut(), domain_list),
    ];
    let due = lines.into_iter().filter(|(due, _)| *due);
    due.map(|(_, line)| line).collect()
}

fn rules_text(total: usize, expiring: usize) -> String {
    match (total, expiring) {
        (0, _) => "none".to_owned(),
        (total, 0) => format!("{total} (none expires within {SOON_DAYS} days)"),
        (total, 1) => format!("{total} (1 expires within {SOON_DAYS} days)"),
        (total, some) => format!("{total} ({some} expire within {SOON_DAYS} days)"),
    }
}

/// How many alerts of each severity there are, worst first.
type Counts = BTreeMap<Reverse<(u8, String)>, u64>;

fn by_severity<'a>(severities: impl Iterator<Item = Option<&'a Severity>>) -> Counts {
    let mut counts = Counts::new();
    for severity in severities {
        let severity = severity.cloned().unwrap_or(Severity::from("unknown"));
        let severity = (severity_rank(&severity), severity.to_string());
        *counts.entry(Reverse(severity)).or_default() += 1;
    }
    counts
}

/// The open alerts of the domains; they cost a call for each domain, so not of very many.
async fn domain_alerts(
    session: &Session,
    customer: CustomerId,
    overview: &DomainOverview,
) -> Result<Option<Counts>, CliError> {
    let Some(domains) = overview
        .domains
        .as_ref()
        .filter(|domains| domains.len() <= MOST_DOMAINS)
    else {
        return Ok(None);
    };
    let domains: Vec<DomainRef> = domains
        .iter()
        .map(|domain| DomainRef::listed(customer, domain.clone()))
        .collect();
    let open = Some(&DomainAlertStatus::Open);
    let alerts = alerts::of_domains(session, customer, &domains, open).await?;
    Ok(Some(by_severity(alerts.iter().map(Alert::severity))))
}

fn uncounted(overview: &DomainOverview) -> String {
    match overview.domains {
        Some(_) => {
            format!("not counted: more than {MOST_DOMAINS} domains (alert list --kind domain)")
        }
        None => "unknown".to_owned(),
    }
}

/// Two counts as one.
fn together(one: &Counts, other: Option<&Counts>) -> Counts {
    let mut sum = one.clone();
    for (severity, count) in other.into_iter().flatten() {
        *sum.entry(severity.clone()).or_default() += count;
    }
    sum
}

fn counts_json(counts: &Counts) -> Value {
    let counts = counts.iter();
    let counts = counts.map(|(Reverse((_, name)), count)| (name.clone(), json!(count)));
    Value::Object(counts.collect())
}

fn alerts_text(severities: &Counts) -> String {
    if severities.is_empty() {
        return "none".to_owned();
    }
    severities
        .iter()
        .map(|(Reverse((_, name)), count)| format!("{count} {name}"))
        .collect::<Vec<_>>()
        .join(", ")
}

fn servers_json(servers: &Usage) -> Value {
    json!({
        "total": servers.used,
        "limit": servers.capacity,
        "by_status": servers.by_status,
        "over_quota": servers.is_over_quota(),
        "quota_paused": servers.quota_paused,
    })
}

fn domains_json(overview: &DomainOverview, domains: &Usage) -> Value {
    json!({
        "subscribed": overview.subscribed,
        "slots_used": overview.slots_used,
        "slots_total": overview.slots_total,
        "by_status": domains.by_status,
        "over_quota": domains.is_over_quota(),
        "quota_paused": domains.quota_paused,
    })
}

fn server_lines(servers: &Usage) -> [Block; 2] {
    [
        Block::Field("servers", Cell::text(servers.filling())),
        Block::Field("by state", Cell::text(servers.states())),
    ]
}

fn domain_lines(domains: &Usage) -> [Block; 2] {
    [
        Block::Field("domain slots", Cell::text(domains.filling())),
        Block::Field("domains", Cell::text(domains.states())),
    ]
}

fn table(kinds: &[(&str, &Usage)], severities: &Counts) -> Table {
    let states = kinds.iter().flat_map(|(kind, usage)| {
        let states = usage.by_status.iter().flatten();
        let states = states.map(move |(state, count)| (format!("{kind} {state}"), *count));
        let by_platform = usage.quota_paused;
        states.chain(by_platform.map(|count| (format!("{kind} paused by the platform"), count)))
    });
    let alerts = severities
        .iter()
        .map(|(Reverse((_, name)), count)| (format!("open alerts {name}"), *count));
    let counts: Vec<(String, u64)> = states.chain(alerts).collect();
    Table::of(COLUMNS, &counts)
}
