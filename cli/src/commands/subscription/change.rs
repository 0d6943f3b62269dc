//! `secmon subscription change`.

use super::plans;
use super::target::{self, Size, SubscriptionTarget, conclude, with_moves};
use crate::bulk::{Applied, RowOutcome};
use crate::commands::common::capacity::{DOMAINS, Kept};
use crate::commands::lifecycle::{SubscriptionRef, send};
use crate::context::Context;
use crate::error::CliError;
use crate::state::records::Observation;
use crate::ui::outcome::Outcome;
use crate::values::durations::counted;
use clap::Args;
use secmon::Response;
use secmon::model::{PlanSlug, SubscriptionChange};
use secmon::operations::ChangeSubscription;

/// Another plan or quantity.
#[derive(Debug, Args)]
pub struct SubscriptionChangeArgs {
    /// Which one
    #[command(flatten)]
    pub target: SubscriptionTarget,
    /// The new plan
    #[arg(long, value_name = "PLAN")]
    pub plan: Option<String>,
    /// The new number of slots, 1 to 10000
    #[arg(long, value_name = "N")]
    pub quantity: Option<u32>,
    /// Change even if more is in use; what no longer fits is paused
    #[arg(long)]
    pub force: bool,
}

/// Runs the command.
pub async fn run(context: &Context, args: SubscriptionChangeArgs) -> Result<Outcome, CliError> {
    if args.plan.is_none() && args.quantity.is_none() {
        return Err(CliError::usage(
            "say what to change: --plan PLAN, or --quantity N for a product with slots",
        ));
    }
    let subscription = target::read(context, &args.target)?;
    let to = args
        .plan
        .clone()
        .or(args.quantity.map(|quantity| quantity.to_string()))
        .unwrap_or_default();
    let label = subscription.label();
    let kept = match (args.force, args.quantity) {
        (false, _) => Kept::AllInUse,
        (true, Some(quantity)) if subscription.product == DOMAINS => Kept::AtLeast(quantity.into()),
        (true, _) => Kept::Unknown,
    };
    let change = format!("change {label} to {to}");
    target::confirm(context, &subscription, &change, kept).await?;
    let mut request = ChangeSubscription::new(
        subscription.customer,
        subscription.service,
        subscription.product.as_str(),
    );
    request.new_plan_slug = args.plan.map(Into::into);
    request.new_quantity = args.quantity;
    let asked = Size {
        plan: request.new_plan_slug.clone(),
        quantity: request.new_quantity,
    };
    request.force = args.force.then_some(true);
    let before = target::active(context, &subscription).await;
    let sent = context.session.write(request, label.as_str()).await;
    let outcome = match sent {
        Err(error) => Err(plans::named_in(&context.session, error)),
        Ok(None) => Ok(RowOutcome::Planned),
        Ok(Some(answer)) => {
            let outcome = changed(context, &subscription, &answer, &asked);
            Ok(with_moves(
                before,
                target::active(context, &subscription).await,
                outcome,
            ))
        }
    };
    conclude(context, &subscription, "changing", outcome)
}

fn changed(
    context: &Context,
    subscription: &SubscriptionRef,
    answer: &Response<SubscriptionChange>,
    asked: &Size,
) -> RowOutcome {
    let data = &answer.data;
    let size = data.plan_slug.as_ref().map(ToString::to_string);
    let size = size.or(data.quantity.map(|quantity| counted(quantity, "slot")));
    let status = subscription.last_status.clone();
    send::remember(&context.session, subscription, status, size);
    let plans = [&data.previous_plan_slug, &data.plan_slug];
    let plans = plans.into_iter().flatten().map(ToString::to_string);
    context.session.learn(Observation::Plans(plans.collect()));
    let (label, changed) = (subscription.label(), from_and_to(data));
    let untaken = asked.untaken(&Size {
        plan: data.plan_slug.clone(),
        quantity: data.quantity,
    });
    let id = data.subscription_id.map(|id| id.to_string());
    let sentence = format!("{label} {changed}.{untaken}");
    let done = Applied::answered(id.unwrap_or_default(), answer, sentence);
    match data.changed {
        true => RowOutcome::Applied(done),
        false => RowOutcome::Skipped(done),
    }
}

/// `is changed from starter to business (upgrade)`
fn from_and_to(data: &SubscriptionChange) -> String {
    let plan = |slug: &Option<PlanSlug>, quantity: Option<u32>| match (slug, quantity) {
        (Some(plan), _) => Some(plan.to_string()),
        (None, quantity) => quantity.map(|quantity| counted(quantity, "slot")),
    };
    let from = plan(&data.previous_plan_slug, data.previous_quantity);
    let to =
        plan(&data.plan_slug, data.quantity).unwrap_or_else(|| "what was asked for".to_owned());
    if !data.changed {
        return format!("already has {to}");
    }
    let from = from.map(|from| format!(" from {from}")).unwrap_or_default();
    let direction = data
        .direction
        .as_ref()
        .map(|way| format!(" ({way})"))
        .unwrap_or_default();
    format!("was changed{from} to {to}{direction}")
}
