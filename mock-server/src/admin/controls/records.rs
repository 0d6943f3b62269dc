//! Records and their world, readiness, and back to the start.

use bytes::Bytes;
use http::StatusCode;
use secmon_engine::{DomainFindings, OpenPort, ScanOutcome};
use serde::Deserialize;
use serde_json::json;

use crate::account::findings::RecordRef;
use crate::admin::call::{AdminCall, Answered};
use crate::admin::input;
use crate::http::reply::{Reply, plain_error};
use crate::operations::documents;
use crate::store::commit;
use crate::store::commit::Commit;
use crate::values::admin_error::AdminError;
use crate::values::fields::readers;

/// More ports than there are cannot be open.
const MOST_PORTS: usize = 2 * u16::MAX as usize;

/// Whether the server does what it is for, durable state included (M14).
pub(crate) fn health(call: &AdminCall) -> Result<Answered, AdminError> {
    if let Err(error) = commit::wait(call.mock.accounts.store.checked()) {
        let reply = plain_error(StatusCode::SERVICE_UNAVAILABLE, &error.to_string());
        let commit = Commit::done();
        return Ok(Answered { reply, commit });
    }
    Ok(Answered::shown(
        &json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }),
    ))
}

/// This API as OpenAPI.
pub(crate) fn description(_: &AdminCall) -> Result<Answered, AdminError> {
    Ok(text("application/json", documents::OF_ADMIN))
}

/// The certificate under which https is served.
pub(crate) fn authority(call: &AdminCall) -> Result<Answered, AdminError> {
    let authority = call.mock.authority.clone().ok_or_else(|| {
        let sentence =
            "This server speaks no https, so it has no authority; start it with --tls-listen.";
        AdminError::Unknown(sentence.to_owned())
    })?;
    Ok(text("text/plain; charset=utf-8", authority))
}

fn text(kind: &'static str, text: impl Into<Bytes>) -> Answered {
    Answered {
        reply: Reply::new(StatusCode::OK, kind, text),
        commit: Commit::done(),
    }
}

pub(crate) fn reset(call: &AdminCall) -> Result<Answered, AdminError> {
    Ok(Answered::done(call.mock.reset()))
}

pub(crate) fn export(call: &AdminCall) -> Result<Answered, AdminError> {
    Ok(Answered::shown(&call.mock.accounts.export()?))
}

pub(crate) fn import(call: &AdminCall, document: &str) -> Result<Answered, AdminError> {
    Ok(Answered::done(call.mock.accounts.import(document)?))
}

/// What a scan is to find.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ports {
    open: Vec<OpenPort>,
}

pub(crate) fn set_ports(call: &AdminCall, ports: &str) -> Result<Answered, AdminError> {
    let Ports { open } = serde_json::from_str(ports).map_err(|error| {
        let form = r#"{"open": [{"port": 22, "protocol": "tcp"}]}"#;
        AdminError::BadInput(format!("The body must be as {form}: {error}."))
    })?;
    if open.len() > MOST_PORTS {
        let sentence = format!("The open field must be an array of 0 to {MOST_PORTS} items.");
        return Err(AdminError::BadInput(sentence));
    }
    Ok(Answered::done(
        call.mock.accounts.set_ports(record(call)?, &open)?,
    ))
}

pub(crate) fn scan_endpoint(call: &AdminCall) -> Result<Answered, AdminError> {
    let outcome = outcome(call)?;
    Ok(Answered::done(
        call.mock
            .accounts
            .scan_endpoint_now(record(call)?, outcome)?,
    ))
}

pub(crate) fn scan_domain(call: &AdminCall) -> Result<Answered, AdminError> {
    let outcome = outcome(call)?;
    Ok(Answered::done(
        call.mock.accounts.scan_domain_now(record(call)?, outcome)?,
    ))
}

pub(crate) fn set_findings(call: &AdminCall) -> Result<Answered, AdminError> {
    let mut fields = input::fields(
        &call.body,
        &["employees", "customers", "third_parties", "mentions"],
    );
    let mut count = |name: &str| {
        let count = fields.optional(name, readers::integer(0..=i64::from(DomainFindings::MOST)));
        u32::try_from(count.unwrap_or(0)).unwrap_or_default()
    };
    let counts = [
        count("employees"),
        count("customers"),
        count("third_parties"),
        count("mentions"),
    ];
    let findings = input::finish(fields, || {
        let [employees, customers, third_parties, mentions] = counts;
        DomainFindings::new(employees, customers, third_parties, mentions)
    })?;
    Ok(Answered::done(
        call.mock.accounts.set_findings(record(call)?, findings)?,
    ))
}

fn outcome(call: &AdminCall) -> Result<ScanOutcome, AdminError> {
    let by_name = |name: &str| {
        [ScanOutcome::Completed, ScanOutcome::Failed]
            .into_iter()
            .find(|outcome| outcome.name() == name)
    };
    let mut fields = input::fields(&call.body, &["outcome"]);
    let outcome = fields.optional("outcome", readers::named(by_name, "completed, failed"));
    input::finish(fields, || Some(outcome.unwrap_or(ScanOutcome::Completed)))
}

/// The record of the id in the path. What is no id is the id of no record.
fn record(call: &AdminCall) -> Result<RecordRef<'_>, AdminError> {
    let text = call.part(0);
    let tenant = call.query.get("tenant").map(String::as_str);
    readers::parse_uuid(text)
        .map(|id| RecordRef { tenant, id })
        .ok_or_else(|| AdminError::Unknown(format!("There is no record `{text}`.")))
}
