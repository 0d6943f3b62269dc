//! Which alerts a list, a watch or a triage is about.

use crate::commands::domain::named;
use crate::context::Context;
use crate::error::CliError;
use crate::references::alert::{Alert, SeverityFilter};
use crate::references::alert_pages::AlertPages;
use crate::references::{self, DomainRef};
use crate::values::days;
use crate::values::ports::PortSpec;
use chrono::{DateTime, Utc};
use clap::{Args, ValueEnum};
use secmon::model::{CustomerId, DomainAlertStatus, DomainId, EndpointId, PortAlertStatus};
use secmon::operations::ListPortAlerts;

/// What an alert is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AlertKind {
    /// Open ports.
    Port,
    /// Leaks and mentions of domains; one call for each domain.
    Domain,
}

/// States of an alert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AlertStatusArg {
    /// Nobody has dealt with it.
    Open,
    /// Somebody has seen it (domain alerts only).
    Acknowledged,
    /// It has been dealt with.
    Resolved,
}

/// Whose alerts, and which of them.
#[derive(Debug, Args)]
pub struct AlertFilter {
    /// Only alerts about ports, or about domains
    #[arg(long, alias = "type")]
    pub kind: Option<AlertKind>,
    /// Only this severity: low, medium, high or critical; a trailing + includes the higher ones
    #[arg(long, value_name = "SEVERITY")]
    pub severity: Option<String>,
    /// Only alerts of this server: id, IP address, host name or nickname
    #[arg(long, value_name = "ENDPOINT", conflicts_with = "domain")]
    pub endpoint: Option<String>,
    /// Only alerts of this domain: name or id
    #[arg(long, value_name = "DOMAIN")]
    pub domain: Option<String>,
    /// Only alerts of this port, as 3306 or 8000-8100
    #[arg(long, value_name = "PORT", conflicts_with = "domain")]
    pub port: Option<String>,
    /// Only alerts first seen within this time, as 7d
    #[arg(long, value_name = "TIME")]
    pub since: Option<String>,
}

/// Whose alerts are asked for, and where.
pub struct AlertPlace {
    /// Whose.
    pub customer: CustomerId,
    /// Where.
    pub scope: AlertScope,
}

/// Which alerts are asked for.
#[derive(Clone, Copy)]
pub struct AlertQuery<'a> {
    /// What they are about.
    pub filter: &'a AlertFilter,
    /// Their state; without it, every state.
    pub status: Option<AlertStatusArg>,
}

/// Where a customer's alerts are looked for.
pub enum AlertScope {
    /// All of a customer.
    Customer,
    /// Those of a server.
    Server(EndpointId),
    /// Those of a domain.
    Domain(Box<DomainRef>),
}

/// Reads the alerts that the filters admit, those of ports first, and whose they are.
pub async fn read(
    context: &Context,
    filter: &AlertFilter,
    status: AlertStatusArg,
) -> Result<(CustomerId, Vec<Alert>), CliError> {
    let place = place(context, filter).await?;
    let query = AlertQuery {
        filter,
        status: Some(status),
    };
    let alerts = read_at(context, query, &place).await?;
    Ok((place.customer, alerts))
}

/// The same of a place that is known.
pub async fn read_at(
    context: &Context,
    query: AlertQuery<'_>,
    place: &AlertPlace,
) -> Result<Vec<Alert>, CliError> {
    let sieve = LocalAlertFilter::of(query.filter)?;
    let mut alerts = Vec::new();
    for list in lists(context, query, place).await? {
        alerts.extend(list.collect().await?);
    }
    sieve.keep(&mut alerts);
    Ok(alerts)
}

/// The lists in which the alerts of a place stand, that of its ports first.
pub async fn lists<'a>(
    context: &'a Context,
    query: AlertQuery<'_>,
    place: &AlertPlace,
) -> Result<Vec<AlertPages<'a>>, CliError> {
    let AlertQuery { filter, status } = query;
    let (customer, scope) = (place.customer, &place.scope);
    let session = &context.session;
    session.ready().await?;
    let mut lists = Vec::new();
    if wanted(filter.kind, AlertKind::Port) && !matches!(scope, AlertScope::Domain(_)) {
        let asked = ports(customer, scope, status);
        let pages = asked.map(|list| AlertPages::of_ports(session, customer, list));
        lists.extend(pages.transpose()?);
    }
    let of_domains = wanted(filter.kind, AlertKind::Domain) && filter.port.is_none();
    if of_domains && !matches!(scope, AlertScope::Server(_)) {
        let status = status.map(domain_status);
        for domain in domains(context, customer, scope).await? {
            let pages = AlertPages::of_domain(session, customer, domain, status.as_ref())?;
            lists.push(pages);
        }
    }
    Ok(lists)
}

/// The filters that are applied to what was read.
pub struct LocalAlertFilter {
    severity: Option<SeverityFilter>,
    since: Option<DateTime<Utc>>,
    port: Option<PortSpec>,
}

impl LocalAlertFilter {
    /// Reads the filters.
    pub fn of(filter: &AlertFilter) -> Result<Self, CliError> {
        let severity = filter.severity.as_deref().map(SeverityFilter::parse);
        let since = filter.since.as_deref();
        let since = since.map(|text| days::since("--since", text));
        Ok(Self {
            severity: severity.transpose()?,
            since: since.transpose()?,
            port: filter.port.as_deref().map(PortSpec::parse).transpose()?,
        })
    }

    /// Takes out what is not wanted.
    pub fn keep(&self, alerts: &mut Vec<Alert>) {
        if let Some(severity) = &self.severity {
            alerts.retain(|alert| severity.admits(alert.severity()));
        }
        if let Some(port) = &self.port {
            alerts.retain(|alert| match alert {
                Alert::Port(alert) => port.has(alert.port),
                Alert::Domain(_) => false,
            });
        }
        if let Some(earliest) = self.since {
            alerts.retain(|alert| {
                alert
                    .first_seen()
                    .is_some_and(|seen| seen.date_time() >= earliest)
            });
        }
    }
}

fn wanted(asked: Option<AlertKind>, kind: AlertKind) -> bool {
    asked.is_none_or(|asked| asked == kind)
}

/// The place that the filters name.
pub async fn place(context: &Context, filter: &AlertFilter) -> Result<AlertPlace, CliError> {
    if let Some(name) = &filter.endpoint {
        let endpoint = references::endpoint(context, name).await?;
        return Ok(AlertPlace {
            customer: references::owner(context, &endpoint)?,
            scope: AlertScope::Server(endpoint.id),
        });
    }
    if let Some(name) = &filter.domain {
        let (domain, customer) = named::one(context, name).await?;
        let scope = AlertScope::Domain(Box::new(domain));
        return Ok(AlertPlace { customer, scope });
    }
    Ok(AlertPlace {
        customer: customer(context)?,
        scope: AlertScope::Customer,
    })
}

/// The customer whose alerts are asked for where nothing else says it.
pub fn customer(context: &Context) -> Result<CustomerId, CliError> {
    if context.session.settings.customer.is_none() && !context.prompt.may_ask() {
        return Err(CliError::usage(
            "no customer given: name one with -c, or a server with --endpoint",
        )
        .hint("as in `alert list -c 42`, or for everybody's: `alert list --all-customers`"));
    }
    context.customer()
}

/// The list of a customer's port alerts; none where none can be in this state.
fn ports(
    customer: CustomerId,
    scope: &AlertScope,
    status: Option<AlertStatusArg>,
) -> Option<ListPortAlerts> {
    let mut list = ListPortAlerts::new(customer).per_page(references::PAGE_SIZE);
    list.status = match status {
        None => None,
        Some(AlertStatusArg::Open) => Some(PortAlertStatus::Open),
        Some(AlertStatusArg::Resolved) => Some(PortAlertStatus::Resolved),
        Some(AlertStatusArg::Acknowledged) => return None,
    };
    if let AlertScope::Server(id) = scope {
        list.endpoint_id = Some(*id);
    }
    Some(list)
}

async fn domains(
    context: &Context,
    customer: CustomerId,
    scope: &AlertScope,
) -> Result<Vec<DomainId>, CliError> {
    if let AlertScope::Domain(domain) = scope {
        return Ok(vec![domain.id]);
    }
    let domains = references::all_domains(&context.session, customer).await?;
    if domains.len() > EXPENSIVE {
        context.screen.note(&format!(
            "reading the alerts of {} domains takes as many calls",
            domains.len()
        ));
    }
    Ok(domains.into_iter().map(|domain| domain.id).collect())
}

fn domain_status(status: AlertStatusArg) -> DomainAlertStatus {
    match status {
        AlertStatusArg::Open => DomainAlertStatus::Open,
        AlertStatusArg::Acknowledged => DomainAlertStatus::Acknowledged,
        AlertStatusArg::Resolved => DomainAlertStatus::Resolved,
    }
}

/// So many calls are worth a word.
const EXPENSIVE: usize = 20;
