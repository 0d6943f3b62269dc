//! Why an answer is no result.

/// Why an answer is not the operation's result.
pub(crate) struct DecodeProblem {
    /// What is the matter with the answer as a whole.
    pub(crate) complaint: &'static str,
    /// Where, as in `data.endpoint_id`; empty for the answer as a whole.
    pub(crate) place: String,
    /// What is wrong there, without a value of the answer.
    pub(crate) problem: String,
}

impl DecodeProblem {
    pub(crate) const UNREADABLE: &'static str = "the answer cannot be read";
    pub(crate) const OTHER_REQUEST: &'static str = "the answer does not fit the request";

    pub(crate) fn whole(problem: impl Into<String>) -> Self {
        Self {
            complaint: Self::UNREADABLE,
            place: String::new(),
            problem: problem.into(),
        }
    }
}
