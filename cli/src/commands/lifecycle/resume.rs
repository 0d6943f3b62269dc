//! What `resume` of all that a customer has takes up: records whose newest change from this computer is a suspension of
//! all. What the platform has paused, and what somebody has paused by name, stays as it is.

use super::resource::{MonitoringState, Resource, SubscriptionRef, contents, few};
use super::row::LifecycleRow;
use crate::bulk::{Applied, PlannedRow, Question, RowOutcome, Step};
use crate::context::Context;
use crate::session::prompt::ConfirmationLevel;
use crate::state::StateDb;
use crate::state::suspended::Resumable;
use chrono::DateTime;
use secmon::model::CustomerId;

/// Says of everything that a customer has whether it is resumed. A subscription that was named is.
pub fn choose(
    context: &Context,
    customer: CustomerId,
    all: Vec<Resource>,
    named: Option<&SubscriptionRef>,
) -> Vec<PlannedRow<LifecycleRow>> {
    let state = context.session.state();
    let resumable = state.map(StateDb::resumable).unwrap_or_default();
    let resumed = state.map(StateDb::resumed).unwrap_or_default();
    let knows_of_some = state.is_some_and(|state| state.has_suspended_all(customer));
    let planned = |resource: Resource| {
        let found = resumable.iter().find(|one| one.record == resource.record());
        let step = match (&resource, resource.state()) {
            (Resource::Subscription(one), _) => of_subscription(one, found, named),
            (_, MonitoringState::Active) => settled(&resource, "already active"),
            (_, MonitoringState::PausedByPlatform) => {
                settled(&resource, "paused by the platform, over the plan limit")
            }
            (_, MonitoringState::Suspended) if !knows_of_some => Step::Send,
            (_, MonitoringState::Suspended) if resumed.contains(&resource.record()) => {
                Step::Doubtful(format!(
                    "{} was resumed from this computer, and somebody else has paused it since",
                    resource.named()
                ))
            }
            (_, MonitoringState::Suspended) => of_record(&resource, found),
            _ => settled(&resource, "not in a state that can be resumed"),
        };
        PlannedRow {
            row: LifecycleRow::listed(resource),
            step,
        }
    };
    all.into_iter().map(planned).collect()
}

fn of_record(resource: &Resource, found: Option<&Resumable>) -> Step {
    match found {
        Some(found) if was_changed_since(resource, found) => Step::Doubtful(format!(
            "{} was changed since it was suspended from this computer",
            resource.named()
        )),
        Some(_) => Step::Send,
        None => settled(
            resource,
            "stays suspended: it was not suspended together with the others from this computer; to resume it too, name it",
        ),
    }
}

fn of_subscription(
    one: &SubscriptionRef,
    found: Option<&Resumable>,
    named: Option<&SubscriptionRef>,
) -> Step {
    let is_named = named.is_some_and(|named| named.record() == one.record());
    match is_named || found.is_some() {
        true => Step::Send,
        false => settled(
            &Resource::Subscription(one.clone()),
            "stays as it is: it was not suspended from here together with the others",
        ),
    }
}

/// Times are told to the second.
fn was_changed_since(resource: &Resource, suspended: &Resumable) -> bool {
    let answered = suspended.answered_at.as_deref();
    let answered = answered.and_then(|at| DateTime::parse_from_rfc3339(at).ok());
    let changed = match resource {
        Resource::Server(server) => server.listed.as_ref(),
        Resource::Domain(_) | Resource::Subscription(_) => None,
    };
    let changed = changed.and_then(|server| server.updated_at.as_ref());
    match (changed, answered) {
        (Some(changed), Some(answered)) => changed.date_time().timestamp() > answered.timestamp(),
        _ => false,
    }
}

fn settled(resource: &Resource, note: &str) -> Step {
    let applied = Applied {
        id: match resource {
            Resource::Subscription(_) => String::new(),
            other => other.record(),
        },
        record: resource.image(),
        sentence: format!("{}: {note}.", resource.named()),
        note: Some(note.to_owned()),
        ..Applied::default()
    };
    Step::Settled(match resource.state() {
        MonitoringState::Active => RowOutcome::Skipped(applied),
        _ => RowOutcome::Left(applied),
    })
}

/// What is asked before these are resumed.
pub fn question(context: &Context, customer: CustomerId, all: &[&Resource]) -> Question {
    let state = context.session.state();
    let resumable = state.map(StateDb::resumable).unwrap_or_default();
    let is_known = |one: &&&Resource| {
        let record = one.record();
        matches!(one, Resource::Subscription(_))
            || resumable.iter().any(|known| known.record == record)
    };
    let is_told = all.iter().all(|one| is_known(&one));
    let (level, text) = match is_told {
        true => (
            ConfirmationLevel::Mild,
            format!(
                "About to resume what was suspended for customer {customer}: {}.",
                contents(all)
            ),
        ),
        false => (
            ConfirmationLevel::Moderate,
            format!(
                "Not everything paused for customer {customer} was suspended from this computer, and the service does not say who paused it{}. About to resume everything that is paused: {}.",
                by_name(state, all),
                contents(all)
            ),
        ),
    };
    Question {
        level: level.times(all.len()),
        text,
        typed: all.len().to_string(),
    }
}

/// Those that this computer has suspended one by one.
fn by_name(state: Option<&StateDb>, all: &[&Resource]) -> String {
    let suspended = state.map(StateDb::suspended_by_name).unwrap_or_default();
    let names: Vec<String> = all
        .iter()
        .filter(|one| suspended.contains(&one.record()))
        .map(|one| one.name())
        .collect();
    match names.is_empty() {
        true => String::new(),
        false => format!(
            " (except {}, suspended by name from this computer)",
            few(&names)
        ),
    }
}
