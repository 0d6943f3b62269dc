//! Questions to a person at a terminal.

use super::{Ui, sanitize};
use crate::error::{CliError, Exit};
use dialoguer::{Confirm, Input, Password, Select};
use std::io::IsTerminal;

impl Ui {
    /// Whether somebody is there to be asked.
    pub fn can_ask(&self) -> bool {
        std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }

    /// Asks for a line of text.
    pub fn ask_text(&self, question: &str) -> Result<String, CliError> {
        Input::new()
            .with_prompt(sanitize(question))
            .interact_text()
            .map_err(no_answer)
    }

    /// Asks for a secret; nothing of it is shown.
    pub fn ask_secret(&self, question: &str) -> Result<String, CliError> {
        Password::new()
            .with_prompt(sanitize(question))
            .interact()
            .map_err(no_answer)
    }

    /// Lets a person choose one of several.
    pub fn ask_choice(&self, question: &str, options: &[String]) -> Result<usize, CliError> {
        let options: Vec<String> = options.iter().map(|option| sanitize(option)).collect();
        Select::new()
            .with_prompt(sanitize(question))
            .items(&options)
            .default(0)
            .interact()
            .map_err(no_answer)
    }

    /// Asks yes or no; no answer is no.
    pub fn ask_yes(&self, question: &str) -> Result<bool, CliError> {
        let confirm = Confirm::new()
            .with_prompt(sanitize(question))
            .default(false);
        confirm
            .interact_opt()
            .map(Option::unwrap_or_default)
            .map_err(no_answer)
    }
}

fn no_answer(error: dialoguer::Error) -> CliError {
    let dialoguer::Error::IO(error) = error;
    if error.kind() == std::io::ErrorKind::Interrupted {
        return CliError::new(
            Exit::Interrupted,
            "interrupted",
            "interrupted at a question: nothing was changed",
        );
    }
    CliError::io("asking at the terminal", &error)
}
