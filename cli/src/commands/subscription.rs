//! `secmon subscription ...`

use super::capacity::{self, Kept};
use super::domain_changes::service;
use super::transition::Transition;
use super::unknown_customer;
use crate::args::{
    SubscriptionChangeArgs, SubscriptionCommand, SubscriptionSetArgs, SubscriptionTarget,
};
use crate::bulk::{self, Created, Done, End, Item, Words};
use crate::context::{Context, Danger};
use crate::error::CliError;
use crate::ui::outcome::{Outcome, to_json};
use secmon::Response;
use secmon::model::{CustomerId, ServiceId, SubscriptionState};
use secmon::operations::{
    ChangeSubscription, ProvisionSubscription, ResumeSubscription, SuspendSubscription,
    TerminateSubscription,
};

/// Runs the command.
pub async fn run(context: &Context, command: SubscriptionCommand) -> Result<Outcome, CliError> {
    match command {
        SubscriptionCommand::Set(args) => set(context, args).await,
        SubscriptionCommand::Change(args) => change(context, args).await,
        SubscriptionCommand::Suspend(target) => {
            transition(context, &target, Transition::Suspend).await
        }
        SubscriptionCommand::Resume(target) => {
            transition(context, &target, Transition::Resume).await
        }
        SubscriptionCommand::Terminate(target) => {
            transition(context, &target, Transition::Terminate).await
        }
    }
}

const SET: Words = Words {
    done: "set",
    skipped: "set before",
};
const CHANGED: Words = Words {
    done: "changed",
    skipped: "so before",
};

/// The subscription a command is about.
struct Subscription {
    customer: CustomerId,
    service: ServiceId,
    product: String,
}

impl Subscription {
    fn read(context: &Context, target: &SubscriptionTarget) -> Result<Self, CliError> {
        let customer = context.customer()?;
        let service = service(context, Some(&target.service))?;
        Ok(Self {
            customer,
            service,
            product: target.product.clone(),
        })
    }

    /// What a change of it may pause.
    async fn outlook(&self, context: &Context, kept: Kept) -> String {
        let danger = Danger::Moderate;
        capacity::outlook(context, danger, self.customer, &self.product, kept).await
    }

    fn confirm(&self, context: &Context, question: &str) -> Result<(), CliError> {
        let name = self.service.to_string();
        capacity::confirm(context, Danger::Moderate, question, &name)
    }

    fn label(&self) -> String {
        format!(
            "{} of service {} (customer {})",
            self.product, self.service, self.customer
        )
    }
}

async fn transition(
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
                .write(SuspendSubscription::new(customer, service, product), &label)
                .await
        }
        Transition::Resume => {
            context
                .write(ResumeSubscription::new(customer, service, product), &label)
                .await
        }
        Transition::Terminate => {
            context
                .write(
                    TerminateSubscription::new(customer, service, product),
                    &label,
                )
                .await
        }
    };
    let end = sent.map(|sent| sent.map_or(End::Planned, |answer| moved(&answer, &label)));
    conclude(context, &subscription, to.doing(), to.words(), end)
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

fn conclude(
    context: &Context,
    subscription: &Subscription,
    activity: &str,
    words: Words,
    end: Result<End, CliError>,
) -> Result<Outcome, CliError> {
    let label = subscription.label();
    let end = end.map_err(|error| error.during(format!("{activity} {label}")))?;
    bulk::conclude(
        context,
        words,
        vec![Item {
            row: None,
            target: label,
            customer: Some(subscription.customer),
            end,
        }],
    )
}

async fn set(context: &Context, args: SubscriptionSetArgs) -> Result<Outcome, CliError> {
    let subscription = Subscription::read(context, &args.target)?;
    let mut request = ProvisionSubscription::new(
        subscription.customer,
        subscription.service,
        subscription.product.as_str(),
    );
    request.plan_slug = args.plan.map(Into::into);
    request.quantity = args.quantity;
    request.mrr = args.mrr;
    request.client_name = args.contact.client_name;
    request.client_email = args.contact.client_email;
    unknown_customer::announce(context, subscription.customer).await?;
    let end = context
        .write(request, &subscription.label())
        .await
        .map(|sent| {
            sent.map_or(End::Planned, |answer| {
                let created = Created::by(&answer);
                let plan = answer.data.plan_slug.as_ref().map(ToString::to_string);
                let quantity = answer.data.quantity;
                let what = plan.or(quantity.map(|quantity| format!("quantity {quantity}")));
                let what = what.map(|what| format!(", {what},")).unwrap_or_default();
                let verb = match created {
                    Created::Yes => "is new",
                    Created::Perhaps => "is as asked for",
                    _ => "was there and is as asked for",
                };
                End::Done(Done {
                    id: answer.data.subscription_id.to_string(),
                    record: to_json(&answer.data),
                    created,
                    note: answer.note().map(str::to_owned),
                    sentence: format!(
                        "{}{what} {verb}: {}{}.",
                        subscription.label(),
                        answer.data.status,
                        created.aside()
                    ),
                })
            })
        });
    conclude(context, &subscription, "setting", SET, end)
}

async fn change(context: &Context, args: SubscriptionChangeArgs) -> Result<Outcome, CliError> {
    let subscription = Subscription::read(context, &args.target)?;
    let to = args
        .plan
        .clone()
        .or(args.quantity.map(|quantity| quantity.to_string()))
        .unwrap_or_default();
    let label = subscription.label();
    let kept = match (args.force, args.quantity) {
        (false, _) => Kept::AllInUse,
        (true, Some(quantity)) if subscription.product == capacity::DOMAINS => {
            Kept::AtLeast(quantity.into())
        }
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
    let end = context.write(request, &label).await.map(|sent| {
        sent.map_or(End::Planned, |answer| {
            let id = answer
                .data
                .subscription_id
                .map(|id| id.to_string())
                .unwrap_or_default();
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
    conclude(context, &subscription, "changing", CHANGED, end)
}
