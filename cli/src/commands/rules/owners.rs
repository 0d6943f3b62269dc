//! Whose global rules are. The service lists one for every customer whom it counts for, and never says whose it is.

use crate::context::Context;
use crate::error::CliError;
use crate::references;
use crate::state::records::Observation;
use crate::state::rule_owner::RuleOwner;
use secmon::model::{CustomerId, Rule, RuleId, RuleScope};
use std::collections::HashMap;

/// The owners of those of the rules that are global, as far as this computer remembers it or, for rules that were listed for
/// a customer, one more call can tell.
pub async fn of(
    context: &Context,
    rules: &[Rule],
    whose: Option<CustomerId>,
) -> Result<HashMap<RuleId, RuleOwner>, CliError> {
    let session = &context.session;
    let mut owners = session.known()?.global_rules.clone();
    let is_unknown = |rule: &&Rule| rule.endpoint_id.is_none() && !owners.contains_key(&rule.id);
    let unknown: Vec<RuleId> = rules
        .iter()
        .filter(is_unknown)
        .map(|rule| rule.id)
        .collect();
    if let Some(customer) = whose
        && !unknown.is_empty()
    {
        let told = told_apart(context, customer, unknown).await?;
        context
            .session
            .learn(Observation::GlobalRules(told.clone()));
        owners.extend(told);
    }
    Ok(owners)
}

/// Tells a customer's rules from the account's: those are listed for any other customer as well.
async fn told_apart(
    context: &Context,
    customer: CustomerId,
    rules: Vec<RuleId>,
) -> Result<HashMap<RuleId, RuleOwner>, CliError> {
    let session = &context.session;
    let seen = references::seen_customers(session)?;
    let Some(other) = seen.into_iter().find(|other| *other != customer) else {
        return Ok(HashMap::new());
    };
    let others = references::all_rules(session, |list| {
        list.billing_customer_id = Some(other);
        list.scope = Some(RuleScope::Global);
    })
    .await?;
    let owner = |id| match others.iter().any(|rule| rule.id == id) {
        true => RuleOwner::Account,
        false => RuleOwner::Customer(customer),
    };
    Ok(rules.into_iter().map(|id| (id, owner(id))).collect())
}
