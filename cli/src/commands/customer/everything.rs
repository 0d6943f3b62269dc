//! What `secmon customer suspend`, `resume` and `leave` have in common: one change of all that a customer has.

use super::possession::{self, Everything, Possession, contents, few};
use crate::bulk::{self, ChangeOfMany, End, Journal, Key, Label, Origin, Prior};
use crate::commands::common::resume_all::Suspended;
use crate::commands::common::transition::Transition;
use crate::commands::domain::switch as domain;
use crate::commands::endpoint::change::{self as server, ServerChange};
use crate::commands::subscription::switch as subscription;
use crate::context::Context;
use crate::error::CliError;
use crate::session::prompt::Danger;
use crate::session::settings;
use crate::ui::outcome::{Line, Outcome, to_json};
use secmon::model::CustomerId;
use serde_json::Value;

/// The change as it is made to all of them.
#[derive(Clone, Copy)]
pub struct CustomerChanging<'a> {
    context: &'a Context,
    /// Whose.
    pub customer: CustomerId,
    to: Transition,
}

impl ChangeOfMany for CustomerChanging<'_> {
    type Target = Possession;

    fn operation(&self) -> &'static str {
        match self.to {
            Transition::Suspend => "suspend_customer",
            Transition::Resume => "resume_customer",
            Transition::Terminate => "leave",
        }
    }

    fn label(&self, one: &Possession) -> Label {
        Label::of(one.name(), Some(self.customer))
    }

    fn key(&self, one: &Possession) -> Key {
        Key::of(self.operation(), Some(self.customer), &one.key())
    }

    fn kept(&self, one: &Possession) -> Value {
        to_json(one)
    }

    /// No read tells the state of a subscription.
    fn stands(&self, one: &Possession) -> bool {
        one.is_subscription() || !one.needs(self.to)
    }

    async fn apply(&self, one: &Possession, prior: Prior) -> Result<End, CliError> {
        let session = &self.context.session;
        let end = match one {
            Possession::Server(target) => {
                server::send(session, target, ServerChange::To(self.to)).await
            }
            Possession::Domain(target) => domain::transition(session, target, self.to).await,
            Possession::Subscription { which, .. } => {
                subscription::send(self.context, which, self.to).await
            }
        };
        Ok(end?.after(prior))
    }
}

/// A change that begins, or goes on where an earlier run was interrupted.
pub struct Beginning<'a> {
    pub changing: CustomerChanging<'a>,
    args: &'a Everything,
    pub journal: Journal,
    /// What an earlier run has begun with.
    pub begun: Vec<Possession>,
}

impl<'a> Beginning<'a> {
    /// Reads what the customer has; gives with it what is still to be changed, and no run has begun with.
    pub async fn read(
        context: &'a Context,
        args: &'a Everything,
        to: Transition,
    ) -> Result<(Self, Vec<Possession>), CliError> {
        let customer = settings::parse_customer("CUSTOMER", &args.number)?;
        let changing = CustomerChanging {
            context,
            customer,
            to,
        };
        let all = possession::read(context, customer, args).await?;
        let origin = Origin::Customer(customer);
        let journal = Journal::open(context, changing.operation(), origin, &[], &args.run)?;
        let (begun, mut fresh): (Vec<Possession>, Vec<Possession>) = all
            .into_iter()
            .partition(|one| journal.subject(&changing.key(one)).is_some());
        fresh.retain(|one| one.needs(to));
        let beginning = Self {
            changing,
            args,
            journal,
            begun,
        };
        Ok((beginning, fresh))
    }

    /// Asks before the change of all that is still to be changed.
    pub fn confirm(
        &self,
        danger: Danger,
        verb: &str,
        typed: &str,
        all: &[Possession],
    ) -> Result<(), CliError> {
        if all.is_empty() {
            return Ok(());
        }
        let question = format!(
            "About to {verb} everything customer {} has: {}. Subscriptions that this machine does not know are not included.",
            self.changing.customer,
            contents(all)
        );
        let prompt = &self.changing.context.prompt;
        prompt.confirm(danger, &question, typed)
    }

    /// Makes the change to what was chosen, and to what an earlier run has begun with.
    pub async fn carry_out(self, mut chosen: Vec<Possession>) -> Result<Ended, CliError> {
        let unlisted = unlisted(&self.journal, &self.begun);
        chosen.extend(self.begun.into_iter().chain(unlisted));
        let CustomerChanging {
            context,
            customer,
            to,
        } = self.changing;
        let stages = in_stages(to, chosen);
        let run = (&self.journal, &self.args.run);
        let stages = stages.each_ref().map(Vec::as_slice);
        let items = bulk::change_in_stages(context, &self.changing, &stages, run).await?;
        let mut outcome = bulk::report(&context.screen, to.words(), &items)?;
        let changed = items.iter().filter(|item| matches!(item.end, End::Done(_)));
        let changed: Vec<String> = changed.map(|item| item.target.clone()).collect();
        if !changed.is_empty() {
            let done = to.words().done;
            let sentence = format!("Customer {customer}: {} {done}.", few(&changed));
            outcome.story.insert(0, Line::text(sentence));
        } else if items.is_empty() {
            let sentence = format!("Customer {customer} has nothing left to {}.", to.verb());
            outcome.story.insert(0, Line::text(sentence));
        }
        Ok(Ended {
            outcome,
            items: items.len(),
            changed: changed.len(),
        })
    }
}

/// How a change ended.
pub struct Ended {
    /// What is shown of it.
    pub outcome: Outcome,
    /// How many records it was about.
    pub items: usize,
    /// How many of them are other than before.
    pub changed: usize,
}

/// What an earlier run has begun with, and no list has any more.
fn unlisted(journal: &Journal, listed: &[Possession]) -> Vec<Possession> {
    let subjects = journal.subjects().cloned();
    let earlier = subjects.filter_map(|subject| serde_json::from_value(subject).ok());
    let is_listed = |one: &Possession| listed.iter().any(|other| other.key() == one.key());
    earlier.filter(|one| !is_listed(one)).collect()
}

/// A subscription that rests before its servers would have the platform choose which of them it pauses.
fn in_stages(to: Transition, all: Vec<Possession>) -> [Vec<Possession>; 2] {
    let (subscriptions, others) = all.into_iter().partition(Possession::is_subscription);
    match to {
        Transition::Resume => [subscriptions, others],
        Transition::Suspend | Transition::Terminate => [others, subscriptions],
    }
}
