//! Which operations a path has.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use super::catalogue::{self, Operation};

/// Every path of the partner API, with its operations.
pub(crate) struct Paths {
    literal: HashMap<String, Vec<Operation>>,
    /// Those with a variable segment, such as `/api/v1/endpoints/{endpoint}`.
    variable: Vec<Pattern>,
}

struct Pattern {
    segments: Vec<Segment>,
    operations: Vec<Operation>,
}

enum Segment {
    Literal(String),
    Variable(String),
}

/// The operations of a path, and what stands for its variable segments.
#[derive(Default)]
pub(crate) struct Found<'a> {
    /// None for a path that is not one of ours.
    pub(crate) operations: &'a [Operation],
    pub(crate) segments: Segments<'a>,
}

/// The variable segments of a path, by name. What is no text once it is decoded is left out: it is no id either (A16).
#[derive(Debug, Default)]
pub(crate) struct Segments<'a>(Vec<(&'a str, Cow<'a, str>)>);

impl Segments<'_> {
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().find(|(segment, _)| *segment == name);
        found.map(|(_, text)| text.as_ref())
    }
}

impl Paths {
    /// Those of every operation there is.
    pub(crate) fn all() -> &'static Self {
        static ALL: LazyLock<Paths> = LazyLock::new(Paths::new);
        &ALL
    }

    fn new() -> Self {
        let mut paths: BTreeMap<String, Vec<Operation>> = BTreeMap::new();
        for operation in catalogue::all() {
            paths
                .entry(operation.path.clone())
                .or_default()
                .push(operation);
        }
        let (variable, literal): (Vec<_>, Vec<_>) =
            paths.into_iter().partition(|(path, _)| path.contains('{'));
        Self {
            literal: literal.into_iter().collect(),
            variable: variable
                .into_iter()
                .map(|(path, operations)| Pattern {
                    segments: path.split('/').map(Segment::new).collect(),
                    operations,
                })
                .collect(),
        }
    }

    /// A literal path wins over one with variable segments (A6).
    pub(crate) fn find<'a>(&'a self, path: &'a str) -> Found<'a> {
        if let Some(operations) = self.literal.get(path) {
            return Found {
                operations,
                segments: Segments::default(),
            };
        }
        let given: Vec<&str> = path.split('/').collect();
        let fitting = self.variable.iter().find_map(|pattern| {
            let segments = pattern.segments_of(&given)?;
            let operations = &pattern.operations;
            Some(Found {
                operations,
                segments,
            })
        });
        fitting.unwrap_or_default()
    }
}

impl Pattern {
    fn segments_of<'a>(&'a self, given: &[&'a str]) -> Option<Segments<'a>> {
        if given.len() != self.segments.len() {
            return None;
        }
        let mut variable = Vec::new();
        for (segment, text) in self.segments.iter().zip(given) {
            match segment {
                Segment::Literal(literal) if literal == text => {}
                // An empty segment is no id: such a path is not one of ours (A6).
                Segment::Variable(name) if !text.is_empty() => {
                    variable.extend(decoded(text).map(|text| (name.as_str(), text)));
                }
                Segment::Literal(_) | Segment::Variable(_) => return None,
            }
        }
        Some(Segments(variable))
    }
}

impl Segment {
    fn new(text: &str) -> Self {
        let variable = text.strip_prefix('{');
        match variable.and_then(|text| text.strip_suffix('}')) {
            Some(name) => Self::Variable(name.to_owned()),
            None => Self::Literal(text.to_owned()),
        }
    }
}

fn decoded(text: &str) -> Option<Cow<'_, str>> {
    if text.contains('%') {
        percent_encoding::percent_decode_str(text)
            .decode_utf8()
            .ok()
    } else {
        Some(Cow::Borrowed(text))
    }
}
