//! Playbooks (M8).

use serde_json::json;

use crate::admin::call::{AdminCall, Answered};
use crate::admin::input;
use crate::playbooks::book;
use crate::playbooks::run::Run;
use crate::playbooks::watch::Client;
use crate::store::commit::Commit;
use crate::values::admin_error::AdminError;
use crate::values::fields::{Fields, readers};

pub(crate) fn list(call: &AdminCall) -> Result<Answered, AdminError> {
    let known: Vec<_> = book::all()
        .iter()
        .map(|playbook| json!({ "name": playbook.name, "goal": playbook.goal }))
        .collect();
    let runs: Vec<_> = call
        .mock
        .playbooks()
        .iter()
        .map(|run| json!({ "id": run.id, "name": run.playbook.name, "tenant": run.tenant }))
        .collect();
    Ok(Answered::shown(
        &json!({ "playbooks": known, "runs": runs }),
    ))
}

pub(crate) fn start(call: &AdminCall) -> Result<Answered, AdminError> {
    let mut fields = input::fields(&call.body, &["name"]);
    let name = fields.required("name", readers::text(0..=usize::MAX));
    let name = input::finish(fields, || name)?;
    let (run, made, commit) = call.mock.start_playbook(&name)?;
    let body = json!({
        "id": run.id,
        "tenant": run.tenant,
        "base_url": call.scheme.origin(&call.partner_host()),
        "api_key": made.api_key,
        "goal": run.playbook.goal,
    });
    Ok(Answered::made(&body, commit))
}

/// Ends a run; the account that was made for it goes with it.
pub(crate) fn remove(call: &AdminCall) -> Result<Answered, AdminError> {
    let run = named(call)?;
    call.mock.playbooks().retain(|other| other.id != run.id);
    match call.mock.accounts.remove_account(&run.tenant) {
        Ok(commit) => Ok(Answered::done(commit)),
        // Somebody removed the account already.
        Err(AdminError::Unknown(_)) => Ok(Answered::done(Commit::done())),
        Err(error) => Err(error),
    }
}

fn named(call: &AdminCall) -> Result<Run, AdminError> {
    let id = call.part(0);
    let runs = call.mock.playbooks();
    let run = runs.iter().find(|run| run.id.to_string() == id);
    run.cloned()
        .ok_or_else(|| AdminError::Unknown(format!("There is no playbook run `{id}`.")))
}

pub(crate) fn show(call: &AdminCall) -> Result<Answered, AdminError> {
    let mut fields = Fields::of_query(&call.query);
    let finished = fields.optional("finished", readers::boolean);
    let client = input::finish(fields, || {
        Some(match finished {
            Some(true) => Client::Finished,
            Some(false) | None => Client::AtWork,
        })
    })?;
    let judgement = call.mock.judge(&named(call)?, client);
    Ok(Answered::shown(&judgement))
}
