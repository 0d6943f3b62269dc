//! How a call ends.

use crate::connection::close_mode::CloseMode;
use crate::http::reply::Reply;

/// How a call ends.
pub(crate) enum CallOutcome {
    /// With this answer.
    Answer(Reply),
    /// With half of this answer.
    Half(Reply),
    /// Without any.
    Nothing { how: CloseMode, processed: bool },
}

impl CallOutcome {
    pub(super) const UNPROCESSED: Self = Self::Nothing {
        how: CloseMode::Close,
        processed: false,
    };

    /// What goes out of an answer that is cut: one without a body has no half.
    pub(super) fn half(reply: Reply) -> Self {
        if reply.body.len() > 1 {
            return Self::Half(reply);
        }
        Self::Nothing {
            how: CloseMode::Close,
            processed: true,
        }
    }

    pub(super) fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Answer(reply) | Self::Half(reply) => Some(reply),
            Self::Nothing { .. } => None,
        }
    }
}
