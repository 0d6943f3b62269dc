//! Reads an answer that is nearly, but not quite, as documented.
//!
//! What cannot be read in any spelling is taken for absent where a member may be absent (its text stays in the kept
//! body), and is an error that names the place where it may not (F12). Only an answer that failed to read comes here,
//! so that the usual one pays nothing.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use super::tolerant_value::TolerantValue;
use super::{DecodeProblem, problem_at};

/// How many bytes are read again in all: an answer that is wrong in every place must not take for ever.
const MOST_BYTES: usize = 64 * 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Member(String),
    Item(usize),
}

/// Reads an answer of so many bytes, and takes out what cannot be read until the rest can.
pub(super) fn read<T: DeserializeOwned>(
    mut answer: Value,
    bytes: usize,
) -> Result<T, DecodeProblem> {
    let mut emptied = BTreeSet::new();
    let mut reason = None;
    for _ in 0..=MOST_BYTES / bytes.max(1) {
        let error = match serde_path_to_error::deserialize::<_, T>(TolerantValue(&answer)) {
            Ok(read) => return Ok(read),
            Err(error) => error,
        };
        let Some(mut place) = steps(error.path()) else {
            reason = Some(problem_at(&error));
            break;
        };
        if !emptied.contains(&place) {
            reason = Some(problem_at(&error));
        }
        // What must not be absent makes all around it unreadable.
        while emptied.contains(&place) && place.pop().is_some() {}
        if place.is_empty() {
            break;
        }
        if let Some(value) = at(&mut answer, &place) {
            *value = Value::Null;
        }
        emptied.insert(place);
    }
    Err(reason.unwrap_or_else(|| DecodeProblem::whole("too much of it cannot be read")))
}

fn steps(path: &Path) -> Option<Vec<Step>> {
    let step = |segment: &Segment| match segment {
        Segment::Map { key } => Some(Step::Member(key.clone())),
        Segment::Seq { index } => Some(Step::Item(*index)),
        Segment::Enum { .. } | Segment::Unknown => None,
    };
    path.iter().map(step).collect()
}

fn at<'v>(answer: &'v mut Value, place: &[Step]) -> Option<&'v mut Value> {
    place.iter().try_fold(answer, |value, step| match step {
        Step::Member(name) => value.get_mut(name.as_str()),
        Step::Item(index) => value.get_mut(*index),
    })
}
