//! `secmon subscription change`.

use super::one_change::{self, Asked, SubscriptionChange};
use super::plans;
use super::target::{self, Size, SubscriptionTarget};
use crate::bulk::{Applied, RowOutcome};
use crate::commands::common::capacity::{DOMAINS, Kept};
use crate::commands::lifecycle::{SubscriptionRef, send};
use crate::context::Context;
use crate::error::CliError;
use crate::state::records::Observation;
use crate::ui::outcome::Outcome;
use crate::values::durations::counted;
use clap::Args;
use secmon::model::{self, PlanSlug};
use secmon::operations::ChangeSubscription;
use secmon::{Operation, Response};

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
            "nothing to change: give --plan PLAN, or --quantity N for domain_monitoring",
        ));
    }
    let subscription = target::read(context, &args.target)?;
    one_change::run(context, subscription, args).await
}

impl SubscriptionChange for SubscriptionChangeArgs {
    fn operation(&self) -> &'static str {
        ChangeSubscription::INFO.name
    }

    fn about(&self, label: &str) -> String {
        let quantity = || self.quantity.map(|quantity| quantity.to_string());
        let to = self.plan.clone().or_else(quantity).unwrap_or_default();
        format!("change {label} to {to}")
    }

    fn doing(&self) -> &'static str {
        "changing"
    }

    fn asked(&self, one: &SubscriptionRef) -> Asked {
        Asked::Always(match (self.force, self.quantity) {
            (false, _) => Kept::AllInUse,
            (true, Some(quantity)) if one.product == DOMAINS => Kept::AtLeast(quantity.into()),
            (true, _) => Kept::Unknown,
        })
    }

    async fn send(&self, context: &Context, one: &SubscriptionRef) -> Result<RowOutcome, CliError> {
        let product = one.product.as_str();
        let mut request = ChangeSubscription::new(one.customer, one.service, product);
        request.new_plan_slug = self.plan.clone().map(Into::into);
        request.new_quantity = self.quantity;
        request.force = self.force.then_some(true);
        let asked = Size {
            plan: request.new_plan_slug.clone(),
            quantity: request.new_quantity,
        };
        let sent = context.session.write(request, one.label().as_str()).await;
        let answer = sent.map_err(|error| plans::named_in(&context.session, error))?;
        Ok(match answer {
            Some(answer) => changed(context, one, &answer, &asked),
            None => RowOutcome::Planned,
        })
    }
}

fn changed(
    context: &Context,
    subscription: &SubscriptionRef,
    answer: &Response<model::SubscriptionChange>,
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
fn from_and_to(data: &model::SubscriptionChange) -> String {
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
