//! What the command line reads: files, and what people type.

use secmon_cli::readers;

/// A spreadsheet is refused as a whole, or every row that has anything in it is sent, once.
pub fn spreadsheet(input: &[u8]) {
    let Ok(rows) = readers::spreadsheet(input) else {
        return;
    };
    let line_ends = input.iter().filter(|byte| matches!(byte, b'\n' | b'\r'));
    let lines = line_ends.count() as u64 + 1;
    let mut last = 1;
    for (line, cells) in rows {
        assert!(line > last && line <= lines, "row {line} of {lines} lines");
        assert!(!cells.is_empty(), "row {line} has no cell");
        last = line;
    }
}

/// Both programs' configurations are read, or refused in one line.
pub fn configuration(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    for refusal in [
        readers::configuration(text).err(),
        secmon_mock::Config::parse(text).err(),
    ] {
        let sentence = refusal.unwrap_or_default();
        assert!(!sentence.contains('\n'), "{sentence:?} has several lines");
    }
}

/// What names a record, a port or a time: what is shown of a port is read as the same port.
pub fn references(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    if let Ok(port) = readers::port(text) {
        assert_eq!(readers::port(&port), Ok(port.clone()), "{text:?}");
    }
    if let Ok(reference) = readers::reference(text) {
        assert!(!reference.trim().is_empty(), "{text:?} names nothing");
    }
    if let Ok(day) = readers::day(text) {
        assert_eq!(readers::day(&day), Ok(day.clone()), "{text:?}");
    }
    let _ = readers::length(text);
}
