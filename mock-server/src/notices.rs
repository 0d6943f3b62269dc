//! Notices: what the service tolerates, and a careless client should hear of (M10).

mod memory;

use http::{Method, StatusCode, header};
use serde::Serialize;
use serde_json::Value;

use crate::http::context::PartnerRequest;
use crate::http::routes::Route;
use crate::nearest::nearest;
pub(crate) use memory::{Heard, Memory, Pause};

/// Something about a call that its answer does not tell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Notice {
    /// `unknown_field`, `unknown_parameter`, `no_customer`, `unsafe_repeat` or `too_early`.
    pub code: &'static str,
    /// What was seen, and what to do about it.
    pub sentence: String,
}

impl Notice {
    fn new(code: &'static str, sentence: String) -> Self {
        Self { code, sentence }
    }
}

/// A client that misspells a hundred names knows enough when it hears of some.
const MOST_NAMES: usize = 8;

/// Characters of a name that are shown.
const SHOWN: usize = 64;

/// How our own command line names itself: its users are staff, who see every customer.
const STAFF: &[u8] = b"secmon-cli/";

/// The parameter that names the customer of a read.
const CUSTOMER: &str = "billing_customer_id";

/// The names that an operation knows, by its description.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    parameters: &'static [&'static str],
    fields: &'static [&'static str],
    /// `403 ENDPOINT_LIMIT_EXCEEDED`, or `200` where there is no code.
    pub(crate) outcomes: &'static [&'static str],
}

type Row = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

const TABLE: &[Row] = include!(concat!(env!("OUT_DIR"), "/known.rs"));

impl Known {
    /// None where the description has no such operation.
    pub(crate) fn by(operation: &str) -> Option<Self> {
        let (_, parameters, fields, outcomes) = TABLE.iter().find(|row| row.0 == operation)?;
        Some(Self {
            parameters,
            fields,
            outcomes,
        })
    }
}

/// What a request shows by itself, once it is answered.
pub(crate) fn of_request(
    route: &Route,
    request: &PartnerRequest<'_>,
    status: Option<StatusCode>,
) -> Vec<Notice> {
    let Some(known) = route.known else {
        return Vec::new();
    };
    let mut notices = of_names(route.operation, known, request);
    if status.is_some_and(|status| status.is_success()) {
        notices.extend(no_customer(route, known, request));
    }
    notices
}

/// The names in a request that its operation does not know.
fn of_names(operation: &str, known: Known, request: &PartnerRequest<'_>) -> Vec<Notice> {
    let Known {
        parameters, fields, ..
    } = known;
    let unknown = |code, kind: &str, name: &str, known: &[&str]| {
        let shown: String = name.chars().take(SHOWN).collect();
        let instead = match nearest(name, known.iter().copied()) {
            "" => "it has none".to_owned(),
            nearest => format!("did you mean {nearest}?"),
        };
        let sentence = format!("{operation} has no {kind} {shown}; {instead}");
        Notice::new(code, sentence)
    };
    let mut notices: Vec<Notice> = request
        .query
        .keys()
        .filter(|name| !parameters.contains(&name.as_str()))
        .map(|name| unknown("unknown_parameter", "parameter", name, parameters))
        .take(MOST_NAMES)
        .collect();
    let names = unknown_fields(request, fields);
    notices.extend((names.iter()).map(|name| unknown("unknown_field", "field", name, fields)));
    notices
}

/// A read that was answered although it may take a customer and names none.
fn no_customer(route: &Route, known: Known, request: &PartnerRequest<'_>) -> Option<Notice> {
    let agent = request.head.headers.get(header::USER_AGENT);
    let is_staff = agent.is_some_and(|agent| agent.as_bytes().starts_with(STAFF));
    let is_read = route.method == Method::GET && known.parameters.contains(&CUSTOMER);
    if !is_read || is_staff || request.query.contains_key(CUSTOMER) {
        return None;
    }
    let sentence = format!(
        "{} without {CUSTOMER} shows every customer's records; a customer's area must send it",
        route.operation
    );
    Some(Notice::new("no_customer", sentence))
}

/// The fields of a body that its operation does not know, those of inner objects behind a dot.
fn unknown_fields(request: &PartnerRequest<'_>, known: &[&str]) -> Vec<String> {
    let mut unknown = Vec::new();
    if !request.sent.bytes().is_empty()
        && let Ok(body) = request.object()
    {
        collect_unknown(&Value::Object(body), "", known, &mut unknown);
    }
    unknown
}

fn collect_unknown(value: &Value, prefix: &str, known: &[&str], unknown: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for item in items {
                collect_unknown(item, prefix, known, unknown);
            }
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                let name = format!("{prefix}{name}");
                if known.contains(&name.as_str()) {
                    collect_unknown(value, &format!("{name}."), known, unknown);
                } else if unknown.len() < MOST_NAMES && !unknown.contains(&name) {
                    unknown.push(name);
                }
            }
        }
        _ => {}
    }
}
