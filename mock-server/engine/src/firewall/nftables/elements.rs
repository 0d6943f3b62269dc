//! The elements of sets and maps, named or not.

use super::tokens::Token;

/// An element: the parts of its key and, in a map, the words of its value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Element {
    pub(super) key: Vec<String>,
    pub(super) value: Vec<String>,
}

impl Element {
    /// Whether it is for whatever is not listed: `*`.
    pub(super) fn is_rest(&self) -> bool {
        self.key.iter().all(|part| part == "*")
    }
}

/// Words behind a key that say nothing of what it is for.
const ATTRIBUTES: [&str; 8] = [
    "counter", "comment", "timeout", "expires", "limit", "quota", "last", "ct",
];

/// The elements between the braces of a set or a map.
pub(super) fn elements(tokens: &[Token]) -> Vec<Element> {
    let split = tokens.split(|token| token.is(","));
    let elements = split.map(element);
    elements.filter(|element| !element.key.is_empty()).collect()
}

fn element(tokens: &[Token]) -> Element {
    let mut element = Element::default();
    let mut part = String::new();
    let mut is_key = true;
    let mut is_remark = false;
    let mut tokens = tokens.iter().peekable();
    while let Some(token) = tokens.next() {
        if token.is_newline() {
            is_remark = false;
        } else if token.is("#") || is_remark {
            is_remark = true;
        } else if token.is(":") {
            is_key = false;
        } else if !is_key {
            if !token.is_quoted && ATTRIBUTES.contains(&token.text.as_str()) {
                break;
            }
            element.value.push(token.text.clone());
        } else if token.is(".") {
            element.key.push(std::mem::take(&mut part));
        } else if !token.is_quoted && ATTRIBUTES.contains(&token.text.as_str()) && !part.is_empty()
        {
            skip_attribute(&mut tokens);
        } else {
            part.push_str(&token.text);
        }
    }
    if !part.is_empty() {
        element.key.push(part);
    }
    element
}

/// Passes over what is said of an element, up to its value.
fn skip_attribute<'a>(tokens: &mut std::iter::Peekable<impl Iterator<Item = &'a Token>>) {
    while tokens.next_if(|token| !token.is(":")).is_some() {}
}
