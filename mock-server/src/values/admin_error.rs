//! Why a call of the admin API was refused.

/// Why a call of the admin API was refused: each displays as one sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AdminError {
    /// The call itself is wrong (400).
    #[error("{0}")]
    BadInput(String),
    /// What it names is not there (404).
    #[error("{0}")]
    Unknown(String),
    /// What it names is there, but not in a state for it (409).
    #[error("{0}")]
    Conflict(String),
    /// Done in memory, but not made durable (500).
    #[error("{0}")]
    NotSaved(String),
}
