//! The first digits of an id, where they stand for it.

/// The fewest digits of an id that may stand for it.
pub const SHORTEST_PREFIX: usize = 6;

/// Whether this is the id, or so much of its beginning that it may stand for it.
pub fn is_id_or_prefix(text: &str, id: &str) -> bool {
    id.eq_ignore_ascii_case(text) || is_id_prefix(text, id)
}

/// Whether this is so much of the beginning of the id that it may stand for it.
pub fn is_id_prefix(text: &str, id: &str) -> bool {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let whole: String = id.chars().filter(|c| *c != '-').collect();
    digits.len() >= SHORTEST_PREFIX && whole.starts_with(&digits.to_ascii_lowercase())
}
