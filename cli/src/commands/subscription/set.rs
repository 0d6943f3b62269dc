//! `secmon subscription set`.

use super::plans;
use super::target::{Subscription, SubscriptionTarget, conclude, untaken};
use crate::bulk::{Created, Done, End, Words};
use crate::commands::common::args::ClientContact;
use crate::commands::common::new_customer;
use crate::context::Context;
use crate::error::CliError;
use crate::notebook::index::Seen;
use crate::ui::outcome::{Outcome, to_json};
use clap::Args;
use secmon::model::{Money, SubscriptionStatus};
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

const SET: Words = Words {
    done: "set",
    skipped: "already set",
};

/// Runs the command.
pub async fn run(context: &Context, args: SubscriptionSetArgs) -> Result<Outcome, CliError> {
    let subscription = Subscription::read(context, &args.target)?;
    let mut request = ProvisionSubscription::new(
        subscription.customer,
        subscription.service,
        subscription.product.as_str(),
    );
    request.plan_slug = args.plan.map(Into::into);
    let asked = args.quantity;
    request.quantity = asked;
    request.mrr = args.mrr;
    request.client_name = args.contact.client_name;
    request.client_email = args.contact.client_email;
    new_customer::announce(&context.session, &context.screen, subscription.customer).await?;
    let end = context
        .session
        .write(request, &subscription.label())
        .await
        .map_err(|error| plans::named_in(&context.session, error))
        .map(|sent| {
            sent.map_or(End::Planned, |answer| {
                let created = Created::by(&answer);
                subscription.learn(&context.session, answer.data.subscription_id);
                let plan = answer.data.plan_slug.as_ref().map(ToString::to_string);
                context
                    .session
                    .learn(Seen::Plans(plan.iter().cloned().collect()));
                let untaken = untaken(asked, answer.data.quantity, answer.data.plan_slug.as_ref());
                let quantity = answer.data.quantity;
                let what = plan.or(quantity.map(|quantity| format!("quantity {quantity}")));
                let sentence = sentence(&subscription, what, &answer.data.status, created);
                End::Done(Done {
                    id: answer.data.subscription_id.to_string(),
                    record: to_json(&answer.data),
                    created,
                    note: answer.note().map(str::to_owned),
                    sentence: format!("{sentence}{untaken}"),
                })
            })
        });
    conclude(&context.screen, &subscription, "setting", SET, end)
}

fn sentence(
    subscription: &Subscription,
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
