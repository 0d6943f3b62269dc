//! The command line as it was typed: as people read it again, and as what makes it the same.

use crate::ui::invocation::quoted;

/// Options whose values are about a person.
const PERSONAL: [&str; 2] = ["--client-name", "--client-email"];

/// The line as people read it again: without what is about a person.
pub fn typed_line(words: &[String]) -> String {
    let mut line = String::from("secmon");
    let mut is_personal = false;
    for word in words {
        let shown = match (is_personal, word.split_once('=')) {
            (true, _) => "...".to_owned(),
            (false, Some((option, _))) if PERSONAL.contains(&option) => format!("{option}=..."),
            _ => quoted(word),
        };
        is_personal = PERSONAL.contains(&word.as_str());
        line.push(' ');
        line.push_str(&shown);
    }
    line
}

/// Options that only say how a command answers, or that its question is answered.
const ASIDE: [&str; 15] = [
    "-y",
    "--yes",
    "-q",
    "--quiet",
    "-v",
    "-vv",
    "--verbose",
    "--no-input",
    "--no-progress",
    "-n",
    "--dry-run",
    "--no-headers",
    "--use-whole-window",
    "-w",
    "--wait",
];
/// The same with a value.
const ASIDE_WITH_VALUE: [&str; 14] = [
    "--confirm",
    "-o",
    "--output",
    "--color",
    "--time",
    "--timeout",
    "--max-wait",
    "--wait-timeout",
    "--rate-limits",
    "--sort",
    "--csv",
    "--debug-file",
    "--columns",
    "--jq",
];

/// What makes the command the same again.
pub fn input_of(words: &[String]) -> String {
    let mut kept = Vec::new();
    let mut skips_value = false;
    for word in words {
        let option = word
            .split_once('=')
            .map_or(word.as_str(), |(option, _)| option);
        if std::mem::take(&mut skips_value) || ASIDE.contains(&word.as_str()) {
            continue;
        }
        if ASIDE_WITH_VALUE.contains(&option) {
            skips_value = option == word;
            continue;
        }
        kept.push(word.as_str());
    }
    kept.join("\n")
}
