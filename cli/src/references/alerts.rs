//! Alerts of both kinds: what they have in common, and how they are found.

use crate::context::Context;
use crate::error::CliError;
use crate::notebook::index::{AlertRecord, Seen};
use crate::references::alert_pages::AlertPages;
use crate::references::{self, DomainRef, RecordKind};
use crate::session::Session;
use crate::ui::outcome::count_or_unknown;
use crate::ui::severity_rank;
use secmon::model::{
    CustomerId, DomainAlert, DomainAlertStatus, DomainAlertType, DomainId, PortAlert, Severity,
    Timestamp,
};
use secmon::operations::{GetDomainAlert, GetPortAlert};
use secmon::watch::CustomerAlert;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use uuid::Uuid;

/// An alert. As JSON it is what the API gives.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub enum Alert {
    /// An open port that no rule allows.
    Port(Box<PortAlert>),
    /// A leak or a mention.
    Domain(Box<DomainAlert>),
}

impl Alert {
    /// An alert of a watch, if it is of a kind that is known here.
    pub fn of(alert: &CustomerAlert) -> Option<Self> {
        match alert {
            CustomerAlert::Port(alert) => Some(Self::Port(Box::new(alert.clone()))),
            CustomerAlert::Domain(alert) => Some(Self::Domain(Box::new(alert.clone()))),
            _ => None,
        }
    }

    /// Whether it is about an open port of a server.
    pub fn is_of_port(&self) -> bool {
        matches!(self, Self::Port(_))
    }

    /// The name that commands understand: an id, or `DOMAIN/ID`.
    pub fn handle(&self) -> String {
        match self {
            Self::Port(alert) => alert.id.to_string(),
            Self::Domain(alert) => {
                let domain = alert
                    .domain
                    .clone()
                    .unwrap_or_else(|| alert.monitored_domain_id.to_string());
                format!("{domain}/{}", alert.id)
            }
        }
    }

    /// The id alone.
    pub fn id(&self) -> String {
        match self {
            Self::Port(alert) => alert.id.to_string(),
            Self::Domain(alert) => alert.id.to_string(),
        }
    }

    /// How bad it is.
    pub fn severity(&self) -> Option<&Severity> {
        match self {
            Self::Port(alert) => alert.severity.as_ref(),
            Self::Domain(alert) => alert.severity.as_ref(),
        }
    }

    /// When it was raised.
    pub fn first_seen(&self) -> Option<&Timestamp> {
        match self {
            Self::Port(alert) => alert.first_detected_at.as_ref(),
            Self::Domain(alert) => alert.created_at.as_ref(),
        }
    }

    /// Its state.
    pub fn status(&self) -> String {
        match self {
            Self::Port(alert) => alert.status.to_string(),
            Self::Domain(alert) => alert.status.to_string(),
        }
    }

    /// What it is about, in a few words.
    pub fn about(&self) -> String {
        match self {
            Self::Port(alert) => {
                let service = alert
                    .service
                    .as_deref()
                    .map(|service| format!(" ({service})"))
                    .unwrap_or_default();
                format!("port {}/{}{service}", alert.port, alert.protocol)
            }
            Self::Domain(alert) => found(alert),
        }
    }

    /// What was found, in a few words.
    pub fn finding(&self) -> String {
        match self {
            Self::Port(_) => format!("open {}", self.about()),
            Self::Domain(_) => self.about(),
        }
    }

    /// What was found, in the service's words where it has some.
    pub fn sentence(&self) -> String {
        match self {
            Self::Port(alert) => alert.title.clone().unwrap_or_else(|| self.finding()),
            Self::Domain(_) => self.finding(),
        }
    }

    /// What is kept in mind of it.
    pub fn record(&self, customer: CustomerId) -> AlertRecord {
        match self {
            Self::Port(alert) => AlertRecord::of_port(customer, alert),
            Self::Domain(alert) => AlertRecord::of_domain(customer, alert),
        }
    }

    /// The server or the domain.
    pub fn place(&self) -> Option<String> {
        match self {
            Self::Port(alert) => alert.ip_address.as_ref().map(ToString::to_string),
            Self::Domain(alert) => alert.domain.clone(),
        }
    }
}

/// What a scan found, and what the one before it had: a later alert counts what an earlier one did, and more.
fn found(alert: &DomainAlert) -> String {
    let (now, before) = (
        count_or_unknown(alert.new_count),
        count_or_unknown(alert.previous_count),
    );
    match &alert.kind {
        DomainAlertType::DarkWebMention => {
            format!("dark-web mentions: {now} (was {before})")
        }
        DomainAlertType::CredentialLeak => {
            let whose = alert
                .category
                .as_ref()
                .map(|category| format!(" of {}", category.to_string().replace('_', " ")))
                .unwrap_or_default();
            format!("leaked credentials{whose}: {now} (was {before})")
        }
        other => format!("{other}: {now} (was {before})"),
    }
}

/// `high`, or `high+` for it and what is worse.
#[derive(Debug, Clone)]
pub struct SeverityFilter {
    severity: Severity,
    and_above: bool,
}

impl SeverityFilter {
    /// Reads what was typed.
    pub fn parse(text: &str) -> Result<Self, CliError> {
        let (name, and_above) = text
            .strip_suffix('+')
            .map_or((text, false), |name| (name, true));
        let severity = Severity::from(name.to_ascii_lowercase().as_str());
        if matches!(severity, Severity::Unknown(_)) {
            let known = "low, medium, high, critical (with + behind it: and above)";
            return Err(CliError::usage(format!(
                "--severity: {text:?} is unknown: use one of {known}"
            )));
        }
        Ok(Self {
            severity,
            and_above,
        })
    }

    /// Whether an alert of this severity is wanted.
    pub fn admits(&self, severity: Option<&Severity>) -> bool {
        severity.is_some_and(|severity| match self.and_above {
            true => severity_rank(severity) >= severity_rank(&self.severity),
            false => *severity == self.severity,
        })
    }
}

/// The alerts of these domains, newest first in each.
pub async fn of_domains(
    session: &Session,
    customer: CustomerId,
    domains: &[DomainRef],
    status: Option<&DomainAlertStatus>,
) -> Result<Vec<Alert>, CliError> {
    let mut alerts = Vec::new();
    for domain in domains {
        let list = AlertPages::of_domain(session, customer, domain.id, status)?;
        alerts.extend(list.collect().await?);
    }
    Ok(alerts)
}

/// Keeps in mind all alerts of a customer that a look has shown.
pub fn learn(session: &Session, customer: CustomerId, alerts: &[Alert]) {
    let mut lists: BTreeMap<Option<DomainId>, Vec<AlertRecord>> = BTreeMap::new();
    for alert in alerts {
        let record = alert.record(customer);
        lists.entry(record.domain).or_default().push(record);
    }
    for (domain, records) in lists {
        session.learn(Seen::Alerts(customer, domain, records));
    }
}

const ALERT: RecordKind = RecordKind {
    one: "alert",
    list: "alert list",
};

/// Finds the alerts that the arguments name, all of them before any is acted on.
pub async fn find(context: &Context, names: &[String]) -> Result<Vec<Alert>, CliError> {
    for name in names {
        references::check_named(ALERT, name)?;
    }
    let customer = customer_of(context, names)?;
    let mut all: Option<Vec<Alert>> = None;
    let mut found = Vec::new();
    for name in names {
        let name = name.trim();
        if let Some(alert) = listed_before(&context.session, customer, name).await? {
            found.push(alert);
            continue;
        }
        if let Some(alert) = exactly(context, customer, name).await? {
            found.push(alert);
            continue;
        }
        if all.is_none() {
            all = Some(everything(&context.session, customer).await?);
        }
        found.push(references::by_id_or_prefix(
            &context.session,
            name,
            ALERT,
            all.clone().unwrap_or_default(),
            Alert::id,
        )?);
    }
    Ok(found)
}

/// The customer that was named, or the one whose alerts were listed with these ids; else a person is asked.
fn customer_of(context: &Context, names: &[String]) -> Result<CustomerId, CliError> {
    if context.session.settings.customer.is_none() {
        let known = &context.session.known()?.alerts;
        let domains: Vec<String> = names
            .iter()
            .filter_map(|name| Some(name.rsplit_once('/')?.0.to_owned()))
            .collect();
        if !domains.is_empty() {
            return references::customer_of_domains(context, &domains);
        }
        let listed = names.iter().map(|name| listed(known, name));
        let owners: Option<BTreeSet<CustomerId>> =
            listed.map(|alert| Some(alert?.customer)).collect();
        if let Some(owner) = owners
            .filter(|owners| owners.len() == 1)
            .and_then(|mut owners| owners.pop_first())
        {
            context.imply_customer(owner);
        }
    }
    context.customer()
}

/// The one alert of the last listings whose id is this or begins so.
fn listed<'a>(known: &'a [AlertRecord], name: &str) -> Option<&'a AlertRecord> {
    let mut fitting = known
        .iter()
        .filter(|alert| references::is_id_or_prefix(name.trim(), &alert.id.to_string()));
    let one = fitting.next();
    one.filter(|_| fitting.next().is_none())
}

/// Reads an alert that the last listing has shown, if it is still there.
async fn listed_before(
    session: &Session,
    customer: CustomerId,
    name: &str,
) -> Result<Option<Alert>, CliError> {
    let known = &session.known()?.alerts;
    let Some(alert) = listed(known, name).filter(|alert| alert.customer == customer) else {
        return Ok(None);
    };
    let (id, domain) = (alert.id, alert.domain);
    let read = match domain {
        Some(domain) => of_domain(session, domain, id, customer).await,
        None => of_port(session, id, customer).await,
    };
    let alert = references::if_there(read)?;
    if alert.is_none() {
        session.learn(Seen::Gone(id));
    }
    Ok(alert)
}

async fn of_domain(
    session: &Session,
    domain: DomainId,
    id: Uuid,
    customer: CustomerId,
) -> Result<Alert, CliError> {
    let get = GetDomainAlert::new(customer, domain, id.into());
    let alert = session.read(get).await?.into_data().alert;
    Ok(Alert::Domain(Box::new(alert)))
}

async fn of_port(session: &Session, id: Uuid, customer: CustomerId) -> Result<Alert, CliError> {
    let get = GetPortAlert::new(customer, id.into());
    let alert = session.read(get).await?.into_data().alert;
    Ok(Alert::Port(Box::new(alert)))
}

/// Reads an alert by a whole id: `ID` of a port alert, or `DOMAIN/ID`.
async fn exactly(
    context: &Context,
    customer: CustomerId,
    name: &str,
) -> Result<Option<Alert>, CliError> {
    let session = &context.session;
    if let Some((domain, alert)) = name.rsplit_once('/') {
        let domain = references::domain(context, domain).await?;
        let found = match alert.parse() {
            Ok(id) => of_domain(session, domain.id, id, customer).await?,
            Err(_) => {
                let all = of_domains(session, customer, &[domain], None).await?;
                references::by_id_or_prefix(session, alert, ALERT, all, Alert::id)?
            }
        };
        return Ok(Some(found));
    }
    let Ok(id) = name.parse::<Uuid>() else {
        return Ok(None);
    };
    references::if_there(of_port(session, id, customer).await)
}

async fn everything(session: &Session, customer: CustomerId) -> Result<Vec<Alert>, CliError> {
    let ports = references::all_alerts(session, customer, |_| {}).await?;
    let domains = references::all_domains(session, customer).await?;
    let mut all: Vec<Alert> = ports
        .into_iter()
        .map(|alert| Alert::Port(Box::new(alert)))
        .collect();
    all.extend(of_domains(session, customer, &domains, None).await?);
    Ok(all)
}
