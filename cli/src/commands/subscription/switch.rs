//! `secmon subscription suspend`, `resume` and `terminate`.

use super::target::{self, SubscriptionTarget, conclude, with_moves};
use crate::commands::common::capacity::Kept;
use crate::commands::lifecycle::{Resource, Transition, send};
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::Outcome;

/// The end of the page of `suspend`.
pub const SUSPEND_EXAMPLES: &str = "\
Examples:
  secmon subscription suspend 501 --product port_monitoring -c 42
If a customer does not pay and everything monitored for them is to stop:
  secmon customer suspend 42";

/// Runs the command.
pub async fn run(
    context: &Context,
    named: &SubscriptionTarget,
    to: Transition,
) -> Result<Outcome, CliError> {
    let subscription = target::read(context, named)?;
    if to != Transition::Resume {
        let change = format!("{} {}", to.verb(), subscription.label());
        target::confirm(context, &subscription, &change, Kept::Unknown).await?;
    }
    let before = target::active(context, &subscription).await;
    let resource = Resource::Subscription(subscription.clone());
    let mut outcome = send::apply(&context.session, &resource, to).await;
    if outcome.is_ok() {
        let now = target::active(context, &subscription).await;
        outcome = outcome.map(|outcome| with_moves(before, now, outcome));
    }
    conclude(&subscription, to.doing(), outcome)
}
