//! The table of admin calls.

use axum::response::Response;
use http::{Method, StatusCode};

use super::call::{AdminCall, Answered, Responding};
use super::controls::{clock, events, faults, journal, page, playbooks, records, tenants};
use super::guard::Openness;
use crate::http::reply::{Reply, plain_error};
use crate::values::admin_error::AdminError;
use crate::values::nearest::nearest;

/// Does what a call asks for.
#[derive(Clone, Copy)]
pub(super) enum Control {
    /// The answer is at hand whole.
    Whole(fn(&AdminCall) -> Result<Answered, AdminError>),
    /// The same for a body that it reads itself, since it may be large: a state, or the open ports of a server.
    Large(fn(&AdminCall, &str) -> Result<Answered, AdminError>),
    /// It comes without end, or has headers of its own.
    Own(fn(&AdminCall) -> Result<Response, AdminError>),
    /// It is waited for, and may come in pieces.
    Awaited(fn(AdminCall) -> Responding),
}

use Control::{Awaited, Large, Own, Whole};

/// Its parameters are the last.
struct Row(
    Method,
    &'static str,
    Openness,
    Control,
    &'static [&'static str],
);

#[rustfmt::skip]
const TABLE: &[Row] = &[
    Row(Method::GET,    "/_mock/",                                                    Openness::Open, Own(page::inspector), &[]),
    Row(Method::GET,    "/_mock/events",                                              Openness::Keyed, Own(events::stream), &["tenant"]),
    Row(Method::GET,    "/_mock/docs",                                                Openness::Open, Whole(page::docs), &[]),
    Row(Method::GET,    "/_mock/openapi.json",                                        Openness::Open, Whole(records::description), &[]),
    Row(Method::GET,    "/_mock/ca.pem",                                              Openness::Open, Whole(records::authority), &[]),
    Row(Method::GET,    "/_mock/health",                                              Openness::Open, Whole(records::health), &[]),
    Row(Method::POST,   "/_mock/reset",                                               Openness::Keyed, Whole(records::reset), &[]),
    Row(Method::GET,    "/_mock/state",                                               Openness::Keyed, Whole(records::export), &[]),
    Row(Method::PUT,    "/_mock/state",                                               Openness::Keyed, Large(records::import), &[]),
    Row(Method::GET,    "/_mock/clock",                                               Openness::Keyed, Whole(clock::show), &[]),
    Row(Method::POST,   "/_mock/clock",                                               Openness::Keyed, Whole(clock::move_all), &[]),
    Row(Method::GET,    "/_mock/tenants",                                             Openness::Keyed, Whole(tenants::list), &[]),
    Row(Method::POST,   "/_mock/tenants",                                             Openness::Keyed, Whole(tenants::add), &[]),
    Row(Method::DELETE, "/_mock/tenants/{name}",                                      Openness::Keyed, Whole(tenants::remove), &[]),
    Row(Method::POST,   "/_mock/tenants/{name}/reset",                                Openness::Keyed, Whole(tenants::reset), &[]),
    Row(Method::GET,    "/_mock/tenants/{name}/state",                                Openness::Keyed, Whole(tenants::export), &[]),
    Row(Method::PUT,    "/_mock/tenants/{name}/state",                                Openness::Keyed, Large(tenants::import), &[]),
    Row(Method::GET,    "/_mock/tenants/{name}/clock",                                Openness::Keyed, Whole(clock::show_one), &[]),
    Row(Method::POST,   "/_mock/tenants/{name}/clock",                                Openness::Keyed, Whole(clock::move_one), &[]),
    Row(Method::POST,   "/_mock/tenants/{name}/keys",                                 Openness::Keyed, Whole(tenants::issue_key), &[]),
    Row(Method::DELETE, "/_mock/tenants/{name}/keys/{key}",                           Openness::Keyed, Whole(tenants::revoke_key), &[]),
    Row(Method::PUT,    "/_mock/tenants/{name}/progress",                             Openness::Keyed, Whole(tenants::set_progress), &[]),
    Row(Method::DELETE, "/_mock/tenants/{name}/customers/{client_id}/portal-account", Openness::Keyed, Whole(tenants::remove_portal_account), &[]),
    Row(Method::PUT,    "/_mock/endpoints/{id}/ports",                                Openness::Keyed, Large(records::set_ports), &["tenant"]),
    Row(Method::POST,   "/_mock/endpoints/{id}/scan",                                 Openness::Keyed, Whole(records::scan_endpoint), &["tenant"]),
    Row(Method::PUT,    "/_mock/tenants/{name}/scenario",                             Openness::Keyed, Whole(tenants::set_scenario), &[]),
    Row(Method::PUT,    "/_mock/tenants/{name}/leak-dataset",                         Openness::Keyed, Whole(tenants::set_leak_dataset), &[]),
    Row(Method::PUT,    "/_mock/domains/{id}/findings",                               Openness::Keyed, Whole(records::set_findings), &["tenant"]),
    Row(Method::POST,   "/_mock/domains/{id}/scan",                                   Openness::Keyed, Whole(records::scan_domain), &["tenant"]),
    Row(Method::GET,    "/_mock/faults",                                              Openness::Keyed, Whole(faults::list), &["tenant"]),
    Row(Method::POST,   "/_mock/faults",                                              Openness::Keyed, Whole(faults::place), &[]),
    Row(Method::DELETE, "/_mock/faults",                                              Openness::Keyed, Whole(faults::clear), &["tenant"]),
    Row(Method::DELETE, "/_mock/faults/{id}",                                         Openness::Keyed, Whole(faults::remove), &[]),
    Row(Method::GET,    "/_mock/playbooks",                                           Openness::Keyed, Whole(playbooks::list), &[]),
    Row(Method::POST,   "/_mock/playbooks",                                           Openness::Keyed, Whole(playbooks::start), &[]),
    Row(Method::GET,    "/_mock/playbooks/{id}",                                      Openness::Keyed, Whole(playbooks::show), &["finished"]),
    Row(Method::DELETE, "/_mock/playbooks/{id}",                                      Openness::Keyed, Whole(playbooks::remove), &[]),
    Row(Method::GET,    "/_mock/requests",                                            Openness::Keyed, Awaited(journal::list), &["tenant", "method", "path", "status", "limit", "since", "body", "count", "wait"]),
    Row(Method::DELETE, "/_mock/requests",                                            Openness::Keyed, Whole(journal::clear), &["tenant"]),
];

/// Paths that have no call: they are refused like the others to those who may not call.
const UNKNOWN: [&str; 2] = ["/_mock", "/_mock/{*rest}"];

/// Every path of the table once, and those that are unknown.
pub(super) fn paths() -> Vec<&'static str> {
    let mut paths: Vec<&str> = TABLE.iter().map(|row| row.1).chain(UNKNOWN).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

fn row(path: &str, method: &Method) -> Option<&'static Row> {
    TABLE.iter().find(|row| row.1 == path && row.0 == *method)
}

pub(super) fn control(path: &str, method: &Method) -> Option<Control> {
    row(path, method).map(|row| row.3)
}

pub(super) fn openness(path: &str, method: &Method) -> Openness {
    row(path, method).map_or(Openness::Keyed, |row| row.2)
}

/// No such path, or no such method on it.
pub(super) fn unroutable(path: &str) -> Reply {
    let methods: Vec<&str> = TABLE
        .iter()
        .filter(|row| row.1 == path)
        .map(|row| row.0.as_str())
        .collect();
    if methods.is_empty() {
        let calls = TABLE.iter().map(|row| format!("{} {}", row.0, row.1));
        let calls = calls.collect::<Vec<_>>().join(", ");
        let sentence = format!("There is no such call in the admin API; there are {calls}.");
        return plain_error(StatusCode::NOT_FOUND, &sentence);
    }
    let methods = methods.join(", ");
    plain_error(
        StatusCode::METHOD_NOT_ALLOWED,
        &format!("This call takes {methods} only."),
    )
    .allow(methods)
}

/// Refuses a parameter that a call does not take: one that is misspelt would be passed over.
pub(super) fn check_parameters<'a>(
    path: &str,
    method: &Method,
    mut given: impl Iterator<Item = &'a String>,
) -> Result<(), AdminError> {
    let taken = row(path, method).map_or(&[][..], |row| row.4);
    let Some(unknown) = given.find(|name| !taken.contains(&name.as_str())) else {
        return Ok(());
    };
    let instead = match taken {
        [] => "; it takes none".to_owned(),
        taken => {
            let meant = nearest(unknown, taken.iter().copied());
            let meant = meant.map_or_else(String::new, |name| format!("did you mean {name}? "));
            format!("; {meant}It takes {}", taken.join(", "))
        }
    };
    let sentence = format!("This call has no parameter {unknown}{instead}.");
    Err(AdminError::BadInput(sentence))
}
