//! The three transitions that servers, domains and subscriptions have in common.

use crate::bulk::Words;
use crate::session::prompt::Danger;

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
                skipped: "suspended before",
            },
            Self::Resume => Words {
                done: "resumed",
                skipped: "active before",
            },
            Self::Terminate => Words {
                done: "terminated",
                skipped: "terminated before",
            },
        }
    }

    /// How hard it is to take back for a server or a domain.
    pub fn danger(self) -> Danger {
        match self {
            Self::Suspend | Self::Resume => Danger::Mild,
            Self::Terminate => Danger::Moderate,
        }
    }
}
