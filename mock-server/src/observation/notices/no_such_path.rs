//! A path or a method of the partner API that does not exist.

use std::cmp::Reverse;

use super::call_context::CallContext;
use super::names;
use crate::observation::notice::{Notice, NoticeCode};
use crate::operations::catalogue::{self, Operation};

/// No path of ours is longer, so that no more of one needs to be compared.
const COMPARED: usize = 200;

/// Whether a call with a known key went where no operation is.
pub(super) fn no_such_path(call: &CallContext<'_>) -> Option<Notice> {
    let is_below = call.path.starts_with("/api/");
    if !is_below || call.account.is_none() || !call.operation.is_empty() {
        return None;
    }
    let operations = catalogue::all();
    let operations = operations
        .iter()
        .filter(|operation| operation.known.is_some());
    let nearest = operations.max_by_key(|operation| likeness(operation, call))?;
    let Operation {
        name, method, path, ..
    } = nearest;
    let sentence = format!(
        "there is no {} {}; did you mean {name}, which is {method} {path}?",
        names::shown(call, call.method.as_str()),
        names::shown(call, call.path)
    );
    Some(call.notice(NoticeCode::NoSuchPath, &sentence))
}

/// How much the path of an operation is like that of a call: its last name tells most, then the method.
fn likeness(operation: &Operation, call: &CallContext<'_>) -> (bool, bool, bool, Reverse<usize>) {
    let called = call.path.trim_end_matches('/').chars().take(COMPARED);
    let called: String = called.collect();
    let given: Vec<&str> = called.split('/').collect();
    let parts: Vec<&str> = operation.path.split('/').collect();
    let mut names = parts.iter().filter(|part| !is_variable(part));
    let has_same_name = names.next_back() == given.last();
    let is_same_method = operation.method == *call.method;
    let has_same_end = parts.last() == given.last();
    let filled = parts.iter().enumerate();
    let filled: Vec<&str> = filled
        .map(|(place, part)| match given.get(place) {
            Some(given) if is_variable(part) => given,
            _ => *part,
        })
        .collect();
    let distance = strsim::levenshtein(&filled.join("/"), &called);
    (
        has_same_name,
        is_same_method,
        has_same_end,
        Reverse(distance),
    )
}

/// Whether anything may stand in the place of this part of a path.
fn is_variable(part: &str) -> bool {
    part.starts_with('{')
}
