//! `secmon help`: a command's page, or a topic.

use crate::args::tree_for;
use crate::error::CliError;
use crate::meant;
use crate::outcome::Outcome;
use std::io::IsTerminal;

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
        && let Some((_, page)) = TOPICS.iter().find(|(name, _)| name == topic)
    {
        return Ok(Outcome::text(fitted(page, columns())));
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
    Ok(Outcome::text(page.render_long_help().ansi().to_string()))
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
