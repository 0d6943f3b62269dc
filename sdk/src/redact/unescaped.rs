//! A text without its escapes: those of JSON, Rust, URLs and HTML, in one another as deep as they come.

use std::borrow::Cow;
use std::ops::Range;

/// No escape is longer, once those inside it are undone.
const LONGEST_ESCAPE: usize = 12;

/// What HTML has names for, the commonest first: the characters of a key, blanks for others that may stand in it, and
/// below their names.
const NAMED: &[u8; 40] = b"& <>\"'!#$%()*+,./:;=?@[[\\]]^_`{{||}}    ";
const NAMES: [&str; 40] = [
    "amp", "nbsp", "lt", "gt", "quot", "apos", "excl", "num", "dollar", "percnt", "lpar", "rpar",
    "ast", "plus", "comma", "period", "sol", "colon", "semi", "equals", "quest", "commat", "lsqb",
    "lbrack", "bsol", "rsqb", "rbrack", "Hat", "lowbar", "grave", "lcub", "lbrace", "verbar",
    "vert", "rcub", "rbrace", "shy", "zwj", "zwnj", "NewLine",
];

/// A text with all escapes undone, also those that appear when others are, and where each stood.
pub(super) struct Unescaped<'t> {
    pub(super) text: Cow<'t, str>,
    escapes: Vec<Escape>,
}

/// An escape that has become one character.
struct Escape {
    /// Where it stood in the original.
    origin: Range<usize>,
    /// Where its character ends.
    end: usize,
}

impl<'t> Unescaped<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let mut escapes = Vec::new();
        if !text.bytes().any(opens_an_escape) {
            return Self {
                text: Cow::Borrowed(text),
                escapes,
            };
        }
        let mut undone = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(opening) = rest.bytes().position(opens_an_escape) {
            undone.push_str(&rest[..=opening]);
            let mut unread = rest[opening + 1..].chars();
            // An escape may be under way, until it gets too long or something comes that none has in it.
            let mut ends_before = undone.len() + LONGEST_ESCAPE;
            while undone.len() < ends_before
                && let Some(next) = unread.next()
            {
                undone.push(next);
                let read = text.len() - unread.as_str().len();
                while undo_last(&mut undone, &mut escapes, read) {}
                match undone.bytes().last() {
                    Some(last) if opens_an_escape(last) => {
                        ends_before = undone.len() + LONGEST_ESCAPE
                    }
                    Some(b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'#' | b'{') => {}
                    _ => break,
                }
            }
            rest = unread.as_str();
        }
        undone.push_str(rest);
        Self {
            text: Cow::Owned(undone),
            escapes,
        }
    }

    pub(super) fn is_the_original(&self) -> bool {
        self.escapes.is_empty()
    }

    /// Where places of this text, in order and apart from each other, stood in the original.
    pub(super) fn origins(&self, places: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
        let mut passed = 0;
        let mut origin = |at| {
            let rest = self.escapes[passed..].iter();
            passed += rest.take_while(|escape| escape.end <= at).count();
            let before = self.escapes[..passed].last();
            before.map_or(at, |escape| escape.origin.end + at - escape.end)
        };
        places
            .map(|place| origin(place.start)..origin(place.end))
            .collect()
    }

    /// Those of such places in the original that have a part of an escape in them, with the whole of it.
    pub(super) fn with_escapes<P: Iterator<Item = Range<usize>>>(
        &self,
        places: P,
    ) -> impl Iterator<Item = Range<usize>> {
        let mut rest = self.escapes.as_slice();
        places.filter_map(move |place| {
            let before = rest
                .iter()
                .take_while(|escape| escape.origin.end <= place.start);
            rest = &rest[before.count()..];
            let mut inside = rest
                .iter()
                .take_while(|escape| escape.origin.start < place.end);
            let first = inside.next()?;
            let last = inside.last().unwrap_or(first);
            Some(first.origin.start.min(place.start)..last.origin.end.max(place.end))
        })
    }
}

fn opens_an_escape(byte: u8) -> bool {
    matches!(byte, b'%' | b'&' | b'\\')
}

/// Undoes the escape that ends where the text ends, up to where the original has been read.
fn undo_last(text: &mut String, escapes: &mut Vec<Escape>, read: usize) -> bool {
    let [.., before, last] = text.as_bytes() else {
        return false;
    };
    let is_undone = |end| escapes.iter().rev().take(2).any(|escape| escape.end == end);
    let found = match (before, last) {
        // One that was undone and one that was not begin two escapes, of one inside the other.
        (b'\\', b'\\') if is_undone(text.len()) != is_undone(text.len() - 1) => None,
        (b'\\', _) | (_, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F' | b';' | b'}') => {
            last_escape(text.as_bytes())
        }
        _ => None,
    };
    let Some((length, character)) = found else {
        return false;
    };
    let start = text.len() - length;
    while escapes.pop_if(|inner| inner.end > start).is_some() {}
    let before = escapes.last();
    let origin = before.map_or(start, |before| before.origin.end + start - before.end)..read;
    text.truncate(start);
    text.push(character);
    let end = text.len();
    escapes.push(Escape { origin, end });
    true
}

/// The escape that ends where the text ends: its length, and what it stands for. Of unknown ones the backslash goes,
/// and line ends become blanks: a key has neither.
fn last_escape(text: &[u8]) -> Option<(usize, char)> {
    let known = match text {
        [.., b'}'] => enclosed(text, b'{').and_then(|(before, digits)| {
            let opened = before.ends_with(b"\\u");
            Some((digits.len() + 4, character(digits, 16).filter(|_| opened)?))
        }),
        [.., b';'] => {
            enclosed(text, b'&').and_then(|(_, name)| Some((name.len() + 2, entity(name)?)))
        }
        [.., b'%', a, b] => character(&[*a, *b], 16).map(|c| (3, c)),
        [.., b'\\', b'x', a, b] => character(&[*a, *b], 16).map(|c| (4, c)),
        [.., b'\\', b'u', a, b, c, d] => character(&[*a, *b, *c, *d], 16).map(|c| (6, c)),
        _ => None,
    };
    known.or(match text {
        [.., b'\\', b'u' | b'x' | b'%' | b'&'] => None,
        [.., b'\\', b'n' | b'r' | b't' | b'0'] => Some((2, ' ')),
        [.., b'\\', c] => c.is_ascii().then_some((2, char::from(*c))),
        _ => None,
    })
}

/// What stands before the last of these bytes, and between it and the end.
fn enclosed(text: &[u8], opening: u8) -> Option<(&[u8], &[u8])> {
    let (_, text) = text.split_last()?;
    let (far, recent) = text.split_at(text.len().saturating_sub(LONGEST_ESCAPE));
    let start = far.len() + recent.iter().rposition(|byte| *byte == opening)?;
    Some((&text[..start], &text[start + 1..]))
}

fn entity(name: &[u8]) -> Option<char> {
    match name {
        [b'#', b'x' | b'X', digits @ ..] => character(digits, 16),
        [b'#', digits @ ..] => character(digits, 10),
        _ => {
            let place = NAMES.iter().position(|known| known.as_bytes() == name)?;
            Some(char::from(NAMED[place]))
        }
    }
}

fn character(digits: &[u8], radix: u32) -> Option<char> {
    let code = digits.iter().try_fold(0_u32, |code, digit| {
        let digit = char::from(*digit).to_digit(radix)?;
        code.checked_mul(radix)?.checked_add(digit)
    })?;
    Some(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER))
}
