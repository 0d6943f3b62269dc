//! `secmon subscription set`.

use super::plans;
use super::target::{self, Size, SubscriptionTarget, conclude, with_moves};
use crate::bulk::{Applied, Created, RowOutcome};
use crate::commands::common::args::ClientContact;
use crate::commands::common::capacity::Kept;
use crate::commands::common::new_customer;
use crate::commands::lifecycle::{SubscriptionRef, send};
use crate::context::Context;
use crate::error::CliError;
use crate::state::records::Observation;
use crate::ui::outcome::Outcome;
use clap::Args;
use secmon::Response;
use secmon::model::{self, Money, SubscriptionStatus};
use secmon::operations::ProvisionSubscription;

/// A subscription as it is to be.
#[derive(Debug, Args)]
pub struct SubscriptionSetArgs {
    /// Which one
    #[command(flatten)]
    pub target: SubscriptionTarget,
    /// Plan, for port_monitoring
    #[arg(long, value_name = "PLAN")]
    pub plan: Option<String>,
    /// Slots, 1 to 10000, for domain_monitoring
    #[arg(long, value_name = "N")]
    pub quantity: Option<u32>,
    /// Monthly recurring revenue, 0.01 to 9999.99
    #[arg(long, value_name = "AMOUNT")]
    pub mrr: Option<Money>,
    /// Who the customer is, if the service does not know it yet
    #[command(flatten)]
    pub contact: ClientContact,
}

/// Runs the command.
pub async fn run(context: &Context, args: SubscriptionSetArgs) -> Result<Outcome, CliError> {
    let subscription = target::read(context, &args.target)?;
    let mut request = ProvisionSubscription::new(
        subscription.customer,
        subscription.service,
        subscription.product.as_str(),
    );
    request.plan_slug = args.plan.map(Into::into);
    request.quantity = args.quantity;
    let asked = Size {
        plan: request.plan_slug.clone(),
        quantity: request.quantity,
    };
    request.mrr = args.mrr;
    request.client_name.clone_from(&args.contact.client_name);
    request.client_email.clone_from(&args.contact.client_email);
    new_customer::agree(context, subscription.customer, &args.contact).await?;
    let label = subscription.label();
    let before = target::active(context, &subscription).await;
    if before.as_ref().is_some_and(|active| !active.is_empty()) {
        // A repeat of an old line takes an upgrade back, without a check of what is in use.
        let change = format!("set {label}");
        target::confirm(context, &subscription, &change, Kept::Unknown).await?;
    }
    let outcome = match context.session.write(request, label.as_str()).await {
        Err(error) => Err(plans::named_in(&context.session, error)),
        Ok(None) => Ok(RowOutcome::Planned),
        Ok(Some(answer)) => {
            let done = RowOutcome::Applied(done(context, &subscription, &answer, &asked));
            let now = target::active(context, &subscription).await;
            Ok(with_moves(before, now, done))
        }
    };
    conclude(context, &subscription, "setting", outcome)
}

fn done(
    context: &Context,
    subscription: &SubscriptionRef,
    answer: &Response<model::Subscription>,
    asked: &Size,
) -> Applied {
    let (data, created) = (&answer.data, Created::by(answer));
    let plan = data.plan_slug.as_ref().map(ToString::to_string);
    let plans = plan.iter().cloned().collect();
    context.session.learn(Observation::Plans(plans));
    let quantity = data.quantity;
    let what = plan.or(quantity.map(|quantity| format!("quantity {quantity}")));
    let status = Some(data.status.clone());
    send::remember(&context.session, subscription, status, what.clone());
    let mut sentence = sentence(subscription, what, &data.status, created);
    sentence += &asked.untaken(&Size {
        plan: data.plan_slug.clone(),
        quantity,
    });
    Applied {
        created,
        ..Applied::answered(data.subscription_id, answer, sentence)
    }
}

fn sentence(
    subscription: &SubscriptionRef,
    what: Option<String>,
    status: &SubscriptionStatus,
    created: Created,
) -> String {
    let label = subscription.label();
    let (named, comma) = match what {
        Some(what) => (format!("{label}, {what}"), ","),
        None => (label, ""),
    };
    match created {
        Created::Yes => format!("Created: {named}, {status}."),
        Created::Perhaps => {
            let aside = created.aside();
            format!("{named}{comma} is set as requested: {status}{aside}.")
        }
        _ => format!("{named}{comma} already existed, and is set as requested: {status}."),
    }
}
