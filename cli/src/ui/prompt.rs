//! Questions to a person at a terminal.

use super::plain_prompt;
use super::{Ui, sanitize};
use crate::error::{CliError, Exit};
use crate::machine::interrupt::{self, broken_off};
use crate::machine::terminal::TerminalMode;
use dialoguer::{Input, MultiSelect, Password, Select};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use zeroize::Zeroizing;

/// A question waits for its answer after this time at the latest.
const DRAWN_WITHIN: Duration = Duration::from_millis(50);

/// So many lines of a choice are on the screen at one time.
const LINES: usize = 15;

impl Ui {
    /// Whether somebody is there to be asked.
    pub fn can_ask(&self) -> bool {
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    /// Asks for a line of text.
    pub fn ask_text(&self, question: &str) -> Result<String, CliError> {
        if plain_prompt::wanted() {
            return self.at_terminal(|| plain_prompt::line(self, question));
        }
        self.at_terminal(|| {
            Input::new()
                .with_prompt(sanitize(question))
                .interact_text()
                .map_err(no_answer)
        })
    }

    /// The same, where an empty answer means the one from before.
    pub fn ask_text_or(&self, question: &str, before: &str) -> Result<String, CliError> {
        if plain_prompt::wanted() {
            return self.at_terminal(|| plain_prompt::line_or(self, question, before));
        }
        let mut input = Input::new()
            .with_prompt(sanitize(question))
            .allow_empty(true);
        if !before.is_empty() {
            input = input.default(before.to_owned());
        }
        self.at_terminal(|| input.interact_text().map_err(no_answer))
    }

    /// Asks for a secret; nothing of it is shown.
    pub fn ask_secret(&self, question: &str) -> Result<Zeroizing<String>, CliError> {
        self.at_terminal(|| {
            Password::new()
                .with_prompt(sanitize(question))
                .interact()
                .map(Zeroizing::new)
                .map_err(no_answer)
        })
    }

    /// Lets a person choose one of several.
    pub fn ask_choice(&self, question: &str, options: &[String]) -> Result<usize, CliError> {
        let options: Vec<String> = options.iter().map(|option| sanitize(option)).collect();
        if plain_prompt::wanted() {
            return self.at_terminal(|| plain_prompt::choice(self, question, &options));
        }
        let select = Select::new()
            .with_prompt(sanitize(question))
            .items(&options)
            .default(0)
            .max_length(LINES);
        self.at_terminal(|| select.interact().map_err(no_answer))
    }

    /// Lets a person choose several; none is chosen to begin with.
    pub fn ask_some(&self, question: &str, options: &[String]) -> Result<Vec<usize>, CliError> {
        let options: Vec<String> = options.iter().map(|option| sanitize(option)).collect();
        if plain_prompt::wanted() {
            return self.at_terminal(|| plain_prompt::some(self, question, &options));
        }
        let select = MultiSelect::new()
            .with_prompt(sanitize(&format!(
                "{question} (space to choose, Enter to go on)"
            )))
            .items(&options)
            .max_length(LINES);
        self.at_terminal(|| select.interact().map_err(no_answer))
    }

    /// Asks for one of a few letters; each stands for what is behind it, and its first word is an answer too.
    pub fn ask_letter(&self, question: &str, letters: &[(char, &str)]) -> Result<char, CliError> {
        let meanings: Vec<String> = letters
            .iter()
            .map(|(letter, meaning)| meaning.replacen(*letter, &format!("[{letter}]"), 1))
            .collect();
        let question = format!("{question} {}", meanings.join(", "));
        loop {
            let answer = self.ask_text(&question)?;
            let typed = answer.trim().to_ascii_lowercase();
            let is_meant = |(letter, meaning): &&(char, &str)| {
                typed == letter.to_string() || meaning.split(' ').next() == Some(&typed)
            };
            match letters.iter().find(is_meant) {
                Some((letter, _)) => return Ok(*letter),
                None => self.note(&format!("{answer:?} is not one of these letters")),
            }
        }
    }

    /// Asks, and lets a Ctrl-C end the program: whoever takes it otherwise waits for the answer too.
    fn at_terminal<T>(&self, ask: impl FnOnce() -> Result<T, CliError>) -> Result<T, CliError> {
        let ending = AtomicBool::new(false);
        let mode = TerminalMode::of_stdin();
        interrupt::with_ctrl_c(
            || {
                if !ending.swap(true, Ordering::SeqCst) {
                    mode.restore();
                    show_cursor();
                    let error = broken_off();
                    self.error(&error);
                    // A question that was still being drawn changes the terminal once more before it waits.
                    std::thread::sleep(DRAWN_WITHIN);
                    mode.restore();
                    std::process::exit(error.exit() as i32);
                }
            },
            || {
                let answer = ask();
                let broken_off = matches!(&answer, Err(error) if error.exit() == Exit::Interrupted);
                while broken_off && ending.swap(true, Ordering::SeqCst) {
                    // The other thread tells of it, and ends the program.
                    std::thread::park();
                }
                answer
            },
        )
    }

    /// Asks yes or no. A whole line answers: a key of the next command that was typed too early is no yes.
    pub fn ask_yes(&self, question: &str) -> Result<bool, CliError> {
        let answer = self.ask_text_or(&format!("{question} [y/N]"), "")?;
        Ok(matches!(
            answer.trim().to_ascii_lowercase().as_str(),
            "y" | "yes"
        ))
    }
}

fn no_answer(error: dialoguer::Error) -> CliError {
    let dialoguer::Error::IO(error) = error;
    if error.kind() == std::io::ErrorKind::Interrupted {
        show_cursor();
        return broken_off();
    }
    CliError::io("asking at the terminal", &error)
}

/// A choice hides the cursor, and leaves it hidden when it is broken off.
fn show_cursor() {
    let terminal = dialoguer::console::Term::stderr();
    let _ = terminal
        .show_cursor()
        .and_then(|()| terminal.write_line(""));
}
