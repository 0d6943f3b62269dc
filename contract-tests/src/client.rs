//! The client as a witness of every answer: what it makes of one is what the answer says, nothing less and nothing more;
//! and it refuses no request that the service takes.

use http::header;
use secmon::operations::*;
use secmon::testing;
use secmon::{Envelope, Error, FieldErrors, FieldsIn, Operation, OperationInfo};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::case::caught;
use crate::exchange::{Exchange, Forced};
use crate::free::are_one;
use crate::recipe::{placeholder, text};
use crate::table::TABLE;

/// An operation of the client, and what it makes of an answer and of a request.
struct ClientCheck {
    info: &'static OperationInfo,
    reads: fn(&Exchange, Strict),
    asks: fn(&Exchange),
}

macro_rules! client_checks {
    ($($operation:ident)+) => {
        &[$(ClientCheck {
            info: $operation::INFO,
            reads: |exchange, strict| reads::<$operation>(exchange, strict, |data| json!(data)),
            asks: asks::<$operation>,
        },)+ ClientCheck {
            info: CreateSsoToken::INFO,
            // A secret is written down by nobody else.
            reads: |exchange, strict| reads::<CreateSsoToken>(exchange, strict, |data| {
                json!({"token": data.expose_secret(), "expires_at": data.expires_at})
            }),
            asks: asks::<CreateSsoToken>,
        }]
    };
}

#[rustfmt::skip]
const CLIENT_CHECKS: &[ClientCheck] = client_checks! {
    GetHealth
    ProvisionEndpoint SuspendEndpoint ResumeEndpoint TerminateEndpoint ScanEndpoint
    ProvisionDomain SuspendDomain ResumeDomain TerminateDomain UpdateDomain ReleaseDomain
    ProvisionSubscription SuspendSubscription ResumeSubscription TerminateSubscription ChangeSubscription
    SyncServices SetPrice RemovePrice
    ListDomains GetDomainSummary ListDomainAlerts GetDomainAlert ListMentions ListCredentialLeaks GetScanHistory
    AcknowledgeDomainAlert ResolveDomainAlert
    GetRuleSummary ListRules CreateRule GetRule UpdateRule DeleteRule
    ListEndpoints CreateEndpoint GetEndpoint GetEndpointDetail UpdateEndpoint DeleteEndpoint
    ListPortAlerts GetPortAlert ResolvePortAlert
    ListScenarios SetScenario IngestFirewall
};

/// What the client tells apart from the result.
const OF_THE_ENVELOPE: [&str; 3] = ["/note", "/meta/version", "/meta/timestamp"];

/// Whether a member that the client's types have not is a problem: of our own mock, which has none (F1).
type Strict = bool;

/// What the client makes of an answer otherwise than it says.
pub fn problem_of_answer(exchange: &Exchange, strict: Strict) -> Option<String> {
    problem(exchange, |witness| (witness.reads)(exchange, strict))
}

/// What the client would refuse of a request that the service takes, or for another reason.
pub fn problem_of_request(exchange: &Exchange) -> Option<String> {
    problem(exchange, |witness| (witness.asks)(exchange))
}

fn problem(exchange: &Exchange, look: impl Fn(&ClientCheck)) -> Option<String> {
    let row = TABLE.row_of(&exchange.method, &exchange.path);
    if row.group == "none" {
        return None;
    }
    let mut witnesses = CLIENT_CHECKS.iter();
    let witness = witnesses.find(|witness| witness.info.name == row.operation);
    let witness = witness.unwrap_or_else(|| panic!("the client has no {}", row.operation));
    let failure = caught(|| look(witness)).err()?;
    let status = exchange.status.as_u16();
    Some(format!(
        "the client: {} {status}: {}",
        row.name, failure.message
    ))
}

fn reads<O: Operation>(exchange: &Exchange, strict: Strict, written: fn(&O::Output) -> Value) {
    let mut answer = http::Response::new(exchange.body.clone());
    *answer.status_mut() = exchange.status;
    *answer.headers_mut() = exchange.headers.clone();
    let raw = &exchange.json;
    let unavailable = O::INFO.envelope == Envelope::SuccessOrUnavailable && raw["success"] == true;
    if !exchange.status.is_success() && !unavailable {
        return reads_error(&testing::error::<O>(answer), O::INFO.secret, exchange);
    }
    let read = testing::response::<O>(answer);
    let said = match O::INFO.envelope {
        Envelope::Document => raw,
        _ => &raw["data"],
    };
    let typed = written(&read.data);
    agree("", &typed, said);
    if strict {
        let lost = lost("", &typed, said);
        assert!(lost.is_empty(), "it has no {lost:?}");
    }
    assert_eq!(read.status(), exchange.status);
    assert_eq!(read.was_created(), Some(exchange.status == 201));
    assert_eq!(read.note(), raw["data"]["note"].as_str());
    assert_eq!(read.body(), &exchange.body);
}

/// Absent and null are the same, and so are an empty list and an empty map (F8).
fn agree(place: &str, typed: &Value, raw: &Value) {
    let empty = |value: &Value| *value == json!([]) || *value == json!({});
    match (typed, raw) {
        (Value::Object(members), Value::Object(_)) => {
            for (name, value) in members {
                // Of a report it is the name under which that stands (D7).
                let is_name = name == "product_type" && raw[name].is_null();
                if !is_name || place.rsplit('/').next() != value.as_str() {
                    agree(&format!("{place}/{name}"), value, &raw[name]);
                }
            }
        }
        (Value::Array(items), Value::Array(said)) if items.len() == said.len() => {
            for (at, (item, raw)) in items.iter().zip(said).enumerate() {
                agree(&format!("{place}/{at}"), item, raw);
            }
        }
        (Value::Number(number), Value::Number(said)) => {
            assert_eq!(said.as_f64(), number.as_f64(), "`{place}`");
        }
        (typed, raw) if empty(typed) && (empty(raw) || raw.is_null()) => {}
        (typed, raw) if are_one(typed, raw) => {}
        (typed, raw) => assert_eq!(raw, typed, "`{place}`"),
    }
}

/// The members of an answer that the client's types have not, but for those of the envelope.
fn lost(place: &str, typed: &Value, raw: &Value) -> Vec<String> {
    match (typed, raw) {
        (Value::Object(members), Value::Object(said)) => {
            let said = said.iter().filter(|(_, value)| !value.is_null());
            let all =
                said.map(|(name, value)| (format!("{place}/{name}"), members.get(name), value));
            let all = all.map(|(place, typed, raw)| match typed {
                Some(typed) => lost(&place, typed, raw),
                None => vec![place],
            });
            let all = all.flatten();
            all.filter(|place| !OF_THE_ENVELOPE.contains(&place.as_str()))
                .collect()
        }
        (Value::Array(items), Value::Array(said)) => {
            let pairs = items.iter().zip(said);
            pairs
                .flat_map(|(item, raw)| lost(place, item, raw))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn reads_error(error: &Error, secret: bool, exchange: &Exchange) {
    let api = error.api().expect("an error of the service");
    let raw = &exchange.json;
    assert_eq!(api.status, exchange.status);
    let code = api.code.as_ref().map(|code| code.to_str().into_owned());
    let said = text_or_nothing(&raw["error"]["code"]);
    let named = sorted(names(&api.errors));
    // Of what holds secrets the client repeats no word but those that it knows (F2).
    match secret {
        true => assert!(code.is_none_or(|code| code == said), "{said}"),
        false => assert_eq!(code.unwrap_or_default(), said),
    }
    match secret {
        true => assert!(named.iter().all(|name| !raw["errors"][name].is_null())),
        false => assert_eq!(named, sorted(keys(&raw["errors"]))),
    }
    let wait = exchange.headers.get(header::RETRY_AFTER);
    let wait = wait.and_then(|wait| wait.to_str().ok()?.parse().ok());
    assert_eq!(error.retry_after().map(|wait| wait.as_secs()), wait);
    if secret {
        return;
    }
    let message = [&raw["error"]["message"], &raw["message"]];
    let message = message.map(Value::as_str).into_iter().flatten().next();
    assert_eq!(Some(api.message.as_str()), message);
    assert!(!api.message.is_empty(), "the service says nothing");
    let details = Value::Object(api.details.as_map().clone());
    agree("/error/details", &details, &raw["error"]["details"]);
    for (field, sentences) in api.errors.iter() {
        agree(field, &json!(sentences), &raw["errors"][field]);
    }
}

/// A request with a body that the client's own type can hold: what the client refuses of it, the service refuses too.
fn asks<O: Operation + DeserializeOwned>(exchange: &Exchange) {
    let Some(request) = request_of::<O>(exchange) else {
        return;
    };
    let refused = match exchange.outcome().as_str() {
        "422 fields" => keys(&exchange.json["errors"]),
        "401 key" | "413 size" | "429 window" => return,
        "401 TENANT_NOT_FOUND" | "403 ACCOUNT_SUSPENDED" | "403 TENANT_MISMATCH" => return,
        "403 SANDBOX_DISABLED" => return,
        _ => Vec::new(),
    };
    let mut problems = FieldErrors::default();
    request.validate(&mut problems);
    let mut own = names(&problems);
    own.retain(|name| !refused.contains(name) && refused != ["body"]);
    assert!(own.is_empty(), "it refuses {own:?} of {}", exchange.sent);
}

fn request_of<O: Operation + DeserializeOwned>(exchange: &Exchange) -> Option<O> {
    if O::INFO.fields_in == FieldsIn::Query || exchange.forced != Forced::No {
        return None;
    }
    let mut members = exchange.sent.as_object()?.clone();
    let parts = O::INFO.path.split('/').zip(exchange.path.split('/'));
    let named = parts.filter_map(|(name, part)| Some((placeholder(name)?, part)));
    // The client fills that one, no request has it.
    let named = named.filter(|(name, _)| *name != "namespace");
    members.extend(named.map(|(name, part)| (name.to_owned(), json!(part))));
    serde_json::from_value(Value::Object(members)).ok()
}

fn names(errors: &FieldErrors) -> Vec<String> {
    errors.iter().map(|(name, _)| name.to_owned()).collect()
}

fn keys(errors: &Value) -> Vec<String> {
    errors
        .as_object()
        .into_iter()
        .flat_map(Map::keys)
        .cloned()
        .collect()
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names
}

fn text_or_nothing(value: &Value) -> String {
    if value.is_null() {
        String::new()
    } else {
        text(value)
    }
}
