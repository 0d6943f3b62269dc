//! What is wrong with the fields of a request.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;

/// Field names with their problems, each a sentence; nested fields are written `services.3.status`.
///
/// The service's 422 and this crate's own validation both end here, under the same names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
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

    /// Reads the `errors` member of an answer: a map of names to sentences or to lists of them.
    pub(crate) fn from_json(errors: &Value) -> Self {
        let mut found = Self::default();
        for (field, problems) in errors.as_object().into_iter().flatten() {
            match problems {
                Value::Array(problems) => {
                    problems
                        .iter()
                        .for_each(|problem| found.add(field, sentence(problem)));
                }
                single => found.add(field, sentence(single)),
            }
        }
        found
    }
}

fn sentence(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl fmt::Display for FieldErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, (field, problems)) in self.0.iter().enumerate() {
            let separator = if position == 0 { "" } else { "; " };
            write!(f, "{separator}{field}: {}", problems.join(" "))?;
        }
        Ok(())
    }
}
