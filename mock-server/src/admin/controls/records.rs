//! Records and their world, readiness, and back to the start.

use std::num::NonZeroU16;

use bytes::Bytes;
use http::StatusCode;
use secmon_engine::{DomainFindings, OpenPort, Protocol, ScanOutcome};
use serde_json::{Map, Value, json};

use super::{AdminCall, Answered, input};
use crate::AdminError;
use crate::fields::{Fields, Raw, readers};
use crate::http::reply::Reply;
use crate::mock::RecordRef;
use crate::openapi;
use crate::store::Commit;

/// More ports than there are cannot be open.
const MOST_PORTS: usize = 2 * u16::MAX as usize;

pub(crate) fn health(_: &AdminCall) -> Result<Answered, AdminError> {
    Ok(Answered::shown(
        &json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }),
    ))
}

/// This API as OpenAPI.
pub(crate) fn description(_: &AdminCall) -> Result<Answered, AdminError> {
    Ok(text("application/json", openapi::OF_ADMIN))
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
    Ok(Answered::shown(&call.mock.export()?))
}

pub(crate) fn import(call: &AdminCall) -> Result<Answered, AdminError> {
    Ok(Answered::done(
        call.mock.import(&Value::Object(call.body.clone()))?,
    ))
}

pub(crate) fn set_ports(call: &AdminCall) -> Result<Answered, AdminError> {
    let mut fields = input::fields(&call.body, &["open"]);
    let open = fields.required("open", open_ports);
    let open = input::finish(fields, || open)?;
    Ok(Answered::done(call.mock.set_ports(record(call)?, &open)?))
}

fn open_ports(raw: Raw) -> readers::Read<Vec<OpenPort>> {
    readers::array(0..=MOST_PORTS)(raw)?
        .iter()
        .map(|item| {
            let object = readers::object(Raw::Json(item))?;
            open_port(object)
                .map_err(|_| r#"must hold objects as {"port": 22, "protocol": "tcp"}."#.to_owned())
        })
        .collect()
}

fn open_port(object: &Map<String, Value>) -> Result<OpenPort, crate::fields::FieldErrors> {
    let mut fields = Fields::of_body(object);
    let port = fields.required("port", readers::integer(1..=i64::from(u16::MAX)));
    let protocol = fields.required("protocol", readers::named(protocol, "tcp, udp"));
    fields.finish(|| {
        let port = NonZeroU16::new(u16::try_from(port?).ok()?)?;
        Some(OpenPort {
            port,
            protocol: protocol?,
        })
    })
}

fn protocol(name: &str) -> Option<Protocol> {
    [Protocol::Tcp, Protocol::Udp]
        .into_iter()
        .find(|protocol| protocol.name() == name)
}

pub(crate) fn scan_endpoint(call: &AdminCall) -> Result<Answered, AdminError> {
    let outcome = outcome(call)?;
    Ok(Answered::done(
        call.mock.scan_endpoint_now(record(call)?, outcome)?,
    ))
}

pub(crate) fn scan_domain(call: &AdminCall) -> Result<Answered, AdminError> {
    let outcome = outcome(call)?;
    Ok(Answered::done(
        call.mock.scan_domain_now(record(call)?, outcome)?,
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
        call.mock.set_findings(record(call)?, findings)?,
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
