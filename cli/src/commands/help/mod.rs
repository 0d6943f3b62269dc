//! `secmon help`: a command's page, or a topic.

use crate::error::CliError;
use crate::session::flags::GlobalArgs;
use crate::suggest;
use crate::ui::outcome::Outcome;
use clap::Args;
use clap::builder::StyledStr;
use std::io::IsTerminal;

/// A page of help.
#[derive(Debug, Args)]
pub struct HelpArgs {
    /// A command (several words), or a topic
    #[arg(value_name = "COMMAND|TOPIC")]
    pub words: Vec<String>,
}

/// The topic that the parser lays out.
const OPTIONS: &str = "options";

const TOPICS: &[(&str, &str)] = &[
    ("exit-codes", include_str!("exit-codes.txt")),
    ("environment", include_str!("environment.txt")),
    ("output", include_str!("output.txt")),
    ("references", include_str!("references.txt")),
    ("pace", include_str!("pace.txt")),
    ("csv", include_str!("csv.txt")),
];

/// The names of all topics.
pub fn topics() -> impl Iterator<Item = &'static str> {
    std::iter::once(OPTIONS).chain(TOPICS.iter().map(|(name, _)| *name))
}

/// Columns of the widest page.
const WIDEST: usize = 100;

/// Runs the command.
pub fn run(words: &[String], mut command: clap::Command) -> Result<Outcome, CliError> {
    if let [topic] = words
        && let Some(page) = topic_page(topic, columns())
    {
        return Ok(Outcome::text(page));
    }
    if words == [OPTIONS] {
        return Ok(Outcome::text(options_of_every_command()));
    }
    command.build();
    let mut page = &mut command;
    for word in words {
        page = page.find_subcommand_mut(word).ok_or_else(|| {
            let topics: Vec<&str> = topics().collect();
            let suggestion = suggest::command_for(word);
            CliError::usage(format!(
                "there is no command or topic {word:?} (topics: {})",
                topics.join(", ")
            ))
            .hint(suggestion.map_or_else(
                || "see the commands: `--help`".to_owned(),
                |command| format!("did you mean `help {command}`?"),
            ))
        })?;
    }
    Ok(Outcome::text(laid_out(&page.render_help())))
}

fn options_of_every_command() -> String {
    let command = clap::Command::new("secmon").disable_help_flag(true);
    let mut options = GlobalArgs::augment_args(command)
        .help_template("{options}")
        .max_term_width(WIDEST);
    laid_out(&options.render_long_help())
}

/// What the parser writes, without the spaces it fills lines with.
pub fn laid_out(text: &StyledStr) -> String {
    let text = text.ansi().to_string();
    text.lines()
        .map(|line| line.trim_end().to_owned() + "\n")
        .collect()
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
