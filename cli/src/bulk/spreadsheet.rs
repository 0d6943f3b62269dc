//! What a spreadsheet program saves: its letters, and which row each record is.

use crate::error::CliError;
use csv::StringRecord;
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};

/// How the files of spreadsheet programs begin that are no text.
const WORKBOOKS: &[&[u8]] = &[b"PK\x03\x04", b"\xD0\xCF\x11\xE0"];
const LINE_BREAKS: [char; 2] = ['\r', '\n'];

/// A text, and what there is to say about how it was read.
#[derive(Debug)]
pub struct Decoded {
    /// The text, without a byte-order mark.
    pub text: String,
    /// The encoding, where it had to be guessed.
    pub guessed: Option<&'static str>,
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
            "{name} begins as {} and is not: save it as CSV again",
            encoding.name()
        )));
    }
    Ok(Decoded {
        text: text.into_owned(),
        guessed: (encoding == WINDOWS_1252).then_some("Windows-1252"),
    })
}

/// The records of a CSV text, each with the row that a spreadsheet shows it in: blank lines count, and line breaks
/// inside of quotes do not.
pub fn records(
    text: &str,
    delimiter: u8,
) -> impl Iterator<Item = Result<(u64, StringRecord), csv::Error>> {
    let reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut row = 0;
    reader.into_records().map(move |record| {
        let record = record?;
        let start = record.position().map_or(0, csv::Position::byte);
        row += 1 + blank_lines(text, start);
        Ok((row, record))
    })
}

/// The blank lines at a place between two records, which may lie inside of a CR LF.
fn blank_lines(text: &str, start: u64) -> u64 {
    let start = usize::try_from(start).unwrap_or(text.len());
    let (before, after) = text.split_at_checked(start).unwrap_or((text, ""));
    let after = match before.ends_with('\r') {
        true => after.strip_prefix('\n').unwrap_or(after),
        false => after,
    };
    let run = after.len() - after.trim_start_matches(LINE_BREAKS).len();
    after[..run].replace("\r\n", "\n").len() as u64
}
