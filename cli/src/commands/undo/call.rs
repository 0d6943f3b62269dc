//! The calls that take a change back.

use super::effect::is_done;
use crate::bulk::{Done, End};
use crate::commands::rules::rule::unreadable;
use crate::error::{CliError, Exit};
use crate::notebook::history::Entry;
use crate::notebook::way_back::{Capacity, Switched, WayBack};
use crate::session::Session;
use secmon::model::{CustomerId, Rule};
use secmon::operations::{
    ChangeSubscription, CreateRule, DeleteRule, ResumeDomain, ResumeEndpoint, ResumeSubscription,
    SetScenario, SuspendDomain, SuspendEndpoint, SuspendSubscription, UpdateDomain, UpdateEndpoint,
    UpdateRule,
};
use secmon::{Operation, Response};

/// The calls that take one change back.
pub(super) struct Call<'a> {
    pub(super) session: &'a Session,
    pub(super) entry: &'a Entry,
}

impl Call<'_> {
    pub(super) async fn back(&self, way_back: &WayBack) -> Result<End, CliError> {
        match way_back {
            WayBack::Nothing => Ok(End::Skipped(self.done(None))),
            WayBack::RemoveRules { rules, customer } => {
                let mut end = End::Skipped(self.done(None));
                for rule in rules {
                    let mut request = DeleteRule::account_wide(*rule);
                    request.billing_customer_id = *customer;
                    match self.send(request).await {
                        Ok(removed) => end = removed,
                        // Somebody has removed it already.
                        Err(error) if error.exit() == Exit::NotFound => {}
                        Err(error) => return Err(error),
                    }
                }
                Ok(end)
            }
            WayBack::AddRule { rule, customer } => self.send(again(rule, *customer)?).await,
            WayBack::EditRule { rule, customer } => {
                let mut request = UpdateRule::from_rule(rule).ok_or_else(|| unreadable(rule))?;
                request.billing_customer_id = *customer;
                self.send(request).await
            }
            WayBack::Resume(switched) => self.resume(switched).await,
            WayBack::Suspend(switched) => self.suspend(switched).await,
            WayBack::RenameServer {
                server,
                customer,
                name,
            } => {
                let request = UpdateEndpoint::new(*customer, *server).nickname(name);
                self.send(request).await
            }
            WayBack::RenameDomain { domain, name } => {
                self.send(UpdateDomain::new(*domain, name.as_str())).await
            }
            WayBack::SetScenario { scenario } => {
                self.send(SetScenario::new(scenario.clone())).await
            }
            WayBack::ChangeSubscription {
                customer,
                service,
                product,
                to,
            } => {
                let mut request = ChangeSubscription::new(*customer, *service, product.clone());
                match to {
                    Capacity::Plan(plan) => request.new_plan_slug = Some(plan.clone()),
                    Capacity::Quantity(quantity) => request.new_quantity = Some(*quantity),
                }
                self.send(request).await
            }
        }
    }

    async fn resume(&self, switched: &Switched) -> Result<End, CliError> {
        match switched {
            Switched::Server { id } => self.send(ResumeEndpoint::new(*id)).await,
            Switched::Domain { id } => self.send(ResumeDomain::new(*id)).await,
            Switched::Subscription {
                customer,
                service,
                product,
            } => {
                let request = ResumeSubscription::new(*customer, *service, product.clone());
                self.send(request).await
            }
        }
    }

    async fn suspend(&self, switched: &Switched) -> Result<End, CliError> {
        match switched {
            Switched::Server { id } => self.send(SuspendEndpoint::new(*id)).await,
            Switched::Domain { id } => self.send(SuspendDomain::new(*id)).await,
            Switched::Subscription {
                customer,
                service,
                product,
            } => {
                let request = SuspendSubscription::new(*customer, *service, product.clone());
                self.send(request).await
            }
        }
    }

    async fn send<O: Operation>(&self, request: O) -> Result<End, CliError> {
        let about = format!("taking back: {}", self.entry.about);
        let sent = self.session.write_undoing(request, &about, &self.entry.id);
        Ok(sent
            .await?
            .map_or(End::Planned, |answer: Response<O::Output>| {
                self.done(answer.note()).changed()
            }))
    }

    fn done(&self, note: Option<&str>) -> Done {
        let removes_rules = matches!(self.entry.way_back, Some(WayBack::RemoveRules { .. }));
        let then = match removes_rules {
            true => " If a port is still open, the next scan raises an alert.",
            false => "",
        };
        Done {
            id: self.entry.id.clone(),
            record: serde_json::json!({ "undone": self.entry.id, "about": self.entry.about }),
            note: note.map(str::to_owned),
            sentence: format!("Undone: {}.{then}", is_done(self.entry)),
            ..Done::default()
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
