//! Playbooks (M8).

use serde_json::json;

use super::{AdminCall, Pulled, input};
use crate::AdminError;
use crate::fields::{Fields, readers};
use crate::http::call::without_port;
use crate::playbooks::{self, Client};

pub(crate) fn list(call: &AdminCall<'_>) -> Result<Pulled, AdminError> {
    let known: Vec<_> = playbooks::all()
        .iter()
        .map(|playbook| json!({ "name": playbook.name, "goal": playbook.goal }))
        .collect();
    let runs: Vec<_> = call
        .mock
        .playbooks()
        .iter()
        .map(|run| json!({ "id": run.id, "name": run.playbook.name, "tenant": run.tenant }))
        .collect();
    Ok(Pulled::shown(&json!({ "playbooks": known, "runs": runs })))
}

pub(crate) fn start(call: &AdminCall<'_>) -> Result<Pulled, AdminError> {
    let mut fields = input::fields(&call.body, &["name"]);
    let name = fields.required("name", readers::text(0..=usize::MAX));
    let name = input::finish(fields, || name)?;
    let (run, made, ticket) = call.mock.start_playbook(&name)?;
    // What was called may be an address of the admin API alone.
    let host = match call.mock.settings.admin_listen {
        None => call.host.clone(),
        Some(_) => format!("{}:{}", without_port(&call.host), call.mock.public_port),
    };
    let body = json!({
        "id": run.id,
        "tenant": run.tenant,
        "base_url": format!("http://{host}"),
        "api_key": made.api_key,
        "goal": run.playbook.goal,
    });
    Ok(Pulled::made(&body, ticket))
}

pub(crate) fn show(call: &AdminCall<'_>) -> Result<Pulled, AdminError> {
    let mut fields = Fields::of_query(&call.query);
    let finished = fields.optional("finished", readers::boolean);
    let client = input::finish(fields, || {
        Some(match finished {
            Some(true) => Client::Finished,
            Some(false) | None => Client::AtWork,
        })
    })?;
    let id = call.part(0);
    let run = call
        .mock
        .playbooks()
        .iter()
        .find(|run| run.id.to_string() == id)
        .cloned();
    let run =
        run.ok_or_else(|| AdminError::Unknown(format!("There is no playbook run `{id}`.")))?;
    Ok(Pulled::shown(&run.judge(client)))
}
