//! Texts inside markup.

/// A text for XML, without the characters that it cannot hold.
pub(crate) fn escaped(text: &str) -> String {
    let shown = text.chars().map(|character| match character {
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '&' => "&amp;".to_owned(),
        '"' => "&quot;".to_owned(),
        character if character.is_control() => "\u{fffd}".to_owned(),
        character => character.to_string(),
    });
    shown.collect()
}
