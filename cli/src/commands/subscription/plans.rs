//! `secmon subscription plans`: the service lists none, so these are the names that are known here.

use crate::context::Context;
use crate::error::CliError;
use crate::session::Session;
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

/// Where the names come from that no answer and no configuration has told.
const SOURCE: &str = "plan names are in the price list of your partner agreement; save them with `config set plans NAME,NAME`";

/// Runs the command.
pub fn run(context: &Context) -> Result<Outcome, CliError> {
    let plans = known(&context.session)?;
    match plans.is_empty() {
        true => context
            .screen
            .note(&format!("no plans are known on this computer: {SOURCE}")),
        false => context.screen.note(
            "the service cannot list plans: these come from the configuration (plans) and from earlier answers",
        ),
    }
    Ok(Outcome::list(&plans, COLUMNS))
}

/// The plans that are known here: those of the configuration first.
fn known(session: &Session) -> Result<Vec<Plan>, CliError> {
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
    let seen = seen.map(plan("earlier answers"));
    Ok(configured.into_iter().chain(seen).collect())
}

/// Adds to the refusal of a plan which plans there are, as far as that is known here.
pub fn named_in(session: &Session, error: CliError) -> CliError {
    let is_about_plan = ["plan_slug", "new_plan_slug"]
        .iter()
        .any(|field| error.concerns_field(field));
    match (is_about_plan, known(session)) {
        (true, Ok(plans)) if plans.is_empty() => error.hint(SOURCE),
        (true, Ok(plans)) => {
            let names: Vec<&str> = plans.iter().map(|plan| plan.plan_slug.as_str()).collect();
            error.hint(format!(
                "plans this computer knows: {}; see where they come from: `subscription plans`",
                names.join(", ")
            ))
        }
        _ => error,
    }
}
