//! Dashes and quotation marks that word processors and ticket systems put in the place of those that a shell reads.

/// Dashes that begin no option.
const DASHES: [char; 6] = [
    '\u{2010}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2212}',
];
/// Quotation marks that hold no words together.
const QUOTES: [char; 9] = ['“', '”', '„', '‟', '‘', '’', '‚', '«', '»'];

/// Words that were pasted so, and what to type in their place.
#[derive(Debug)]
pub struct Pasted<'a> {
    words: &'a [String],
    /// What to type, as a sentence.
    pub way_out: String,
}

impl Pasted<'_> {
    /// Whether what is wrong is one of these words.
    pub fn is_in(&self, message: &str) -> bool {
        let quotes = ['"', '\''];
        self.words.iter().any(|word| {
            quotes
                .iter()
                .any(|quote| message.contains(&format!("{quote}{word}{quote}")))
        })
    }
}

/// What to type in the place of a single word in such quotation marks: nothing else would refuse it.
pub fn single_word(words: &[String]) -> Option<String> {
    let whole = |place: usize| {
        let word = &words[place..=place];
        quoted(word).map(|_| way_out(word))
    };
    (0..words.len()).find_map(whole)
}

/// All words that were pasted so.
pub fn pasted(words: &[String]) -> impl Iterator<Item = Pasted<'_>> {
    (0..words.len()).filter_map(|place| {
        let word = &words[place];
        if let Some(way_out) = option(word).or_else(|| range(word)) {
            let words = &words[place..=place];
            return Some(Pasted { words, way_out });
        }
        let words = quoted(&words[place..])?;
        let way_out = way_out(words);
        Some(Pasted { words, way_out })
    })
}

/// The same words between quotation marks that a shell reads.
fn way_out(words: &[String]) -> String {
    let text = words.join(" ");
    let (first, text) = (&words[0], text.trim_matches(QUOTES));
    format!("{first} begins with a quotation mark that was pasted: write \"{text}\"")
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

/// The words from one such quotation mark to the next.
fn quoted(words: &[String]) -> Option<&[String]> {
    let first = words.first()?;
    // With blanks inside it was held together by others.
    if !first.starts_with(QUOTES) || first.contains(char::is_whitespace) {
        return None;
    }
    let last = words.iter().position(|word| word.ends_with(QUOTES))?;
    Some(&words[..=last])
}
