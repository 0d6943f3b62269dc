//! Words that miss the name of a command by a slip of the finger.

use super::typed::Typed;
use clap::Command;

/// The words of a line, a noun and a verb that nobody has in the place of those that are meant.
pub fn corrected(typed: &Typed) -> Option<Vec<String>> {
    let root = typed.commands();
    let mut words = typed.words.clone();
    let noun = named(&root, words.first()?)?;
    words[0] = noun.get_name().to_owned();
    if let Some(verb) = words.get_mut(1)
        && noun.has_subcommands()
    {
        *verb = named(noun, verb)?.get_name().to_owned();
    }
    (words != typed.words).then_some(words)
}

/// The command below another that a word names, or the only one that it is near to.
fn named<'a>(above: &'a Command, word: &str) -> Option<&'a Command> {
    if let Some(command) = above.find_subcommand(word) {
        return Some(command);
    }
    let distance = |command: &Command| {
        let names = command.get_visible_aliases().chain([command.get_name()]);
        names.map(|name| strsim::osa_distance(name, word)).min()
    };
    let commands = above
        .get_subcommands()
        .filter(|command| !command.is_hide_set());
    let by_distance = commands.map(|command| (distance(command), command));
    let mut nearest: Vec<(Option<usize>, &Command)> = by_distance.collect();
    nearest.sort_by_key(|(distance, _)| *distance);
    let slip = Some((word.len() / 4).max(1));
    match nearest.as_slice() {
        [(first, command), (second, _), ..] if *first <= slip && first < second => Some(command),
        _ => None,
    }
}
