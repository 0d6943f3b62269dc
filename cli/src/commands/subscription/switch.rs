//! `secmon subscription suspend`, `resume` and `terminate`.

use super::target::{self, SubscriptionTarget, conclude, with_moves};
use crate::bulk::Step;
use crate::commands::common::capacity::Kept;
use crate::commands::lifecycle::{Resource, Transition, send};
use crate::context::Context;
use crate::error::{CliError, LocalErrorKind};
use crate::session::current_run::RunKind;
use crate::state::changes::Scope;
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
    let resource = Resource::Subscription(subscription.clone());
    refuse_repeat(context, &resource, to)?;
    if to != Transition::Resume {
        let change = format!("{} {}", to.verb(), subscription.label());
        target::confirm(context, &subscription, &change, Kept::Unknown).await?;
    }
    let before = target::active(context, &subscription).await;
    let mut outcome = send::apply(&context.session, &resource, to).await;
    if outcome.is_ok() {
        let now = target::active(context, &subscription).await;
        outcome = outcome.map(|outcome| with_moves(before, now, outcome));
    }
    conclude(context, &subscription, to.doing(), outcome)
}

/// The end of a subscription whose answer was lost is not repeated by the same line where nobody can be asked: it may have
/// ended, and been set up anew since.
fn refuse_repeat(context: &Context, resource: &Resource, to: Transition) -> Result<(), CliError> {
    let session = &context.session;
    let Step::Doubtful(reason) = send::step(session, resource, to) else {
        return Ok(());
    };
    let kind = RunKind {
        verb: to.operation(resource.kind()),
        scope: Scope::One,
        customer: None,
    };
    match (context.prompt.may_ask(), session.continues_a_run(&kind)) {
        (true, _) => {
            context.screen.note(&format!("{reason}."));
            Ok(())
        }
        (false, true) => Err(CliError::new(
            LocalErrorKind::NotConfirmed,
            format!("not sent: {reason}"),
        )),
        (false, false) => Ok(()),
    }
}
