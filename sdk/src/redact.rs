//! Takes what is left of the API key out of texts, in whatever encoding it stands there (F2).
//!
//! A text is looked at twice: as it is, and with every escape in it undone, however deep (`\u0061`, `%2561`,
//! `&amp;#97;`); what is found in the second is masked in the first. Each is read once: the last eight characters are
//! looked up in a table of all runs of eight of the key, of its base64 and of its hex digits, but only where a smaller
//! table knows their end. White space, control characters and whatever is not ASCII do not end a run, so a wrapped key
//! is seen too.

mod unescaped;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use secrecy::zeroize::Zeroizing;
use serde_json::Value;

use unescaped::Unescaped;

/// What stands wherever a piece of the key was.
pub(crate) const MASK: &str = "****";
/// A run of this many characters of the key counts as the key.
const TELLING_RUN: usize = 8;
/// At most so many bytes of a text are read before its end is looked at again.
const LONGEST_STEP: usize = 4;
/// Marks a run that is words in lower case; characters of a key leave this bit free.
const WORDS: u64 = 1 << 63;
/// So many bytes behind the end of what is shown are looked at: a run of the key, several times escaped.
const MARGIN: usize = 256;
/// Longest text that an error shows, in bytes.
pub(crate) const LONGEST_TEXT: usize = 4 * 1024;
const ELLIPSIS: char = '…';

/// Masks what is left of one key in texts of any encoding.
///
/// A key of fewer than eight characters counts as a whole, and is not looked for in base64 or hex: what those make of
/// it is too short to tell from ordinary text.
pub(crate) struct Redactor {
    /// A hash table of the runs, at most half full; zero is an empty place.
    runs: Zeroizing<Vec<u64>>,
    /// A bit for each hash of a part of a run, few of many: most of a text is passed over by this alone.
    parts: Zeroizing<Vec<u64>>,
    /// Characters in a run.
    run: usize,
    /// Characters in a part: of every run one part is at the end of a step.
    part: usize,
    /// Bytes in a step.
    step: usize,
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
        let step = run.min(LONGEST_STEP);
        let undone = Unescaped::of(key).text.into_owned();
        let mut undone = Zeroizing::new(undone.into_bytes());
        undone.retain(u8::is_ascii_graphic);
        let mut encoded = Vec::new();
        if run == TELLING_RUN {
            encoded.push(hex(key.as_bytes()));
            for first_bit in [0, 2, 4] {
                encoded.push(base64(key.as_bytes(), first_bit, b"+/"));
                encoded.push(base64(key.as_bytes(), first_bit, b"-_"));
            }
        }
        let most = 2 * key.len() + encoded.iter().map(|text| text.len()).sum::<usize>();
        let mut redactor = Self {
            runs: Zeroizing::new(vec![0; (2 * most).next_power_of_two()]),
            parts: Zeroizing::new(vec![0; most.next_power_of_two()]),
            run,
            part: run + 1 - step,
            step,
            whole: key.len(),
        };
        let of_words = |byte: &u8| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'-');
        for run in key.as_bytes().windows(run).chain(undone.windows(run)) {
            redactor.learn(run, run.iter().all(of_words));
        }
        for run in encoded.iter().flat_map(|text| text.windows(run)) {
            redactor.learn(run, false);
        }
        redactor
    }

    fn learn(&mut self, run: &[u8], words: bool) {
        let window = run.iter().fold(0, |window, byte| with(window, *byte));
        let place = self.place_of(window);
        let known = self.runs[place];
        let words = words && (known == 0 || known & WORDS != 0);
        self.runs[place] = window | if words { WORDS } else { 0 };
        for step in 0..self.step {
            let (word, bit) = self.bit_of(window >> (8 * step));
            self.parts[word] |= bit;
        }
    }

    /// Where a run stands in the table, or the empty place where it would.
    fn place_of(&self, window: u64) -> usize {
        let last = self.runs.len() - 1;
        let mut place = hash(window) & last;
        while self.runs[place] != 0 && self.runs[place] & !WORDS != window {
            place = (place + 1) & last;
        }
        place
    }

    /// Which bit of `parts` is for the end of this window.
    fn bit_of(&self, window: u64) -> (usize, u64) {
        let hash = hash(last(window, self.part));
        ((hash / 64) & (self.parts.len() - 1), 1 << (hash % 64))
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
        let plain = Unescaped::of(text);
        let hits = self.hits(&plain.text);
        let mut found = plain.origins(hits.iter().map(|hit| hit.place.clone()));
        let mut hits = hits.iter();
        found.retain(|origin| {
            let ordinary = |hit: &Hit| {
                let undone = self.is_ordinary(&plain.text, &hit.place);
                hit.words && (undone || self.is_ordinary(text, origin))
            };
            !hits.next().is_some_and(ordinary)
        });
        if !plain.is_the_original() {
            // What only looks like an escape may have swallowed letters of the key.
            let mut hits = self.hits(text);
            hits.retain(|hit| !(hit.words && self.is_ordinary(text, &hit.place)));
            found.extend(plain.with_escapes(hits.into_iter().map(|hit| hit.place)));
            found.sort_by_key(|place| place.start);
        }
        found.dedup_by(|next, place| {
            let touches = next.start <= place.end;
            if touches {
                place.end = place.end.max(next.end);
            }
            touches
        });
        found
    }

    fn hits(&self, text: &str) -> Vec<Hit> {
        let bytes = text.as_bytes();
        let mut hits = Vec::new();
        let mut window = 0;
        let mut read = 0;
        while read < bytes.len() {
            let step = &bytes[read..bytes.len().min(read + self.step)];
            window = step.iter().fold(window, |window, byte| with(window, *byte));
            read += step.len();
            if !self.may_be_in_a_run(window) {
                continue;
            }
            loop {
                let run = self.runs[self.place_of(last(window, self.run))];
                if run != 0 {
                    self.add(&mut hits, &bytes[..read], run & WORDS != 0);
                } else if !self.may_be_in_a_run(window) {
                    break;
                }
                let mut rest = bytes[read..].iter();
                let Some(next) = rest.position(u8::is_ascii_graphic) else {
                    return hits;
                };
                read += next + 1;
                window = with(window, bytes[read - 1]);
            }
        }
        hits
    }

    fn may_be_in_a_run(&self, window: u64) -> bool {
        let (word, bit) = self.bit_of(window);
        self.parts[word] & bit != 0
    }

    /// Adds the run that was just read.
    fn add(&self, hits: &mut Vec<Hit>, read: &[u8], words: bool) {
        let place = match hits.last() {
            Some(hit) if hit.place.end + 1 == read.len() => hit.place.end..read.len(),
            _ => {
                let mut of_a_key = (0..read.len())
                    .rev()
                    .filter(|at| read[*at].is_ascii_graphic());
                let end = of_a_key.next().map_or(0, |last| last + 1);
                of_a_key.take(self.run - 1).last().unwrap_or(end - 1)..end
            }
        };
        match hits.last_mut() {
            Some(hit) if place.start <= hit.place.end => {
                hit.place.end = place.end;
                hit.words &= words;
            }
            _ => hits.push(Hit { place, words }),
        }
    }

    /// Whether these are words of somebody's sentence: a part of the key that is in lower case there, and in the text
    /// stands alone or has capitals (`ACCOUNT_SUSPENDED`).
    fn is_ordinary(&self, text: &str, place: &Range<usize>) -> bool {
        let (read, after) = text.split_at(place.end);
        // In a Windows path the backslash is no escape.
        let words = read[place.start..].trim_start_matches('\\');
        let before = &read[..read.len() - words.len()];
        let joins = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let alone = !before.ends_with(joins)
            && !after.starts_with(joins)
            && words
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_whitespace());
        let has_capitals = words.bytes().any(|byte| byte.is_ascii_uppercase());
        let length = words.bytes().filter(u8::is_ascii_graphic).count();
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

/// What each byte is compared as: lower case, or zero where no key can have it.
const FOLDED: [u8; 256] = {
    let mut folded = [0; 256];
    let mut byte = b'!';
    while byte <= b'~' {
        folded[byte as usize] = byte.to_ascii_lowercase();
        byte += 1;
    }
    folded
};

/// The window moved on by a byte, without a branch: nothing foretells where a word ends.
fn with(window: u64, byte: u8) -> u64 {
    let folded = FOLDED[usize::from(byte)];
    let shift = if folded == 0 { 0 } else { 8 };
    (window << shift) | u64::from(folded)
}

/// So many of the last characters in the window, from 1 to 8.
fn last(window: u64, characters: usize) -> u64 {
    window & (u64::MAX >> (64 - 8 * characters))
}

fn hash(window: u64) -> usize {
    (window.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
}

fn hex(bytes: &[u8]) -> Zeroizing<Vec<u8>> {
    let digit = |value: u8| b"0123456789abcdef"[usize::from(value)];
    let digits = bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]);
    Zeroizing::new(digits.collect())
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
