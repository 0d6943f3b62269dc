//! `secmon customer resume`: what `customer suspend` has stopped goes on.

use super::everything::Beginning;
use super::possession::{Everything, Possession};
use crate::commands::common::resume_all::{self, Suspended, SuspendedKind};
use crate::commands::common::transition::Transition;
use crate::context::Context;
use crate::error::CliError;
use crate::notebook::history;
use crate::ui::outcome::{Line, Outcome};
use secmon::model::CustomerId;

const ANYTHING: SuspendedKind = SuspendedKind {
    operations: &["endpoint", "domain", "subscription"],
    one: "record",
    stopped_by: "customer suspend",
    resume_one: "`endpoint resume NAME`, `domain resume NAME -c ID`",
};

/// Runs the command.
pub async fn run(context: &Context, args: &Everything) -> Result<Outcome, CliError> {
    let (beginning, fresh) = Beginning::read(context, args, Transition::Resume).await?;
    let (chosen, stay) = chosen(context, beginning.changing.customer, fresh)?;
    let mut ended = beginning.carry_out(chosen).await?;
    ended.outcome.story.extend(stay);
    Ok(ended.outcome)
}

/// What `customer suspend` has stopped, and the subscription that was named.
fn chosen(
    context: &Context,
    customer: CustomerId,
    suspended: Vec<Possession>,
) -> Result<(Vec<Possession>, Vec<Line>), CliError> {
    // Whether a subscription rests, only the history tells.
    let stopped = history::stopped_with_all("subscription")?;
    let rests = |one: &Possession| !one.is_subscription() || stopped.contains(&one.id());
    let (suspended, others): (Vec<Possession>, Vec<Possession>) =
        suspended.into_iter().partition(rests);
    let is_named = |one: &Possession| matches!(one, Possession::Subscription { id: None, .. });
    let named = others.into_iter().filter(is_named);
    let (mut chosen, stay) = resume_all::choose(&context.prompt, customer, &ANYTHING, suspended)?;
    chosen.extend(named);
    Ok((chosen, stay))
}
