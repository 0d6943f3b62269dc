//! The calls that take a change back.

use super::inverse::{Inverse, To};
use super::{present, rule_fields};
use crate::bulk::{Applied, RowOutcome};
use crate::commands::rules::rule::unreadable;
use crate::error::{CliError, Exit};
use crate::session::Session;
use crate::session::calls::PlannedChange;
use crate::state::history::ChangeRow;
use secmon::Operation;
use secmon::model::{CustomerId, Rule};
use secmon::operations::{
    CreateRule, DeleteRule, ResumeDomain, ResumeEndpoint, SuspendDomain, SuspendEndpoint,
    UpdateDomain, UpdateEndpoint, UpdateRule,
};
use serde::Serialize;
use serde_json::Value;

/// The calls that take one change back.
pub(super) struct Call<'a> {
    pub(super) session: &'a Session,
    pub(super) change: &'a ChangeRow,
}

impl Call<'_> {
    pub(super) async fn back(&self, inverse: &Inverse) -> Result<RowOutcome, CliError> {
        match inverse {
            Inverse::RemoveRules(rules, customer) => {
                let mut outcome = RowOutcome::Skipped(self.applied(None));
                for rule in rules {
                    let mut request = DeleteRule::account_wide(rule.id);
                    request.billing_customer_id = *customer;
                    match self.send(request, rule).await {
                        Ok(removed) => outcome = removed,
                        // Somebody has removed it already.
                        Err(error) if error.exit() == Exit::NotFound => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(outcome)
            }
            Inverse::AddRule(rule, customer) => {
                self.send(again(rule, *customer)?, &Value::Null).await
            }
            Inverse::EditRule {
                before,
                after,
                customer,
            } => {
                // The service replaces the whole rule: what others have set since stays.
                let now = present::read_rule(self.session, before.id, *customer).await?;
                let mut rule = now.unwrap_or_else(|| after.as_ref().clone());
                rule_fields::set_by(before, after)
                    .for_each(|field| (field.copy)(&mut rule, before));
                let request = UpdateRule::from_rule(&rule);
                let mut request = request.ok_or_else(|| unreadable(&rule))?;
                request.billing_customer_id = *customer;
                self.send(request, after).await
            }
            Inverse::Server(id, To::Active) => {
                self.send(ResumeEndpoint::new(*id), &Value::Null).await
            }
            Inverse::Server(id, To::Paused) => {
                self.send(SuspendEndpoint::new(*id), &Value::Null).await
            }
            Inverse::Domain(id, _, To::Active) => {
                self.send(ResumeDomain::new(*id), &Value::Null).await
            }
            Inverse::Domain(id, _, To::Paused) => {
                self.send(SuspendDomain::new(*id), &Value::Null).await
            }
            Inverse::RenameServer {
                id,
                customer,
                before,
                ..
            } => {
                let request = UpdateEndpoint::new(*customer, *id).nickname(before);
                self.send(request, &Value::Null).await
            }
            Inverse::RenameDomain { id, before, .. } => {
                let request = UpdateDomain::new(*id, before.as_str());
                self.send(request, &Value::Null).await
            }
        }
    }

    async fn send<O: Operation>(
        &self,
        request: O,
        before: &impl Serialize,
    ) -> Result<RowOutcome, CliError> {
        let server = self.change.server.as_ref().and_then(|id| id.parse().ok());
        let planned = PlannedChange::new(format!("undo: {}", self.change.about))
            .of(super::inverse::owner(self.change))
            .on(server)
            .before(before)
            .undoing(self.change.key);
        let answered = self.session.change(request, planned).await?;
        Ok(answered.map_or(RowOutcome::Planned, |answered| {
            self.applied(answered.response.note()).changed()
        }))
    }

    pub(super) fn applied(&self, note: Option<&str>) -> Applied {
        Applied {
            note: note.map(str::to_owned),
            sentence: format!("Undone: {}.", self.change.about),
            ..self.told()
        }
    }

    /// What is as it was before, without a call.
    pub(super) fn already_back(&self) -> Applied {
        Applied {
            sentence: format!(
                "Nothing to undo: {} is already as it was before.",
                self.change.about
            ),
            ..self.told()
        }
    }

    fn told(&self) -> Applied {
        Applied {
            id: self.change.id.clone(),
            record: serde_json::json!({ "undone": self.change.id, "about": self.change.about }),
            ..Applied::default()
        }
    }
}

/// A rule as it was, made anew.
fn again(rule: &Rule, customer: CustomerId) -> Result<CreateRule, CliError> {
    let ports = rule.ports().ok_or_else(|| unreadable(rule))?;
    let (protocol, reason) = (rule.protocol.clone(), rule.justification.clone());
    let reason = reason.unwrap_or_default();
    let mut request = match rule.endpoint_id {
        Some(server) => CreateRule::for_endpoint(server, ports, protocol, reason),
        None => CreateRule::account_wide(ports, protocol, reason),
    };
    request.billing_customer_id = Some(customer);
    request.service.clone_from(&rule.service);
    request.expires_at = rule.expires_at.as_ref().map(|end| end.date_time().into());
    Ok(request)
}
