//! The calls that provision one target.

use crate::bulk::{Applied, Created, RowOutcome};
use crate::commands::domain::provision::{self, Presence};
use crate::error::CliError;
use crate::references::targets::{NewServer, Target};
use crate::session::Session;
use crate::session::calls::PlannedChange;
use crate::state::changes::ChangeResult;
use crate::state::records::{Observation, Server};
use crate::ui::invocation::quoted;
use crate::ui::outcome::to_json;
use secmon::Response;
use secmon::model::{Endpoint, EndpointId, EndpointStatus};
use uuid::Uuid;

/// What becomes of a target whose server is there already: it gets the name of its row, if that is another one.
pub async fn rename(
    session: &Session,
    server: &NewServer,
    endpoint: &Endpoint,
) -> Result<RowOutcome, CliError> {
    let before = endpoint.nickname.as_deref().unwrap_or_default();
    let after = server.nickname.as_deref().unwrap_or_default();
    let renamed = name(session, server, endpoint.id, Some(endpoint)).await?;
    Ok(renamed.map_or(RowOutcome::Planned, |renamed| {
        RowOutcome::Applied(Applied {
            record: to_json(&renamed),
            done_instead: Some("renamed"),
            ..there(
                endpoint,
                &format!("already monitored; it is named {after:?} now ({before:?} before)"),
            )
        })
    }))
}

/// The outcome of a target that needs no call.
pub fn settled(endpoint: &Endpoint) -> RowOutcome {
    let note = match endpoint.status {
        EndpointStatus::Paused => {
            "already there, but suspended: it will be scanned once it is resumed"
        }
        _ => "already monitored",
    };
    RowOutcome::Skipped(there(endpoint, note))
}

fn there(endpoint: &Endpoint, note: &str) -> Applied {
    Applied {
        id: endpoint.id.to_string(),
        record: to_json(endpoint),
        note: Some(note.to_owned()),
        created: Created::No,
        ..Applied::default()
    }
}

/// Sends what a target needs. `halfway` is told what is done already when a second call is still to come.
pub async fn send(
    session: &Session,
    target: &Target,
    presence: Presence,
    halfway: impl FnOnce(Applied),
) -> Result<RowOutcome, CliError> {
    match target {
        Target::Server(server) => send_server(session, server, presence, halfway).await,
        Target::Domain(domain) => provision::send(session, domain, presence).await,
    }
}

/// The provisioning call, and the second one that gives the nickname.
async fn send_server(
    session: &Session,
    server: &NewServer,
    presence: Presence,
    halfway: impl FnOnce(Applied),
) -> Result<RowOutcome, CliError> {
    let about = format!(
        "server {} for customer {}",
        server.name, server.request.client_id
    );
    let mut planned = PlannedChange::new(about).before(&mapping(server));
    if presence == Presence::Absent {
        planned = planned.was_absent();
    }
    let sent = session.change(server.request.clone(), planned).await;
    let Some(answered) =
        sent.map_err(|error| error.during(format!("provisioning {}", server.name)))?
    else {
        name(session, server, EndpointId::from(Uuid::nil()), None).await?;
        return Ok(RowOutcome::Planned);
    };
    let answer = &answered.response;
    let id = answer.data.endpoint_id;
    let created = Created::by(answer);
    if created == Created::Yes {
        learn(session, server, id);
    }
    let is_restored = created == Created::No && answered.result == ChangeResult::Changed;
    let sentence = match is_restored {
        true => format!(
            "Server {} was known before, and is monitored again for customer {}.",
            server.name, server.request.client_id
        ),
        false => sentence(server, created, answer.note(), &answer.data.status),
    };
    let mut applied = Applied {
        created,
        is_paused: answer.data.status == EndpointStatus::Paused,
        ..Applied::answered(id, answer, sentence)
    };
    if let Some(nickname) = &server.nickname {
        halfway(Applied {
            note: Some(unnamed(id, nickname, "the command was interrupted")),
            ..applied.clone()
        });
    }
    match name(session, server, id, None).await {
        Ok(Some(named)) => applied.record["nickname"] = to_json(&named.nickname),
        Ok(None) => {}
        // The server is monitored, and paid for, all the same: that must not be lost behind the error.
        Err(error) => {
            let nickname = server.nickname.as_deref().unwrap_or_default();
            applied.note = Some(unnamed(id, nickname, error.message()));
        }
    }
    Ok(match is_restored {
        true => RowOutcome::Applied(applied),
        false => applied.made(),
    })
}

/// What no read tells of a server later: to which service it was mapped, and at what price.
pub fn mapping(server: &NewServer) -> serde_json::Value {
    let request = &server.request;
    serde_json::json!({
        "service_id": request.service_id,
        "product_slug": request.product_slug,
        "plan_slug": request.plan_slug,
        "mrr": request.mrr,
    })
}

fn unnamed(id: EndpointId, nickname: &str, reason: &str) -> String {
    let nickname = quoted(nickname);
    format!("the nickname was not set: {reason}; set it: secmon endpoint rename {id} {nickname}")
}

/// The answer tells no more of a server than its id.
fn learn(session: &Session, server: &NewServer, id: EndpointId) {
    let Some(address) = server.address else {
        return;
    };
    let ip = address.to_string();
    let hostname = server.request.hostname.clone().or(Some(ip.clone()));
    let nickname = server.nickname.clone().or(hostname.clone());
    let customer = Some(server.request.client_id);
    session.learn(Observation::Servers(vec![Server {
        id,
        ip,
        hostname,
        nickname,
        customer,
    }]));
}

fn sentence(
    target: &NewServer,
    created: Created,
    note: Option<&str>,
    status: &EndpointStatus,
) -> String {
    let label = target
        .nickname
        .as_deref()
        .map(|nickname| format!(" ({nickname})"))
        .unwrap_or_default();
    let customer = target.request.client_id;
    let verb = match (created, status, note) {
        (Created::Yes, _, _) => format!("is now monitored for customer {customer}"),
        (Created::No, EndpointStatus::Active, None) => {
            format!("was monitored already for customer {customer}")
        }
        // The remark, or what stands behind it, says how it came to be there.
        (_, EndpointStatus::Active, _) => format!("is monitored for customer {customer}"),
        (_, other, _) => {
            format!("already exists for customer {customer} and is {other}, so it is not scanned")
        }
    };
    format!("Server {}{label} {verb}{}.", target.name, created.aside())
}

/// The provisioning call takes no nickname.
async fn name(
    session: &Session,
    target: &NewServer,
    id: EndpointId,
    before: Option<&Endpoint>,
) -> Result<Option<Endpoint>, CliError> {
    let Some(rename) = target.rename(id) else {
        return Ok(None);
    };
    let mut planned = PlannedChange::new(format!("the nickname of server {}", target.name));
    if let Some(before) = before {
        planned = planned.before(before);
    }
    let renamed = session.write(rename, planned).await;
    let renamed = renamed.map_err(|error| {
        error.during(format!(
            "naming server {}, which is monitored now as {id}",
            target.name
        ))
    })?;
    Ok(renamed.map(Response::into_inner))
}
