//! Text from the service, made harmless for a terminal.

/// Replaces control characters, escape sequences and marks that turn the reading direction.
pub fn sanitize(text: &str) -> String {
    text.chars()
        .map(|c| {
            if is_harmful(c) {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .collect()
}

fn is_harmful(c: char) -> bool {
    let direction = matches!(c, '\u{061C}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}');
    direction || (c.is_control() && c != '\n')
}

/// The same for one cell, where a line break would break the row.
pub fn sanitize_cell(text: &str) -> String {
    sanitize(text).replace('\n', " ")
}
