//! What a case asks of the service.

use std::fmt;

/// An ability of the service beyond the partner API; all of them come with the mock's `/_mock/` calls.
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
        })
    }
}
