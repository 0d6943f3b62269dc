//! Which known name a wrong one was meant to be.

/// Longer names than any that is known need no more of them compared.
const COMPARED: usize = 64;

/// The known name that is most like this one; empty where none is known.
pub(crate) fn nearest<'a>(wrong: &str, known: impl Iterator<Item = &'a str>) -> &'a str {
    let wrong: String = wrong.chars().take(COMPARED).collect();
    let likeness = |name: &&str| (strsim::jaro_winkler(name, &wrong) * 1000.0) as u32;
    known.max_by_key(likeness).unwrap_or_default()
}
