//! Whether a record is still as a change has left it: read directly before the change is taken back.

use super::inverse::{Inverse, To, described};
use super::rule_fields;
use crate::commands::common::views::ports_of;
use crate::error::{CliError, if_found};
use crate::references;
use crate::session::Session;
use crate::values::ports::PortSpec;
use secmon::model::{
    CustomerId, DomainId, DomainStatus, Endpoint, EndpointId, EndpointStatus, MonitoredDomain,
    Rule, RuleId,
};
use secmon::operations::{GetEndpoint, GetRule};

/// How a record is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Present {
    /// In what the change set, it is as the change has left it.
    AsLeft,
    /// It is as it was before the change.
    AlreadyBack,
    /// Somebody has changed it since: how it is now.
    Changed(String),
}

const GONE: &str = "it is no longer there";

/// Looks at the records of a change.
pub async fn look(session: &Session, inverse: &Inverse) -> Result<Present, CliError> {
    match inverse {
        Inverse::RemoveRules(rules, customer) => {
            let mut all = Present::AlreadyBack;
            for rule in rules {
                match read_rule(session, rule.id, *customer).await? {
                    None => {}
                    Some(now) if is_same(&now, rule) => all = Present::AsLeft,
                    Some(now) => return Ok(rule_now(&now)),
                }
            }
            Ok(all)
        }
        Inverse::AddRule(rule, customer) => place_of_rule(session, rule, *customer).await,
        Inverse::EditRule {
            before,
            after,
            customer,
        } => Ok(match read_rule(session, before.id, *customer).await? {
            None => Present::Changed(GONE.to_owned()),
            Some(now)
                if rule_fields::set_by(before, after).all(|field| (field.is_same)(&now, after)) =>
            {
                Present::AsLeft
            }
            Some(now)
                if rule_fields::set_by(before, after)
                    .all(|field| (field.is_same)(&now, before)) =>
            {
                Present::AlreadyBack
            }
            Some(now) => rule_now(&now),
        }),
        Inverse::Server(id, to) => {
            let server = read_server(session, *id).await?;
            Ok(server.map_or_else(gone, |server| state_of(&server, *to)))
        }
        Inverse::Domain(id, customer, to) => {
            let domain = read_domain(session, *id, *customer).await?;
            Ok(domain.map_or_else(gone, |domain| state_of_domain(&domain, *to)))
        }
        Inverse::RenameServer {
            id, before, after, ..
        } => {
            let server = read_server(session, *id).await?;
            let name = server.map(|server| server.nickname.unwrap_or_default());
            Ok(name.map_or_else(gone, |name| name_of(&name, before, after)))
        }
        Inverse::RenameDomain {
            id,
            customer,
            before,
            after,
        } => {
            let domain = read_domain(session, *id, *customer).await?;
            Ok(domain.map_or_else(gone, |domain| name_of(&domain.domain, before, after)))
        }
    }
}

fn rule_now(now: &Rule) -> Present {
    Present::Changed(format!("it allows {} now", described(now)))
}

fn gone() -> Present {
    Present::Changed(GONE.to_owned())
}

fn name_of(now: &str, before: &str, after: &str) -> Present {
    match now {
        name if name == after => Present::AsLeft,
        name if name == before => Present::AlreadyBack,
        name => Present::Changed(format!("it is named {name:?} now")),
    }
}

fn state_of(server: &Endpoint, to: To) -> Present {
    match (&server.status, to, server.quota_paused) {
        (EndpointStatus::Paused, To::Active, Some(true)) => {
            Present::Changed("the platform has paused it since".to_owned())
        }
        (EndpointStatus::Paused, To::Active, _) | (EndpointStatus::Active, To::Paused, _) => {
            Present::AsLeft
        }
        (EndpointStatus::Active, To::Active, _) | (EndpointStatus::Paused, To::Paused, _) => {
            Present::AlreadyBack
        }
        (other, _, _) => Present::Changed(format!("it is {other} now")),
    }
}

fn state_of_domain(domain: &MonitoredDomain, to: To) -> Present {
    match (&domain.status, to, domain.quota_paused) {
        (DomainStatus::Paused, To::Active, Some(true)) => {
            Present::Changed("the platform has paused it since".to_owned())
        }
        (DomainStatus::Paused, To::Active, _) | (DomainStatus::Active, To::Paused, _) => {
            Present::AsLeft
        }
        (DomainStatus::Active, To::Active, _) | (DomainStatus::Paused, To::Paused, _) => {
            Present::AlreadyBack
        }
        (other, _, _) => Present::Changed(format!("it is {other} now")),
    }
}

/// A rule that was removed can be made again where nothing is in its way.
async fn place_of_rule(
    session: &Session,
    rule: &Rule,
    customer: CustomerId,
) -> Result<Present, CliError> {
    if let Some(server) = rule.endpoint_id
        && read_server(session, server).await?.is_none()
    {
        return Ok(Present::Changed("its server is no longer there".to_owned()));
    }
    let there = references::all_rules(session, |list| {
        list.billing_customer_id = Some(customer);
        list.endpoint_id = rule.endpoint_id;
    })
    .await?;
    let mut there = there
        .iter()
        .filter(|other| other.endpoint_id == rule.endpoint_id && other.is_active != Some(false));
    let Some(range) = rule.ports() else {
        return Ok(Present::Changed("its ports cannot be read".to_owned()));
    };
    let port = PortSpec {
        range,
        protocol: rule.protocol.clone(),
    };
    Ok(match there.find(|other| port.meets(other)) {
        None => Present::AsLeft,
        Some(other) if is_same(other, rule) => Present::AlreadyBack,
        Some(other) => Present::Changed(format!("a rule for {} is there now", ports_of(other))),
    })
}

/// Whether two rules say the same, in what a person sets.
fn is_same(one: &Rule, other: &Rule) -> bool {
    one.endpoint_id == other.endpoint_id
        && rule_fields::ALL
            .iter()
            .all(|field| (field.is_same)(one, other))
}

/// The rule as it is, without the key that somebody may have written into it: what is remembered is without it too.
pub async fn read_rule(
    session: &Session,
    id: RuleId,
    customer: Option<CustomerId>,
) -> Result<Option<Rule>, CliError> {
    let mut get = GetRule::account_wide(id);
    get.billing_customer_id = customer;
    let found = if_found(session.read(get).await)?;
    Ok(found.map(|rule| session.without_key_in(&rule).unwrap_or(rule)))
}

async fn read_server(session: &Session, id: EndpointId) -> Result<Option<Endpoint>, CliError> {
    if_found(session.read(GetEndpoint::account_wide(id)).await)
}

async fn read_domain(
    session: &Session,
    id: DomainId,
    customer: CustomerId,
) -> Result<Option<MonitoredDomain>, CliError> {
    let listed = references::monitored(session, customer).await?;
    Ok(listed.into_iter().find(|domain| domain.id == id))
}
