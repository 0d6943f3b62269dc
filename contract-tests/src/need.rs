//! What a case asks of the service.

use std::fmt;

/// An ability of the service beyond the partner API; most of them come with the mock's `/_mock/` calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// An account of one's own, with settings of one's own, and strangers beside it.
    Accounts,
    /// Time that can be moved.
    Clock,
    /// Saying what the next scan finds, and running it.
    World,
    /// Trouble on order.
    Faults,
    /// Reading back which calls came in.
    Journal,
    /// Keys, portal accounts and data sets that can be taken away.
    Switches,
    /// Playbooks, and a clock that runs.
    Playbooks,
    /// An account with sandbox mode.
    Sandbox,
    /// The mock in this process: the suite itself is judged, and no other service has a part in it.
    Embedded,
}

impl Need {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Accounts,
        Self::Clock,
        Self::World,
        Self::Faults,
        Self::Journal,
        Self::Switches,
        Self::Playbooks,
        Self::Sandbox,
        Self::Embedded,
    ];
}

impl Need {
    /// What a service must be able to do so that a thing of a sample account can be there.
    pub(crate) fn of_thing(name: &str) -> Option<Self> {
        match name {
            name if name.starts_with("foreign_") => Some(Self::Accounts),
            name if name.contains("alert") => Some(Self::World),
            _ => None,
        }
    }
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Accounts => "accounts",
            Self::Clock => "clock",
            Self::World => "world",
            Self::Faults => "faults",
            Self::Journal => "journal",
            Self::Switches => "switches",
            Self::Playbooks => "playbooks on a clock that runs",
            Self::Sandbox => "an account with sandbox mode",
            Self::Embedded => "the embedded mock",
        })
    }
}
