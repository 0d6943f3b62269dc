//! What ends the program before a run.

/// A sentence and an exit code.
pub(crate) struct Stop {
    pub(crate) sentence: String,
    pub(crate) code: u8,
}

impl Stop {
    pub(crate) fn usage(sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        Self { sentence, code: 2 }
    }

    pub(crate) fn other(sentence: impl Into<String>) -> Self {
        let sentence = sentence.into();
        Self { sentence, code: 1 }
    }
}
