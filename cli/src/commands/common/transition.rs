//! The three transitions that servers, domains and subscriptions have in common.

use crate::bulk::Words;
use crate::session::prompt::Danger;
use crate::values::durations::counted;
use secmon::model::CustomerId;

/// What is done to a monitored thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transition {
    /// It rests, and keeps what was found.
    Suspend,
    /// It goes on.
    Resume,
    /// It ends for billing.
    Terminate,
}

impl Transition {
    /// The API's own word for it.
    pub fn verb(self) -> &'static str {
        match self {
            Self::Suspend => "suspend",
            Self::Resume => "resume",
            Self::Terminate => "terminate",
        }
    }

    /// What it is called while it is done.
    pub fn doing(self) -> &'static str {
        match self {
            Self::Suspend => "suspending",
            Self::Resume => "resuming",
            Self::Terminate => "terminating",
        }
    }

    /// What it is called when it is done.
    pub fn words(self) -> Words {
        match self {
            Self::Suspend => Words {
                done: "suspended",
                skipped: "already suspended",
            },
            Self::Resume => Words {
                done: "resumed",
                skipped: "already active",
            },
            Self::Terminate => Words {
                done: "terminated",
                skipped: "already terminated",
            },
        }
    }

    /// How many of all that a customer has are to be changed: told before a dry run, and after the change.
    pub fn of_all(self, customer: CustomerId, total: usize, one: &str, left: usize) -> String {
        let were = match left {
            1 => "1 was".to_owned(),
            left => format!("{left} were"),
        };
        let state = match self {
            Self::Suspend => "suspended",
            Self::Resume => "active",
            Self::Terminate => "terminated",
        };
        format!(
            "Customer {customer} has {}; {were} not {state} yet.",
            counted(total, one)
        )
    }

    /// How hard it is to take back for a server or a domain.
    pub fn danger(self) -> Danger {
        match self {
            Self::Suspend | Self::Resume => Danger::Mild,
            Self::Terminate => Danger::Moderate,
        }
    }
}
