//! The letters of a file, whichever program has saved it.

pub mod charset;
mod dos;
mod guess;

use crate::error::CliError;
use charset::Charset;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
pub use guess::likeliest;

/// How files begin that are no text, and what they are.
const FORMATS: &[(&[u8], &str)] = &[
    (b"\xD0\xCF\x11\xE0", "an Excel workbook"),
    (b"\x1F\x8B", "a compressed file"),
    (b"%PDF", "a PDF document"),
    (b"{\\rtf", "an RTF document"),
];

/// How a ZIP archive begins, which workbooks are.
const ARCHIVE: &[u8] = b"PK\x03\x04";

/// What an OpenDocument file says of itself, soon behind that.
const OPEN_DOCUMENT: &[u8] = b"mimetypeapplication/vnd.oasis.opendocument";
const SOON: usize = 256;

/// A text, and how it was written.
#[derive(Debug)]
pub struct Decoded {
    /// The text, without a byte-order mark.
    pub text: String,
    /// How it was written.
    pub letters: Letters,
}

/// How a file writes its letters.
#[derive(Debug, Clone, Copy)]
pub struct Letters {
    charset: Charset,
    is_marked: bool,
}

impl Letters {
    /// What such a file begins with: a byte-order mark, or nothing.
    pub fn beginning(self) -> Vec<u8> {
        match self.is_marked {
            true => self.encode("\u{FEFF}"),
            false => Vec::new(),
        }
    }

    /// A text in these letters. What they do not have is a question mark.
    pub fn encode(self, text: &str) -> Vec<u8> {
        let encode = |letter| self.charset.encode(letter);
        text.chars()
            .flat_map(|letter| encode(letter).or_else(|| encode('?')).unwrap_or_default())
            .collect()
    }
}

/// Refuses what is no text.
pub fn refuse_other_formats(bytes: &[u8], name: &str) -> Result<(), CliError> {
    let begins = bytes.trim_ascii_start();
    let begins = begins.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(begins);
    let known = FORMATS.iter().find(|(start, _)| begins.starts_with(start));
    let format = match known {
        Some((_, format)) => format,
        None if bytes.starts_with(ARCHIVE) => {
            let start = &bytes[..bytes.len().min(SOON)];
            let mut parts = start.windows(OPEN_DOCUMENT.len());
            match parts.any(|part| part == OPEN_DOCUMENT) {
                true => "an OpenDocument file",
                false => "an Excel workbook",
            }
        }
        None => return Ok(()),
    };
    Err(CliError::usage(format!(
        "{name} is {format}: save it as CSV, and give that file"
    )))
}

/// Refuses a page that is called a spreadsheet, as some programs export one.
pub fn refuse_markup(bytes: &[u8], name: &str) -> Result<(), CliError> {
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    match text.trim_ascii_start().starts_with(b"<") {
        true => Err(CliError::usage(format!(
            "{name} is an HTML or XML document: save it as CSV, and give that file"
        ))),
        false => Ok(()),
    }
}

/// Reads a text whose letters are beyond doubt: UTF-8, or UTF-16 with or without its byte-order mark. `None` where they
/// are not.
pub fn unmistakable(bytes: &[u8], name: &str) -> Result<Option<Decoded>, CliError> {
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let encoding = match marked.or_else(|| unmarked_utf_16(bytes)) {
        Some(encoding) => encoding,
        None if std::str::from_utf8(bytes).is_ok() => UTF_8,
        None => return Ok(None),
    };
    let decoded = in_charset(bytes, Charset::Web(encoding)).ok_or_else(|| {
        CliError::usage(format!(
            "{name} begins like a {} file but cannot be read as one: save it as CSV again",
            encoding.name()
        ))
    });
    decoded.map(Some)
}

/// The first line that is not UTF-8 in a text that otherwise is: two programs have written it.
pub fn first_odd_line(bytes: &[u8]) -> Option<usize> {
    let (mut whole, mut broken) = (0, 0);
    let mut odd_line = None;
    let mut line = 1;
    for chunk in bytes.utf8_chunks() {
        whole += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        line += chunk.valid().matches('\n').count();
        if !chunk.invalid().is_empty() {
            broken += 1;
            odd_line.get_or_insert(line);
        }
    }
    odd_line.filter(|_| whole >= broken)
}

/// Reads a text in letters that somebody has named.
pub fn in_charset(bytes: &[u8], charset: Charset) -> Option<Decoded> {
    let is_marked = matches!(charset, Charset::Web(encoding)
        if Encoding::for_bom(bytes).is_some_and(|(marked, _)| marked == encoding));
    Some(Decoded {
        text: charset.decode(bytes)?,
        letters: Letters { charset, is_marked },
    })
}

/// UTF-16 without a mark: of text in any language with commas, line ends and digits, every second byte of those is zero.
fn unmarked_utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    const LOOKED_AT: usize = 4096;
    let bytes = &bytes[..bytes.len().min(LOOKED_AT)];
    let zeros = |first: usize| {
        let every_second = bytes.iter().skip(first).step_by(2);
        every_second.filter(|byte| **byte == 0).count()
    };
    let (high_first, low_first) = (zeros(0), zeros(1));
    let many = bytes.len() / 8;
    if low_first > many && high_first == 0 {
        Some(UTF_16LE)
    } else if high_first > many && low_first == 0 {
        Some(UTF_16BE)
    } else {
        None
    }
}
