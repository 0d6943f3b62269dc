//! `secmon help`: a command's page, or a topic.

use crate::args::tree_for;
use crate::error::CliError;
use crate::outcome::Outcome;

const TOPICS: &[(&str, &str)] = &[
    ("exit-codes", include_str!("help/exit-codes.txt")),
    ("environment", include_str!("help/environment.txt")),
    ("output", include_str!("help/output.txt")),
    ("references", include_str!("help/references.txt")),
    ("pace", include_str!("help/pace.txt")),
    ("csv", include_str!("help/csv.txt")),
];

/// Runs the command.
pub fn run(words: &[String]) -> Result<Outcome, CliError> {
    if let [topic] = words
        && let Some((_, page)) = TOPICS.iter().find(|(name, _)| name == topic)
    {
        return Ok(Outcome::text(*page));
    }
    let line = std::iter::once("secmon").chain(words.iter().map(String::as_str));
    let mut command = tree_for(&line.map(Into::into).collect::<Vec<_>>());
    command.build();
    let mut page = &mut command;
    for word in words {
        page = page.find_subcommand_mut(word).ok_or_else(|| {
            let topics: Vec<&str> = TOPICS.iter().map(|(name, _)| *name).collect();
            CliError::usage(format!(
                "there is no command or topic {word:?} (topics: {})",
                topics.join(", ")
            ))
            .hint("see the commands: `--help`")
        })?;
    }
    Ok(Outcome::text(page.render_long_help().ansi().to_string()))
}
