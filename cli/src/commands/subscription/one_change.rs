//! A change of one subscription, as the driver of all changes makes it.

use super::target::{self, with_moves};
use crate::bulk::args::RunArgs;
use crate::bulk::{self, BulkOperation, Label, PlannedRow, Question, RowOutcome, Step};
use crate::commands::common::capacity::{self, Kept};
use crate::commands::lifecycle::SubscriptionRef;
use crate::context::Context;
use crate::error::CliError;
use crate::session::current_run::RunKind;
use crate::session::prompt::ConfirmationLevel;
use crate::state::changes::Scope;
use crate::ui::outcome::Outcome;
use std::cell::RefCell;

/// What is done with a subscription.
pub trait SubscriptionChange {
    /// The call, as `change_subscription`.
    fn operation(&self) -> &'static str;

    /// What is about to be done, as `suspend port_monitoring of service 501`.
    fn about(&self, label: &str) -> String;

    /// What is being done, as `suspending`.
    fn doing(&self) -> &'static str;

    /// Whether somebody is asked, and which part of the capacity stays.
    fn asked(&self, one: &SubscriptionRef) -> Asked;

    /// Why it is not simply sent.
    fn step(&self, _context: &Context, _one: &SubscriptionRef) -> Step {
        Step::Send
    }

    /// Sends the call.
    async fn send(&self, context: &Context, one: &SubscriptionRef) -> Result<RowOutcome, CliError>;
}

/// Whether a change is asked about.
pub enum Asked {
    /// It pauses nothing.
    Never,
    /// Where something takes up capacity.
    WhereInUse(Kept),
    /// Whatever there is.
    Always(Kept),
}

/// Makes the change.
pub async fn run(
    context: &Context,
    subscription: SubscriptionRef,
    change: impl SubscriptionChange,
) -> Result<Outcome, CliError> {
    let change = OneChange {
        context,
        subscription,
        change,
        before: RefCell::default(),
    };
    let mut items = bulk::run_bulk(context, &change, &RunArgs::default()).await?;
    bulk::conclude_one(items.remove(0))
}

struct OneChange<'a, C> {
    context: &'a Context,
    subscription: SubscriptionRef,
    change: C,
    before: RefCell<BeforeChange>,
}

/// What was read before the change.
#[derive(Default)]
struct BeforeChange {
    /// What takes up the capacity, where that could be read.
    active: Option<Vec<String>>,
    /// What is asked; empty where nothing is.
    question: String,
}

const LEVEL: ConfirmationLevel = ConfirmationLevel::Moderate;

impl<C: SubscriptionChange> OneChange<'_, C> {
    async fn question(&self, active: Option<&[String]>) -> String {
        let (context, one) = (self.context, &self.subscription);
        let kept = match self.change.asked(one) {
            Asked::Always(kept) => kept,
            Asked::WhereInUse(kept) if active.is_some_and(|active| !active.is_empty()) => kept,
            Asked::WhereInUse(_) | Asked::Never => return String::new(),
        };
        let (session, prompt) = (&context.session, &context.prompt);
        let (customer, product) = (one.customer, &one.product);
        let outlook = capacity::outlook(session, prompt, LEVEL, customer, product, kept).await;
        format!("About to {}.{outlook}", self.change.about(&one.label()))
    }
}

impl<C: SubscriptionChange> BulkOperation for OneChange<'_, C> {
    type Row = ();

    fn kind(&self) -> RunKind {
        RunKind {
            verb: self.change.operation(),
            scope: Scope::One,
            customer: None,
        }
    }

    async fn plan(&self) -> Result<Vec<PlannedRow<()>>, CliError> {
        let (context, one) = (self.context, &self.subscription);
        let active = target::active(context, one).await;
        let question = self.question(active.as_deref()).await;
        if context.session.settings.safety.dry_run && !question.is_empty() {
            context.screen.note(&question);
        }
        self.before.replace(BeforeChange { active, question });
        let step = self.change.step(context, one);
        Ok(vec![PlannedRow { row: (), step }])
    }

    fn label(&self, _row: &()) -> Label {
        let one = &self.subscription;
        Label::of(one.label(), Some(one.customer))
    }

    fn question(&self, _rows: &[&()]) -> Question {
        Question {
            level: LEVEL,
            text: self.before.borrow().question.clone(),
            typed: self.subscription.service.to_string(),
        }
    }

    async fn apply(&self, _row: &()) -> Result<RowOutcome, CliError> {
        let (context, one) = (self.context, &self.subscription);
        let sent = self.change.send(context, one).await;
        let outcome = sent.map_err(|error| {
            let error = target::named_in(context, one, error);
            error.during(format!("{} {}", self.change.doing(), one.label()))
        })?;
        let before = self.before.borrow_mut().active.take();
        let now = target::active(context, one).await;
        Ok(with_moves(before, now, outcome))
    }
}
