//! How alerts of both kinds are found.

use crate::context::Context;
use crate::error::{CliError, if_found};
use crate::references::alert::Alert;
use crate::references::alert_pages::AlertPages;
use crate::references::{self, DomainRef, RecordKind};
use crate::session::Session;
use crate::state::records::{AlertRecord, Observation};
use secmon::model::{CustomerId, DomainAlertStatus, DomainId};
use secmon::operations::{GetDomainAlert, GetPortAlert};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU16;
use uuid::Uuid;

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
        session.learn(Observation::Alerts(customer, domain, records));
    }
}

const ALERT: RecordKind = RecordKind {
    one: "alert",
    list: "alert list -c ID",
};

/// Finds the alerts that the arguments name, all of them before any is acted on.
pub async fn find(context: &Context, names: &[String]) -> Result<Vec<Alert>, CliError> {
    for name in names {
        references::check_named(ALERT, name).map_err(|error| suggest_port(context, error, name))?;
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
        let all = all.clone().unwrap_or_default();
        let session = &context.session;
        match references::by_id_or_prefix(session, name, ALERT, all, Alert::id) {
            Ok(alert) => found.push(alert),
            Err(error) => return Err(of_another(session, customer, name, error).await),
        }
    }
    Ok(found)
}

/// An alert that the customer does not have may be another's, or there is no such customer.
async fn of_another(
    session: &Session,
    customer: CustomerId,
    name: &str,
    error: CliError,
) -> CliError {
    let known = session.known().ok();
    let owner = known
        .and_then(|known| listed(&known.alerts, name))
        .map(|alert| alert.customer)
        .filter(|owner| *owner != customer);
    if let Some(owner) = owner {
        return CliError::not_found(format!(
            "alert {name} belongs to customer {owner}, not to customer {customer}"
        ));
    }
    match references::refuse_unknown(session, customer).await {
        Ok(()) => error,
        Err(nobody) => nobody,
    }
}

/// A port in the place of an alert: its alerts can be listed.
fn suggest_port(context: &Context, error: CliError, name: &str) -> CliError {
    let whose = match context.session.settings.customer {
        Some(_) => "",
        None => " --all-customers",
    };
    match name.trim().parse::<NonZeroU16>() {
        Ok(port) => error.hint(format!(
            "for the alerts of a port: `alert list --port {port}{whose}`"
        )),
        Err(_) => error,
    }
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
        let alerts = names.iter().map(|name| listed(known, name));
        let owners: Option<BTreeSet<CustomerId>> =
            alerts.map(|alert| Some(alert?.customer)).collect();
        if let Some(owner) = owners
            .filter(|owners| owners.len() == 1)
            .and_then(|mut owners| owners.pop_first())
        {
            context.imply_customer(owner);
        }
        if let Some(unseen) = names.iter().find(|name| listed(known, name).is_none()) {
            let unseen = unseen.trim();
            return Err(CliError::usage(format!(
                "no alert {unseen:?} was listed on this computer, so its customer is not known: give it with -c ID"
            ))
            .hint("see the alerts there are: `alert list --all-customers`"));
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
    let alert = if_found(read)?;
    if alert.is_none() {
        session.learn(Observation::Gone(id));
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
    let alert = session.read(get).await?.alert;
    Ok(Alert::Domain(Box::new(alert)))
}

async fn of_port(session: &Session, id: Uuid, customer: CustomerId) -> Result<Alert, CliError> {
    let get = GetPortAlert::new(customer, id.into());
    let alert = session.read(get).await?.alert;
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
    if_found(of_port(session, id, customer).await)
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
