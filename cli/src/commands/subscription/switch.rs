//! `secmon subscription suspend`, `resume` and `terminate`.

use super::target::{Subscription, SubscriptionTarget, conclude, with_moves};
use crate::bulk::{Done, End};
use crate::commands::common::capacity::Kept;
use crate::commands::common::transition::Transition;
use crate::context::Context;
use crate::error::CliError;
use crate::notebook::index::Seen;
use crate::notebook::way_back::{Switched, WayBack};
use crate::ui::outcome::Outcome;
use secmon::Response;
use secmon::model::SubscriptionState;
use secmon::operations::{ResumeSubscription, SuspendSubscription, TerminateSubscription};

/// The end of the page of `suspend`.
pub const SUSPEND_EXAMPLES: &str = "\
Examples:
  secmon subscription suspend 501 --product port_monitoring -c 42
If a customer does not pay and everything monitored for them is to stop:
  secmon endpoint suspend --all -c 42
  secmon domain suspend --all -c 42";

/// Runs the command.
pub async fn run(
    context: &Context,
    target: &SubscriptionTarget,
    to: Transition,
) -> Result<Outcome, CliError> {
    let subscription = Subscription::read(context, target)?;
    if to != Transition::Resume {
        let change = format!("{} {}", to.verb(), subscription.label());
        let asked = subscription.confirm(context, &change, Kept::Unknown);
        asked.await?;
    }
    let before = subscription.active(context).await;
    let mut end = send(context, &subscription, to).await;
    if end.is_ok() {
        let now = subscription.active(context).await;
        end = end.map(|end| with_moves(before, now, end));
    }
    conclude(&subscription, to.doing(), end)
}

/// Sends the change of one subscription.
pub async fn send(
    context: &Context,
    subscription: &Subscription,
    to: Transition,
) -> Result<End, CliError> {
    let session = &context.session;
    let label = subscription.label();
    let (customer, service) = (subscription.customer, subscription.service);
    let product = subscription.product.as_str();
    let switched = Switched::Subscription {
        customer,
        service,
        product: product.into(),
    };
    let sent = match to {
        Transition::Suspend => {
            let request = SuspendSubscription::new(customer, service, product);
            let way_back = |_: &_| Some(WayBack::Resume(switched));
            session
                .write_reversibly(request, &label, None, way_back)
                .await
        }
        Transition::Resume => {
            let request = ResumeSubscription::new(customer, service, product);
            let way_back = |_: &_| Some(WayBack::Suspend(switched));
            session
                .write_reversibly(request, &label, None, way_back)
                .await
        }
        Transition::Terminate => {
            let request = TerminateSubscription::new(customer, service, product);
            session.write(request, &label).await
        }
    };
    let Some(answer) = sent? else {
        return Ok(End::Planned);
    };
    let id = answer.data.subscription_id;
    match to {
        Transition::Terminate => context.session.learn(Seen::Gone(id.into())),
        Transition::Suspend | Transition::Resume => subscription.learn(&context.session, id),
    }
    Ok(moved(&answer, &label, to))
}

fn moved(answer: &Response<SubscriptionState>, label: &str, to: Transition) -> End {
    let sentence = match answer.note() {
        Some(_) => format!("{label} was {}.", to.words().skipped),
        None => format!("{label} is {}.", answer.data.status),
    };
    Done::answered(answer.data.subscription_id, answer, sentence).changed()
}
