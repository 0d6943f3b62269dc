//! The letters of a file, whichever program has saved it.

use crate::error::CliError;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How the files of spreadsheet programs begin that are no text.
const WORKBOOKS: &[&[u8]] = &[b"PK\x03\x04", b"\xD0\xCF\x11\xE0"];

/// A text, and what there is to say about how it was read.
#[derive(Debug)]
pub struct Decoded {
    /// The text, without a byte-order mark.
    pub text: String,
    /// The encoding, where it had to be guessed.
    pub guessed: Option<&'static str>,
    /// How it was written.
    pub letters: Letters,
}

/// How a file writes its letters.
#[derive(Debug, Clone, Copy)]
pub struct Letters {
    encoding: &'static Encoding,
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

    /// A text in these letters.
    pub fn encode(self, text: &str) -> Vec<u8> {
        let units = text.encode_utf16();
        if self.encoding == UTF_16LE {
            units.flat_map(u16::to_le_bytes).collect()
        } else if self.encoding == UTF_16BE {
            units.flat_map(u16::to_be_bytes).collect()
        } else {
            self.encoding.encode(text).0.into_owned()
        }
    }
}

/// Reads the letters: UTF-8, UTF-16 by its byte-order mark, else what Excel saves as plain CSV.
pub fn decode(bytes: &[u8], name: &str) -> Result<Decoded, CliError> {
    if WORKBOOKS.iter().any(|start| bytes.starts_with(start)) {
        return Err(CliError::usage(format!(
            "{name} is an Excel workbook: save it as CSV, and give that file"
        )));
    }
    let marked = Encoding::for_bom(bytes).map(|(encoding, _)| encoding);
    let encoding = match marked {
        Some(encoding) => encoding,
        None if std::str::from_utf8(bytes).is_ok() => UTF_8,
        None => WINDOWS_1252,
    };
    let (text, _, broken) = encoding.decode(bytes);
    if broken {
        return Err(CliError::usage(format!(
            "{name} begins like a {} file but cannot be read as one: save it as CSV again",
            encoding.name()
        )));
    }
    Ok(Decoded {
        text: text.into_owned(),
        guessed: (encoding == WINDOWS_1252).then_some("Windows-1252"),
        letters: Letters {
            encoding,
            is_marked: marked.is_some(),
        },
    })
}
