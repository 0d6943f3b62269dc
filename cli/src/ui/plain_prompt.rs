//! Questions without any moving of the cursor (`SECMON_PLAIN_PROMPTS`): for screen readers and simple terminals.

use super::{Ui, sanitize};
use crate::error::CliError;
use crate::machine::env_vars;
use crate::machine::interrupt::broken_off;
use std::io::BufRead;

/// Whether questions are asked this way.
pub fn wanted() -> bool {
    let simple = std::env::var("TERM").is_ok_and(|term| term == "dumb");
    env_vars::switch("SECMON_PLAIN_PROMPTS")
        .ok()
        .flatten()
        .unwrap_or(simple)
}

/// Asks for a line of text.
pub fn line(ui: &Ui, question: &str) -> Result<String, CliError> {
    ui.to_stderr(&format!("{}: ", sanitize(question)));
    let mut answer = String::new();
    let read = std::io::stdin().lock().read_line(&mut answer);
    match read {
        Ok(0) => Err(broken_off()),
        Ok(_) => Ok(answer.trim_end_matches(['\n', '\r']).to_owned()),
        Err(error) => Err(CliError::io("asking at the terminal", &error)),
    }
}

/// The same, where an empty answer means the one from before.
pub fn line_or(ui: &Ui, question: &str, before: &str) -> Result<String, CliError> {
    let question = match before {
        "" => question.to_owned(),
        before => format!("{question} [{before}]"),
    };
    let answer = line(ui, &question)?;
    match answer.is_empty() {
        true => Ok(before.to_owned()),
        false => Ok(answer),
    }
}

/// Lets a person choose one by its number.
pub fn choice(ui: &Ui, question: &str, options: &[String]) -> Result<usize, CliError> {
    list(ui, question, options);
    loop {
        let answer = line(ui, "Number")?;
        match numbers(&answer, options.len()).as_deref() {
            Some([number]) => return Ok(*number),
            _ => ui.note(&format!(
                "{answer:?} is not a number from 1 to {}",
                options.len()
            )),
        }
    }
}

/// Lets a person choose several by their numbers.
pub fn some(ui: &Ui, question: &str, options: &[String]) -> Result<Vec<usize>, CliError> {
    list(ui, question, options);
    loop {
        let answer = line_or(ui, "Select alerts (1,3-5, all, none; Ctrl-C quits)", "none")?;
        match numbers(&answer, options.len()) {
            Some(chosen) => return Ok(chosen),
            None => ui.note(&format!(
                "{answer:?} was not understood: give numbers from 1 to {}, all or none",
                options.len()
            )),
        }
    }
}

fn list(ui: &Ui, question: &str, options: &[String]) {
    let lines: String = options
        .iter()
        .enumerate()
        .map(|(at, option)| format!("  {:>2}  {option}\n", at + 1))
        .collect();
    ui.to_stderr(&format!("{}\n{lines}", sanitize(question)));
}

/// `1,3-5`, `all`, `none`: places from 0, in order, each once.
fn numbers(text: &str, count: usize) -> Option<Vec<usize>> {
    match text.trim() {
        "all" => return Some((0..count).collect()),
        "none" | "0" => return Some(Vec::new()),
        _ => {}
    }
    let mut chosen = Vec::new();
    for piece in text.split([',', ' ']).filter(|piece| !piece.is_empty()) {
        let (first, last) = piece.split_once('-').unwrap_or((piece, piece));
        let (first, last) = (first.parse::<usize>().ok()?, last.parse::<usize>().ok()?);
        if first == 0 || last > count || first > last {
            return None;
        }
        chosen.extend(first - 1..last);
    }
    chosen.sort_unstable();
    chosen.dedup();
    (!chosen.is_empty()).then_some(chosen)
}
