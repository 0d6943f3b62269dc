//! Provisioning of subscriptions.

use std::time::Duration;

use http::StatusCode;
use secmon_engine::{
    ChangeSubscription, ClientId, Done, DowngradeCheck, Outcome, ProvisionSubscription, Refusal,
    ServiceId, Session, SubscriptionMoved, SubscriptionRef, SubscriptionStatus, SubscriptionView,
};

use super::context::Context;
use super::customer;
use super::problem::Problem;
use super::reply::{self, Reply};
use crate::observation::notice::{ContractLine, Fact};
use crate::values::fields::{Fields, Raw, readers};

/// So soon after its end, a subscription with another plan or quantity is a change of the ended one.
const SOON: Duration = Duration::from_secs(10);

/// `POST provision-subscription`.
pub(crate) fn provision(context: &mut Context<'_>) -> Result<Reply, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    let client = customer::new_client(&mut fields, "client_id");
    let service = fields.required("service_id", customer::service);
    let product = fields.required("product_slug", customer::slug);
    let plan = fields.optional("plan_slug", customer::slug);
    let quantity = fields.optional("quantity", quantity);
    customer::check_mrr(&mut fields);
    if let (Some(product), false) = (&product, fields.failed("plan_slug")) {
        let client = client.as_ref().map(|client| client.id);
        let checked = context
            .account
            .check_plan(client, service, product, plan.as_deref());
        fields.judge("plan_slug", checked);
    }
    let request = fields.finish(|| {
        Some(ProvisionSubscription {
            client: client?,
            service: service?,
            product: product?,
            plan,
            quantity,
        })
    })?;
    let named = SubscriptionRef {
        client: request.client.id,
        service: request.service,
        product: request.product.clone(),
    };
    let cancelled = context
        .account
        .at(context.call)
        .recently_cancelled_in_use(&named, SOON);
    let done = context
        .account
        .at(context.call)
        .provision_subscription(request)?;
    let offer = |view: &SubscriptionView| (view.plan_slug.clone(), view.quantity);
    if cancelled.is_some_and(|cancelled| offer(&cancelled) != offer(&done.value)) {
        context.note(Fact::RecreatedSubscription);
    }
    if let Some(line) = ContractLine::of(&named) {
        context.note(Fact::LineProvisioned(line));
    }
    Ok(reply::success_done(done, context.now()))
}

type Transition =
    fn(&mut Session<'_>, &SubscriptionRef) -> Result<Done<SubscriptionMoved>, Refusal>;

fn transition(context: &mut Context<'_>, go: Transition) -> Result<Reply, Problem> {
    let mut fields = Fields::of_body(context.request.object()?);
    let named = Named::read(&mut fields);
    let subscription = fields.finish(|| named.subscription())?;
    let done = go(&mut context.account.at(context.call), &subscription)?;
    let has_ended =
        done.outcome == Outcome::Changed && done.value.status == SubscriptionStatus::Cancelled;
    if let Some(line) = ContractLine::of(&subscription).filter(|_| has_ended) {
        context.note(Fact::LineEnded(line));
    }
    Ok(reply::success_done(done, context.now()))
}

/// `POST suspend-subscription`.
pub(crate) fn suspend(context: &mut Context<'_>) -> Result<Reply, Problem> {
    transition(context, |session, named| {
        session.suspend_subscription(named)
    })
}

/// `POST resume-subscription`.
pub(crate) fn resume(context: &mut Context<'_>) -> Result<Reply, Problem> {
    transition(context, |session, named| session.resume_subscription(named))
}

/// `POST terminate-subscription`.
pub(crate) fn terminate(context: &mut Context<'_>) -> Result<Reply, Problem> {
    transition(context, |session, named| {
        session.terminate_subscription(named)
    })
}

/// `POST change-subscription` (D4, D5).
pub(crate) fn change(context: &mut Context<'_>) -> Result<Reply, Problem> {
    const VALUES: [&str; 2] = ["new_plan_slug", "new_quantity"];
    let mut fields = Fields::of_body(context.request.object()?);
    let named = Named::read(&mut fields);
    let new_plan = fields.optional("new_plan_slug", customer::slug);
    let new_quantity = fields.optional("new_quantity", quantity);
    let downgrade = match fields.optional("force", readers::boolean) {
        Some(true) => DowngradeCheck::Force,
        Some(false) | None => DowngradeCheck::Refuse,
    };
    let wrong = VALUES.iter().any(|name| fields.failed(name));
    if new_plan.is_none() && new_quantity.is_none() && !wrong {
        for name in VALUES {
            let sentence = "One of new_plan_slug and new_quantity is required.";
            fields.reject(name, sentence.to_owned());
        }
    }
    if let Some(product) = &named.product {
        let checked = context.account.check_new_plan(product, new_plan.as_deref());
        fields.judge("new_plan_slug", checked);
    }
    let request = fields.finish(|| {
        Some(ChangeSubscription {
            subscription: named.subscription()?,
            new_plan,
            new_quantity,
            downgrade,
        })
    })?;
    if downgrade == DowngradeCheck::Force {
        context.note(Fact::ForcedChange);
    }
    let change = context
        .account
        .at(context.call)
        .change_subscription(request)?;
    Ok(reply::success(StatusCode::OK, change, context.now()))
}

/// The members that name a subscription; those that are wrong are noted and left out.
struct Named {
    client: Option<ClientId>,
    service: Option<ServiceId>,
    product: Option<String>,
}

impl Named {
    fn read(fields: &mut Fields<'_>) -> Self {
        Self {
            client: fields.required("client_id", customer::number),
            service: fields.required("service_id", customer::service),
            product: fields.required("product_slug", customer::slug),
        }
    }

    fn subscription(self) -> Option<SubscriptionRef> {
        Some(SubscriptionRef {
            client: self.client?,
            service: self.service?,
            product: self.product?,
        })
    }
}

fn quantity(raw: Raw) -> readers::Read<u32> {
    let number = readers::integer(1..=10_000)(raw)?;
    u32::try_from(number).map_err(|_| "must be at most 10000.".to_owned())
}
