//! Rules and alerts by id, or by the first digits of it.

use super::id_prefix::{SHORTEST_PREFIX, is_id_or_prefix};
use crate::error::{CliError, LocalErrorKind};
use crate::session::Session;
use crate::state::records::{AlertRecord, Observation, RuleRecord};
use secmon::Pages;
use secmon::model::{CustomerId, PortAlert, Rule};
use secmon::operations::{ListPortAlerts, ListRules};

/// So many records of a list come with one call.
pub const PAGE_SIZE: u32 = 100;

/// A kind of record: its name in a sentence, and the command that lists it.
#[derive(Debug, Clone, Copy)]
pub struct RecordKind {
    /// As `rule`.
    pub one: &'static str,
    /// As `rules list`, with `-c ID` where it lists nothing without a customer.
    pub list: &'static str,
}

impl RecordKind {
    fn list_of(self, customer: Option<CustomerId>) -> String {
        match customer {
            None => self.list.to_owned(),
            Some(customer) => format!("{} -c {customer}", self.list.trim_end_matches(" -c ID")),
        }
    }
}

/// Refuses a name that can fit no id before anything is asked: an empty one, and too few digits of an id.
pub fn check_named(kind: RecordKind, text: &str) -> Result<(), CliError> {
    if text.trim().is_empty() {
        return Err(CliError::usage(format!(
            "the name of the {} is empty: give its id",
            kind.one
        )));
    }
    let id = text.trim().rsplit('/').next().unwrap_or_default();
    if id.len() < SHORTEST_PREFIX && id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(CliError::usage(format!(
            "{id:?} is too short: give at least the first {SHORTEST_PREFIX} characters of the {}'s id",
            kind.one
        ))
        .hint(format!("see the ids: `{} -o ids`", kind.list)));
    }
    Ok(())
}

/// Finds the record an id, or the first digits of one, stands for.
pub fn by_id_or_prefix<T>(
    session: &Session,
    text: &str,
    kind: RecordKind,
    records: Vec<T>,
    id_of: fn(&T) -> String,
) -> Result<T, CliError> {
    let text = text.trim();
    let one = kind.one;
    let fits = |record: &T| is_id_or_prefix(text, &id_of(record));
    let mut found: Vec<T> = records.into_iter().filter(fits).collect();
    match found.len() {
        0 => {
            let list = kind.list_of(session.settings.customer);
            let hint = format!("give the id of the {one}; see the ids: `{list}`");
            Err(CliError::not_found(format!("no {one} {text:?}")).hint(hint))
        }
        1 => Ok(found.remove(0)),
        many => {
            let ids: Vec<String> = found.iter().map(id_of).collect();
            let message = format!(
                "{text:?} is the beginning of {many} ids: {}",
                ids.join(", ")
            );
            Err(CliError::new(LocalErrorKind::Ambiguous, message))
        }
    }
}

/// All rules that a customer (or, without one, the account) has.
pub async fn all_rules(
    session: &Session,
    narrow: impl FnOnce(&mut ListRules),
) -> Result<Vec<Rule>, CliError> {
    session.ready().await?;
    let list = rules_of(session, narrow);
    let whose = list.billing_customer_id;
    let whole = list.endpoint_id.is_none() && list.scope.is_none() && list.status.is_none();
    let rules = session.client()?.pages(list).collect_stable().await?;
    let records = rules
        .iter()
        .map(|rule| RuleRecord::of(whose, rule))
        .collect();
    session.learn(match whole {
        true => Observation::AllRules(whose, records),
        false => Observation::Rules(records),
    });
    Ok(rules)
}

/// The same page by page.
pub async fn rule_pages(
    session: &Session,
    narrow: impl FnOnce(&mut ListRules),
) -> Result<Pages<ListRules>, CliError> {
    session.ready().await?;
    Ok(session.client()?.pages(rules_of(session, narrow)))
}

fn rules_of(session: &Session, narrow: impl FnOnce(&mut ListRules)) -> ListRules {
    let mut list = ListRules::account_wide().per_page(PAGE_SIZE);
    list.billing_customer_id = session.settings.customer;
    narrow(&mut list);
    list
}

/// All port alerts of a customer.
pub async fn all_alerts(
    session: &Session,
    customer: CustomerId,
    narrow: impl FnOnce(&mut ListPortAlerts),
) -> Result<Vec<PortAlert>, CliError> {
    session.ready().await?;
    let mut list = ListPortAlerts::new(customer).per_page(PAGE_SIZE);
    narrow(&mut list);
    let alerts = session.client()?.pages(list).collect_stable().await?;
    let records = alerts
        .iter()
        .map(|alert| AlertRecord::of_port(customer, alert));
    session.learn(Observation::Alerts(customer, None, records.collect()));
    Ok(alerts)
}
