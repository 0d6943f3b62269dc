//! Text from the service, made harmless for a terminal.

use std::fmt::Write;

/// Replaces control characters, escape sequences, marks that turn the reading direction, and ends of lines that are none
/// of ours.
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
    let marks = matches!(c, '\u{061C}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}');
    marks || (c.is_control() && c != '\n')
}

/// A text of which only the first line begins a line: whoever wrote a part of it may have put an end of line there.
pub fn continued(text: &str) -> String {
    let mut lines = text.split('\n');
    let mut continued = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let is_indented = line.is_empty() || line.starts_with(' ');
        continued.push_str(if is_indented { "\n" } else { "\n  " });
        continued.push_str(line);
    }
    continued
}

/// A text made harmless for one cell, where a line break would break the row.
pub fn sanitize_cell(text: &str) -> String {
    sanitize(text).replace('\n', " ")
}

/// JSON that says the same and that a terminal can show: what is harmful can stand in its texts only, and is written by
/// its number there.
pub fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        if is_harmful(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}
