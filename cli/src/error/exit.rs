//! Exit codes.

/// Exit codes of the program; scripts rely on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// Anything that has no code of its own, a declined question among it.
    Other = 1,
    /// Wrong usage, or refused by local validation.
    Usage = 2,
    /// Authentication or permission (401, 403).
    Permission = 3,
    /// Not found (404).
    NotFound = 4,
    /// Refused by state or validation of the service (409, 422).
    Conflict = 5,
    /// Rate limited (429).
    RateLimited = 6,
    /// Service or network unavailable, or an answer that cannot be read.
    Unavailable = 7,
    /// A bulk run in which some items failed.
    SomeFailed = 8,
    /// A wait that ran out.
    WaitRanOut = 9,
    /// Interrupted.
    Interrupted = 130,
}

impl Exit {
    /// The exit code that goes with a status of the service.
    pub fn of_status(status: u16) -> Self {
        match status {
            200..=299 => Self::Done,
            401 | 403 => Self::Permission,
            404 => Self::NotFound,
            409 | 422 => Self::Conflict,
            429 => Self::RateLimited,
            413 | 300..=399 | 500..=599 => Self::Unavailable,
            _ => Self::Other,
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}
