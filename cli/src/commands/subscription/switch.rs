//! `secmon subscription suspend`, `resume` and `terminate`.

use super::one_change::{self, Asked, SubscriptionChange};
use super::target::{self, SubscriptionTarget};
use crate::bulk::{RowOutcome, Step};
use crate::commands::common::capacity::Kept;
use crate::commands::lifecycle::{Resource, ResourceKind, SubscriptionRef, Transition, send};
use crate::context::Context;
use crate::error::CliError;
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
    one_change::run(context, subscription, to).await
}

impl SubscriptionChange for Transition {
    fn operation(&self) -> &'static str {
        Self::operation(*self, ResourceKind::Subscription)
    }

    fn about(&self, label: &str) -> String {
        format!("{} {label}", self.verb())
    }

    fn doing(&self) -> &'static str {
        Self::doing(*self)
    }

    fn asked(&self, _one: &SubscriptionRef) -> Asked {
        match self {
            Self::Resume => Asked::Never,
            _ => Asked::Always(Kept::Unknown),
        }
    }

    /// What is named is sent, whatever this computer was answered last. But an end whose answer was lost is not repeated
    /// by the same line where nobody can be asked: it may have ended, and been set up anew since.
    fn step(&self, context: &Context, one: &SubscriptionRef) -> Step {
        let session = &context.session;
        let kind = RunKind {
            verb: SubscriptionChange::operation(self),
            scope: Scope::One,
            customer: None,
        };
        let resource = Resource::Subscription(one.clone());
        match send::step(session, &resource, *self) {
            Step::Doubtful(reason)
                if context.prompt.may_ask() || session.continues_a_run(&kind) =>
            {
                Step::Doubtful(reason)
            }
            _ => Step::Send,
        }
    }

    async fn send(&self, context: &Context, one: &SubscriptionRef) -> Result<RowOutcome, CliError> {
        let resource = Resource::Subscription(one.clone());
        send::apply(&context.session, &resource, *self).await
    }
}
