//! What stands in the cells of a spreadsheet beside what people meant to write.

use encoding_rs::{Encoding, MACINTOSH, WINDOWS_1250, WINDOWS_1252};
use std::borrow::Cow;
use std::net::IpAddr;

/// What programs write where there is nothing.
const PLACEHOLDERS: &[&str] = &[
    "-", "--", "–", "—", "n/a", "#n/a", "#nv", "n.a.", "null", "(null)", "<null>", "[null]", "\\n",
    "nan",
];

/// How the row of a sum begins.
const TOTALS: &[&str] = &[
    "total",
    "totals",
    "grand total",
    "subtotal",
    "sub-total",
    "sub total",
    "sum",
    "summe",
    "zwischensumme",
    "gesamt",
    "gesamtsumme",
    "gesamtergebnis",
    "insgesamt",
    "totaal",
    "totale",
    "totaux",
    "somme",
    "suma",
    "razem",
    "celkem",
    "spolu",
    "soma",
    "összesen",
    "итого",
    "всего",
];

/// What a spreadsheet shows where a formula fails.
const FAILURES: &[&str] = &[
    "#ref!", "#name?", "#value!", "#div/0!", "#null!", "#num!", "#spill!", "#calc!", "#bezug!",
    "#wert!",
];

/// A cell without what nobody sees, and without blanks at its ends.
pub fn visible(cell: &str) -> Cow<'_, str> {
    let cell = cell.trim();
    if !cell.contains(is_invisible) && !cell.contains(is_joiner) {
        return Cow::Borrowed(cell);
    }
    let letters: Vec<char> = cell.chars().filter(|c| !is_invisible(*c)).collect();
    let is_word = |place: Option<usize>| {
        let letter = place.and_then(|place| letters.get(place));
        letter.is_some_and(|letter| !letter.is_whitespace() && !is_joiner(*letter))
    };
    // Between letters a joiner is spelling.
    let kept = letters.iter().enumerate().filter(|(place, letter)| {
        !is_joiner(**letter) || is_word(place.checked_sub(1)) && is_word(Some(place + 1))
    });
    let text: String = kept.map(|(_, letter)| letter).collect();
    Cow::Owned(text.trim().to_owned())
}

fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}'
        )
        || matches!(c, '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FEFF}')
}

fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200C}' | '\u{200D}')
}

/// Whether a cell stands for nothing.
pub fn is_placeholder(cell: &str) -> bool {
    let small = cell.to_lowercase();
    PLACEHOLDERS.contains(&small.as_str())
}

/// Whether a cell is what stands in the first column of a sum's row.
pub fn is_total(cell: &str) -> bool {
    let small = cell.to_lowercase();
    let name = small.trim_end_matches(|c: char| !c.is_alphabetic());
    TOTALS.contains(&name)
}

/// Why a cell does not hold what a person meant, where that is so.
pub fn problem(cell: &str) -> Option<String> {
    if let Some(formula) = cell.strip_prefix('=') {
        let value = formula.trim().trim_matches('"');
        return Some(
            match formula.contains('"') && !value.contains(['"', '(', '&']) {
                true => format!("\"{cell}\" is a formula: write \"{value}\" alone"),
                false => format!("\"{cell}\" is a formula: save its value"),
            },
        );
    }
    let is_failure = FAILURES.contains(&cell.to_lowercase().as_str());
    if is_failure || cell.len() > 2 && cell.bytes().all(|byte| byte == b'#') {
        return Some(format!(
            "\"{cell}\" is a formula error: correct it in the spreadsheet"
        ));
    }
    if cell.contains(char::REPLACEMENT_CHARACTER) {
        return Some(format!(
            "\"{cell}\" contains damaged characters: save the file again from the program that made it"
        ));
    }
    misread(cell).map(|meant| {
        format!(
            "\"{cell}\" was saved in the wrong encoding (\"{meant}\"?): save the file again as UTF-8 from the program that made it"
        )
    })
}

/// What a text was before somebody read its UTF-8 as other letters.
fn misread(cell: &str) -> Option<String> {
    if cell.is_ascii() {
        return None;
    }
    let read_as = |encoding: &'static Encoding| {
        let (bytes, _, replaced) = encoding.encode(cell);
        let meant = std::str::from_utf8(&bytes).ok().filter(|_| !replaced)?;
        let beyond_ascii = meant.chars().filter(|c| !c.is_ascii());
        let is_text = beyond_ascii
            .clone()
            .all(|c| c.is_alphanumeric() || "–—‘’“”„…€".contains(c));
        (is_text && beyond_ascii.count() > 0).then(|| meant.to_owned())
    };
    [WINDOWS_1252, WINDOWS_1250, MACINTOSH]
        .into_iter()
        .find_map(read_as)
}

/// The addresses or names that stand in one cell.
pub fn several_targets(cell: &str) -> Option<usize> {
    // A network with its mask is one.
    if cell.contains("/255.") {
        return None;
    }
    let parts: Vec<&str> = cell
        .split(|c: char| c.is_whitespace() || ",;|/&+".contains(c))
        .filter(|part| !part.is_empty() && !part.eq_ignore_ascii_case("and"))
        .collect();
    let is_target = |part: &&str| {
        part.parse::<IpAddr>().is_ok()
            || part.contains('.') && part.contains(|c: char| c.is_alphabetic())
    };
    let addresses = parts.iter().filter(|part| is_target(part)).count();
    (parts.len() > 1 && addresses == parts.len()).then_some(parts.len())
}
