//! Faults (M5).

use std::time::Duration;

use http::{HeaderValue, StatusCode};
use serde_json::{Map, Value, json};

use crate::account::admin_error::AdminError;
use crate::admin::call::{AdminCall, Answered};
use crate::admin::input;
use crate::faults::aim::Aim;
use crate::faults::fault::{CloseAt, Effect, Fault, TlsTrouble, usual_retry_after};
use crate::faults::placed::{Faults, Placed};
use crate::http::body::odd_json::stand_in;
use crate::operations::catalogue::{self, Operation};
use crate::operations::known_names::unknown_fields;
use crate::store::commit::Commit;
use crate::values::fields::{Raw, readers};
use crate::values::nearest::nearest;
use crate::values::wildcard::wildcard;

/// Longest delay: an hour.
const LONGEST_LATENCY_MS: i64 = 3_600_000;

/// More faults than this at once are a leak in somebody's tests.
const MOST_FAULTS: usize = 10_000;

/// Characters of a body that a fault answers with.
const LONGEST_BODY: usize = 1024 * 1024;

/// Bytes of the bodies of all faults.
const MOST_BODIES: usize = 64 * 1024 * 1024;

pub(crate) fn list(call: &AdminCall) -> Result<Answered, AdminError> {
    let of = call.query.get("tenant");
    if let Some(name) = of {
        call.mock.accounts.account(name)?;
    }
    Ok(Answered::shown(&all_shown(
        &call.mock.accounts.faults(),
        of,
    )))
}

/// The faults of one account, or all.
pub(crate) fn all_shown(faults: &Faults, of: Option<&String>) -> Value {
    let wanted = |placed: &&Placed| of.is_none() || placed.fault.aim.tenant.as_ref() == of;
    let faults: Vec<_> = faults.all().iter().filter(wanted).map(shown).collect();
    json!({ "faults": faults })
}

fn shown(placed: &Placed) -> Value {
    let fault = &placed.fault;
    let mut shown = json!({
        "id": placed.id,
        "tenant": fault.aim.tenant,
        "method": fault.aim.method,
        "path": fault.aim.path,
        "times": fault.times,
        "after": fault.after,
        "hits": placed.hits,
        "effect": shown_effect(&fault.effect),
    });
    let aim = [
        ("operation", json!(fault.aim.operation)),
        ("match", json!(fault.aim.matching)),
        ("probability", json!(fault.probability)),
    ];
    for (name, value) in aim {
        if !value.is_null() {
            shown[name] = value;
        }
    }
    shown
}

fn shown_effect(effect: &Effect) -> Value {
    match effect {
        Effect::Status {
            status,
            code,
            retry_after,
        } => {
            let mut shown = json!({ "status": status.as_u16() });
            if let Some(code) = code {
                shown["code"] = code.as_str().into();
            }
            if *retry_after != usual_retry_after(*status) {
                shown["retry_after"] = json!(retry_after);
            }
            shown
        }
        Effect::Latency(wait) => {
            json!({ "latency_ms": u64::try_from(wait.as_millis()).unwrap_or(u64::MAX) })
        }
        Effect::Close(at) => json!({ "close": at.name() }),
        Effect::Tls(trouble) => json!({ "tls": trouble.name() }),
        Effect::Body { status, body } => json!({ "body": body, "status": status.as_u16() }),
    }
}

/// What a fault has: whom it hits, how often, and what it does.
const FIELDS: [&str; 9] = [
    "tenant",
    "operation",
    "method",
    "path",
    "match",
    "times",
    "after",
    "probability",
    "effect",
];

/// A fault as it is sent.
pub(crate) fn read(body: &Map<String, Value>) -> Result<Fault, AdminError> {
    let mut fields = input::fields(body, &FIELDS);
    let operation = fields.optional("operation", readers::text(1..=100));
    let matching = fields.optional("match", readers::object);
    let probability = fields.optional("probability", readers::number(0.0..=1.0));
    let tenant = fields.optional("tenant", readers::text(0..=usize::MAX));
    let method = fields.optional("method", readers::text(1..=32));
    let path = fields.optional("path", readers::text(1..=4096));
    let times = fields.optional("times", readers::integer(0..=i64::MAX));
    let after = fields.optional("after", readers::integer(0..=i64::MAX));
    let effect = fields.required("effect", readers::object);
    let effect = read_effect(input::finish(fields, || effect)?)?;
    if let Some(name) = matching.and_then(impossible) {
        return Err(AdminError::BadInput(format!(
            "No call can say {name} as this match has it: it is nested too deep, or a number in it is too large."
        )));
    }
    if let Effect::Tls(_) = effect {
        of_handshakes(body)?;
    }
    Ok(Fault {
        aim: Aim {
            tenant,
            operation,
            method: method.map(|method| method.to_ascii_uppercase()),
            path,
            matching: matching.cloned(),
        },
        times: times.map_or(1, i64::unsigned_abs),
        after: after.map_or(0, i64::unsigned_abs),
        probability,
        effect,
    })
}

/// A member of a match that no body holds as it is written.
fn impossible(matching: &Map<String, Value>) -> Option<&String> {
    let mut members = matching.iter();
    members.find_map(|(name, part)| holds_stand_in(part).then_some(name))
}

fn holds_stand_in(part: &Value) -> bool {
    match part {
        Value::Array(items) => items.iter().any(holds_stand_in),
        Value::Object(members) => members.values().any(holds_stand_in),
        part => *part == stand_in(),
    }
}

/// Refuses what aims at calls: a handshake comes before there is one.
fn of_handshakes(body: &Map<String, Value>) -> Result<(), AdminError> {
    let aims = ["tenant", "operation", "method", "path", "match"];
    match aims
        .iter()
        .find(|name| body.get(**name).is_some_and(|aim| !aim.is_null()))
    {
        Some(aim) => Err(AdminError::BadInput(format!(
            "A tls fault hits a handshake, which comes before any call is known, so it takes no {aim}; leave it out."
        ))),
        None => Ok(()),
    }
}

pub(crate) fn place(call: &AdminCall) -> Result<Answered, AdminError> {
    let fault = read(&call.body)?;
    if let Some(name) = &fault.aim.tenant {
        call.mock.accounts.account(name)?;
    }
    let mut faults = call.mock.accounts.faults();
    if faults.all().len() >= MOST_FAULTS {
        return Err(AdminError::Conflict(
            "There are 10000 faults already; remove some first.".to_owned(),
        ));
    }
    if faults.body_bytes() > MOST_BODIES {
        return Err(AdminError::Conflict(
            "The faults hold 64 MiB of bodies already; remove some first.".to_owned(),
        ));
    }
    let warnings = match fault.effect {
        Effect::Tls(_) if call.mock.accounts.settings.tls.is_some() => Vec::new(),
        Effect::Tls(_) => vec![NO_HANDSHAKES.to_owned()],
        _ => warnings(&fault.aim),
    };
    let mut body = json!({ "id": faults.place(fault) });
    if !warnings.is_empty() {
        body["warnings"] = warnings.into();
    }
    Ok(Answered::made(&body, Commit::done()))
}

const NO_HANDSHAKES: &str =
    "This server speaks no https, so there are no handshakes; start it with --tls-listen.";

/// Why it may never hit anything.
fn warnings(aim: &Aim) -> Vec<String> {
    let operations = catalogue::all();
    let (method, path) = (aim.method.as_deref(), aim.path.as_deref());
    let fits_path =
        |operation: &Operation| path.is_none_or(|pattern| may_fit(pattern, &operation.path));
    let fits_method =
        |operation: &Operation| method.is_none_or(|method| method == operation.method.as_str());
    let fits_operation = |operation: &Operation| {
        let wanted = aim.operation.as_deref();
        wanted.is_none_or(|wanted| wanted == operation.name)
    };
    let mut warnings = Vec::new();
    if !operations.iter().any(fits_path) {
        let path = path.unwrap_or_default();
        warnings.push(format!("No operation has a path like {path}."));
    }
    if !operations.iter().any(fits_method) {
        let method = method.unwrap_or_default();
        warnings.push(format!("No operation has the method {method}."));
    }
    if !operations.iter().any(fits_operation) {
        let operation = aim.operation.as_deref().unwrap_or_default();
        let nearest = nearest(operation, operations.iter().map(|operation| operation.name));
        warnings.push(format!(
            "There is no operation {operation}; did you mean {nearest}?"
        ));
    }
    let fits = |operation: &&Operation| {
        fits_path(operation) && fits_method(operation) && fits_operation(operation)
    };
    let fitting: Vec<&Operation> = operations.iter().filter(fits).collect();
    if warnings.is_empty() && fitting.is_empty() {
        warnings.push(match aim.operation {
            Some(_) => "The operation has another method or path.".to_owned(),
            None => "No operation has this method on this path.".to_owned(),
        });
    }
    warnings.extend(unknown_names(aim, &fitting));
    warnings
}

/// Of the names that a call shall hold, those that none of the operations has; inner ones behind a dot.
fn unknown_names(aim: &Aim, operations: &[&Operation]) -> Vec<String> {
    let known: Vec<&str> = operations
        .iter()
        .flat_map(|operation| names_of(operation))
        .collect();
    let Some(matching) = &aim.matching else {
        return Vec::new();
    };
    if operations.is_empty() {
        return Vec::new();
    }
    let instead = |name: &str| match nearest(name, known.iter().copied()) {
        "" => "it has none".to_owned(),
        nearest => format!("did you mean {nearest}?"),
    };
    let unknown = unknown_fields(matching, &known).into_iter();
    unknown
        .map(|name| {
            let instead = instead(&name);
            format!("No operation that this fault is for has {name}; {instead}")
        })
        .collect()
}

/// What a `match` can name: members of the body, and parameters of path and query.
fn names_of(operation: &Operation) -> Vec<&str> {
    let known = operation.known.into_iter();
    let sent = known.flat_map(|known| [known.parameters(), known.fields()].concat());
    let in_path = operation
        .path
        .split('/')
        .filter_map(|part| part.strip_prefix('{'));
    sent.chain(in_path.filter_map(|part| part.strip_suffix('}')))
        .collect()
}

/// Whether a call of an operation may have a path like this. What stands in the place of a variable part is taken for it;
/// behind a `*`, where places are counted from the end, only what looks like an id.
fn may_fit(pattern: &str, known: &str) -> bool {
    let given: Vec<&str> = pattern.split('/').collect();
    let parts: Vec<&str> = known.split('/').collect();
    let from_start = |at: usize| given.get(at).copied();
    let from_end = |at: usize| {
        let part = given.get((at + given.len()).checked_sub(parts.len())?)?;
        part.contains(|letter: char| letter.is_ascii_digit())
            .then_some(*part)
    };
    let fits = |path: String| wildcard(pattern, &path);
    fits(filled(&parts, from_start)) || fits(filled(&parts, from_end))
}

/// A path with what stands in the place of its variable parts.
fn filled<'a>(parts: &[&'a str], in_place: impl Fn(usize) -> Option<&'a str>) -> String {
    let parts = parts.iter().enumerate();
    let parts = parts.map(|(at, part)| match part.starts_with('{') {
        true => in_place(at).unwrap_or("x"),
        false => part,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Which of the effects an object describes is told by the field that it must have.
fn read_effect(object: &Map<String, Value>) -> Result<Effect, AdminError> {
    let has = |name| object.contains_key(name);
    if has("latency_ms") {
        latency(object)
    } else if has("close") {
        close(object)
    } else if has("tls") {
        tls(object)
    } else if has("body") {
        raw_body(object)
    } else {
        status(object)
    }
}

fn latency(object: &Map<String, Value>) -> Result<Effect, AdminError> {
    let mut fields = input::fields(object, &["latency_ms"]);
    let wait = fields.required("latency_ms", readers::integer(0..=LONGEST_LATENCY_MS));
    input::finish(fields, || {
        Some(Effect::Latency(Duration::from_millis(wait?.unsigned_abs())))
    })
}

fn close(object: &Map<String, Value>) -> Result<Effect, AdminError> {
    let by_name = |name: &str| {
        let found = CloseAt::NAMES.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, at)| Effect::Close(at))
    };
    let mut fields = input::fields(object, &["close"]);
    let effect = fields.required(
        "close",
        readers::named(by_name, "before, after, mid_body, reset"),
    );
    input::finish(fields, || effect)
}

fn tls(object: &Map<String, Value>) -> Result<Effect, AdminError> {
    let by_name = |name: &str| {
        let found = TlsTrouble::NAMES
            .into_iter()
            .find(|(known, _)| *known == name);
        found.map(|(_, trouble)| Effect::Tls(trouble))
    };
    let mut fields = input::fields(object, &["tls"]);
    let effect = fields.required(
        "tls",
        readers::named(by_name, "expired, wrong_host, untrusted"),
    );
    input::finish(fields, || effect)
}

fn raw_body(object: &Map<String, Value>) -> Result<Effect, AdminError> {
    let mut fields = input::fields(object, &["body", "status"]);
    let body = fields.required("body", readers::text(0..=LONGEST_BODY));
    let status = fields.optional("status", status_code(200));
    input::finish(fields, || {
        Some(Effect::Body {
            status: status.unwrap_or(StatusCode::OK),
            body: body?,
        })
    })
}

fn status(object: &Map<String, Value>) -> Result<Effect, AdminError> {
    let mut fields = input::fields(object, &["status", "code", "retry_after"]);
    let status = fields.required("status", status_code(400));
    let code = fields.optional("code", readers::text(1..=100));
    let given = fields.optional("retry_after", retry_after);
    let retry_after = match object.get("retry_after") {
        None => status.and_then(usual_retry_after),
        Some(_) => given,
    };
    input::finish(fields, || {
        Some(Effect::Status {
            status: status?,
            code,
            retry_after,
        })
    })
}

/// A number of seconds, or any text that a header can hold: clients meet both.
fn retry_after(raw: Raw) -> readers::Read<String> {
    let text = match raw {
        Raw::Json(Value::Number(number)) => number.to_string(),
        raw => readers::text(0..=1000)(raw)?,
    };
    match HeaderValue::try_from(&text) {
        Ok(_) => Ok(text),
        Err(_) => Err("must be a number, or a text that a header can hold.".to_owned()),
    }
}

/// A status from `lowest` to 599.
fn status_code(lowest: i64) -> impl Fn(Raw) -> readers::Read<StatusCode> {
    move |raw| {
        let number = readers::integer(lowest..=599)(raw)?;
        u16::try_from(number)
            .ok()
            .and_then(|number| StatusCode::from_u16(number).ok())
            .ok_or_else(|| "must be an HTTP status.".to_owned())
    }
}

pub(crate) fn clear(call: &AdminCall) -> Result<Answered, AdminError> {
    match call.query.get("tenant") {
        Some(name) => {
            call.mock.accounts.account(name)?;
            call.mock.accounts.faults().clear_account(name);
        }
        None => call.mock.accounts.faults().remove_all(),
    }
    Ok(Answered::done(Commit::done()))
}

pub(crate) fn remove(call: &AdminCall) -> Result<Answered, AdminError> {
    let text = call.part(0);
    let removed = text
        .parse()
        .is_ok_and(|id| call.mock.accounts.faults().remove(id));
    if removed {
        Ok(Answered::done(Commit::done()))
    } else {
        Err(AdminError::Unknown(format!("There is no fault `{text}`.")))
    }
}
