//! Faults (M5).

use serde_json::{Value, json};

use crate::admin::call::{AdminCall, Answered};
use crate::faults::effect::Effect;
use crate::faults::fault::Fault;
use crate::operations::catalogue::{self, Operation};
use crate::operations::known_names::{documented_codes, unknown_fields};
use crate::store::commit::Commit;
use crate::values::admin_error::AdminError;
use crate::values::nearest::nearest;
use crate::values::wildcard::wildcard;

/// More faults than this at once are a leak in somebody's tests.
const MOST_FAULTS: usize = 10_000;

/// Bytes of the bodies of all faults.
const MOST_BODIES: usize = 64 * 1024 * 1024;

pub(crate) fn list(call: &AdminCall) -> Result<Answered, AdminError> {
    let of = call.query.get("tenant");
    if let Some(name) = of {
        call.mock.accounts.account(name)?;
    }
    let faults = call.mock.accounts.faults();
    Ok(Answered::shown(&faults.shown(of.map(String::as_str))))
}

pub(crate) fn place(call: &AdminCall) -> Result<Answered, AdminError> {
    let fault = Fault::parse(&call.body).map_err(AdminError::BadInput)?;
    if let Some(name) = &fault.tenant {
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
        _ => aim_warnings(&fault)
            .into_iter()
            .chain(unknown_code(&fault))
            .collect(),
    };
    let mut body = json!({ "id": faults.place(fault) });
    if !warnings.is_empty() {
        body["warnings"] = warnings.into();
    }
    Ok(Answered::made(&body, Commit::done()))
}

const NO_HANDSHAKES: &str =
    "This server speaks no https, so there are no handshakes; start it with --tls-listen.";

/// A code that no client is to expect with this status.
fn unknown_code(fault: &Fault) -> Option<String> {
    let Effect::Status {
        status,
        code: Some(code),
        ..
    } = &fault.effect
    else {
        return None;
    };
    let documented = documented_codes(*status);
    if documented.contains(code.as_str()) {
        return None;
    }
    let instead = match nearest(code, documented.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None if documented.is_empty() => "no code is.".to_owned(),
        None => {
            let documented: Vec<&str> = documented.into_iter().collect();
            format!("there are {}.", documented.join(", "))
        }
    };
    let status = status.as_u16();
    Some(format!(
        "The code {code} is not documented for the status {status}; {instead}"
    ))
}

/// Why it may never hit anything.
fn aim_warnings(fault: &Fault) -> Vec<String> {
    let operations = catalogue::all();
    let (method, path) = (fault.method.as_deref(), fault.path.as_deref());
    let fits_path =
        |operation: &Operation| path.is_none_or(|pattern| may_fit(pattern, &operation.path));
    let fits_method =
        |operation: &Operation| method.is_none_or(|method| method == operation.method.as_str());
    let fits_operation = |operation: &Operation| {
        let wanted = fault.operation.as_deref();
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
        let operation = fault.operation.as_deref().unwrap_or_default();
        warnings.push(format!(
            "There is no operation {operation}; {}",
            meant_operation(operation, &operations)
        ));
    }
    let fits = |operation: &&Operation| {
        fits_path(operation) && fits_method(operation) && fits_operation(operation)
    };
    let fitting: Vec<&Operation> = operations.iter().filter(fits).collect();
    if warnings.is_empty() && fitting.is_empty() {
        warnings.push(match fault.operation {
            Some(_) => "The operation has another method or path.".to_owned(),
            None => "No operation has this method on this path.".to_owned(),
        });
    }
    warnings.extend(unknown_names(fault, &fitting));
    warnings.extend(other_types(fault, &fitting));
    warnings
}

/// Of the members that a call shall hold, those whose value has another type than any of the operations takes.
fn other_types(fault: &Fault, operations: &[&Operation]) -> Vec<String> {
    let warning = |(name, value): (&String, &Value)| {
        let names = operations
            .iter()
            .flat_map(|operation| names_in_address(operation));
        // A parameter is compared as text.
        if names.into_iter().any(|parameter| parameter == name) {
            return None;
        }
        let known = operations.iter().filter_map(|operation| operation.known);
        let types: Vec<&str> = known.filter_map(|known| known.types_of(name)).collect();
        let first = types.first()?;
        let is_one = types
            .iter()
            .any(|types| types.split(" or ").any(|one| is_of(value, one)));
        (!is_one)
            .then(|| format!("No call meets {name} {value}: the operation takes {first} there."))
    };
    let matching = fault.matching.iter().flatten();
    matching.filter_map(warning).collect()
}

/// Whether a value is of a type, by the names of JSON schemas.
fn is_of(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" | "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => value.is_null(),
    }
}

/// Which operation was meant by a name that none has: often it is the end of a path.
fn meant_operation(wrong: &str, operations: &[Operation]) -> String {
    let ends_so = |operation: &&Operation| operation.path.rsplit('/').next() == Some(wrong);
    let ending = operations.iter().filter(ends_so);
    let mut meant: Vec<&str> = ending.map(|operation| operation.name).collect();
    if meant.is_empty() {
        meant.extend(nearest(
            wrong,
            operations.iter().map(|operation| operation.name),
        ));
    }
    meant.dedup();
    match meant.is_empty() {
        true => "secmon-mock routes prints them.".to_owned(),
        false => format!("did you mean {}?", meant.join(" or ")),
    }
}

/// Of the names that a call shall hold, those that none of the operations has; inner ones behind a dot.
fn unknown_names(fault: &Fault, operations: &[&Operation]) -> Vec<String> {
    let known: Vec<&str> = operations
        .iter()
        .flat_map(|operation| names_of(operation))
        .collect();
    let Some(matching) = &fault.matching else {
        return Vec::new();
    };
    if operations.is_empty() {
        return Vec::new();
    }
    let instead = |name: &str| match nearest(name, known.iter().copied()) {
        Some(meant) => format!("did you mean {meant}?"),
        None if known.is_empty() => "it has none".to_owned(),
        None => "so no call meets it.".to_owned(),
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
    let fields = known.flat_map(|known| known.fields().iter().copied());
    names_in_address(operation)
        .into_iter()
        .chain(fields)
        .collect()
}

/// The parameters of its path and query.
fn names_in_address(operation: &Operation) -> Vec<&str> {
    let known = operation.known.into_iter();
    let in_query = known.flat_map(|known| known.parameters().iter().copied());
    let in_path = operation
        .path
        .split('/')
        .filter_map(|part| part.strip_prefix('{'));
    in_query
        .chain(in_path.filter_map(|part| part.strip_suffix('}')))
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
