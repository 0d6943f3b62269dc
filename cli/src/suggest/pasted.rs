//! Dashes and quotation marks that word processors and ticket systems put in the place of those that a shell reads.

/// Dashes that begin no option.
const DASHES: [char; 6] = [
    '\u{2010}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2212}',
];
/// Quotation marks that hold no words together.
const QUOTES: [char; 9] = ['“', '”', '„', '‟', '‘', '’', '‚', '«', '»'];

/// What to type in the place of the first word that was pasted so.
pub fn pasted(words: &[String]) -> Option<String> {
    words.iter().enumerate().find_map(|(place, word)| {
        option(word)
            .or_else(|| range(word))
            .or_else(|| quoted(&words[place..]))
    })
}

fn option(word: &str) -> Option<String> {
    let name = word.trim_start_matches(|letter| DASHES.contains(&letter) || letter == '-');
    let dashes = &word[..word.len() - name.len()];
    if !dashes.contains(DASHES) || !name.starts_with(|letter: char| letter.is_ascii_alphabetic()) {
        return None;
    }
    let meant = match name.chars().count() {
        1 => format!("-{name}"),
        _ => format!("--{name}"),
    };
    Some(format!(
        "{word} begins with a dash that was pasted: write {meant}"
    ))
}

fn range(word: &str) -> Option<String> {
    let (from, to) = word.split_once(DASHES)?;
    let is_number = |text: &str| text.starts_with(|letter: char| letter.is_ascii_digit());
    let is_range =
        from.bytes().all(|byte| byte.is_ascii_digit()) && is_number(from) && is_number(to);
    is_range.then(|| format!("{word} has a dash that was pasted: write {from}-{to}"))
}

fn quoted(words: &[String]) -> Option<String> {
    let first = words.first()?;
    // With blanks inside it was held together by others.
    if !first.starts_with(QUOTES) || first.contains(char::is_whitespace) {
        return None;
    }
    let last = words.iter().position(|word| word.ends_with(QUOTES))?;
    let text = words[..=last].join(" ");
    let text = text.trim_matches(QUOTES);
    Some(format!(
        "{first} begins with a quotation mark that was pasted: write \"{text}\""
    ))
}
