//! The rule that an argument names, and what a change of it touches.

use crate::commands::common::views::{self, place_of, ports_of};
use crate::error::{CliError, Exit};
use crate::references::{self, RecordKind};
use crate::session::Session;
use crate::session::calls::PlannedChange;
use crate::session::prompt::ConfirmationLevel;
use crate::state::records::Observation;
use crate::values::ports::PortSpec;
use secmon::model::{CustomerId, Rule};
use secmon::operations::{DeleteRule, GetRule, UpdateRule};
use secmon::{Operation, Response};
use uuid::Uuid;

/// How rules are named in sentences.
pub const RULE: RecordKind = RecordKind {
    one: "rule",
    list: "rules list",
};

/// Where a rule of no customer counts: nobody shall overlook it.
pub const EVERY_SERVER: &str = "all servers of the WHOLE ACCOUNT";

/// Rules that end within this many days are worth a look.
pub const SOON_DAYS: i64 = 14;

/// The ports of a rule.
pub fn ports(rule: &Rule) -> Result<PortSpec, CliError> {
    let range = rule.ports().ok_or_else(|| unreadable(rule))?;
    let protocol = rule.protocol.clone();
    Ok(PortSpec { range, protocol })
}

/// The error of a rule whose ports are none.
pub fn unreadable(rule: &Rule) -> CliError {
    CliError::not_found(format!("rule {} has no ports that can be read", rule.id))
}

/// Whether a rule is in force and about to expire.
pub fn ends_soon(rule: &Rule) -> bool {
    let soon = chrono::Utc::now() + chrono::TimeDelta::days(SOON_DAYS);
    let end = rule.expires_at.as_ref();
    rule.is_active != Some(false) && end.is_some_and(|end| end.date_time() <= soon)
}

/// A rule in one sentence, with its service and its end: what an edit may have changed.
pub fn sentence(rule: &Rule, place: &str) -> String {
    let mut ports = ports_of(rule);
    if let Some(service) = &rule.service {
        ports += &format!(" ({service})");
    }
    let end = rule.expires_at.as_ref();
    let end = end.map(|end| format!(" until {}", end.date_time().format("%Y-%m-%d")));
    match rule.is_active {
        Some(false) => format!("{ports} was allowed on {place}; the rule has expired."),
        _ => match end {
            Some(end) => format!("{ports} is allowed on {place}{end}."),
            None => format!("{ports} is allowed on {place}; the rule does not expire."),
        },
    }
}

/// For whom a change of a rule is made: as `-c` says, or as this computer has seen whose a global rule is. The change is
/// sent for that customer, so the service refuses it where the rule is another's.
pub fn customer_of(session: &Session, rule: &Rule) -> Option<CustomerId> {
    let named = session.settings.customer;
    named.or_else(|| {
        let known = session.known().ok()?;
        let owner = known.global_rules.get(&rule.id)?;
        owner.customer().filter(|_| rule.endpoint_id.is_none())
    })
}

/// The servers that a change of a rule is about. Whose a global rule is, the service tells only by refusing to change it
/// for a customer who does not own it.
pub fn servers_of(session: &Session, rule: &Rule) -> String {
    match (rule.endpoint_id, customer_of(session, rule)) {
        (Some(_), _) => place_of(rule),
        (None, Some(customer)) => format!("all servers of customer {customer}"),
        (None, None) => {
            format!("{EVERY_SERVER}, or all servers of one customer (give -c ID to make sure)")
        }
    }
}

/// How hard a change of a rule is to take back: one that may be the account's is everybody's.
pub fn danger_of(session: &Session, rule: &Rule, of_one: ConfirmationLevel) -> ConfirmationLevel {
    match (rule.endpoint_id, customer_of(session, rule)) {
        (None, None) => ConfirmationLevel::Severe,
        _ => of_one,
    }
}

/// What a rule is about, in a list.
pub fn place(session: &Session, rule: &Rule) -> String {
    format!("{} on {}", ports_of(rule), servers_of(session, rule))
}

/// What a change of a rule is about.
pub fn about(session: &Session, rule: &Rule) -> String {
    format!("rule for {}", place(session, rule))
}

/// Removes a rule for whom it is said to be; false in a dry run.
pub async fn remove(
    session: &Session,
    rule: &Rule,
    customer: Option<CustomerId>,
) -> Result<bool, CliError> {
    let mut request = DeleteRule::account_wide(rule.id);
    request.billing_customer_id = customer;
    let sent = send(session, rule, request).await;
    let sent = sent.map_err(|error| error.during(format!("removing rule {}", rule.id)))?;
    if sent.is_some() {
        session.learn(Observation::Gone(rule.id.into()));
    }
    Ok(sent.is_some())
}

/// Changes a rule; nothing in a dry run.
pub async fn update(
    session: &Session,
    rule: &Rule,
    update: UpdateRule,
) -> Result<Option<Response<Rule>>, CliError> {
    let sent = send(session, rule, update).await;
    sent.map_err(|error| error.during(format!("changing rule {}", rule.id)))
}

async fn send<O: Operation>(
    session: &Session,
    rule: &Rule,
    request: O,
) -> Result<Option<Response<O::Output>>, CliError> {
    let planned = PlannedChange::new(about(session, rule))
        .of(owner_of(session, rule))
        .on(rule.endpoint_id)
        .before(rule);
    let sent = session.write(request, planned).await;
    sent.map_err(|error| refused_for_customer(session, rule, error))
}

/// A rule that every customer sees and none may change is the account's.
fn refused_for_customer(session: &Session, rule: &Rule, error: CliError) -> CliError {
    match (rule.endpoint_id, customer_of(session, rule)) {
        (None, Some(customer)) if error.exit() == Exit::NotFound => CliError::not_found(format!(
            "rule {} does not belong to customer {customer}: it applies to the whole account",
            rule.id
        ))
        .hint("to change it for every customer, leave out -c"),
        _ => error,
    }
}

/// Whose a rule is, as far as it or the command line tells.
pub fn owner_of(session: &Session, rule: &Rule) -> Option<CustomerId> {
    views::owner_of(rule).or_else(|| customer_of(session, rule))
}

/// The rule with this id, or with one that begins so.
pub async fn find(session: &Session, name: &str) -> Result<Rule, CliError> {
    references::check_named(RULE, name)?;
    if let Ok(id) = name.trim().parse::<Uuid>() {
        let mut get = GetRule::account_wide(id.into());
        get.billing_customer_id = session.settings.customer;
        let found = session.read(get).await;
        if let (Err(error), Some(customer)) = (&found, session.settings.customer)
            && error.exit() == Exit::NotFound
        {
            references::refuse_unknown(session, customer).await?;
        }
        return found;
    }
    let rules = references::all_rules(session, |_| {}).await?;
    references::by_id_or_prefix(session, name, RULE, rules, |rule| rule.id.to_string())
}
