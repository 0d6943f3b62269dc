//! One check, and what it came to.

use crate::error::{CliError, Exit};
use serde::Serialize;

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Good,
    /// It works, and could be better.
    Advice,
    Bad,
}

impl Verdict {
    pub fn word(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Advice => "advice",
            Self::Bad => "bad",
        }
    }

    pub fn mark(self) -> char {
        match self {
            Self::Good => '✔',
            Self::Advice => '·',
            Self::Bad => '✘',
        }
    }
}

/// A check and what it came to.
#[derive(Serialize)]
pub struct Check {
    pub check: &'static str,
    pub result: Verdict,
    pub about: String,
    /// The way out, commands between backticks until it is shown.
    pub fix: Option<String>,
    #[serde(skip)]
    pub exit: Exit,
}

impl Check {
    pub fn good(check: &'static str, about: impl Into<String>) -> Self {
        Self {
            check,
            result: Verdict::Good,
            about: about.into(),
            fix: None,
            exit: Exit::Done,
        }
    }

    pub fn advice(check: &'static str, about: String, fix: String) -> Self {
        Self {
            result: Verdict::Advice,
            fix: Some(fix),
            ..Self::good(check, about)
        }
    }

    pub fn of(check: &'static str, finding: Result<String, CliError>) -> Self {
        match finding {
            Ok(about) => Self::good(check, about),
            Err(error) => Self {
                result: Verdict::Bad,
                // Whoever reads this has just run it.
                fix: error.way_out().map(|fix| fix.replace(": `doctor`", "")),
                exit: error.exit(),
                ..Self::good(check, error.message())
            },
        }
    }
}
