//! Character sets: those of the web, and those of consoles.

use super::dos::{CodePage, PAGES};
use encoding_rs::{Encoding, UTF_16BE, UTF_16LE};

/// What stands for which letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// Of the web and of Windows.
    Web(&'static Encoding),
    /// Of a console.
    Dos(&'static CodePage),
}

impl Charset {
    /// The one that people call so.
    pub fn named(name: &str) -> Option<Self> {
        let label = name.trim().to_ascii_lowercase();
        let plain: String = label.chars().filter(char::is_ascii_alphanumeric).collect();
        let number = plain.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        if let Some(page) = PAGES.iter().find(|page| page.number == number) {
            return Some(Self::Dos(page));
        }
        let label = match (plain.as_str(), number) {
            (_, "1250" | "1251" | "1252" | "1253" | "1254" | "1255" | "1256" | "1257" | "1258") => {
                format!("windows-{number}")
            }
            ("macroman" | "xmacroman" | "applemacintosh", _) => "macintosh".to_owned(),
            ("ansi" | "western", _) => "windows-1252".to_owned(),
            ("utf8" | "utf8bom" | "utf8sig", _) => "utf-8".to_owned(),
            ("utf16" | "unicode", _) => "utf-16le".to_owned(),
            ("latin1" | "latin2" | "latin5", _) => plain.clone(),
            (_, "866") => "ibm866".to_owned(),
            (plain, _) if plain.starts_with("iso8859") => {
                format!("iso-8859-{}", plain.trim_start_matches("iso8859"))
            }
            _ => label,
        };
        Encoding::for_label_no_replacement(label.as_bytes()).map(Self::Web)
    }

    /// What `--encoding` calls it.
    pub fn name(self) -> String {
        match self {
            Self::Web(encoding) => encoding.name().to_ascii_lowercase(),
            Self::Dos(page) => format!("cp{}", page.number),
        }
    }

    /// The text of the bytes, where they are such.
    pub fn decode(self, bytes: &[u8]) -> Option<String> {
        match self {
            Self::Web(encoding) => {
                let (text, broken) = encoding.decode_with_bom_removal(bytes);
                (!broken).then(|| text.into_owned())
            }
            Self::Dos(page) => Some(page.decode(bytes)),
        }
    }

    /// A letter, where it has a place.
    pub fn encode(self, letter: char) -> Option<Vec<u8>> {
        match self {
            Self::Web(encoding) if encoding == UTF_16LE => Some(units(letter, u16::to_le_bytes)),
            Self::Web(encoding) if encoding == UTF_16BE => Some(units(letter, u16::to_be_bytes)),
            Self::Web(encoding) => {
                let mut text = [0; 4];
                let (bytes, _, replaced) = encoding.encode(letter.encode_utf8(&mut text));
                (!replaced).then(|| bytes.into_owned())
            }
            Self::Dos(page) => page.encode(letter).map(|byte| vec![byte]),
        }
    }
}

fn units(letter: char, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mut units = [0; 2];
    let units = letter.encode_utf16(&mut units);
    units.iter().flat_map(|unit| bytes(*unit)).collect()
}
