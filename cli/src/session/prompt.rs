//! Questions to a person, and what is done where nobody is there to be asked.

use crate::error::{CliError, LocalErrorKind};
use crate::session::credentials::TypedKey;
use crate::session::local::MockHandle;
use crate::session::settings::Safety;
use crate::ui::Ui;
use crate::ui::invocation::quoted;
use crate::values::domain_names;
use secmon::ApiKey;
use std::cell::Cell;
use std::sync::Arc;

/// Asks, where somebody is there; else says which option gives the answer.
pub struct Prompt {
    ui: Arc<Ui>,
    safety: Safety,
    lease: MockHandle,
    /// Whether a name was typed for what is protected.
    typed: Cell<Option<bool>>,
}

impl Prompt {
    /// For a command with these answers given beforehand.
    pub fn new(ui: Arc<Ui>, safety: Safety, lease: MockHandle) -> Self {
        Self {
            ui,
            safety,
            lease,
            typed: Cell::new(None),
        }
    }

    /// Whether a person is there and wants to be asked.
    pub fn may_ask(&self) -> bool {
        !self.safety.no_input && self.ui.can_ask()
    }

    /// The screen to ask on: whoever is asked keeps nobody from the embedded mock.
    fn asking(&self) -> &Ui {
        self.lease.release();
        &self.ui
    }

    /// Asks for what is missing, or says which option gives it.
    pub fn ask(&self, option: &str, what: &str, question: &str) -> Result<String, CliError> {
        if !self.may_ask() {
            return Err(CliError::usage(format!(
                "{what} is missing: give it with {option}"
            )));
        }
        self.asking().ask_text(question)
    }

    /// Asks for one of a few letters; each stands for what is behind it.
    pub fn ask_letter(&self, question: &str, letters: &[(char, &str)]) -> Result<char, CliError> {
        self.asking().ask_letter(question, letters)
    }

    /// Asks for a line of text that may be left empty, or taken over from before.
    pub fn ask_again(&self, question: &str, before: &str) -> Result<String, CliError> {
        self.asking().ask_text_or(question, before)
    }

    /// Lets a person choose several; none is chosen to begin with.
    pub fn choose_some(&self, question: &str, options: &[String]) -> Result<Vec<usize>, CliError> {
        self.asking().ask_some(question, options)
    }

    /// Lets a person choose one of several.
    pub fn choose(&self, question: &str, options: &[String]) -> Result<usize, CliError> {
        self.asking().ask_choice(question, options)
    }

    /// Whether somebody sees what is told before a change: a person who is asked, a script that left the answer out, or
    /// whoever tries it with a dry run.
    pub fn shows_preview(&self, danger: ConfirmationLevel) -> bool {
        let safety = &self.safety;
        let answered = match danger == ConfirmationLevel::Severe || safety.protected {
            true => safety.confirm.is_some(),
            false => safety.yes,
        };
        safety.dry_run || (danger != ConfirmationLevel::Mild && !answered)
    }

    /// Asks whether something that was assumed is so. Only to be asked where somebody is there.
    pub fn agrees(&self, about: &str, question: &str) -> Result<bool, CliError> {
        self.asking().before_question(about);
        self.ui.ask_yes(question)
    }

    /// Asks before a change that is hard to take back; `name` is typed for a severe one.
    pub fn confirm(
        &self,
        danger: ConfirmationLevel,
        question: &str,
        name: &str,
    ) -> Result<(), CliError> {
        self.confirm_here(danger, &self.placed(question), name)
    }

    /// The same about what is on this computer: which service is in use has no part in it.
    pub fn confirm_here(
        &self,
        danger: ConfirmationLevel,
        question: &str,
        name: &str,
    ) -> Result<(), CliError> {
        let safety = &self.safety;
        if safety.dry_run || (danger == ConfirmationLevel::Mild && safety.protected) {
            return Ok(());
        }
        let is_said = safety.confirm.is_some();
        let severe = danger == ConfirmationLevel::Severe || safety.protected;
        // Whoever says how many there are wants nothing done to more.
        if severe || is_said {
            self.type_agreed(question, name)
        } else if danger == ConfirmationLevel::Mild {
            Ok(())
        } else {
            self.confirm_by_yes(question)
        }
    }

    /// Asks before the first change of what is protected, unless something was typed for the change already; a script
    /// answers with the same option.
    pub fn confirm_protected(&self, about: &str, name: &str) -> Result<(), CliError> {
        match self.typed.get() {
            Some(true) => return Ok(()),
            Some(false) => return Err(declined("what is protected was not agreed to")),
            None => {}
        }
        let question = format!("About to change what the profile protects ({name}): {about}.");
        let agreed = self.type_agreed(&self.placed(&question), name);
        self.typed.set(Some(agreed.is_ok()));
        agreed
    }

    /// A question with the service it is about, where it could be another one.
    fn placed(&self, question: &str) -> String {
        match &self.safety.place {
            Some(place) => format!("{question} This is {place}."),
            None => question.to_owned(),
        }
    }

    fn type_agreed(&self, question: &str, name: &str) -> Result<(), CliError> {
        self.type_name(question, name)?;
        self.typed.set(Some(true));
        Ok(())
    }

    fn type_name(&self, question: &str, name: &str) -> Result<(), CliError> {
        if let Some(given) = &self.safety.confirm {
            return match is_name(given, name) {
                true => Ok(()),
                false => Err(CliError::usage(format!(
                    "--confirm={given} does not match: it must be --confirm={name}. {question}"
                ))),
            };
        }
        if !self.may_ask() {
            return Err(needed(&format!("--confirm={}", quoted(name)), question));
        }
        self.asking().before_question(question);
        let typed = self.ui.ask_text(&format!("Type {name} to go on"))?;
        if is_name(&typed, name) {
            Ok(())
        } else {
            Err(declined(&format!("{typed:?} is not {name:?}")))
        }
    }

    fn confirm_by_yes(&self, question: &str) -> Result<(), CliError> {
        if self.safety.yes {
            return Ok(());
        }
        if !self.may_ask() {
            return Err(needed("--yes", question));
        }
        self.asking().before_question(question);
        if self.ui.ask_yes("Go on?")? {
            Ok(())
        } else {
            Err(declined("the answer was no"))
        }
    }

    /// Asks for a key that is kept nowhere.
    pub fn ask_key(&self) -> Result<ApiKey, CliError> {
        if !self.may_ask() {
            return Err(CliError::usage("there is no API key: set SECMON_API_KEY or SECMON_API_KEY_FILE, or name a profile that has one")
                .hint("save one: `auth login --key-stdin`"));
        }
        self.typed_key("API key")?.check()
    }

    /// Asks for a key without showing it.
    pub fn typed_key(&self, question: &str) -> Result<TypedKey, CliError> {
        Ok(TypedKey::new(&self.asking().ask_secret(question)?))
    }
}

/// How hard a change is to take back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConfirmationLevel {
    /// Easily.
    Mild,
    /// With work.
    Moderate,
    /// Not at all, or very many at once.
    Severe,
}

impl ConfirmationLevel {
    /// The danger of doing the same to `count` things.
    pub fn times(self, count: usize) -> Self {
        match (self, count) {
            (_, 51..) => Self::Severe,
            (Self::Mild, 6..) => Self::Moderate,
            (danger, _) => danger,
        }
    }
}

/// Whether this name was typed: of a domain, as people write it or as the service keeps it.
fn is_name(typed: &str, name: &str) -> bool {
    let (typed, name) = (typed.trim(), name.trim());
    typed == name || name.contains("xn--") && domain_names::normalized(typed) == name
}

/// The refusal where nobody can be asked: what the option answers, in the words of the question.
fn needed(option: &str, question: &str) -> CliError {
    CliError::usage(match question.strip_prefix("About to ") {
        Some(rest) => format!("confirmation needed: add {option} to {rest}"),
        None => format!("confirmation needed: add {option}. {question}"),
    })
}

fn declined(reason: &str) -> CliError {
    CliError::new(
        LocalErrorKind::Declined,
        format!("{reason}: nothing was changed"),
    )
}
