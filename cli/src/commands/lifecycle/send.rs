//! The call that pauses, resumes or ends one thing.

use super::resource::{MonitoringState, Resource, SubscriptionRef};
use super::transition::Transition;
use crate::bulk::{Applied, RowOutcome, Step, capitalized};
use crate::error::{CliError, Exit};
use crate::references::{self, ServerTarget};
use crate::session::Session;
use crate::session::calls::PlannedChange;
use crate::state::changes::ChangeResult;
use crate::state::records::{self, Observation};
use crate::state::unfinished::EndedBefore;
use crate::ui::outcome::to_json;
use secmon::Response;
use secmon::model::{SubscriptionState, SubscriptionStatus};
use secmon::operations::{
    DeleteEndpoint, GetEndpoint, ResumeDomain, ResumeEndpoint, ResumeSubscription, SuspendDomain,
    SuspendEndpoint, SuspendSubscription, TerminateDomain, TerminateEndpoint,
    TerminateSubscription,
};
use serde_json::{Value, json};

/// What is to be done about a record that is to be in a state.
pub fn step(session: &Session, one: &Resource, to: Transition) -> Step {
    if let Some(reason) = as_wanted(one, to) {
        return Step::Settled(settled(session, one, to, reason));
    }
    let record = one.record();
    let state = session.state().filter(|_| to.ends());
    match state.and_then(|state| state.ended_before(&record, session.current_batch())) {
        Some(_) if matches!(one, Resource::Subscription(_)) => Step::Doubtful(format!(
            "the answer to ending {} was lost, and the service cannot say whether it ended or has been set up again",
            one.named()
        )),
        Some(ended) if ended.is_certain => Step::Doubtful(format!(
            "{} was ended by a run that did not finish, and exists again",
            one.named()
        )),
        Some(ended) if was_touched_since(one, &ended) => Step::Doubtful(format!(
            "the answer to an earlier attempt to end {} was lost, and it has changed since: it may have been ended and restored",
            one.named()
        )),
        _ => Step::Send,
    }
}

/// Why nothing need be sent, where that is so.
fn as_wanted(one: &Resource, to: Transition) -> Option<&'static str> {
    let is_subscription = matches!(one, Resource::Subscription(_));
    match (to, one.state()) {
        (Transition::Suspend, MonitoringState::Suspended) if is_subscription => {
            Some("already suspended, according to the last answer this computer received")
        }
        (Transition::Resume, MonitoringState::Active) if is_subscription => None,
        (_, MonitoringState::Ended) if is_subscription => {
            Some("already cancelled, according to the last answer this computer received")
        }
        (Transition::Suspend, MonitoringState::Suspended) => Some("already suspended"),
        (Transition::Suspend, MonitoringState::PausedByPlatform) => {
            Some("already paused by the platform, over the plan limit")
        }
        (Transition::Resume, MonitoringState::Active) => Some("already active"),
        (Transition::Terminate, MonitoringState::Ended) => Some("already terminated"),
        _ => None,
    }
}

fn settled(session: &Session, one: &Resource, to: Transition, reason: &str) -> RowOutcome {
    let is_ours = session.settle_pending(to.operation(one.kind()), &one.record());
    let note = match is_ours {
        true => format!("{reason}, perhaps by the interrupted run"),
        false => reason.to_owned(),
    };
    let what = capitalized(one.kind().one());
    let applied = Applied {
        id: id_of(one),
        record: one.image(),
        sentence: format!("{what} {}: {note}.", one.named()),
        note: Some(note),
        ..Applied::default()
    };
    match is_ours {
        true => RowOutcome::Applied(applied),
        false => RowOutcome::Skipped(applied),
    }
}

/// Whether something has happened to a record since a call to end it went out whose answer nobody saw. If nothing has, it
/// never ended. A server tells when it was changed; of a domain only its scans are told, so that one which was ended and
/// restored cannot be known before its next scan. Times are told to the second.
fn was_touched_since(one: &Resource, ended: &EndedBefore) -> bool {
    let Some(touched) = one.touched_at() else {
        return true;
    };
    let fields: &[&str] = match one {
        Resource::Server(_) => &["status", "updated_at", "created_at"],
        Resource::Domain(_) | Resource::Subscription(_) => &["status", "last_scan_at"],
    };
    let field = |image: &Value, name: &str| image.get(name).cloned().unwrap_or_default();
    let now = one.image();
    let is_same = ended.before.as_ref().is_some_and(|before| {
        fields
            .iter()
            .all(|name| field(before, name) == field(&now, name))
    });
    !is_same || touched.timestamp() >= ended.sent_second
}

/// What a server or a domain is called in results.
fn id_of(one: &Resource) -> String {
    match one {
        Resource::Server(server) => server.id.to_string(),
        Resource::Domain(domain) => domain.id.to_string(),
        Resource::Subscription(_) => String::new(),
    }
}

/// Sends the change of one.
pub async fn apply(
    session: &Session,
    one: &Resource,
    to: Transition,
) -> Result<RowOutcome, CliError> {
    let sent = match one {
        Resource::Subscription(subscription) => {
            return subscription_change(session, subscription, to).await;
        }
        Resource::Server(_) | Resource::Domain(_) => send(session, one, to).await,
    };
    let activity = || format!("{} {}", to.doing(), one.name());
    let sent = match sent {
        Err(error) if error.may_have_happened() && is_so_by_now(session, one, to).await => {
            session.settle_pending(to.operation(one.kind()), &one.record());
            Some(Sent {
                record: one.image(),
                note: Some("no answer arrived, but the service now shows the change".to_owned()),
                result: ChangeResult::Perhaps,
            })
        }
        sent => sent.map_err(|error| error.during(activity()))?,
    };
    let Some(sent) = sent else {
        return Ok(RowOutcome::Planned);
    };
    if to.ends()
        && let Ok(id) = one.record().parse()
    {
        session.learn(Observation::Gone(id));
    }
    let what = format!("{} {}", capitalized(one.kind().one()), one.named());
    let applied = Applied {
        id: id_of(one),
        sentence: to.labels().sentence(&what, sent.note.as_deref()),
        record: sent.record,
        note: sent.note,
        ..Applied::default()
    };
    Ok(outcome(sent.result, applied))
}

fn outcome(result: ChangeResult, applied: Applied) -> RowOutcome {
    match result {
        ChangeResult::Unchanged => RowOutcome::Skipped(applied),
        _ => RowOutcome::Applied(applied),
    }
}

/// Whether a look shows what a change was to reach, after its answer was lost.
async fn is_so_by_now(session: &Session, one: &Resource, to: Transition) -> bool {
    if session.check_interrupted().is_err() {
        return false;
    }
    let Some(state) = state_by_now(session, one).await else {
        return false;
    };
    match to {
        Transition::Suspend => state == MonitoringState::Suspended,
        Transition::Resume => state == MonitoringState::Active,
        Transition::Terminate | Transition::Delete => state == MonitoringState::Ended,
    }
}

/// The state as the service shows it; none where it cannot be asked.
async fn state_by_now(session: &Session, one: &Resource) -> Option<MonitoringState> {
    match one {
        Resource::Server(server) => {
            let get = GetEndpoint::account_wide(server.id);
            match session.read(get).await {
                Ok(found) => Some(Resource::Server(Box::new(ServerTarget::from(found))).state()),
                Err(error) if error.exit() == Exit::NotFound => Some(MonitoringState::Ended),
                Err(_) => None,
            }
        }
        Resource::Domain(domain) => {
            let listed = references::all_domains(session, domain.customer)
                .await
                .ok()?;
            let found = listed.into_iter().find(|other| other.id == domain.id);
            Some(found.map_or(MonitoringState::Ended, |found| {
                Resource::Domain(Box::new(found)).state()
            }))
        }
        Resource::Subscription(_) => None,
    }
}

/// What was answered to the call.
struct Sent {
    record: Value,
    note: Option<String>,
    result: ChangeResult,
}

async fn send(session: &Session, one: &Resource, to: Transition) -> Result<Option<Sent>, CliError> {
    let planned = PlannedChange::new(format!("{} {}", one.kind().one(), one.named()))
        .of(one.customer())
        .before(&one.image());
    macro_rules! sent {
        ($request:expr) => {{
            let answered = session.change($request, planned).await?;
            Ok(answered.map(|answered| Sent {
                record: to_json(&answered.response.data),
                note: answered.response.note().map(str::to_owned),
                result: answered.result,
            }))
        }};
    }
    match one {
        Resource::Server(server) => match to {
            Transition::Suspend => sent!(SuspendEndpoint::new(server.id)),
            Transition::Resume => sent!(ResumeEndpoint::new(server.id)),
            Transition::Terminate => sent!(TerminateEndpoint::new(server.id)),
            Transition::Delete => {
                let id = server.id;
                let answered = session
                    .change(DeleteEndpoint::account_wide(id), planned)
                    .await?;
                Ok(answered.map(|answered| Sent {
                    record: json!({ "endpoint_id": id, "deleted": true }),
                    note: None,
                    result: answered.result,
                }))
            }
        },
        Resource::Domain(domain) => match to {
            Transition::Suspend => sent!(SuspendDomain::new(domain.id)),
            Transition::Resume => sent!(ResumeDomain::new(domain.id)),
            Transition::Terminate | Transition::Delete => sent!(TerminateDomain::new(domain.id)),
        },
        Resource::Subscription(_) => Ok(None),
    }
}

async fn subscription_change(
    session: &Session,
    one: &SubscriptionRef,
    to: Transition,
) -> Result<RowOutcome, CliError> {
    let (customer, service, product) = (one.customer, one.service, one.product.as_str());
    let label = one.label();
    let planned = PlannedChange::new(label.as_str());
    macro_rules! sent {
        ($request:expr) => {{
            let answered = session.change($request, planned).await?;
            answered.map(|answered| (answered.response, answered.result))
        }};
    }
    let sent: Option<(Response<SubscriptionState>, ChangeResult)> = match to {
        Transition::Suspend => sent!(SuspendSubscription::new(customer, service, product)),
        Transition::Resume => sent!(ResumeSubscription::new(customer, service, product)),
        Transition::Terminate | Transition::Delete => {
            sent!(TerminateSubscription::new(customer, service, product))
        }
    };
    let Some((answer, result)) = sent else {
        return Ok(RowOutcome::Planned);
    };
    let status = answer.data.status.clone();
    remember(session, one, Some(status.clone()), None);
    let sentence = match answer.note() {
        Some(_) => format!("{label} was {}.", to.labels().skipped),
        None => format!("{label} is {status}."),
    };
    let applied = Applied::answered(answer.data.subscription_id, &answer, sentence);
    Ok(outcome(result, applied))
}

/// Keeps the last answer about a subscription: no read tells it.
pub fn remember(
    session: &Session,
    one: &SubscriptionRef,
    status: Option<SubscriptionStatus>,
    size: Option<String>,
) {
    session.learn(Observation::Subscription(records::Subscription {
        customer: one.customer,
        service: one.service,
        product: one.product.clone(),
        status,
        size,
    }));
}
