//! What an assertion says, in words for somebody who does not know Rust.

use crate::model::AGAIN;

/// How Rust writes a value inside another, and what a reader is shown of it.
const WRAPPERS: [&str; 6] = ["Some(", "Ok(", "Err(", "String(", "Number(", "Bool("];

/// How Rust writes JSON, and how JSON is written.
const WORDS: [(&str, &str); 4] = [
    ("Array [", "["),
    ("Object {", "{"),
    ("None", "nothing"),
    ("Null", "null"),
];

/// A message as it is reported: the service's answer stands left in every comparison.
pub fn for_a_reader(message: &str) -> String {
    let message = message.replace("assertion `left == right` failed: ", "");
    let message = message.replace("assertion `left == right` failed", "not as expected");
    let lines = message.lines().map(|line| {
        let compared = [("  left: ", "     found: "), (" right: ", "  expected: ")];
        let mut compared = compared.iter();
        let found = compared.find_map(|(rust, plain)| Some((plain, line.strip_prefix(rust)?)));
        match found {
            Some((plain, value)) => format!("{plain}{}", value_of(value)),
            None => line.to_owned(),
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A message without what only the suite's own people can do with it.
pub fn for_a_vendor(message: &str) -> String {
    let lines = message.lines().filter(|line| !line.starts_with(AGAIN));
    lines.collect::<Vec<_>>().join("\n")
}

/// A value as JSON writes it.
fn value_of(rust: &str) -> String {
    let mut plain = String::new();
    // Of each parenthesis that is open, whether it is shown.
    let mut open = Vec::new();
    let mut rest = rust;
    while let Some(sign) = rest.chars().next() {
        let begins_word = !plain.ends_with(|before: char| before.is_ascii_alphanumeric());
        let wrapper = WRAPPERS.iter().find(|wrapper| rest.starts_with(**wrapper));
        let word = WORDS.iter().find(|(rust, _)| rest.starts_with(rust));
        let length = match (wrapper, word) {
            (Some(wrapper), _) if begins_word => {
                open.push(false);
                wrapper.len()
            }
            (_, Some((rust, json))) if begins_word => {
                plain.push_str(json);
                rust.len()
            }
            _ if sign == '"' => {
                let text = &rest[..end_of_text(rest)];
                plain.push_str(text);
                text.len()
            }
            _ => {
                let is_shown = match sign {
                    '(' => {
                        open.push(true);
                        true
                    }
                    ')' => open.pop().unwrap_or(true),
                    _ => true,
                };
                if is_shown {
                    plain.push(sign);
                }
                sign.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    plain
}

/// Where a text in quotation marks ends.
fn end_of_text(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, sign) in text.char_indices().skip(1) {
        match sign {
            '"' if !is_escaped => return at + 1,
            _ => is_escaped = sign == '\\' && !is_escaped,
        }
    }
    text.len()
}
