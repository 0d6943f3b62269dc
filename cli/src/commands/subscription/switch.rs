//! `secmon subscription suspend`, `resume` and `terminate`.

use super::target::{Subscription, SubscriptionTarget, conclude};
use crate::bulk::{Created, Done, End};
use crate::commands::common::capacity::Kept;
use crate::commands::common::transition::Transition;
use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::{Outcome, to_json};
use secmon::Response;
use secmon::model::SubscriptionState;
use secmon::operations::{ResumeSubscription, SuspendSubscription, TerminateSubscription};

/// The end of the page of `suspend`.
pub const SUSPEND_EXAMPLES: &str = "\
Examples:
  secmon subscription suspend 501 --product port_monitoring -c 42
A customer does not pay, and all that is monitored for them is to rest:
  secmon endpoint suspend --all -c 42
  secmon domain suspend --all -c 42";

/// Runs the command.
pub async fn run(
    context: &Context,
    target: &SubscriptionTarget,
    to: Transition,
) -> Result<Outcome, CliError> {
    let subscription = Subscription::read(context, target)?;
    let label = subscription.label();
    if to != Transition::Resume {
        let outlook = subscription.outlook(context, Kept::Unknown).await;
        subscription.confirm(
            context,
            &format!("About to {} {label}.{outlook}", to.verb()),
        )?;
    }
    let Subscription {
        customer,
        service,
        product,
    } = &subscription;
    let (customer, service, product) = (*customer, *service, product.as_str());
    let sent = match to {
        Transition::Suspend => {
            context
                .session
                .write(SuspendSubscription::new(customer, service, product), &label)
                .await
        }
        Transition::Resume => {
            context
                .session
                .write(ResumeSubscription::new(customer, service, product), &label)
                .await
        }
        Transition::Terminate => {
            context
                .session
                .write(
                    TerminateSubscription::new(customer, service, product),
                    &label,
                )
                .await
        }
    };
    let end = sent.map(|sent| sent.map_or(End::Planned, |answer| moved(&answer, &label)));
    conclude(&context.screen, &subscription, to.doing(), to.words(), end)
}

fn moved(answer: &Response<SubscriptionState>, label: &str) -> End {
    let done = Done {
        id: answer.data.subscription_id.to_string(),
        record: to_json(&answer.data),
        created: Created::NoRecord,
        note: answer.note().map(str::to_owned),
        sentence: format!("{label} is {}.", answer.data.status),
    };
    done.changed()
}
