//! `secmon subscription plans`: the service lists none, so these are the names that are known here.

use crate::context::Context;
use crate::error::CliError;
use crate::ui::outcome::{Cell, Field, Outcome, shown};
use serde::Serialize;
use std::collections::BTreeSet;

/// A plan by its name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Plan {
    plan_slug: String,
    known_from: &'static str,
}

const COLUMNS: &[Field<Plan>] = &[
    shown("plan_slug").of(|plan| Cell::text(&plan.plan_slug)),
    shown("known_from").of(|plan| Cell::text(plan.known_from)),
];

/// Runs the command.
pub fn run(context: &Context) -> Result<Outcome, CliError> {
    let session = &context.session;
    let plan = |from: &'static str| {
        move |name: &String| Plan {
            plan_slug: name.clone(),
            known_from: from,
        }
    };
    let configured = session.settings.plans.iter();
    let configured: BTreeSet<Plan> = configured.map(plan("the configuration")).collect();
    let is_new = |name: &&String| !session.settings.plans.contains(name);
    let seen = session.known()?.plans.iter().filter(is_new);
    let plans: Vec<Plan> = configured
        .into_iter()
        .chain(seen.map(plan("what was seen here")))
        .collect();
    context.screen.note(
        "the service lists no plans: these are in the configuration (plans), or were seen in answers",
    );
    Ok(Outcome::list(&plans, COLUMNS))
}
