//! The API specification in its own words, to stand beside what a service does otherwise.

use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;

/// A quotation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Quote {
    /// The heading under which it stands.
    pub section: String,
    /// The operations and codes that it speaks of; all of them where it names none.
    #[serde(default)]
    pub of: Vec<String>,
    text: String,
}

#[derive(Deserialize)]
struct File {
    quote: Vec<Quote>,
}

/// All quotations.
pub static QUOTES: LazyLock<Vec<Quote>> = LazyLock::new(|| {
    let text = include_str!("../../specification.toml");
    let file: File = toml::from_str(text).expect("the quotations are well formed");
    file.quote
});

/// What speaks of one of these operations or of a name in what was found; where nothing does, what stands under one of
/// these headings.
pub fn quoted(operations: &[&str], found: &str, headings: &[String]) -> Vec<&'static Quote> {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let words: Vec<&str> = found.split(|sign| !is_part(sign)).collect();
    let of = |names: &[&str]| -> Vec<&'static Quote> {
        let speaks = |quote: &&Quote| quote.of.iter().any(|name| names.contains(&&**name));
        QUOTES.iter().filter(speaks).collect()
    };
    let headed = |quote: &&Quote| quote.of.is_empty() && headings.contains(&quote.section);
    let headed = QUOTES.iter().filter(headed).collect();
    let choices = [of(&words), of(operations), headed];
    let mut choices = choices.into_iter();
    choices
        .find(|quotes| !quotes.is_empty())
        .unwrap_or_default()
}

impl fmt::Display for Quote {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { section, text, .. } = self;
        write!(to, "API specification, {section}: \"{text}\"")
    }
}
