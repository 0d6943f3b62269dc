//! Reading the fields of a body or a query: strict types, every failing field at once (A8).

pub(crate) mod readers;

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// Field name to the sentences that say what is wrong with it.
pub(crate) type FieldErrors = BTreeMap<String, Vec<String>>;

/// A field as it was sent.
#[derive(Clone, Copy)]
pub(crate) enum Raw<'a> {
    /// A value of a JSON body.
    Json(&'a Value),
    /// The text of a query parameter.
    Text(&'a str),
}

enum Source<'a> {
    Body(&'a Map<String, Value>),
    Query(&'a BTreeMap<String, String>),
}

/// The fields of one body or query, and what was found wrong with them so far.
pub(crate) struct Fields<'a> {
    source: Source<'a>,
    prefix: String,
    errors: FieldErrors,
}

impl<'a> Fields<'a> {
    /// Fields of a JSON object.
    pub(crate) fn of_body(body: &'a Map<String, Value>) -> Self {
        Self::new(Source::Body(body), String::new())
    }

    /// Fields of an object inside a body; their names are written `prefix.name`.
    pub(crate) fn nested(body: &'a Map<String, Value>, prefix: &str) -> Self {
        Self::new(Source::Body(body), format!("{prefix}."))
    }

    /// Parameters of a query.
    pub(crate) fn of_query(query: &'a BTreeMap<String, String>) -> Self {
        Self::new(Source::Query(query), String::new())
    }

    fn new(source: Source<'a>, prefix: String) -> Self {
        Self {
            source,
            prefix,
            errors: FieldErrors::new(),
        }
    }

    /// The field's value; a missing or unreadable one is noted and gives nothing.
    pub(crate) fn required<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(Raw<'a>) -> Result<T, String>,
    ) -> Option<T> {
        if self.raw(name).is_none() {
            self.reject(name, format!("The {name} field is required."));
        }
        self.optional(name, read)
    }

    /// The field's value, if it was sent; an unreadable one is noted and gives nothing.
    pub(crate) fn optional<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(Raw<'a>) -> Result<T, String>,
    ) -> Option<T> {
        match read(self.raw(name)?) {
            Ok(value) => Some(value),
            Err(problem) => {
                self.reject(name, format!("The {name} {problem}"));
                None
            }
        }
    }

    /// Notes a sentence against a field.
    pub(crate) fn reject(&mut self, name: &str, sentence: String) {
        let name = format!("{}{name}", self.prefix);
        self.errors.entry(name).or_default().push(sentence);
    }

    /// Notes the sentence of a check that failed.
    pub(crate) fn judge(&mut self, name: &str, checked: Result<(), &str>) {
        if let Err(sentence) = checked {
            self.reject(name, sentence.to_owned());
        }
    }

    /// Takes over what was found wrong elsewhere in the same request.
    pub(crate) fn absorb(&mut self, errors: FieldErrors) {
        for (name, sentences) in errors {
            self.errors.entry(name).or_default().extend(sentences);
        }
    }

    /// Whether anything was noted against the field.
    pub(crate) fn failed(&self, name: &str) -> bool {
        self.errors.contains_key(&format!("{}{name}", self.prefix))
    }

    /// The names that were sent.
    pub(crate) fn names(&self) -> Vec<&'a str> {
        match self.source {
            Source::Body(body) => body.keys().map(String::as_str).collect(),
            Source::Query(query) => query.keys().map(String::as_str).collect(),
        }
    }

    /// What `build` makes of the values that were read, unless something was noted. `build`
    /// gives nothing only where a required field did, and that was noted.
    pub(crate) fn finish<T>(self, build: impl FnOnce() -> Option<T>) -> Result<T, FieldErrors> {
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        build().ok_or(self.errors)
    }

    /// `null` in a body is the same as leaving the field out.
    fn raw(&self, name: &str) -> Option<Raw<'a>> {
        match self.source {
            Source::Body(body) => body
                .get(name)
                .filter(|value| !value.is_null())
                .map(Raw::Json),
            Source::Query(query) => query.get(name).map(|text| Raw::Text(text)),
        }
    }
}
