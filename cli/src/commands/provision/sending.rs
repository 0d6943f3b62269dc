//! The calls that provision one target.

use crate::bulk::{Created, Done, End, Prior};
use crate::commands::domain::provision;
use crate::error::{CliError, Failure};
use crate::notebook::index::{Seen, Server};
use crate::references::targets::{NewServer, Target};
use crate::session::Session;
use crate::ui::invocation::quoted;
use crate::ui::outcome::to_json;
use secmon::model::{Endpoint, EndpointId, EndpointStatus};
use secmon::{ErrorCode, Response};
use uuid::Uuid;

/// A server that is there already gets the name of its row, if that is another one. One that an earlier run may have
/// made counts as made by it.
pub async fn skip(
    session: &Session,
    target: &Target,
    endpoint: &Endpoint,
    prior: Prior,
) -> Result<End, CliError> {
    let there = |note: &str| Done {
        id: endpoint.id.to_string(),
        note: Some(note.to_owned()),
        created: Created::No,
        ..Done::default()
    };
    match target {
        Target::Server(server)
            if server.nickname.is_some() && server.nickname != endpoint.nickname =>
        {
            let renamed = name(session, server, endpoint.id).await?;
            Ok(renamed.map_or(End::Planned, |_| {
                End::Done(there("already monitored; it has the new nickname now"))
            }))
        }
        _ if endpoint.status == EndpointStatus::Paused => {
            let suspended = "there already, and suspended: it is scanned again once it is resumed";
            Ok(End::Skipped(there(suspended)).after(prior))
        }
        _ => Ok(End::Skipped(there("already monitored")).after(prior)),
    }
}

/// Sends what a target needs. `halfway` is told what is done already when a second call is still to come.
pub async fn send(
    session: &Session,
    target: &Target,
    halfway: impl FnOnce(Done),
) -> Result<End, CliError> {
    match target {
        Target::Server(server) => send_server(session, server, halfway).await,
        Target::Domain(domain) => provision::send(session, domain).await,
    }
}

/// The provisioning call, and the second one that gives the nickname.
async fn send_server(
    session: &Session,
    server: &NewServer,
    halfway: impl FnOnce(Done),
) -> Result<End, CliError> {
    let about = format!(
        "server {} for customer {}",
        server.name, server.request.client_id
    );
    let sent = session.write(server.request.clone(), &about).await;
    let Some(answer) = sent.map_err(|error| explained(error, server))? else {
        name(session, server, EndpointId::from(Uuid::nil())).await?;
        return Ok(End::Planned);
    };
    let id = answer.data.endpoint_id;
    let created = Created::by(&answer);
    if created == Created::Yes {
        learn(session, server, id);
    }
    let sentence = sentence(server, created, answer.note(), &answer.data.status);
    let mut done = Done {
        created,
        ..Done::answered(id, &answer, sentence)
    };
    if let Some(nickname) = &server.nickname {
        halfway(Done {
            note: Some(unnamed(id, nickname, "the command was interrupted")),
            ..done.clone()
        });
    }
    match name(session, server, id).await {
        Ok(Some(named)) => done.record["nickname"] = to_json(&named.nickname),
        Ok(None) => {}
        // The server is monitored, and paid for, all the same: that must not be lost behind the error.
        Err(error) => {
            let nickname = server.nickname.as_deref().unwrap_or_default();
            done.note = Some(unnamed(id, nickname, error.message()));
        }
    }
    Ok(done.made())
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
    session.learn(Seen::Servers(vec![Server {
        id,
        ip,
        hostname,
        nickname,
        customer,
    }]));
}

fn explained(error: CliError, target: &NewServer) -> CliError {
    let row = error.during(format!("provisioning {}", target.name));
    match row.failure() {
        Failure::Answered(_, Some(ErrorCode::EndpointLimitExceeded)) => {
            let customer = target.request.client_id;
            row.hint(format!("see what is using it: `endpoint list -c {customer}`; terminate or delete a server, or raise the plan with `subscription set SERVICE --product port_monitoring --plan PLAN -c {customer}`"))
        }
        _ => row,
    }
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
    let verb = match (created, status, note) {
        (Created::Yes, _, _) => "is now monitored".to_owned(),
        (Created::No, EndpointStatus::Active, None) => "was monitored already".to_owned(),
        // The remark, or what stands behind it, says how it came to be there.
        (_, EndpointStatus::Active, _) => "is monitored".to_owned(),
        (_, other, _) => format!("is known already and {other}: it is not scanned"),
    };
    format!(
        "Server {}{label} {verb} for customer {}{}.",
        target.name,
        target.request.client_id,
        created.aside()
    )
}

/// The provisioning call takes no nickname.
async fn name(
    session: &Session,
    target: &NewServer,
    id: EndpointId,
) -> Result<Option<Endpoint>, CliError> {
    let Some(rename) = target.rename(id) else {
        return Ok(None);
    };
    let renamed = session
        .write(rename, &format!("the nickname of server {}", target.name))
        .await;
    let renamed = renamed.map_err(|error| {
        error.during(format!(
            "naming server {}, which is monitored now as {id}",
            target.name
        ))
    })?;
    Ok(renamed.map(Response::into_inner))
}
