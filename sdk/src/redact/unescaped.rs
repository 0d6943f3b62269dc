//! A text without its escapes: those of JSON and of URLs, one level at a time.

use std::borrow::Cow;
use std::ops::Range;

/// So many escapes inside one another are undone.
pub(super) const DEEPEST: usize = 5;

/// A text of which some levels of escapes are undone, and where each of its bytes stood before.
pub(super) struct Level<'t> {
    pub(super) bytes: Cow<'t, [u8]>,
    /// Of each byte in the original, and the original's length; `None` for the original itself.
    origins: Option<Vec<usize>>,
}

impl<'t> Level<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        Self {
            bytes: Cow::Borrowed(text.as_bytes()),
            origins: None,
        }
    }

    pub(super) fn below(self, next: UnescapedText) -> Self {
        let origins = match self.origins {
            None => next.starts,
            Some(origins) => next.starts.iter().map(|start| origins[*start]).collect(),
        };
        Self {
            bytes: Cow::Owned(next.bytes),
            origins: Some(origins),
        }
    }

    /// Where a place of this text stood in the original.
    pub(super) fn origin(&self, place: Range<usize>) -> Range<usize> {
        match &self.origins {
            None => place,
            Some(origins) => origins[place.start]..origins[place.end],
        }
    }
}

/// A text with one level of escapes undone.
pub(super) struct UnescapedText {
    pub(super) bytes: Vec<u8>,
    /// Where what became each byte began, and where the text ended.
    starts: Vec<usize>,
}

impl UnescapedText {
    /// `None` where there is no escape.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let opening = |from: usize| {
            let rest = text.get(from..)?.iter();
            let opens = rest
                .copied()
                .position(|byte| matches!(byte, b'%' | b'\\'))?;
            Some(from + opens)
        };
        let mut next = opening(0);
        let (mut bytes, mut starts) = (Vec::new(), Vec::new());
        let mut read = 0;
        while let Some(at) = next {
            if let Some((byte, length)) = escape(&text[at..]) {
                bytes.extend_from_slice(&text[read..at]);
                starts.extend(read..=at);
                bytes.push(byte);
                read = at + length;
            }
            next = opening(read.max(at + 1));
        }
        if bytes.is_empty() {
            return None;
        }
        bytes.extend_from_slice(&text[read..]);
        starts.extend(read..=text.len());
        Some(Self { bytes, starts })
    }

    /// A place of the text before, with the whole of each escape that it has a part of; `None` where it has none.
    pub(super) fn with_whole_escapes(&self, place: &Range<usize>) -> Option<Range<usize>> {
        let first = self.starts.partition_point(|start| *start <= place.start) - 1;
        let last = self.starts.partition_point(|start| *start < place.end);
        let place = self.starts[first]..self.starts[last];
        (place.len() > last - first).then_some(place)
    }
}

/// The escape that a text begins with: what it stands for, and its length. A key has neither line ends nor letters
/// outside ASCII, so the former become blanks and the latter zero.
fn escape(text: &[u8]) -> Option<(u8, usize)> {
    match text {
        [b'%', digits @ ..] => Some((u8::try_from(code(digits.get(..2)?)?).ok()?, 3)),
        [b'\\', b'u', digits @ ..] => {
            let code = code(digits.get(..4)?)?;
            Some((u8::try_from(code).ok().filter(u8::is_ascii).unwrap_or(0), 6))
        }
        [b'\\', b'n' | b'r' | b't' | b'b' | b'f', ..] => Some((b' ', 2)),
        [b'\\', mark, ..] if mark.is_ascii_punctuation() => Some((*mark, 2)),
        _ => None,
    }
}

fn code(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |code, digit| {
        Some(code * 16 + char::from(*digit).to_digit(16)?)
    })
}
