//! What a run of `exec` or `certify` met, also of accounts that are gone, and what it was asked to hold.

pub(crate) mod check;
pub(crate) mod collector;
pub(crate) mod har;
pub(crate) mod report;
