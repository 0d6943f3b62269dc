//! What is wrong with the fields of a request.

use std::collections::{BTreeMap, btree_map};
use std::fmt::{self, Write};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::redact::{one_line, shown};

/// Longest sentence and longest name of a field that is kept, in bytes.
const LONGEST_SENTENCE: usize = 1024;
const LONGEST_NAME: usize = 256;

/// Field names with their problems, each a sentence; nested fields are written `services.3.status`.
///
/// The service's 422 and this crate's own validation both end here, under the same names.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FieldErrors(BTreeMap<String, Vec<String>>);

impl FieldErrors {
    /// Adds a problem of a field.
    pub fn add(&mut self, field: impl Into<String>, problem: impl Into<String>) {
        self.0.entry(field.into()).or_default().push(problem.into());
    }

    /// Whether no field has a problem.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many fields have problems.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The problems of one field; empty when it has none.
    pub fn get(&self, field: &str) -> &[String] {
        self.0.get(field).map_or(&[], Vec::as_slice)
    }

    /// Every field with its problems, in the order of the names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.0
            .iter()
            .map(|(field, problems)| (field.as_str(), problems.as_slice()))
    }

    /// Those of these fields, with a sentence of this crate in place of the service's.
    pub(crate) fn only(&self, fields: &[&str]) -> Self {
        let known = fields.iter().filter(|field| self.0.contains_key(**field));
        let mut only = Self::default();
        known.for_each(|field| only.add(*field, "The service refuses it."));
        only
    }

    /// Reads the `errors` member of an answer: a map of names to sentences or to lists of them.
    pub(crate) fn from_json(errors: &Value) -> Self {
        let mut found = Self::default();
        for (field, problems) in errors.as_object().into_iter().flatten() {
            // A field without a sentence is refused all the same.
            let known = found.0.entry(one_line(field, LONGEST_NAME).into_owned());
            let problems = match problems {
                Value::Array(problems) => problems.as_slice(),
                single => std::slice::from_ref(single),
            };
            let sentences = problems.iter().filter(|problem| !problem.is_null());
            known.or_default().extend(sentences.map(sentence));
        }
        found
    }
}

fn sentence(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text, LONGEST_SENTENCE).into_owned(),
        other => one_line(&other.to_string(), LONGEST_SENTENCE).into_owned(),
    }
}

impl IntoIterator for FieldErrors {
    type Item = (String, Vec<String>);
    type IntoIter = btree_map::IntoIter<String, Vec<String>>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shown(f, |text| {
            for (position, (field, problems)) in self.0.iter().enumerate() {
                let separator = if position == 0 { "" } else { "; " };
                write!(text, "{separator}{field}")?;
                if !problems.is_empty() {
                    write!(text, ": {}", problems.join(" "))?;
                }
            }
            Ok(())
        })
    }
}

impl fmt::Debug for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        shown(f, |text| write!(text, "{:?}", self.0))
    }
}
