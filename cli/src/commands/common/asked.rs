//! Whether an answer shows what a person asked for, where the service has no reason to write it otherwise.

use crate::error::{CliError, LocalErrorKind};
use std::fmt::Display;

/// A record as it was answered, beside what was asked for; the first difference counts.
pub struct AskedFor {
    what: String,
    look: String,
    difference: Option<String>,
}

impl AskedFor {
    /// Of a record that is named so in sentences; `look` is the command that shows how it is now.
    pub fn of(what: impl Into<String>, look: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            look: look.into(),
            difference: None,
        }
    }

    /// What was asked of a field, where something was, must be what was answered.
    #[must_use]
    pub fn same<T: PartialEq + Display>(
        mut self,
        field: &str,
        asked: Option<T>,
        answered: T,
    ) -> Self {
        if let Some(asked) = asked.filter(|asked| *asked != answered) {
            self.difference
                .get_or_insert_with(|| format!("{field} {answered} in place of {asked}"));
        }
        self
    }

    /// An answer that shows something else is no success.
    pub fn check(self) -> Result<(), CliError> {
        let Some(difference) = self.difference else {
            return Ok(());
        };
        let sentence = format!(
            "{}: the service answered with {difference}; whether it did what was asked is not known",
            self.what
        );
        Err(CliError::new(LocalErrorKind::IncompleteAnswer, sentence)
            .hint(format!("look at it: `{}`", self.look)))
    }
}
