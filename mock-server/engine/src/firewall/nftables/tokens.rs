//! The words and signs of a ruleset.

use crate::firewall::line::Line;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) text: String,
    /// Whether it stood in double quotes, and so is no word of the language.
    pub(super) is_quoted: bool,
    pub(super) line: u32,
    /// Blanks in front of the first word of its line. A set has as many tokens as a dump has room for, so they are small.
    pub(super) indentation: u16,
}

impl Token {
    /// Whether it is this word or sign.
    pub(super) fn is(&self, word: &str) -> bool {
        !self.is_quoted && self.text == word
    }

    pub(super) fn is_open_quote(&self) -> bool {
        self.is(OPEN_QUOTE)
    }

    /// Whether the dump ends here, inside of a block.
    pub(super) fn is_cut(&self) -> bool {
        self.is(CUT)
    }

    pub(super) fn is_newline(&self) -> bool {
        self.is("\n")
    }
}

/// What stands for a quote that is not closed on its line.
const OPEN_QUOTE: &str = "\"";

/// What stands behind the last word of a dump that ends inside of a block; no program prints it.
const CUT: &str = "\u{1a}";

/// Braces that are open inside a chain.
pub(super) const IN_CHAIN: usize = 2;

const SIGNS: [char; 6] = ['{', '}', ';', ',', '(', ')'];

/// Words and signs that a ruleset may have; one of 256 KiB that is nothing but verdict maps has 100,000.
pub(crate) const MOST_TOKENS: usize = 120_000;

/// Whether there are more tokens than are read, which bounds what one call takes.
pub(super) fn are_too_many(lines: &[Line<'_>]) -> bool {
    let count = |line: &Line<'_>| {
        let signs = line
            .text
            .bytes()
            .filter(|byte| SIGNS.contains(&char::from(*byte)));
        let quotes = line.text.bytes().filter(|byte| *byte == b'"');
        1 + line.text.split_whitespace().count() + signs.count() + quotes.count()
    };
    lines.iter().map(count).sum::<usize>() > MOST_TOKENS
}

/// Closes the blocks of each dump that ends inside of them, and says so behind its last word.
pub(super) fn closed<'a>(lines: Vec<Line<'a>>) -> Vec<Line<'a>> {
    let mut closed: Vec<Line<'a>> = Vec::with_capacity(lines.len());
    let mut depth = 0;
    for line in lines {
        if depth > 0 && is_table(&line.text) {
            close(&mut closed, depth);
            depth = 0;
        }
        depth = depth_after(&line.text, depth);
        closed.push(line);
    }
    close(&mut closed, depth);
    closed
}

/// The last line of each dump that ends inside of a table: base chains may be missing behind it.
pub(super) fn cuts(lines: &[Line<'_>]) -> Vec<u32> {
    let mut cuts = Vec::new();
    let (mut depth, mut last) = (0, 0);
    for line in lines {
        if depth > 0 && is_table(&line.text) {
            cuts.push(last);
            depth = 0;
        }
        depth = depth_after(&line.text, depth);
        last = line.number;
    }
    cuts.extend((depth > 0).then_some(last));
    cuts
}

pub(super) fn is_table(line: &str) -> bool {
    line.starts_with("table ") && line.trim_end().ends_with('{')
}

fn close(lines: &mut Vec<Line<'_>>, depth: usize) {
    let (Some(last), true) = (lines.last_mut(), depth > 0) else {
        return;
    };
    let number = last.number;
    // Between its chains nothing of a table is in doubt.
    if depth >= IN_CHAIN {
        if is_whole(&last.text) {
            let text = CUT.into();
            lines.push(Line { number, text });
        } else {
            last.text = format!("{} {CUT}", last.text).into();
        }
    }
    lines.push(Line {
        number,
        text: "}".repeat(depth).into(),
    });
}

/// Whether a rule has its verdict: what may be missing behind that is a comment.
fn is_whole(line: &str) -> bool {
    let last = line.split_whitespace().next_back();
    matches!(last, Some("accept" | "drop" | "return"))
}

/// The tokens of all lines, with one for the end of each.
pub(super) fn tokens(lines: &[Line<'_>]) -> Vec<Token> {
    let mut tokens = Vec::new();
    for line in lines {
        add_line(&line.text, line.number, &mut tokens);
    }
    tokens
}

fn add_line(text: &str, line: u32, tokens: &mut Vec<Token>) {
    let indentation = text.len() - text.trim_start().len();
    let indentation = u16::try_from(indentation).unwrap_or(u16::MAX);
    let mut push = |text: &str, is_quoted| {
        tokens.push(Token {
            text: text.to_owned(),
            is_quoted,
            line,
            indentation,
        });
    };
    let mut rest = text.trim();
    while let Some(first) = rest.chars().next() {
        if first == '#' {
            if is_remark(rest, text) {
                break;
            }
            // Old versions print so what they cannot translate.
            push("#", false);
            rest = &rest[1..];
        } else if let Some(quoted) = rest.strip_prefix('"') {
            let (inside, after) = match quoted.split_once('"') {
                Some(whole) => whole,
                None => {
                    push(OPEN_QUOTE, false);
                    (quoted, "")
                }
            };
            push(inside, true);
            rest = after;
        } else if SIGNS.contains(&first) {
            push(&rest[..1], false);
            rest = &rest[1..];
        } else {
            let is_end = |c: char| c.is_whitespace() || c == '"' || SIGNS.contains(&c);
            let end = rest.find(is_end).unwrap_or(rest.len());
            push(&rest[..end], false);
            rest = &rest[end..];
        }
        rest = rest.trim_start();
    }
    push("\n", false);
}

/// Whether what follows a `#` is a handle or a line of its own, and none of the extensions that nft cannot print.
fn is_remark(rest: &str, line: &str) -> bool {
    let is_of_line = line.trim().starts_with('#') && !line.trim().starts_with("# xt_");
    rest.starts_with("# handle ") || is_of_line
}

/// What stands between a brace and its fellow, without them, and where that ends.
pub(super) fn braced(tokens: &[Token]) -> (&[Token], usize) {
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate() {
        if token.is("{") {
            depth += 1;
        } else if token.is("}") {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return (&tokens[1..place], place + 1);
            }
        }
    }
    (tokens.get(1..).unwrap_or(&[]), tokens.len())
}

/// How many braces are open behind a line.
pub(crate) fn depth_after(line: &str, depth: usize) -> usize {
    let mut depth = depth;
    let mut is_quoted = false;
    for letter in line.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '#' if !is_quoted => break,
            '{' if !is_quoted => depth += 1,
            '}' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    depth
}
