//! Readers of what the key is encoded in, written without the client's.

use std::collections::BTreeSet;

fn unescape_percent(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).filter(|_| *first == b'%');
        let byte = digits
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn code_point(digits: &str) -> Option<char> {
    char::from_u32(u32::from_str_radix(digits, 16).ok()?)
}

fn unescape_backslashes(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let (letter, length) = match after.chars().next() {
            Some('u') => (after.get(1..5).and_then(code_point), 5),
            letter => (letter, letter.map_or(0, char::len_utf8)),
        };
        plain.extend(letter);
        rest = after.get(length..).unwrap_or_default();
    }
    plain + rest
}

/// What base64 digits in the text stand for, wherever they begin.
fn decoded_digits(text: &str) -> Vec<String> {
    let closed_up: String = text.split_whitespace().collect();
    let is_digit = |c: char| c.is_ascii_alphanumeric() || "+/-_".contains(c);
    let mut found = Vec::new();
    for digits in closed_up
        .split(|c| !is_digit(c))
        .filter(|digits| digits.len() > 8)
    {
        found.extend((0..4).map(|from| packed(digits[from..].bytes().filter_map(base64_value))));
    }
    found
}

fn base64_value(digit: u8) -> Option<u32> {
    Some(u32::from(match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}

fn packed(digits: impl Iterator<Item = u32>) -> String {
    let (mut bits, mut count, mut bytes) = (0_u32, 0, Vec::new());
    for digit in digits {
        bits = (bits << 6 | digit) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The text, and all that it is after up to five readers one after another.
fn readings(text: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::from([text.to_owned()]);
    let mut latest = all.clone();
    for _ in 0..5 {
        let read = latest.iter().flat_map(|text| {
            [unescape_percent, unescape_backslashes].map(|unescape| unescape(text))
        });
        latest = read.filter(|text| !all.contains(text)).collect();
        all.extend(latest.iter().cloned());
    }
    let digits: Vec<_> = all.iter().flat_map(|text| decoded_digits(text)).collect();
    all.extend(digits);
    all
}

/// No reading of the text shows eight letters of the key, in capitals or not.
pub fn assert_silent(key: &str, text: &str) {
    assert_shows_less_than(8, key, text);
}

pub fn assert_shows_less_than(letters_in_a_row: usize, key: &str, text: &str) {
    let key = key.to_ascii_lowercase();
    for reading in readings(text) {
        let letters = reading
            .bytes()
            .filter(u8::is_ascii_graphic)
            .map(|byte| byte.to_ascii_lowercase());
        let letters = String::from_utf8(letters.collect()).expect("ASCII");
        for run in key.as_bytes().windows(letters_in_a_row) {
            let run = std::str::from_utf8(run).expect("ASCII");
            assert!(
                !letters.contains(run),
                "the key shows in {text} as {reading}"
            );
        }
    }
}
