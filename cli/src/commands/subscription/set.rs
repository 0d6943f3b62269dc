//! `secmon subscription set`.

use super::one_change::{self, Asked, SubscriptionChange};
use super::plans;
use super::target::{self, Size, SubscriptionTarget};
use crate::bulk::{Applied, Created, RowOutcome};
use crate::commands::common::args::ClientContact;
use crate::commands::common::capacity::{DOMAINS, Kept};
use crate::commands::common::new_customer;
use crate::commands::lifecycle::{SubscriptionRef, send};
use crate::context::Context;
use crate::error::CliError;
use crate::state::records::Observation;
use crate::ui::outcome::Outcome;
use clap::Args;
use secmon::model::{self, Money, SubscriptionStatus};
use secmon::operations::ProvisionSubscription;
use secmon::{Operation, Response};

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
    new_customer::agree(context, subscription.customer, &args.contact).await?;
    one_change::run(context, subscription, args).await
}

impl SubscriptionChange for SubscriptionSetArgs {
    fn operation(&self) -> &'static str {
        ProvisionSubscription::INFO.name
    }

    fn about(&self, label: &str) -> String {
        format!("set {label}")
    }

    fn doing(&self) -> &'static str {
        "setting"
    }

    /// A repeat of an old line takes an upgrade back, without a check of what is in use.
    fn asked(&self, one: &SubscriptionRef) -> Asked {
        Asked::WhereInUse(match self.quantity {
            Some(quantity) if one.product == DOMAINS => Kept::AtLeast(quantity.into()),
            _ => Kept::Unknown,
        })
    }

    async fn send(&self, context: &Context, one: &SubscriptionRef) -> Result<RowOutcome, CliError> {
        let product = one.product.as_str();
        let mut request = ProvisionSubscription::new(one.customer, one.service, product);
        request.plan_slug = self.plan.clone().map(Into::into);
        request.quantity = self.quantity;
        request.mrr = self.mrr;
        request.client_name.clone_from(&self.contact.client_name);
        request.client_email.clone_from(&self.contact.client_email);
        let asked = Size {
            plan: request.plan_slug.clone(),
            quantity: request.quantity,
        };
        let sent = context.session.write(request, one.label().as_str()).await;
        let answer = sent.map_err(|error| plans::named_in(&context.session, error))?;
        Ok(match answer {
            Some(answer) => RowOutcome::Applied(done(context, one, &answer, &asked)),
            None => RowOutcome::Planned,
        })
    }
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
