//! `secmon help`: a command's page, or a topic.

use crate::args::{noun_name, tree_for};
use crate::error::CliError;
use crate::meant;
use crate::outcome::Outcome;
use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use clap::builder::StyledStr;
use std::ffi::OsString;
use std::io::IsTerminal;

/// Pages as the parser lays them out for a wide screen without colours, by the lines that ask for them, in order: none
/// has to be laid out again at a start.
const PAGES: &[(&str, &str)] = &include!(concat!(env!("OUT_DIR"), "/help_pages.rs"));

/// Stands on them for the options of every command.
const OPTIONS_OF_EVERY_COMMAND: &str = "[options of every command]";

const TOPICS: &[(&str, &str)] = &[
    ("exit-codes", include_str!("help/exit-codes.txt")),
    ("environment", include_str!("help/environment.txt")),
    ("output", include_str!("help/output.txt")),
    ("references", include_str!("help/references.txt")),
    ("pace", include_str!("help/pace.txt")),
    ("csv", include_str!("help/csv.txt")),
];

/// Columns of the widest page.
const WIDEST: usize = 100;

/// Runs the command.
pub fn run(words: &[String]) -> Result<Outcome, CliError> {
    if let [topic] = words
        && let Some(page) = topic_page(topic, columns())
    {
        return Ok(Outcome::text(page));
    }
    let line = std::iter::once("secmon").chain(words.iter().map(String::as_str));
    let mut command = tree_for(&line.map(Into::into).collect::<Vec<_>>());
    command.build();
    let mut page = &mut command;
    for word in words {
        page = page.find_subcommand_mut(word).ok_or_else(|| {
            let topics: Vec<&str> = TOPICS.iter().map(|(name, _)| *name).collect();
            let meant = meant::command_for(word);
            CliError::usage(format!(
                "there is no command or topic {word:?} (topics: {})",
                topics.join(", ")
            ))
            .hint(meant.map_or_else(
                || "see the commands: `--help`".to_owned(),
                |command| format!("did you mean `help {command}`?"),
            ))
        })?;
    }
    Ok(Outcome::text(laid_out(&page.render_help())))
}

/// What the parser writes, without the spaces it fills lines with.
pub fn laid_out(text: &StyledStr) -> String {
    let text = text.ansi().to_string();
    text.lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
}

/// The page that a command line asks for, where it is kept. What is not told here is the parser's to tell.
pub fn asked_for(words: &[OsString]) -> Option<String> {
    if !is_plain_and_wide(&std::io::stdout()) {
        return None;
    }
    match behind_the_program(words)?.as_slice() {
        [command @ .., form @ ("--help" | "-h")] => kept_page(command, form),
        ["help", topic] if is_topic(topic) => topic_page(topic, WIDEST),
        ["help", command @ ..] => kept_page(command, "-h"),
        _ => None,
    }
}

/// The page of a command that needs a word behind it, and has none.
pub fn of_incomplete(words: &[OsString]) -> Option<String> {
    if !is_plain_and_wide(&std::io::stderr()) {
        return None;
    }
    let page = kept_page(&behind_the_program(words)?, "-h")?;
    page.contains("[OPTIONS] <COMMAND>\n").then_some(page)
}

/// Whether a noun has a verb of this name: every command has its page. To build the parser would take longer.
pub fn has_verb(noun: &str, verb: &str) -> bool {
    noun_name(noun).is_some_and(|noun| page(&format!("secmon {noun} {verb} -h")).is_some())
}

/// Whether a stream shows what the kept pages are: text for [`WIDEST`] columns, without colours. The parser fits its pages
/// to any terminal that the program has, as one may stand behind a pipe.
fn is_plain_and_wide(stream: &impl RawStream) -> bool {
    let has_terminal = std::io::stdin().is_terminal()
        || std::io::stdout().is_terminal()
        || std::io::stderr().is_terminal();
    !has_terminal
        && AutoStream::choice(stream) == ColorChoice::Never
        && std::env::var_os("COLUMNS").is_none()
}

/// The words behind the program's name; none of a command has a blank in it.
fn behind_the_program(words: &[OsString]) -> Option<Vec<&str>> {
    let words = words.iter().skip(1).map(|word| word.to_str());
    words
        .map(|word| word.filter(|word| !word.contains(' ')))
        .collect()
}

fn kept_page(command: &[&str], form: &str) -> Option<String> {
    let mut line = vec!["secmon"];
    if let [noun, words @ ..] = command {
        line.push(noun_name(noun)?);
        line.extend(words);
    }
    line.push(form);
    let everywhere = page(&format!("{OPTIONS_OF_EVERY_COMMAND} {form}"))?;
    Some(page(&line.join(" "))?.replace(OPTIONS_OF_EVERY_COMMAND, everywhere) + "\n")
}

fn page(line: &str) -> Option<&'static str> {
    let place = PAGES.binary_search_by_key(&line, |(line, _)| line).ok()?;
    PAGES.get(place).map(|(_, page)| *page)
}

fn is_topic(word: &str) -> bool {
    TOPICS.iter().any(|(topic, _)| *topic == word)
}

fn topic_page(topic: &str, columns: usize) -> Option<String> {
    let (_, page) = TOPICS.iter().find(|(name, _)| *name == topic)?;
    Some(fitted(page, columns))
}

/// The width of a page: the terminal's, but no wider than the pages of commands.
fn columns() -> usize {
    if !std::io::stdout().is_terminal() {
        return WIDEST;
    }
    crossterm::terminal::size().map_or(WIDEST, |(columns, _)| WIDEST.min(columns.into()))
}

/// Folds long lines between words. An example, which is indented and has nothing beside it, stays in one piece to be
/// copied.
fn fitted(page: &str, columns: usize) -> String {
    let lines = page
        .lines()
        .map(|line| match (text_column(line), line.starts_with(' ')) {
            (None, true) => line.to_owned(),
            (None, false) => textwrap::fill(line, columns),
            (Some(column), _) => {
                let indent = " ".repeat(column.min(columns / 2));
                textwrap::fill(
                    line,
                    textwrap::Options::new(columns).subsequent_indent(&indent),
                )
            }
        });
    lines.map(|line| line + "\n").collect()
}

/// Where the text begins that stands beside a name.
fn text_column(line: &str) -> Option<usize> {
    let (_, text) = line.trim_start().split_once("  ")?;
    Some(line.len() - text.trim_start().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_page_is_kept(command: &clap::Command, words: &[&str]) {
        for form in ["--help", "-h"] {
            assert!(kept_page(words, form).is_some(), "{words:?} {form}");
        }
        for below in command.get_subcommands() {
            every_page_is_kept(below, &[words, &[below.get_name()]].concat());
        }
    }

    #[test]
    fn no_page_has_to_be_laid_out() {
        every_page_is_kept(&crate::args::tree(), &[]);
    }
}
