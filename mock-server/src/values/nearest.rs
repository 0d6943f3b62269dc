//! Which known name a wrong one was meant to be.

/// Longer names than any that is known need no more of them compared.
const COMPARED: usize = 64;

/// Names that other services have for what ours calls otherwise, written without their separators.
const OTHER_WORDS: [(&str, &str); 3] = [
    ("pagesize", "per_page"),
    ("limit", "per_page"),
    ("customerid", "client_id"),
];

/// The known name that was probably meant: no more than a third of its letters differ, or one name is a whole part of the
/// other, as `email` in `client_email`. Of inner names, only one inside the same object can be.
pub(crate) fn nearest<'a>(
    wrong: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let wrong: String = wrong.chars().take(COMPARED).collect();
    let (object, wrong) = split(&wrong);
    let in_object = known.into_iter().filter_map(|name| {
        let (place, last) = split(name);
        (place == object).then_some((name, last))
    });
    let likely = in_object.filter_map(|(name, last)| Some((likeness(wrong, last)?, name)));
    let likeliest = likely.max_by_key(|(likeness, _)| *likeness);
    likeliest.map(|(_, name)| name)
}

/// The object that a name stands in, and its last part.
fn split(name: &str) -> (&str, &str) {
    name.rsplit_once('.').unwrap_or(("", name))
}

/// How much a known name is like a wrong one, where it is like it at all.
fn likeness(wrong: &str, known: &str) -> Option<u32> {
    let (bare_wrong, bare_known) = (letters(wrong), letters(known));
    if OTHER_WORDS.contains(&(bare_wrong.as_str(), known)) {
        return Some(u32::MAX);
    }
    let longer = bare_wrong.chars().count().max(bare_known.chars().count());
    let is_near = strsim::damerau_levenshtein(&bare_wrong, &bare_known) * 3 <= longer;
    let is_part = is_part_of(wrong, known) || is_part_of(known, wrong);
    let likeness = strsim::jaro_winkler(&bare_wrong, &bare_known) * 1000.0;
    (is_near || is_part).then_some(likeness as u32)
}

/// A name without what is between its words, and without capitals.
fn letters(name: &str) -> String {
    let letters = name.chars().filter(|letter| letter.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// Whether the words of one name follow each other in another.
fn is_part_of(part: &str, whole: &str) -> bool {
    let words = |name: &str| format!("_{}_", name.replace('-', "_").to_lowercase());
    !part.is_empty() && words(whole).contains(&words(part))
}
