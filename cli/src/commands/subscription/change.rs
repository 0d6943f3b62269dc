//! `secmon subscription change`.

use super::target::{Subscription, SubscriptionTarget, conclude};
use crate::bulk::{Created, Done, End, Words};
use crate::commands::common::capacity::{DOMAINS, Kept};
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::{Outcome, to_json};
use clap::Args;
use secmon::operations::ChangeSubscription;

/// Another plan or quantity.
#[derive(Debug, Args)]
pub struct SubscriptionChangeArgs {
    /// Which one
    #[command(flatten)]
    pub target: SubscriptionTarget,
    /// The new plan
    #[arg(long, value_name = "PLAN", required_unless_present = "quantity")]
    pub plan: Option<String>,
    /// The new number of slots, 1 to 10000
    #[arg(long, value_name = "N")]
    pub quantity: Option<u32>,
    /// Change even if more is in use; what no longer fits is paused
    #[arg(long)]
    pub force: bool,
}

const CHANGED: Words = Words {
    done: "changed",
    skipped: "so before",
};

/// Runs the command.
pub async fn run(context: &Context, args: SubscriptionChangeArgs) -> Result<Outcome, CliError> {
    let subscription = Subscription::read(context, &args.target)?;
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
    let outlook = subscription.outlook(context, kept).await;
    subscription.confirm(
        context,
        &format!("About to change {label} to {to}.{outlook}"),
    )?;
    let mut request = ChangeSubscription::new(
        subscription.customer,
        subscription.service,
        subscription.product.as_str(),
    );
    request.new_plan_slug = args.plan.map(Into::into);
    request.new_quantity = args.quantity;
    request.force = args.force.then_some(true);
    let end = context.session.write(request, &label).await.map(|sent| {
        sent.map_or(End::Planned, |answer| {
            let id = answer.data.subscription_id;
            if let Some(id) = id {
                subscription.learn(&context.notebook, id);
            }
            let id = id.map(|id| id.to_string()).unwrap_or_default();
            let direction = answer
                .data
                .direction
                .as_ref()
                .map_or_else(|| "unchanged".to_owned(), ToString::to_string);
            let done = Done {
                id,
                record: to_json(&answer.data),
                created: Created::NoRecord,
                note: answer.note().map(str::to_owned),
                sentence: format!("{label} is changed to {to} ({direction})."),
            };
            if answer.data.changed {
                End::Done(done)
            } else {
                End::Skipped(done)
            }
        })
    });
    conclude(&context.screen, &subscription, "changing", CHANGED, end)
}
