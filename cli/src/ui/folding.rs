//! Sentences on a terminal, folded between words.

use crossterm::terminal;
use std::io::IsTerminal;
use textwrap::{Options, WordSplitter};

/// Stands for a blank at which no line ends: those of a command, so that it can be copied. Nothing that is shown has it.
pub const UNBROKEN: &str = "\u{1}";

/// On less, a line would hold a word or two.
const NARROWEST: u16 = 30;

/// Folds a sentence behind so many columns that are taken already, its further lines indented. Where nobody reads it on
/// a terminal it stays one line.
pub fn folded(stream: &impl IsTerminal, sentence: &str, taken: usize, indent: usize) -> String {
    let text = match columns_of(stream) {
        Some(columns) => fold(sentence, columns.into(), taken, indent),
        None => sentence.to_owned(),
    };
    text.replace(UNBROKEN, " ")
}

/// The terminal is asked last: where there is none, other programs would be asked for its size.
fn columns_of(stream: &impl IsTerminal) -> Option<u16> {
    let (columns, _) = stream.is_terminal().then(terminal::size)?.ok()?;
    (columns >= NARROWEST).then_some(columns)
}

/// The first line begins behind what is taken; further ones that the sentence brings along keep their own indent.
fn fold(sentence: &str, columns: usize, taken: usize, indent: usize) -> String {
    let lines = sentence.lines().enumerate().map(|(place, line)| {
        if place == 0 {
            fold_line(line, columns, taken, indent)
        } else {
            let own = line.len() - line.trim_start().len();
            fold_line(line, columns, 0, own + 2)
        }
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn fold_line(line: &str, columns: usize, taken: usize, indent: usize) -> String {
    let (taken, indent) = (" ".repeat(taken), " ".repeat(indent));
    let options = Options::new(columns)
        .initial_indent(&taken)
        .subsequent_indent(&indent)
        .word_splitter(WordSplitter::NoHyphenation)
        .break_words(false);
    let text = textwrap::fill(line, options);
    text.strip_prefix(&taken).unwrap_or(&text).to_owned()
}
