//! What an account stores, and what follows from it. Nothing here knows what
//! an operation does.

pub(crate) mod storage;
pub(crate) mod tables;
