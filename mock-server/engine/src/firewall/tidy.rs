//! What a terminal, a mail, a wiki or an editor did to a paste, undone; each line keeps its number.

use std::borrow::Cow;

/// A paste as the programs printed it, as far as that can be told.
pub(super) fn tidied(content: &str) -> String {
    let content = decoded(content);
    let content = with_line_ends(&content);
    let content = plain(&content);
    let content = unquoted(&content);
    let content = unframed(&content);
    let content = without_line_numbers(&content);
    continued(&content)
}

/// Without byte-order marks, and the zeros of UTF-16 that somebody read as UTF-8.
fn decoded(content: &str) -> Cow<'_, str> {
    let marks = ['\u{feff}', '\u{fffd}', '\u{fffe}', 'ÿ', 'þ'];
    match content.contains('\0') {
        true => {
            let text = content.replace('\0', "");
            Cow::Owned(text.trim_start_matches(marks).to_owned())
        }
        false => Cow::Borrowed(content.trim_start_matches('\u{feff}')),
    }
}

/// With the ends of lines that every reader knows, where there are those of old systems alone.
fn with_line_ends(content: &str) -> Cow<'_, str> {
    match content.contains('\r') && !content.contains('\n') {
        true => Cow::Owned(content.replace('\r', "\n")),
        false => Cow::Borrowed(content),
    }
}

/// Signs without a width, which wikis and chats put between words.
const INVISIBLE: [char; 8] = [
    '\u{200b}', '\u{200c}', '\u{200d}', '\u{200e}', '\u{200f}', '\u{2060}', '\u{feff}', '\u{ad}',
];

/// Without the sequences by which programs colour what they print and without invisible signs, and with plain blanks
/// for those that no line breaks at.
fn plain(content: &str) -> Cow<'_, str> {
    let is_foreign =
        |letter: char| matches!(letter, '\u{1b}' | '\u{a0}' | '\u{202f}') || is_invisible(letter);
    if !content.contains(is_foreign) {
        return Cow::Borrowed(content);
    }
    let mut plain = String::with_capacity(content.len());
    let mut letters = content.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' if letters.next_if_eq(&'[').is_some() => {
                let is_parameter = |c: &char| matches!(c, '0'..='9' | ';' | '?');
                while letters.next_if(is_parameter).is_some() {}
                // The letter that says what the sequence does.
                letters.next_if(char::is_ascii_alphabetic);
            }
            '\u{1b}' => {}
            '\u{a0}' | '\u{202f}' => plain.push(' '),
            letter if is_invisible(letter) => {}
            letter => plain.push(letter),
        }
    }
    Cow::Owned(plain)
}

fn is_invisible(letter: char) -> bool {
    INVISIBLE.contains(&letter)
}

fn written(content: &str) -> impl Iterator<Item = &str> + Clone {
    content.lines().filter(|line| !line.trim().is_empty())
}

/// A paste with each line as this makes it.
fn with_lines<'a>(content: &'a str, change: impl Fn(&'a str) -> &'a str) -> Cow<'a, str> {
    let lines: Vec<&str> = content.lines().map(change).collect();
    Cow::Owned(lines.join("\n"))
}

/// Without the signs in front of lines by which a mail quotes another; no line of a dump begins so.
fn unquoted(content: &str) -> Cow<'_, str> {
    let quoted = written(content).filter(|line| line.starts_with('>'));
    match quoted.take(2).count() > 1 {
        true => with_lines(content, without_quote_signs),
        false => Cow::Borrowed(content),
    }
}

/// One blank belongs to the last of the signs; what stands behind it is how far in the line was.
fn without_quote_signs(line: &str) -> &str {
    let mut rest = line;
    while let Some(behind) = rest.strip_prefix('>') {
        rest = match behind.strip_prefix(' ') {
            Some(inner) if inner.starts_with('>') => inner,
            _ => behind,
        };
    }
    match rest.len() < line.len() {
        true => rest.strip_prefix(' ').unwrap_or(rest),
        false => line,
    }
}

/// Without what a list, a table or a text with code puts around every line.
fn unframed(content: &str) -> Cow<'_, str> {
    let frames: [(&str, &str); 5] = [("`", "`"), ("| ", "|"), ("- ", ""), ("* ", ""), ("• ", "")];
    let lines = written(content);
    let has_several = lines.clone().take(2).count() > 1;
    let is_inside = |line: &str, (start, end): (&str, &str)| {
        let inner = line.trim().strip_prefix(start);
        inner.is_some_and(|inner| inner.ends_with(end))
    };
    let frame = frames
        .into_iter()
        .find(|frame| has_several && lines.clone().all(|line| is_inside(line, *frame)));
    match frame {
        Some((start, end)) => with_lines(content, move |line| {
            let inner = line.trim().strip_prefix(start);
            inner
                .and_then(|inner| inner.strip_suffix(end))
                .unwrap_or(line)
        }),
        None => Cow::Borrowed(content),
    }
}

/// With the lines together that a backslash at their ends makes one; empty lines keep the numbers of those behind. In a
/// remark it is a sign like others.
fn continued(content: &str) -> String {
    let mut continued = String::with_capacity(content.len());
    let mut joined = 0;
    for line in content.lines() {
        let start = line.trim_end().strip_suffix('\\');
        match start.filter(|start| !start.contains('#')) {
            Some(start) => {
                continued.push_str(start);
                continued.push(' ');
                joined += 1;
            }
            None => {
                continued.push_str(line);
                (0..=joined).for_each(|_| continued.push('\n'));
                joined = 0;
            }
        }
    }
    continued
}

/// The number in front of a line, with what divides them: `12:` of `grep -n`, or blanks of `cat -n` and `nl`.
fn line_number(line: &str) -> Option<(u32, &str)> {
    let text = line.trim_start();
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let number = text[..end].parse().ok()?;
    let rest = &text[end..];
    let behind = rest.strip_prefix([':', '\t']).or_else(|| {
        let is_wide = rest.starts_with("  ") || (text.len() < line.len() && rest.starts_with(' '));
        is_wide.then(|| &rest[1..])
    })?;
    Some((number, behind))
}

/// Without the numbers in front of lines, where each has one and they count up. `grep -n` may have left the headings
/// of ufw out, and its rows have ports behind the colon, which are then no range.
fn without_line_numbers(content: &str) -> Cow<'_, str> {
    let is_row = |line: &&str| {
        let actions = [" ALLOW", " DENY", " LIMIT", " REJECT"];
        actions.iter().any(|action| line.contains(action))
    };
    let is_all = count_up(written(content).map(line_number)).is_some();
    let rows = written(content).filter(is_row);
    let of_rows = count_up(rows.map(|line| {
        line_number(line).filter(|(number, _)| *number < MOST_ROWS && is_behind_colon(line))
    }));
    match is_all || of_rows.is_some_and(|has_neighbours| has_neighbours) {
        true => with_lines(content, |line| {
            line_number(line).map_or(line, |(_, behind)| behind)
        }),
        false => Cow::Borrowed(content),
    }
}

/// Numbers from here on are ports, of which ranges begin: no status has so many rows.
const MOST_ROWS: u32 = 1_000;

fn is_behind_colon(line: &str) -> bool {
    let text = line.trim_start_matches(|c: char| c.is_ascii_digit());
    text.starts_with(':')
}

/// Whether two of the numbers follow each other; none where a line has no number, or they do not count up.
fn count_up<'a>(numbers: impl Iterator<Item = Option<(u32, &'a str)>>) -> Option<bool> {
    let (mut last, mut count, mut has_neighbours) = (None, 0, false);
    for number in numbers {
        let (number, _) = number?;
        if last.is_some_and(|last| last >= number) {
            return None;
        }
        has_neighbours |= last.is_some_and(|last| last + 1 == number);
        (last, count) = (Some(number), count + 1);
    }
    (count > 1).then_some(has_neighbours)
}
