//! Takes what is left of the API key out of texts (F2).
//!
//! A text is looked at as it is, and again each time its escapes of JSON and of URLs have been undone (`\u0061`, `%2561`).
//! Eight characters of the key in a row count as the key, and so do eight of its base64. White space, control
//! characters and whatever is not ASCII do not end a run, so a wrapped key is seen too.

mod unescaped;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use secrecy::zeroize::Zeroizing;
use serde_json::Value;

use unescaped::{DEEPEST, Level, UnescapedText};

/// What stands wherever a piece of the key was.
pub(crate) const MASK: &str = "****";
/// A run of this many characters of the key counts as the key.
const TELLING_RUN: usize = 8;
/// Marks a run that is words in lower case; characters of a key leave this bit free.
const WORDS: u64 = 1 << 63;
/// So many bytes behind the end of what is shown are looked at: a run of the key, several times escaped.
const MARGIN: usize = 256;
/// Longest text that an error shows, in bytes.
pub(crate) const LONGEST_TEXT: usize = 4 * 1024;
const ELLIPSIS: char = '…';

/// Masks what is left of one key in texts.
///
/// A key of fewer than eight characters counts as a whole, and is not looked for in base64: what that makes of it is
/// too short to tell from ordinary text.
pub(crate) struct Redactor {
    /// Every run, in order, with a mark for those that are words.
    runs: Zeroizing<Vec<u64>>,
    /// A bit for the last four characters of each run: most of a text is passed over by this alone.
    ends: Zeroizing<Vec<u64>>,
    /// Characters in a run.
    run: usize,
    /// Characters in the key.
    whole: usize,
}

/// A place where runs of the key stand without a gap.
struct Hit {
    place: Range<usize>,
    /// Whether each of them is words in lower case.
    words: bool,
}

impl Redactor {
    pub(crate) fn new(key: &str) -> Self {
        let run = key.len().clamp(1, TELLING_RUN);
        let mut redactor = Self {
            runs: Zeroizing::default(),
            ends: Zeroizing::new(vec![0; 1 << 10]),
            run,
            whole: key.len(),
        };
        let is_of_words = |run: &[u8]| {
            let mut letters = run.iter();
            letters.all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-'))
        };
        redactor.learn(key.as_bytes(), is_of_words);
        // What an escape in the key itself becomes, where the text around it is unescaped.
        let mut undone = UnescapedText::of(key.as_bytes());
        while let Some(level) = undone {
            let text = Zeroizing::new(level.bytes);
            redactor.learn(&text, is_of_words);
            undone = UnescapedText::of(&text);
        }
        if run == TELLING_RUN {
            for first_bit in [0, 2, 4] {
                for last_digits in [b"+/", b"-_"] {
                    let digits = base64(key.as_bytes(), first_bit, last_digits);
                    redactor.learn(&digits, |_| false);
                }
            }
        }
        redactor
            .runs
            .sort_unstable_by_key(|run| (run & !WORDS, *run));
        // The one that is no words comes first, and stays.
        redactor.runs.dedup_by_key(|run| *run & !WORDS);
        redactor
    }

    fn learn(&mut self, text: &[u8], is_of_words: impl Fn(&[u8]) -> bool) {
        let graphic: Zeroizing<Vec<u8>> =
            Zeroizing::new(text.iter().copied().filter(u8::is_ascii_graphic).collect());
        for run in graphic.windows(self.run) {
            let window = run.iter().fold(0, |window, byte| with(window, *byte));
            self.runs
                .push(window | if is_of_words(run) { WORDS } else { 0 });
            let (word, bit) = end_of(window);
            self.ends[word] |= bit;
        }
    }

    /// The text with every telling run of the key masked.
    ///
    /// Upper and lower case are the same here. Ordinary words stay, or a key named after its state would leave holes
    /// in the service's sentences.
    pub(crate) fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.redact_start(text, text.len())
    }

    /// The text up to this byte, redacted; what stands behind it is only looked at.
    fn redact_start<'t>(&self, text: &'t str, end: usize) -> Cow<'t, str> {
        let mut clean = String::new();
        let mut kept_from = 0;
        for place in self
            .places(text)
            .into_iter()
            .take_while(|place| place.start < end)
        {
            clean.push_str(&text[kept_from..place.start]);
            clean.push_str(MASK);
            kept_from = place.end;
        }
        if kept_from == 0 {
            return Cow::Borrowed(&text[..end]);
        }
        clean.push_str(text.get(kept_from..end).unwrap_or_default());
        Cow::Owned(clean)
    }

    /// What is masked in a text, in order and apart from each other.
    fn places(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut level = Level::of(text);
        for depth in 0..=DEEPEST {
            let next = UnescapedText::of(&level.bytes).filter(|_| depth < DEEPEST);
            for hit in self.hits(&level.bytes) {
                if hit.words && self.is_ordinary(&level.bytes, &hit.place) {
                    continue;
                }
                let place = match &next {
                    // What is no part of an escape is found again below.
                    Some(next) => next.with_whole_escapes(&hit.place),
                    None => Some(hit.place),
                };
                found.extend(place.map(|place| level.origin(place)));
            }
            let Some(next) = next else { break };
            level = level.below(next);
        }
        found.sort_unstable_by_key(|place| place.start);
        found.dedup_by(|next, place| {
            let touches = next.start <= place.end;
            if touches {
                place.end = place.end.max(next.end);
            }
            touches
        });
        found
    }

    fn hits(&self, text: &[u8]) -> Vec<Hit> {
        let mut hits: Vec<Hit> = Vec::new();
        let mut window = 0;
        // Where the last characters stand, the latest at `read - 1`, counted round.
        let mut stands = [0; TELLING_RUN];
        let mut read = 0;
        for (at, byte) in text
            .iter()
            .enumerate()
            .filter(|(_, byte)| byte.is_ascii_graphic())
        {
            window = with(window, *byte);
            stands[read % TELLING_RUN] = at;
            read += 1;
            let Some(first) = read.checked_sub(self.run) else {
                continue;
            };
            let Some(words) = self.find(window) else {
                continue;
            };
            let (start, end) = (stands[first % TELLING_RUN], at + 1);
            match hits.last_mut() {
                Some(hit) if start <= hit.place.end => {
                    hit.place.end = end;
                    hit.words &= words;
                }
                _ => hits.push(Hit {
                    place: start..end,
                    words,
                }),
            }
        }
        hits
    }

    /// Whether the window ends in a run of the key, and if so, whether that is words.
    fn find(&self, window: u64) -> Option<bool> {
        let run = window & (u64::MAX >> (64 - 8 * self.run));
        let (word, bit) = end_of(run);
        if self.ends[word] & bit == 0 {
            return None;
        }
        let place = self.runs.binary_search_by_key(&run, |run| run & !WORDS);
        place.ok().map(|place| self.runs[place] & WORDS != 0)
    }

    /// Whether these are words of somebody's sentence: a part of the key that is in lower case there, and in the text
    /// stands alone or has capitals (`ACCOUNT_SUSPENDED`).
    fn is_ordinary(&self, text: &[u8], place: &Range<usize>) -> bool {
        let joins = |byte: &u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-') || !byte.is_ascii()
        };
        let words = &text[place.clone()];
        let stands_apart = !text[..place.start].last().is_some_and(joins)
            && !text[place.end..].first().is_some_and(joins);
        let is_plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_whitespace();
        let alone = stands_apart && words.iter().all(is_plain);
        let has_capitals = words.iter().any(u8::is_ascii_uppercase);
        let length = words.iter().filter(|byte| byte.is_ascii_graphic()).count();
        length < self.whole && (alone || has_capitals)
    }

    /// The text redacted, as one line of at most `limit` bytes. What lies far behind the limit is not looked at.
    pub(crate) fn shown(&self, text: &str, limit: usize) -> String {
        let seen = start_of(text, limit.saturating_add(MARGIN));
        let cut = seen.len() < text.len();
        let end = if cut {
            start_of(text, limit).len()
        } else {
            seen.len()
        };
        line(&self.redact_start(seen, end), limit, cut).into_owned()
    }

    /// Every string in a JSON value redacted, the names of members too. A number with a run of the key in it becomes a
    /// string; of members whose names become the same, one stays.
    pub(crate) fn redact_json(&self, value: &mut Value) {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => {
                if let Cow::Owned(clean) = self.redact(&number.to_string()) {
                    *value = Value::String(clean);
                }
            }
            Value::String(text) => {
                if let Cow::Owned(clean) = self.redact(text) {
                    *text = clean;
                }
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.redact_json(item)),
            Value::Object(members) => {
                members
                    .values_mut()
                    .for_each(|member| self.redact_json(member));
                let telling = members.keys().filter_map(|name| match self.redact(name) {
                    Cow::Borrowed(_) => None,
                    Cow::Owned(clean) => Some((name.clone(), clean)),
                });
                for (name, clean) in telling.collect::<Vec<_>>() {
                    if let Some(member) = members.remove(&name) {
                        members.insert(clean, member);
                    }
                }
            }
        }
    }
}

/// The window moved on by a character.
fn with(window: u64, byte: u8) -> u64 {
    (window << 8) | u64::from(byte.to_ascii_lowercase())
}

/// Which bit of `ends` is for the last four characters of a run.
fn end_of(run: u64) -> (usize, u64) {
    let end = (run as u32).wrapping_mul(0x9e37_79b9) >> 16;
    ((end >> 6) as usize, 1 << (end & 63))
}

/// What base64 makes of bytes whose first whole digit begins at this bit: 0, 2 or 4, by where in a longer text they
/// stand.
fn base64(bytes: &[u8], first_bit: usize, last_digits: &[u8; 2]) -> Zeroizing<Vec<u8>> {
    let byte = |at: usize| u16::from(bytes.get(at).copied().unwrap_or(0));
    let digits = (first_bit..8 * bytes.len()).step_by(6).map(|bit| {
        let pair = (byte(bit / 8) << 8) | byte(bit / 8 + 1);
        match ((pair >> (10 - bit % 8)) & 63) as u8 {
            value @ 0..26 => b'A' + value,
            value @ 26..52 => b'a' + value - 26,
            value @ 52..62 => b'0' + value - 52,
            value => last_digits[usize::from(value - 62)],
        }
    });
    Zeroizing::new(digits.collect())
}

/// One line of at most `limit` bytes: what would break it, or turn its direction, becomes a blank, and a longer text
/// ends in an ellipsis.
pub(crate) fn one_line(text: &str, limit: usize) -> Cow<'_, str> {
    line(text, limit, false)
}

/// Shows what is written as one line of bounded length.
pub(crate) fn shown(
    f: &mut fmt::Formatter<'_>,
    write: impl FnOnce(&mut String) -> fmt::Result,
) -> fmt::Result {
    let mut text = String::new();
    write(&mut text)?;
    f.write_str(&one_line(&text, LONGEST_TEXT))
}

/// The same, of a text that may have been cut before.
fn line(text: &str, limit: usize, was_cut: bool) -> Cow<'_, str> {
    let cut = was_cut || text.len() > limit;
    let room = if cut { ELLIPSIS.len_utf8() } else { 0 };
    let kept = start_of(text, limit.saturating_sub(room));
    if !cut && !kept.contains(breaks_a_line) {
        return Cow::Borrowed(kept);
    }
    let mut line = kept.replace(breaks_a_line, " ");
    if cut && room <= limit {
        line.push(ELLIPSIS);
    }
    Cow::Owned(line)
}

fn breaks_a_line(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || turns || matches!(c, '\u{2028}' | '\u{2029}')
}

/// The first so many bytes, fewer where a character would be cut.
fn start_of(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}
