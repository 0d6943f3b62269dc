//! What is wrong in a configuration, and where.

use std::fmt;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A field and what is wrong with it.
#[derive(Debug)]
pub(crate) struct Mistake {
    /// Its path, for example `tenants.0.name`.
    field: String,
    reason: String,
}

impl Mistake {
    pub(super) fn new(field: impl Into<String>, reason: impl Into<String>) -> Self {
        Self {
            field: field.into(),
            reason: reason.into(),
        }
    }

    /// The sentence, with the line where the field stands in the text.
    pub(super) fn in_text(&self, text: &str) -> String {
        let fields = fields(text);
        match fields.iter().find(|(field, _)| *field == self.field) {
            Some((_, span)) => format!("line {}: {self}", line(text, span.start)),
            None => self.to_string(),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.field, self.reason)
    }
}

/// Refuses a list in the place of a table: it would be taken for the table's values in their order.
pub(super) fn check_tables(text: &str) -> Result<(), Mistake> {
    // What is no TOML is told where it is read.
    let Ok(table) = DeTable::parse(text) else {
        return Ok(());
    };
    for (name, value) in table.get_ref() {
        let (name, value) = (name.get_ref().as_ref(), value.get_ref());
        match value {
            DeValue::Array(tenants) if name == "tenants" => {
                for (place, tenant) in tenants.iter().enumerate() {
                    if !matches!(tenant.get_ref(), DeValue::Table(_)) {
                        let field = format!("tenants.{place}");
                        return Err(Mistake::new(field, "must be a table; write [[tenants]]"));
                    }
                }
            }
            DeValue::Array(_) => {
                let reason = format!("must be one table; write [{name}], not [[{name}]]");
                return Err(Mistake::new(name, reason));
            }
            _ => {}
        }
    }
    Ok(())
}

/// The sentence about a text that could not be read.
pub(super) fn read(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().replace('\n', " ");
    let Some(at) = error.span().map(|span| span.start) else {
        return message;
    };
    let fields = fields(text);
    let around = fields.iter().filter(|(_, span)| span.contains(&at));
    let innermost = around.min_by_key(|(_, span)| span.len());
    let place = format!("line {}", line(text, at));
    match innermost {
        // The message shows the value, which may be a key.
        Some((field, _)) if field.starts_with("tenants.") && field.contains(".keys") => {
            format!("{place}: {field}: must be a list of strings")
        }
        Some((field, _)) => format!("{place}: {field}: {message}"),
        None => format!("{place}: {message}"),
    }
}

fn line(text: &str, at: usize) -> usize {
    let before = &text.as_bytes()[..at.min(text.len())];
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

/// Every field of a text by its path, from the name to the end of the value; none of a text that
/// is no TOML.
fn fields(text: &str) -> Vec<(String, Range<usize>)> {
    let mut fields = Vec::new();
    if let Ok(table) = DeTable::parse(text) {
        collect(table.get_ref(), "", &mut fields);
    }
    fields
}

fn collect(table: &DeTable<'_>, prefix: &str, fields: &mut Vec<(String, Range<usize>)>) {
    for (name, value) in table {
        let path = format!("{prefix}{}", name.get_ref());
        collect_value(&path, name.span().start, value, fields);
    }
}

fn collect_value(
    path: &str,
    start: usize,
    value: &Spanned<DeValue<'_>>,
    fields: &mut Vec<(String, Range<usize>)>,
) {
    let span = value.span();
    fields.push((path.to_owned(), start.min(span.start)..span.end));
    match value.get_ref() {
        DeValue::Table(table) => collect(table, &format!("{path}."), fields),
        DeValue::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                let path = format!("{path}.{place}");
                collect_value(&path, item.span().start, item, fields);
            }
        }
        _ => {}
    }
}
